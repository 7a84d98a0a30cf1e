"""Fitting a model to one's own pictures: SGD on the coupled evidence, weights held fixed. Beyond the paper.

The bundled models were learned from white noise. Pictures have most of their energy in few directions, and there the
filters can be far more exact: `adapt` makes them so, and finds the noise σ that is left.

Steps are free of scale. The gradient of the log evidence in the filters, times σ², has the unit of the pictures
squared; divided by the largest eigenvalue of the second moments of x and y it is a pure number, whatever the contrast
of the pictures and σ. Steps of up to about 1 are stable.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from math import isqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, InputError, ProgressCallback, ShapeError, checks
from tsa.groups import Group
from tsa.learning._blas import one_blas_thread
from tsa.learning._sgd import PAIRS_PER_PASS, Pairs
from tsa.model import Subgroup, complex_filters, nearest_orthonormal, real_columns
from tsa.pictures import patches_of_images
from tsa.registration import noise_ratio, with_fitted_noise

_TRAINING_PAIRS, _HELD_OUT_PAIRS, _BATCH = 2000, 300, 100
_RATE, _MOMENTUM = 0.1, 0.9  # together like steps of 1
_MAX_STEPS, _STEPS_PER_CHECK = 300, 25
_MIN_GAIN = 0.005  # nats per pixel and check, below which it stops: σ falls by half a percent
_ANGLES = 30  # of a quarter turn, at which training pictures are turned
_HELD_OUT_SHARE = 0.2  # of the pictures, or of the width of each if there are few
_FEW_PICTURES, _MAX_STRIPS = 5, 4


def adapt(
    model: Subgroup,
    images: Array | Sequence[ArrayLike],
    *,
    side: int | None = None,
    action: Group | None = None,
    random_state: int | None = 0,
    on_progress: ProgressCallback | None = None,
) -> Subgroup:
    """The model fitted to grey pictures: same weights, filters and noise σ of higher evidence. Takes seconds.

    `images` are pictures (height, width). Random squares of `side` pixels are cut from them (not given: four times the
    side of the model's patches, or what fits), turned, and reduced to patches as `tsa.patch` does. With `action`,
    `images` are patches (n, D) that it moves, for other groups than rotations. A fifth of the pictures, or of the width
    of each if they are fewer than five, is held out. Learning stops when the evidence of pairs from there no longer
    rises, and the best model by that measure is returned, at the σ of highest evidence under the paper's model (noise
    in y). If none is better than the model as given, its filters come back, with that σ.

    >>> images = [tsa.shapes.draw(name, 64) for name in ("F", "pinwheel", "S")]
    >>> model = tsa.load("rotation-16-refined").without(range(2, 30))  # fewer weights: faster
    >>> adapted = tsa.adapt(model, images)
    >>> np.array_equal(adapted.weights, model.weights)
    True
    """
    checks_of_progress = on_progress or (lambda share: None)
    rng = checks.generator(random_state)
    train, held = _rotated_pairs(model, images, side, rng) if action is None else _moved_pairs(images, action, rng)
    if train.x.shape[1] != model.dimension:
        raise ShapeError(f"Patches of this model have {model.dimension} pixels; these have {train.x.shape[1]}.")
    if not (train.x.any() and train.y.any() and held.x.any()):
        raise InputError("These pictures have no contrast, so there is nothing to learn from them.")
    with one_blas_thread():
        best, evidence = with_fitted_noise(model, *held)
        steps = _descent(best, train, rng)
        for check in range(_MAX_STEPS // _STEPS_PER_CHECK):
            *_, latest = islice(steps, _STEPS_PER_CHECK)
            candidate, reached = with_fitted_noise(latest, *held)
            gain = reached - evidence
            if gain > 0:
                best, evidence = candidate, reached
            if gain < _MIN_GAIN * model.dimension:
                break
            checks_of_progress((check + 1) * _STEPS_PER_CHECK / _MAX_STEPS)
    checks_of_progress(1.0)
    return best


def fine_tune(
    model: Subgroup, batches: Pairs, *, learning_rate: float = 0.5, learn_noise: bool = True
) -> Iterator[tuple[Subgroup, float]]:
    """SGD on the *coupled* evidence, weights held fixed: yields the model after each batch, and its mean log evidence.

    For pairs of any origin; `adapt` makes the pairs, and knows when to stop. The paper trains only the decoupled model.
    Lines stay lines. `learning_rate` is free of scale, see above; the step of σ is its own gradient on a logarithmic
    scale.

    >>> action, model = tsa.groups.CyclicShift(8), tsa.fourier_model(8)
    >>> batches = (action.pairs(100, rng=seed)[:2] for seed in range(5))
    >>> models = [model for model, evidence in tsa.fine_tune(model, batches)]
    >>> models[-1].noise < model.noise
    True
    """
    for step, (x, y) in enumerate(batches):
        x, y = x.astype(np.float64), y.astype(np.float64)
        value, gradient, slope = model.evidence_gradient(x, y)
        rate = learning_rate / np.sqrt(1 + step * len(x) // PAIRS_PER_PASS) / len(x)
        noise = model.noise
        if learn_noise:
            noise *= float(np.exp(np.clip(rate * slope * noise / model.dimension, -0.1, 0.1)))
        scale = model.noise**2 / (_largest_moment(x, y) or 1.0)
        model = Subgroup(_moved(model.filters, rate * scale * gradient), model.weights, noise)
        yield model, value / len(x)


class _PatchPairs(NamedTuple):
    """Patches x and moved patches y, (n, D) each, in double precision."""

    x: Array
    y: Array


def _descent(model: Subgroup, pairs: _PatchPairs, rng: np.random.Generator) -> Iterator[Subgroup]:
    """The model after each step of SGD with momentum, endlessly; σ follows the residuals of each batch."""
    scale = 1 / _largest_moment(*pairs)
    velocity = np.zeros_like(model.filters, np.complex128)
    while True:
        rows = rng.integers(len(pairs.x), size=_BATCH)
        _, gradient, slope = model.evidence_gradient(pairs.x[rows], pairs.y[rows])
        gradient = gradient * (model.noise**2 * scale / _BATCH)
        velocity = _MOMENTUM * velocity + _tangent(model.filters, gradient)
        noise = model.noise * float(np.clip(np.sqrt(noise_ratio(model, slope / _BATCH)), 0.8, 1.25))
        model = Subgroup(_moved(model.filters, _RATE * velocity), model.weights, noise)
        yield model


def _largest_moment(x: Array, y: Array) -> float:
    """The largest eigenvalue of E[xxᵀ + yyᵀ]: the curvature of the log evidence in the filters, times σ²."""
    return float(np.linalg.eigvalsh((x.T @ x + y.T @ y) / len(x))[-1])


def _tangent(filters: Array, step: Array) -> Array:
    """The part of a step that keeps the real columns orthonormal to first order."""
    planes = filters.imag.any(axis=0)
    columns, steps = (np.concatenate([a.real, a.imag[:, planes]], axis=1) for a in (filters, step))
    inner = columns.T @ steps
    steps = steps - columns @ (inner + inner.T) / 2
    result = steps[:, : filters.shape[1]].astype(np.complex128)
    result[:, planes] += 1j * steps[:, filters.shape[1] :]
    return result


def _moved(filters: Array, step: Array) -> Array:
    """filters + step, made orthonormal again; lines stay lines."""
    planes = filters.imag.any(axis=0)
    return complex_filters(nearest_orthonormal(real_columns(filters + np.where(planes, step, step.real))), planes)


# -- pairs to learn from ------------------------------------------------------------------------------------


def _moved_pairs(patches: object, action: Group, rng: np.random.Generator) -> tuple[_PatchPairs, _PatchPairs]:
    """Training pairs and held-out pairs: patches (n, D) moved by random elements of the action's lattice."""
    patches = checks.finite(checks.real(np.asarray(patches), "images"), "images")
    if patches.ndim != 2 or len(patches) < _FEW_PICTURES:
        raise ShapeError(f"With an action, images are at least {_FEW_PICTURES} patches (n, D); got {patches.shape}.")
    parts = np.array_split(rng.permutation(len(patches)), [int(np.ceil(_HELD_OUT_SHARE * len(patches)))])
    held, train = (
        action.pairs(n, rng, patches[rows])[:2]
        for n, rows in zip((_HELD_OUT_PAIRS, _TRAINING_PAIRS), parts, strict=True)
    )
    return _PatchPairs(*(a.astype(np.float64) for a in train)), _PatchPairs(*(a.astype(np.float64) for a in held))


