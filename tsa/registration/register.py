"""`register(a, b)`: by how much is picture b turned against picture a, how sure is that, and is it the same picture?

Both pictures may be noisy. The answer is a density over the turn, with σ estimated from the pair unless it is given.
"""

from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from os import PathLike
from typing import Any, NamedTuple, overload

import numpy as np
from PIL import Image
from scipy import ndimage

from tsa._base import Array, InputError, checks
from tsa.density import GeneralizedVonMises, Mixture
from tsa.files import bundled, load
from tsa.model import Subgroup
from tsa.pictures import luminance, patches_of_pictures, whole_picture
from tsa.registration.hyperprior import Hyperprior
from tsa.registration.noise import find_noise
from tsa.registration.odds import DECIDED, Odds
from tsa.registration.planes import Camera, NoisyPlanes
from tsa.registration.posterior import PlanePair, noisy_pair, pair_posterior

Batch = list[Any] | tuple[Any, ...]
Picture = str | PathLike[str] | Image.Image | Array
_MODEL = "rotation-28"
_MIN_SIDE = 8  # pixels; of smaller pictures the circle is too coarse to be turned
_MAX_SIDE = 128  # pixels; the means of blocks of pixels are taken of larger pictures
_BLANK = 1e-3  # standard deviation of the grey values on the disc
_LEVEL = 0.95  # probability of the set whose arcs are the turns
_FLAT_RADIANS = np.radians(300)  # a set this wide says nothing


class Turn(NamedTuple):
    """A possible turn in radians, counter-clockwise; its probability; and the interval (start, stop) it lies in."""

    angle: float
    mass: float
    interval: tuple[float, float]


@dataclass(frozen=True, eq=False)
class Registration:
    """The turn that takes picture a to picture b.

    `posterior` is the density over it (radians, counter-clockwise on screen). `noise` is σ of the pixels, in grey
    values from 0 to 1; a picture of more than 255 pixels a side is compared as means of n×n pixels, and σ is n times
    theirs. `blank` names the pictures without content.
    """

    posterior: Mixture
    noise: float
    blank: tuple[str, ...]
    pictures: tuple[Array, Array] = field(repr=False)
    _odds: tuple[Odds, int] = field(repr=False)

    @cached_property
    def z_score(self) -> float:
        """How well the best turn fits: the signed root of twice the log odds that the pictures show the same thing.

        The alternative is another picture of the same kind, unrelated to a or somewhat like it. Above 2.45 (odds of
        twenty to one) they do; below −2.45 no turn explains the pair; in between it cannot be told, because noise hides
        too much. 0 if a picture is blank. It takes longer than the posterior, and is found, for all pairs that were
        registered together, when it is first asked for.
        """
        odds, place = self._odds
        return 0.0 if self.blank else float(odds.z_scores[place])

    @property
    def explained(self) -> bool | None:
        """Whether some turn explains the pair; None if that cannot be told."""
        if self.blank or self.z_score < -DECIDED:
            return False
        return True if self.z_score > DECIDED else None

    @cached_property
    def turns(self) -> tuple[Turn, ...]:
        """The arcs of the 95 % set, most probable first: in each the highest turn and the probability around it."""
        arcs = self.posterior.credible_set(_LEVEL)
        arcs = arcs[~np.isnan(arcs[:, 0])]
        angle, mass = self.posterior.modes()
        found = []
        for start, stop in arcs:
            inside = np.mod(angle - start, 2 * np.pi) <= stop - start
            if inside.any():
                height = np.where(inside, self.posterior.log_density(np.nan_to_num(angle)), -np.inf)
                best = float(angle[np.argmax(height)])
                found.append(Turn(best, float(mass[inside].sum()), (float(start), float(stop))))
        return tuple(sorted(found, key=lambda turn: -turn.mass))

    @property
    def width(self) -> float:
        """The length of the 95 % set in radians: 2π if nothing is known."""
        return float(sum(stop - start for _, _, (start, stop) in self.turns))

    @property
    def matrix(self) -> Array:
        """(3, 3): takes pixel (column, row, 1) of a to that of b, by the most probable turn.

        For `skimage.transform.AffineTransform(matrix)` and `cv2.warpAffine(a, matrix[:2], (width, height))`. It turns
        about the middle and scales the inscribed circle of a to that of b.
        """
        s = self.turns[0].angle
        (middle_a, side_a), (middle_b, side_b) = (_middle(p) for p in self.pictures)
        scale = side_b / side_a
        matrix = np.eye(3)
        matrix[:2, :2] = scale * np.array([[np.cos(s), np.sin(s)], [-np.sin(s), np.cos(s)]])  # rows count downwards
        matrix[:2, 2] = middle_b - matrix[:2, :2] @ middle_a
        return matrix

    @cached_property
    def aligned(self) -> Array:
        """Picture a turned onto b by the most probable turn, in the frame of b: cubic splines, 0 outside a.

        Its values stay within 0…1, or within those of a where these are larger.
        """
        a, b = self.pictures
        back = np.linalg.inv(self.matrix)
        swap = back[:2, :2][::-1, ::-1]  # ndimage counts (row, column)
        layers = [
            ndimage.affine_transform(layer, swap, back[:2, 2][::-1], b.shape[:2], order=3)
            for layer in (np.moveaxis(a, -1, 0) if a.ndim == 3 else a[None])
        ]
        return np.clip(layers[0] if a.ndim == 2 else np.stack(layers, -1), min(0.0, a.min()), max(1.0, a.max()))

    @property
    def sentence(self) -> str:
        """The answer in words."""
        if self.blank:
            which = f"picture {self.blank[0]} has" if len(self.blank) == 1 else "pictures a and b have"
            return f"No turn can be found: {which} no content."
        if self.explained is False:
            return (
                f"No turn about the middle takes one picture to the other (z = {self.z_score:.1f}): they show "
                "different things, or the same at another place, size or contrast."
            )
        if self.width > _FLAT_RADIANS:
            return "Every turn fits about equally well: the pictures are round, or noise hides their content."
        turns = [
            f"{_degrees(t.angle):.2f}° ± {_degrees(t.interval[1] - t.interval[0]) / 2:.2f}° ({100 * t.mass:.0f} %)"
            for t in self.turns[:6]
        ]
        more = f" and {len(self.turns) - 6} others" if len(self.turns) > 6 else ""
        answer = f"urned by {', or '.join(turns)}{more}; noise σ = {self.noise:.3f}, z = {self.z_score:.1f}."
        if self.explained is None:
            return f"Noise hides whether the pictures show the same thing. If they do: t{answer}"
        return f"T{answer}"

    def summary(self) -> dict[str, Any]:
        """Everything but the pictures and the density, for JSON; angles in degrees."""
        return {
            "turns": [
                {"degrees": _degrees(t.angle), "mass": t.mass, "interval": [_degrees(edge) for edge in t.interval]}
                for t in self.turns
            ],
            "noise": self.noise,
            "z_score": self.z_score,
            "explained": self.explained,
            "matrix": self.matrix.tolist(),
            "sentence": self.sentence,
        }


