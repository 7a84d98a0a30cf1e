"""A sequence of frames of one moving picture: filter and smoother over the group ("akin to HMM/LDS models", section 5).

Frame t is y_t = ρ_{s_t} x + noise, where x is the template and s_t moves by a random step from frame to frame. The
posterior over s_t keeps all its modes. It is computed on a grid whose number of points follows from a theorem, so that
the result is exact up to a stated error: nothing is projected to a family of densities on the way (see `_chains`).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, InputError, ShapeError, checks
from tsa.density import Density, GeneralizedVonMises, GridDensity
from tsa.model import _chains
from tsa.model._velocity_chain import velocities, velocity_walk
from tsa.model._window import WindowLikelihood
from tsa.model.subgroup import Subgroup

_MAX_VALUES = 2**28  # doubles held for one sequence: 2 GB
_CHUNK_VALUES = 2**22  # log likelihoods held at once, where sequences allow
_FLOOR_EFFECT = 1e-43  # of the floors in a chain with velocity, relative to the mean likelihood of a frame


@dataclass(frozen=True)
class RandomWalk:
    """s_{t+1} = s_t + `drift` + a step with density VonMises(κ) in each parameter; both may be (p,).

    >>> model = tsa.fourier_model(16, noise=0.1)
    >>> frames = [np.roll(np.arange(16) == 8, t) for t in range(4)]
    >>> track = tsa.track(model, frames, motion=tsa.RandomWalk(kappa=20.0))
    >>> (track.smoothed.mode() * 16 / (2 * np.pi)).round(1)
    array([0., 1., 2., 3.])
    """

    kappa: float | tuple[float, ...]
    drift: float | tuple[float, ...] = 0.0


@dataclass(frozen=True)
class ConstantVelocity:
    """s_{t+1} = s_t + v_{t+1}, where the velocity v changes by a step with density VonMises(κ) in each parameter.

    At first every velocity is equally probable. `max_speed` (radians per frame) restricts velocities to ±that, which
    makes large κ and two parameters affordable; steps are then conditional on staying in this range. Both may be (p,).

    >>> model = tsa.fourier_model(16, noise=0.5)
    >>> frames = [np.roll(np.arange(16) == 8, 2 * t) for t in range(6)]  # two samples per frame
    >>> track = tsa.track(model, frames, motion=tsa.ConstantVelocity(kappa=100.0, max_speed=1.5))
    >>> print((track.smoothed_velocity.mean()[-1] * 16 / (2 * np.pi)).round(1))
    2.0
    """

    kappa: float | tuple[float, ...]
    max_speed: float | tuple[float, ...] | None = None


@dataclass(frozen=True, eq=False)
class Track:
    """What a sequence of frames says about s at each of them; densities have the batch shape (..., T).

    `filtered` is p(s_t | frames up to t), `smoothed` p(s_t | all frames). `log_predictive` (..., T) is
    log p(y_t | earlier frames), 0 for missing frames; they sum to `log_evidence` (...). `error` (...) bounds the error
    of the log evidence, and twice that the relative error of densities at the points of their grid; with a `max_speed`
    it is an estimate, in which the probability of the fastest velocities stands for what the restriction changes.
    Velocities, in radians per frame, come with `ConstantVelocity` only.

    >>> model = tsa.fourier_model(16, noise=0.1)
    >>> frames = [np.roll(np.arange(16) == 8, t) for t in range(4)]
    >>> track = tsa.track(model, frames)
    >>> track.filtered.batch_shape, track.log_evidence.shape
    ((4,), ())
    """

    filtered: GridDensity
    smoothed: GridDensity | None
    log_evidence: Array
    log_predictive: Array
    error: Array
    filtered_velocity: GridDensity | None = None
    smoothed_velocity: GridDensity | None = None


def track(
    model: Subgroup,
    frames: ArrayLike,
    template: ArrayLike | None = None,
    motion: RandomWalk | ConstantVelocity = RandomWalk(100.0),
    *,
    start: Density | None = None,
    seen: ArrayLike | None = None,
    smooth: bool = True,
) -> Track:
    """Filter and smooth sequences of frames (..., T, D) of a template (..., D) that moves under the model's group.

    Without a template the first frame is the template, and s is relative to it; its noise then counts as part of the
    picture. A frame of nan is missing: it says nothing, and the prediction stands. `seen` (..., T, D) are weights of
    pixels between 0 and 1, as in `Subgroup.posterior`. `start` is the density of s at the first frame, uniform if not
    given. Groups of one or two parameters.

    >>> model = tsa.fourier_model(16, noise=0.1)
    >>> frames = [np.roll(np.arange(16) == 8, t) for t in range(4)]
    >>> (tsa.track(model, frames).smoothed.mode() * 16 / (2 * np.pi)).round(1)
    array([0.1, 1. , 2. , 2.9])
    """
    question = _Question(model, frames, template, motion, start, seen, smooth)
    batch, length = question.batch, question.eta.shape[1]
    cells = int(np.prod(question.sides))
    results = []
    for part in np.array_split(
        np.arange(len(question.eta)), -(-question.eta.shape[0] * length * cells // _CHUNK_VALUES)
    ):
        if part.size:
            by_frame = question.eta[part].swapaxes(0, 1)
            log_likelihood = _chains.log_likelihoods(
                by_frame.reshape(-1, by_frame.shape[-1]), question.harmonics, question.sides
            ).reshape(length, len(part), *question.sides)
            results.append(question.solve(log_likelihood, part, smooth))
    columns = [
        column[0] if len(column) == 1 or column[0] is None else np.concatenate(column)
        for column in zip(*results, strict=True)
    ]
    filtered, smoothed, surprise, error, velocity, smoothed_velocity = columns

    def densities(masses: Array | None, parameters: int) -> GridDensity | None:
        if masses is None:
            return None
        shaped = masses.reshape(*batch, length, *masses.shape[2:])
        return GridDensity.trusted(checks.precision_of(question.like, shaped), parameters)

    answer = densities(filtered, model.parameters)
    assert answer is not None
    predictive = np.where(question.missing, 0.0, surprise.reshape(*batch, length) + question.constant)
    return Track(
        answer,
        densities(smoothed, model.parameters),
        checks.precision_of(question.like, predictive.sum(axis=-1)),
        checks.precision_of(question.like, predictive),
        error.reshape(batch),
        densities(velocity, model.parameters),
        densities(smoothed_velocity, model.parameters),
    )


class _Question:
    """The arguments of `track`, checked, with frames as log likelihoods over s.

    `eta` (B, T, H) are their natural parameters at `harmonics` (H, p), `constant` (..., T) the part that s does not
    change, `sides` the grid, and `missing` (..., T) the frames that say nothing.
    """

    def __init__(
        self,
        model: Subgroup,
        frames: ArrayLike,
        template: ArrayLike | None,
        motion: RandomWalk | ConstantVelocity,
        start: Density | None,
        seen: ArrayLike | None,
        smooth: bool = False,
    ) -> None:
        self.kappa, self.drift, self._max_speed = _checked_motion(model, motion)
        self._keeps_speed = isinstance(motion, ConstantVelocity)
        frames = checks.real(frames, "frames")
        if frames.ndim < 2 or frames.shape[-1] != model.dimension or frames.shape[-2] == 0:
            raise ShapeError(
                f"Frames of this model are (..., T, {model.dimension}) with T at least 1; got shape {frames.shape}."
            )
        self.like = frames
        frames = frames.astype(np.float64, copy=False)
        # A sum of squares is nan if any pixel is: faster than a test of each.
        missing = np.asarray(np.isnan(np.einsum("...d,...d->...", frames, frames)))
        if missing.any():
            if not np.isnan(frames[missing]).all():
                raise InputError("A frame is missing if all its pixels are nan; of frames seen in part give `seen`.")
            frames = frames.copy()
            frames[missing] = 0.0
        if template is None:
            if missing[..., 0].any():
                raise InputError("The first frame is missing, so it cannot be the template; give `template`.")
            template = frames[..., 0, :]
        template = checks.finite(checks.real(template, "template"), "template").astype(np.float64)
        if template.ndim == 0 or template.shape[-1] != model.dimension:
            raise ShapeError(f"The template has {model.dimension} pixels in its last axis; got {template.shape}.")
        eta, self.harmonics, self.constant = _series(model, template[..., None, :], frames, seen)
        self.missing = np.broadcast_to(missing, self.constant.shape)
        self.batch = self.constant.shape[:-1]
        if missing.any():
            eta = np.where(self.missing[..., None], 0.0, eta)
        self.eta = np.broadcast_to(eta, (*self.constant.shape, eta.shape[-1])).reshape(-1, *eta.shape[-2:])
        kappa = np.abs(self.eta).reshape(-1, self.eta.shape[-1])
        length = self.eta.shape[1]
        self.sides = _chains.points_needed(
            kappa,
            self.harmonics,
            self.kappa,
            length,
            self._keeps_speed,
            _start_series(start, model),
        )
        self._check_size(length, smooth)
        self._rounding = length * np.finfo(np.float64).eps * (sum(self.sides) + kappa.sum(axis=1).max(initial=0.0) + 8)
        self._start = _start_masses(start, self.sides, self.batch)

    def _check_size(self, length: int, smooth: bool) -> None:
        """Refuse what would not fit into memory."""
        held, advice = length * int(np.prod(self.sides)), ""
        if self._keeps_speed:
            states = int(np.prod(self.sides) * np.prod([len(v) for v in velocities(self.sides, self._max_speed)]))
            held = max(held, (length if smooth else 1) * states)
            advice = "give a (smaller) max_speed, or smooth=False; or "
        if held > _MAX_VALUES:
            raise InputError(
                f"{length} frames need a grid of {' × '.join(map(str, self.sides))} points"
                f"{' with a velocity at each' if self._keeps_speed else ''}, more than fits in memory: {advice}give "
                "fewer frames, or a model with a larger noise σ, whose posteriors are wider."
            )

    def solve(self, log_likelihood: Array, part: Array, smooth: bool) -> tuple[Array | None, ...]:
        """Masses filtered and smoothed, log predictive densities, errors, and masses of velocities, of some rows."""
        start = self._start if self._start.ndim == len(self.sides) else self._start[part]
        certified = np.full(len(part), _chains.TOLERANCE + self._rounding)
        if not self._keeps_speed:
            chain = _chains.walk(log_likelihood, start, self.kappa, self.drift, smooth)
            return chain.filtered, chain.smoothed, chain.surprise, certified, None, None
        starts = np.broadcast_to(start, (len(part), *self.sides))
        rows = [
            velocity_walk(one, begin, self.kappa, self._max_speed, smooth)
            for one, begin in zip(log_likelihood.swapaxes(0, 1), starts, strict=True)
        ]
        filtered, velocity, smoothed, smoothed_velocity, surprise = (
            None if row[0] is None else np.stack(row) for row in list(zip(*rows, strict=True))[:5]
        )
        certified += [row.rim + _FLOOR_EFFECT / row.least for row in rows]
        return filtered, smoothed, surprise, certified, velocity, smoothed_velocity


def _checked_motion(model: Subgroup, motion: RandomWalk | ConstantVelocity) -> tuple[Array, Array, Array]:
    """κ, drift and the largest speed (infinite if any is allowed) for each parameter (p,)."""
    p = model.parameters
    if not isinstance(motion, RandomWalk | ConstantVelocity):
        raise InputError(f"motion is a RandomWalk or a ConstantVelocity; got {type(motion).__name__}.")
    if p > 2:
        raise InputError(f"Sequences are followed for groups of one or two parameters; this model has {p}.")

    def for_each(value: ArrayLike, name: str) -> Array:
        numbers = checks.finite(checks.real(value, name), name)
        if numbers.shape not in ((), (p,)):
            raise ShapeError(f"{name} of a motion is one number, or {p} for this model; got shape {numbers.shape}.")
        return np.broadcast_to(numbers, (p,)).astype(np.float64)

    kappa, drift, max_speed = for_each(motion.kappa, "kappa"), np.zeros(p), np.full(p, np.inf)
    for value in kappa:
        checks.positive(value, "kappa")
    if isinstance(motion, RandomWalk):
        drift = for_each(motion.drift, "drift")
    elif motion.max_speed is not None:
        max_speed = for_each(motion.max_speed, "max_speed")
        for value in max_speed:
            checks.positive(value, "max_speed")
    return kappa, drift, max_speed


def _series(model: Subgroup, template: Array, frames: Array, seen: ArrayLike | None) -> tuple[Array, Array, Array]:
    """log p(y_t | x, s) as natural parameters (..., T, H) at harmonics (H, p), and its constant part (..., T)."""
    if seen is not None:
        pair = WindowLikelihood(model, seen).pair(template, frames)
        return pair.eta, model._seen_grid.harmonics, pair.constant
    u, v = model.coordinates(template), model.coordinates(frames)
    eta, weights = model.likelihood_from(u, v), model.likelihood_weights
    fixed = eta[..., weights.fixed].real.sum(axis=-1)
    constant = model._constant(u, np.einsum("...d,...d->...", frames, frames)) + fixed
    return weights.pool(eta), weights.harmonics, constant


def _start_series(start: Density | None, model: Subgroup) -> tuple[Array, Array]:
    """The largest concentrations (H,) of the start at its harmonics (H, p)."""
    if start is None:
        return np.zeros(0), np.zeros((0, model.parameters), np.int64)
    if getattr(start, "parameters", None) != model.parameters or not hasattr(start, "eta"):
        raise InputError(
            f"start must be a density of {model.parameters} parameters, such as VonMises or TorusVonMises; "
            f"got {type(start).__name__}."
        )
    width = start.eta.ndim - len(start.batch_shape)
    kappa = start.kappa.reshape(*start.batch_shape, -1) if width == 0 else start.kappa
    largest = kappa.reshape(-1, kappa.shape[-1]).max(axis=0, initial=0.0)
    if model.parameters == 1:
        return largest, np.arange(1, 1 + len(largest))[:, None]
    return largest, np.asarray(getattr(start, "frequencies", np.zeros((0, model.parameters), np.int64)))


def _start_masses(start: Density | None, sides: tuple[int, ...], batch: tuple[int, ...]) -> Array:
    """Masses of s at the first frame: (*sides), or (B, *sides)."""
    if start is None:
        return np.full(sides, 1 / np.prod(sides))
    axes = [2 * np.pi * np.arange(n) / n for n in sides]
    points = axes[0] if len(sides) == 1 else np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    shape = checks.common_shape("The batches of start and frames", start.batch_shape, batch)
    if shape != batch:
        raise ShapeError(f"start is one density, or one for each sequence {batch}; got a batch {start.batch_shape}.")
    points = points.reshape(*sides, *(1 for _ in start.batch_shape), *points.shape[len(sides) :])
    masses = np.moveaxis(start.density(points), tuple(range(len(sides))), tuple(range(-len(sides), 0)))
    masses = np.asarray(masses, np.float64) * np.prod([2 * np.pi / n for n in sides])
    if not start.batch_shape:
        return masses.reshape(sides)
    return np.broadcast_to(masses.reshape(*start.batch_shape, *sides), (*batch, *sides)).reshape(-1, *sides)


def track_best_guess(
    model: Subgroup,
    frames: ArrayLike,
    template: ArrayLike | None = None,
    motion: RandomWalk = RandomWalk(100.0),
    *,
    start: Density | None = None,
) -> Array:
    """The track of one that keeps only its best guess, (..., T): for comparison with `track`.

    Each guess is the most probable s for its frame and a step from the guess before, which is taken for certain. One
    parameter only.

    >>> model = tsa.fourier_model(16, noise=0.1)
    >>> frames = [np.roll(np.arange(16) == 8, t) for t in range(4)]
    >>> (tsa.track_best_guess(model, frames) * 16 / (2 * np.pi)).round(1)
    array([0. , 0.9, 1.9, 2.9])
    """
    question = _Question(model, frames, template, motion, start, None)
    if model.parameters != 1 or not isinstance(motion, RandomWalk):
        raise InputError("A best guess is followed for groups of one parameter and a RandomWalk.")
    rows, length, _ = question.eta.shape
    guesses = np.empty((length, rows))
    first = GeneralizedVonMises(question.eta[:, 0])
    guesses[0] = (first if start is None else first.fuse(start)).mode()
    for t in range(1, length):
        step = question.kappa[0] * np.exp(1j * (guesses[t - 1] + question.drift[0]))
        guesses[t] = GeneralizedVonMises(question.eta[:, t]).fuse(GeneralizedVonMises(step[:, None])).mode()
    return checks.precision_of(question.like, guesses.T.reshape(*question.batch, length))