def _rotated_pairs(
    model: Subgroup, images: Array | Sequence[ArrayLike], side: int | None, rng: np.random.Generator
) -> tuple[_PatchPairs, _PatchPairs]:
    """Training pairs and held-out pairs: patches of squares of the pictures, before and after a turn."""
    size = isqrt(model.dimension)
    if model.parameters != 1 or size * size != model.dimension:
        raise InputError(
            "Pictures are turned for models of square patches with one parameter. For another group give `action`, "
            "and patches in place of pictures."
        )
    pictures = [checks.finite(checks.real(np.asarray(image), "images"), "images") for image in images]
    if not pictures or any(picture.ndim != 2 for picture in pictures):
        raise ShapeError("images are grey pictures (height, width), at least one; colour has to be reduced to grey.")
    few = len(pictures) < _FEW_PICTURES
    room = min(min(len(p), p.shape[1] // 2 if few else p.shape[1]) for p in pictures)
    side = min(4 * size, room) if side is None else checks.whole(side, "side")
    if not 2 <= side <= room:
        raise InputError(
            f"Squares of {side} pixels do not fit: the pictures have room for 2 to {room}. Fewer than {_FEW_PICTURES} "
            "pictures have to be twice as wide as the squares, because a part of each is held out."
        )
    if few:
        cut = [_cut(picture, side) for picture in pictures]
        parts = [strip for held_out, _ in cut for strip in held_out], [strip for _, rest in cut for strip in rest]
    else:
        order = rng.permutation(len(pictures))
        count = int(np.ceil(_HELD_OUT_SHARE * len(pictures)))
        parts = [pictures[i] for i in order[:count]], [pictures[i] for i in order[count:]]
    held, train = (
        _turned(_squares(part, side, n, rng), size, rng)
        for n, part in zip((_HELD_OUT_PAIRS, _TRAINING_PAIRS), parts, strict=True)
    )
    return train, held


def _cut(picture: Array, side: int) -> tuple[list[Array], list[Array]]:
    """Vertical strips of a picture to hold out, up to four for variety, and those between them, all wide enough.

    A picture that has room for one only is cut once.
    """
    width = picture.shape[1]
    count = min(int(_HELD_OUT_SHARE * width / side), _MAX_STRIPS)
    if count < 2:
        edge = min(int((1 - _HELD_OUT_SHARE) * width), width - side)
        return [picture[:, edge:]], [picture[:, :edge]]
    wide = int(_HELD_OUT_SHARE * width / count)
    starts = [int((2 * i + 1) * width / (2 * count)) - wide // 2 for i in range(count)]
    ends = [0, *(start + wide for start in starts)]
    held_out = [picture[:, start : start + wide] for start in starts]
    return held_out, [picture[:, end:start] for end, start in zip(ends, [*starts, width], strict=True)]


def _squares(pictures: Sequence[Array], side: int, n: int, rng: np.random.Generator) -> Array:
    """n random squares of the pictures: (n, side, side), each picture as often as its area says."""
    room = np.array([(len(p) - side + 1) * (p.shape[1] - side + 1) for p in pictures])
    chosen = rng.choice(len(pictures), size=n, p=room / room.sum())
    squares = np.empty((n, side, side))
    for i, which in enumerate(chosen):
        picture = pictures[which]
        row, column = (int(rng.integers(extent - side + 1)) for extent in picture.shape)
        squares[i] = picture[row : row + side, column : column + side]
    return squares


def _turned(squares: Array, size: int, rng: np.random.Generator) -> _PatchPairs:
    """Patches of squares, and of the same turned by whole degrees: few of a quarter turn, as each costs a matrix."""
    degrees = rng.choice(90, _ANGLES, replace=False)[rng.integers(_ANGLES, size=len(squares))]
    degrees = degrees + 90 * rng.integers(4, size=len(squares))
    x, y = (patches_of_images(squares, turn, size) for turn in (np.zeros_like(degrees), degrees))
    return _PatchPairs(x.astype(np.float64), y.astype(np.float64))