@overload
def register(
    a: Picture,
    b: Picture,
    *,
    model: str | PathLike[str] | Subgroup = ...,
    noise: float | None = ...,
    hyperprior: Hyperprior | None = ...,
) -> Registration: ...
@overload
def register(
    a: Batch,
    b: Batch,
    *,
    model: str | PathLike[str] | Subgroup = ...,
    noise: float | None = ...,
    hyperprior: Hyperprior | None = ...,
) -> list[Registration]: ...
def register(
    a: Any,
    b: Any,
    *,
    model: str | PathLike[str] | Subgroup = _MODEL,
    noise: float | None = None,
    hyperprior: Hyperprior | None = None,
) -> Any:
    """By how much is b turned against a? Two pictures: files, Pillow images or arrays, any size, grey or in colour.

    Lists of pictures are registered pair by pair, in one batch, and give a list of results. Pictures are compared in
    grey on the circle inscribed in their central square, and are taken to have the same brightness and contrast.
    Arrays are in 0…1; white is 255 for uint8 and 65535 for uint16. `noise` is σ of the pixels in grey values 0…1, the
    same in both; it is estimated from each pair if not given. `model` is a rotation model, or the name or file of one.

    >>> a = tsa.shapes.draw("F", 96)
    >>> found = tsa.register(a, tsa.rotate(a, np.radians(30)), noise=0.05)
    >>> print(np.degrees(found.posterior.mode()).round())
    30.0
    """
    batch = isinstance(a, list | tuple)
    if batch != isinstance(b, list | tuple) or (batch and len(a) != len(b)):
        raise InputError("Give two pictures, or two lists of equally many pictures.")
    opened = _opened(model)
    size = round(opened.dimension**0.5) if isinstance(opened, Subgroup) else 0
    if not isinstance(opened, Subgroup) or opened.parameters != 1 or size * size != opened.dimension:
        raise InputError(
            "Pictures are registered with a model of rotations of square patches, with weights. For patches of another "
            "group take tsa.register_patches(model, x, y)."
        )
    if hyperprior is not None and not hasattr(hyperprior, "hypotheses"):
        raise InputError(f"hyperprior is a tsa.registration.Hyperprior; got {hyperprior!r}.")
    pairs = [tuple(whole_picture(one) for one in pair) for pair in (zip(a, b, strict=True) if batch else [(a, b)])]
    small = [one.shape[:2] for pair in pairs for one in pair if min(one.shape[:2]) < _MIN_SIDE]
    if small:
        height, width = small[0]
        raise InputError(f"Pictures to register have at least {_MIN_SIDE}×{_MIN_SIDE} pixels; got {width}×{height}.")
    results = _registered(pairs, opened, size, noise, hyperprior or Hyperprior())
    return results if batch else results[0]


