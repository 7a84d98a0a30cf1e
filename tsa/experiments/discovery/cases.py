"""Groups that `tsa.discover` is never told of, and controls without a group; the truth is used for scoring only."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.stats import ortho_group, special_ortho_group

from tsa._base import Array
from tsa.learning import Discovery

Truth = tuple[Array, Array, Array]  # x, y (n, D) and s (n, r)
_LARGEST_TRUE_WEIGHT = {1: 40, 2: 9, 3: 4}


@dataclass(frozen=True)
class Case:
    """A group with known weights: `pairs(n, rng, noise)` makes x, y and s; `planes` is None where it is not known.

    `period` is n for shifts of n samples, whose weights count modulo n, and 0 otherwise.
    """

    name: str
    rank: int
    pairs: Callable[[int, np.random.Generator, float], Truth]
    planes: int | None
    period: int = 0
    exact: bool = True  # whether the action is exact, so that an equivariance near 1 can be reached
    filters: Array | None = None  # (D, J) of the true planes


def torus_case(
    name: str, weights: object, lines: int = 0, mixed: bool = False, steps: tuple[float, float] | None = None
) -> Case:
    """White x in R^{2J + lines}, plane j turned by ω_j·s, seen through an orthogonal matrix or one of condition 10.

    `steps` are the least and the largest s in degrees, in place of all angles.
    """
    w = np.array(weights)
    w = w.reshape(len(w), -1)
    d = 2 * len(w) + lines
    seen = ortho_group.rvs(d, random_state=0)
    if mixed:
        seen = seen @ np.diag(np.geomspace(1, 10, d)) @ ortho_group.rvs(d, random_state=1)

    def pairs(n: int, rng: np.random.Generator, noise: float) -> Truth:
        if steps is None:
            s = rng.uniform(0, 2 * np.pi, (n, w.shape[1]))
        else:
            s = np.radians(rng.uniform(*steps, (n, w.shape[1])))
        x = rng.standard_normal((n, d))
        y = _turned(x, s @ w.T)
        return x @ seen, (y + noise * rng.standard_normal(y.shape)) @ seen, s

    columns = np.linalg.inv(seen)[:, : 2 * len(w)]
    return Case(name, w.shape[1], pairs, len(w), filters=columns[:, ::2] + 1j * columns[:, 1::2])


def _turned(x: Array, angles: Array) -> Array:
    """Rows of x, the first 2J numbers read as J planes that are turned by angles (n, J)."""
    size = 2 * angles.shape[1]
    moving = np.ascontiguousarray(x[:, :size]).view(np.complex128) * np.exp(1j * angles)
    return np.concatenate([moving.view(np.float64), x[:, size:]], axis=1)


def shift_case(shape: tuple[int, ...], seen: str = "as is") -> Case:
    """Cyclic shifts of white noise: as they are, with pixels permuted, or rotated by a random matrix of R^D."""
    d, lines = int(np.prod(shape)), int(np.prod([2 if n % 2 == 0 else 1 for n in shape]))
    matrix = {
        "as is": np.eye(d),
        "permuted": np.eye(d)[np.random.default_rng(0).permutation(d)],
        "rotated": ortho_group.rvs(d, random_state=0),
    }[seen]

    def pairs(n: int, rng: np.random.Generator, noise: float) -> Truth:
        k = rng.integers(shape, size=(n, len(shape)))
        x = rng.standard_normal((n, d))
        y = _shifted(x.reshape(n, *shape), k).reshape(n, d)
        return x @ matrix, (y + noise * rng.standard_normal(y.shape)) @ matrix, 2 * np.pi * k / shape

    name = f"shift of {'×'.join(map(str, shape))}" + ("" if seen == "as is" else f", {seen}")
    return Case(name, len(shape), pairs, (d - lines) // 2, shape[0])


def _shifted(x: Array, k: Array) -> Array:
    """Arrays x (n, *shape), each rolled by its own k (n, dimensions)."""
    n, shape = len(x), x.shape[1:]
    index = np.ix_(np.arange(n), *[np.arange(m) for m in shape])
    sources = [(index[i + 1] - k[:, i].reshape(-1, *[1] * len(shape))) % m for i, m in enumerate(shape)]
    return np.asarray(x[(index[0], *sources)])


def shifted_orbits(size: int, orbits: int, members: int, noise: float, rng: np.random.Generator) -> Array:
    """White noise under different cyclic shifts of it: (orbits, members, size), with noise in every member."""
    starts = rng.standard_normal((orbits, size))
    shifts = np.argsort(rng.random((orbits, size)), axis=1)[:, :members, None]
    patches = starts[np.arange(orbits)[:, None, None], (np.arange(size) - shifts) % size]
    return np.asarray(patches + noise * rng.standard_normal(patches.shape))


def pairs_of_orbits(patches: Array) -> tuple[Array, Array]:
    """All pairs (n, D) of members of one orbit: x and y."""
    i, j = np.triu_indices(patches.shape[1], 1)
    return patches[:, i].reshape(-1, patches.shape[2]), patches[:, j].reshape(-1, patches.shape[2])


def hue_case(samples: int = 8) -> Case:
    """A row of colours, shifted by whole samples and turned about the grey axis: Z/n × a circle."""
    grey = np.ones((3, 1)) / np.sqrt(3)
    basis = np.linalg.qr(np.concatenate([grey, np.eye(3)[:, :2]], axis=1))[0]

    def pairs(n: int, rng: np.random.Generator, noise: float) -> Truth:
        k, hue = rng.integers(samples, size=(n, 1)), rng.uniform(0, 2 * np.pi, (n, 1))
        x = rng.standard_normal((n, samples, 3))
        y = np.stack([_shifted(x[..., c], k) for c in range(3)], axis=-1) @ basis
        colour = (y[..., 1] + 1j * y[..., 2]) * np.exp(1j * hue)
        y = np.stack([y[..., 0], colour.real, colour.imag], axis=-1) @ basis.T
        y = y + noise * rng.standard_normal(y.shape)
        return x.reshape(n, -1), y.reshape(n, -1), np.concatenate([2 * np.pi * k / samples, hue], axis=1)

    return Case(f"{samples} colours, shift × hue", 2, pairs, samples + samples // 2 - 1, samples)


def ellipse_case(size: int = 10, orders: int = 4) -> Case:
    """Harmonics on an ellipse off the centre of size×size pixels, turned: exact, but not orthogonal in the pixels."""
    row, column = np.indices((size, size)).reshape(2, -1) - (size - 1) / 2
    radius, angle = np.hypot((row - 0.8) / size, 0.6 * (column + 0.5) / size), np.arctan2(row - 0.8, column + 0.5)
    waves = [radius ** (k + 2 * p) * np.exp(1j * k * angle) for k in range(1, orders + 1) for p in range(2)]
    weights = np.repeat(np.arange(1, orders + 1), 2)
    columns = np.stack([part for wave in waves for part in (wave.real, wave.imag)])
    columns = columns / np.linalg.norm(columns, axis=1, keepdims=True)

    def pairs(n: int, rng: np.random.Generator, noise: float) -> Truth:
        s, x = rng.uniform(0, 2 * np.pi, (n, 1)), rng.standard_normal((n, len(columns)))
        y = _turned(x, s * weights)
        return x @ columns, (y + noise * rng.standard_normal(y.shape)) @ columns, s

    return Case(f"ellipse off centre, {size}×{size}", 1, pairs, len(weights))


def clips_case(weights: list[int], length: int = 60, steps: tuple[float, float] = (3, 6)) -> Case:
    """Frames of clips, each a start turned on by small uneven steps (degrees); pairs at random lags within a clip."""
    w, d = np.array(weights), 2 * len(weights) + 2
    seen = ortho_group.rvs(d, random_state=0)

    def pairs(n: int, rng: np.random.Generator, noise: float) -> Truth:
        at = np.cumsum(np.radians(rng.uniform(*steps, (n // 60 + 1, length))), axis=1)
        first, clip = rng.standard_normal((len(at), d)), rng.integers(len(at), size=n)
        a, b = (at[clip, rng.integers(length, size=n)][:, None] for _ in range(2))
        x, y = (_turned(first[clip], t * w) for t in (a, b))
        x, y = (frame + noise * rng.standard_normal(frame.shape) for frame in (x, y))
        return x @ seen, y @ seen, b - a

    return Case(f"clips of {length} frames", 1, pairs, len(w))


_RANK_3 = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, 0, -1), (1, 1, 1), (2, 0, 1)]
_FRAMES = [1, 2, 3, 4, 5, 6, 7, 8, 2, 3]


def named_cases() -> list[Case]:
    """Groups of rank 1 to 3, finite and continuous, orthogonal and mixed, from pairs, frames and clips."""
    return [
        shift_case((12,)),
        shift_case((32,)),
        shift_case((32,), "permuted"),
        shift_case((32,), "rotated"),
        torus_case("weights 1, 3, 7 and 3 lines", [1, 3, 7], lines=3),
        torus_case("weights 6, 10, 15", [6, 10, 15]),
        torus_case("weights 1…6, mixed", [1, 2, 3, 4, 5, 6], lines=2, mixed=True),
        ellipse_case(),
        shift_case((6, 6)),
        shift_case((8, 8), "rotated"),
        hue_case(),
        torus_case("two circles", [(1, 0), (2, 0), (3, 0), (0, 1), (0, 2)], lines=2),
        torus_case("rank 3", _RANK_3),
        torus_case("frames, 3–6° a step", _FRAMES, lines=2, steps=(3, 6)),
        clips_case(_FRAMES),
    ]


def random_case(rng: np.random.Generator, rank: int) -> tuple[Case, float]:
    """A random group, and σ: up to 8 planes with weights up to 12, 4, 2 by rank, up to 3 lines, half of them mixed."""
    planes, largest = int(rng.integers(rank + 2, 9)), {1: 12, 2: 4, 3: 2}[rank]
    while True:
        w = rng.integers(-largest, largest + 1, (planes, rank))
        if np.linalg.matrix_rank(w) == rank and w.any(axis=1).all():
            break
    lines, mixed, noise = int(rng.integers(4)), bool(rng.integers(2)), (0.1, 0.3)[int(rng.integers(2))]
    name = f"rank {rank}, {w.tolist()}, {lines} lines" + (", mixed" if mixed else "") + f", σ {noise}"
    return torus_case(name, w, lines, mixed), noise


# -- controls: no commutative group turns x into y --------------------------------------------------------------------


def independent_pairs(n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """x and y have nothing to do with each other."""
    return rng.standard_normal((n, 24)), rng.standard_normal((n, 24))


def rotations_of_space(n: int, rng: np.random.Generator, same: bool) -> tuple[Array, Array]:
    """SO(3) on four copies of R³: one rotation for all of them, or one for each."""
    x = rng.standard_normal((n, 4, 3))
    turn = special_ortho_group.rvs(3, size=n if same else 4 * n, random_state=rng).reshape(n, -1, 3, 3)
    y = np.einsum("nbij,nbj->nbi", np.broadcast_to(turn, (n, 4, 3, 3)), x)
    return x.reshape(n, -1), (y + 0.1 * rng.standard_normal(y.shape)).reshape(n, -1)


def any_rotation(n: int, rng: np.random.Generator, dimensions: int) -> tuple[Array, Array]:
    """Random rotations of the whole space, by Haar measure."""
    x = rng.standard_normal((n, dimensions))
    y = np.einsum("nij,nj->ni", special_ortho_group.rvs(dimensions, size=n, random_state=rng), x)
    return x, y + 0.1 * rng.standard_normal(y.shape)


def now_one_now_the_other(n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Half of the pairs are shifted, half are shifted in other coordinates."""
    halves = [shift_case((24,), seen).pairs(n // 2, rng, 0.1)[:2] for seen in ("as is", "rotated")]
    return np.concatenate([halves[0][0], halves[1][0]]), np.concatenate([halves[0][1], halves[1][1]])


def one_after_the_other(n: int, rng: np.random.Generator, steps: tuple[float, float]) -> tuple[Array, Array]:
    """Turned with weights 1…6, then again in other coordinates: two circles that do not commute."""
    x = y = rng.standard_normal((n, 12))
    for seen in (np.eye(12), ortho_group.rvs(12, random_state=0)):
        y = _turned(y @ seen, np.radians(rng.uniform(*steps, (n, 1))) * np.arange(1, 7)) @ seen.T
    return x, y + 0.1 * rng.standard_normal(y.shape)


CONTROLS: dict[str, Callable[[int, np.random.Generator], tuple[Array, Array]]] = {
    "independent pairs": independent_pairs,
    "SO(3), one for all": lambda n, rng: rotations_of_space(n, rng, same=True),
    "SO(3), one for each": lambda n, rng: rotations_of_space(n, rng, same=False),
    "any rotation of R⁴": lambda n, rng: any_rotation(n, rng, 4),
    "any rotation of R¹²": lambda n, rng: any_rotation(n, rng, 12),
    "two groups, now one now the other": now_one_now_the_other,
    "two groups, one after the other": lambda n, rng: one_after_the_other(n, rng, (0, 360)),
    "the same by small steps": lambda n, rng: one_after_the_other(n, rng, (3, 6)),
}


# -- scoring --------------------------------------------------------------------------------------------------------


def score(found: Discovery, truth: Truth, period: int) -> tuple[Array, Array]:
    """For each plane found: whether its weight is right up to a change of basis, and its equivariance; (J,) each.

    `truth` are fresh pairs without noise. The true weight k of a plane has the highest |mean of e^{i(θ − k·s)}|, which
    is its equivariance. Weights count modulo `period` if that is not 0.
    """
    x, y, s = truth
    planes = ~found.model.lines
    u, v = (found.model.coordinates(found.transform(a))[:, planes] for a in (x, y))
    turn = u.conj() * v
    turn /= np.maximum(np.abs(turn), 1e-300)
    largest = _LARGEST_TRUE_WEIGHT[s.shape[1]]
    candidates = np.array(list(product(range(-largest, largest + 1), repeat=s.shape[1])))
    heights = (turn.T @ np.exp(-1j * s @ candidates.T)).real / len(s) - 1e-6 * np.abs(candidates).sum(axis=1)
    true, equivariance = candidates[heights.argmax(axis=1)], heights.max(axis=1)
    return equal_up_to_basis(found.model.irreps.values[planes], true, period), equivariance


def equal_up_to_basis(mine: Array, true: Array, period: int) -> Array:
    """(J,): which weights agree under the integer matrix that makes most of them agree."""
    rng, best = np.random.default_rng(0), np.zeros(len(mine), bool)
    for i in range(300):
        rows = rng.permutation(len(mine))[: true.shape[1]] if i else slice(None)
        basis = np.rint(np.linalg.lstsq(mine[rows].astype(float), true[rows].astype(float), rcond=None)[0])
        gap = mine @ basis.astype(np.int64) - true
        right = ~np.any(gap % period if period else gap, axis=1)
        best = right if right.sum() > best.sum() else best
    return best