def _opened(model: Any) -> Any:
    """The model, opened if it is a name or a file."""
    if isinstance(model, str) and model in bundled():
        return _bundled(model)
    return load(model) if isinstance(model, str | PathLike) else model


# Opened once, because what its planes do with noise is remembered for each model.
_bundled = lru_cache(maxsize=8)(load)


def _registered(
    pairs: list[Any], model: Subgroup, size: int, noise: float | None, hyperprior: Hyperprior
) -> list[Registration]:
    reduced = [tuple(_reduced(p) for p in pair) for pair in pairs]
    kinds = [tuple((len(small), block) for small, block in pair) for pair in reduced]
    results: dict[int, Registration] = {}
    for kind in dict.fromkeys(kinds):  # pictures of equal sizes together
        rows = [i for i, other in enumerate(kinds) if other == kind]
        (side_x, block_x), (side_y, block_y) = kind
        planes = NoisyPlanes.of(model, Camera(size, side_x))
        x, y = (patches_of_pictures(np.stack([reduced[i][j][0] for i in rows]), size) for j in (0, 1))
        # The mean of n×n pixels has noise σ/n; here σ is that of x's blocks.
        gain_y = planes.gain_for(side_y) * (block_x / block_y) ** 2
        pair = PlanePair.of(planes, x, y, gain_y)
        known = None if noise is None else np.full(len(rows), checks.positive(noise, "noise") / block_x)
        sigma = find_noise(planes, pair) if known is None else known
        odds = Odds(planes, pair, sigma, known is not None)
        posterior = pair_posterior(planes, noisy_pair(planes, pair, sigma, sigma), hyperprior).density
        for place, i in enumerate(rows):
            names = tuple(name for name, (small, _) in zip("ab", reduced[i], strict=True) if _is_blank(small))
            density = _uniform() if names else posterior[place]
            results[i] = Registration(density, float(sigma[place] * block_x), names, pairs[i], (odds, place))
    return [results[i] for i in range(len(pairs))]


def _uniform() -> Mixture:
    return Mixture(GeneralizedVonMises(np.zeros((1, 1), complex)), np.zeros(1))


def _reduced(picture: Array) -> tuple[Array, int]:
    """The central square in grey, as means of n×n pixels so that it has at most 2·128 − 1 pixels a side; and n."""
    grey = luminance(picture)
    block = max(1, min(grey.shape) // _MAX_SIDE)
    side = min(grey.shape) // block
    top, left = ((n - side * block) // 2 for n in grey.shape)
    square = grey[top : top + side * block, left : left + side * block]
    return square.reshape(side, block, side, block).mean(axis=(1, 3)), block


def _is_blank(square: Array) -> bool:
    """Whether a grey square (side, side) has the same value all over its inscribed circle."""
    away = np.arange(len(square)) - (len(square) - 1) / 2
    return bool(square[np.hypot(away[:, None], away) <= len(square) / 2].std() < _BLANK)


def _middle(picture: Array) -> tuple[Array, int]:
    """The middle (column, row) of the square that is compared, and its side, in pixels."""
    height, width = picture.shape[:2]
    block = max(1, min(height, width) // _MAX_SIDE)
    side = min(height, width) // block * block
    return np.array([(width - side) // 2, (height - side) // 2]) + (side - 1) / 2, side


def _degrees(angle: float) -> float:
    return float(np.degrees(angle))
