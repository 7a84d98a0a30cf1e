"""What a model made from a set of filters costs, measured on patches that took no part in making it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, InputError, ProgressCallback, checks, split_progress
from tsa.analysis.filter_sets.report import FilterReport
from tsa.analysis.filter_sets.subset import FilterModel, complex_features, refined_span
from tsa.groups import ImageRotation, LatticeAction
from tsa.model import Weights, real_columns, squared_norm
from tsa.pictures import datasets

_PATCHES = 1000  # of white noise
_PAIRS = {1: 500, 2: 8}  # for the evidence, by the number of parameters
_ELEMENTS = 24  # of the group, at which equivariance is measured
_MIN_DIGIT_SIDE_PIXELS = 8  # of pictures on which digits are recognised


@dataclass(frozen=True)
class Cost:
    """What a model made from a set costs, measured on held-out patches; None where it cannot be measured.

    `energy` is the share of the patches' energy in the span: of the set, and of the model. `equivariance` is
    ‖z(s·x) − e^{iωs} z(x)‖ / ‖z(x)‖ on white noise, root mean square: of the chosen filters as they were, and of the
    model. `evidence` is the mean log p(y | x) of pairs of white noise: of the refinement of the whole span, which is
    the most that the set could have, and of the model. `accuracy` is that of the nearest neighbour of turned digits by
    |z|: of all filters, of the chosen ones as they were, and of the model.
    """

    energy: tuple[float, float]
    equivariance: tuple[float, float]
    evidence: tuple[float, float] | None
    accuracy: tuple[float, float, float] | None

    def sentences(self) -> list[str]:
        """The costs, one sentence each."""
        lines = [
            f"Energy of held-out patches: {self.energy[1]:.1%} in the model, {self.energy[0]:.1%} in the span of all.",
            f"Equivariance error: {self.equivariance[1]:.3f} of the model, {self.equivariance[0]:.3f} of the chosen "
            "filters before.",
        ]
        if self.evidence is not None:
            lines.append(
                f"Evidence per pair of noise: {self.evidence[1]:.1f} nats, against {self.evidence[0]:.1f} of the "
                "irreducible refinement of the whole span."
            )
        if self.accuracy is not None:
            every, chosen, model = self.accuracy
            lines.append(
                f"Nearest neighbour of turned digits by |z|: {model:.1%} right with the model, {chosen:.1%} with the "
                f"chosen filters before, {every:.1%} with all."
            )
        return lines


def cost_of(
    made: FilterModel,
    patches: ArrayLike | None = None,
    rng: checks.Rng = 0,
    on_progress: ProgressCallback | None = None,
) -> Cost:
    """What the model costs on held-out patches (n, D): without any, digits that were turned, or white noise.

    >>> report = tsa.inspect(np.fft.fft(np.eye(8))[:, 1:4], tsa.groups.CyclicShift(8))
    >>> cost = tsa.cost_of(tsa.orthonormal_subset(report))
    >>> type(cost).__name__
    'Cost'
    """
    report, model, action = made.report, made.model, made.report.action
    refining, measuring = split_progress(on_progress, 3, 1)
    generator = checks.generator(rng)
    side = action.size if isinstance(action, ImageRotation) and action.size >= _MIN_DIGIT_SIDE_PIXELS else None
    noise = generator.standard_normal((_PATCHES, action.dimension))
    x = checks.rows(patches, "patches") if patches is not None else noise if side is None else _digits("test", side)[0]
    if x.shape[1] != action.dimension:
        raise InputError(f"Patches of {action} have {action.dimension} pixels; got {x.shape[1]}.")
    seen = np.asarray(x, np.float64)[:, action.support]
    energy = [
        float(np.square(seen @ basis[action.support]).sum() / np.square(seen).sum())
        for basis in (report.span, real_columns(model.filters))
    ]
    evidence = None
    if made.chosen and action.parameters in _PAIRS:
        whole = refined_span(report, model.noise, refining).model
        first, second, _ = action.pairs(_PAIRS[action.parameters], generator)
        evidence = tuple(float(m.log_evidence(first, second).mean()) for m in (whole, model))
    before = made.features() if made.chosen else model.filters
    error = [_equivariance(filters, model.irreps, action, noise) for filters in (before, model.filters)]
    accuracy = None
    if side is not None and made.chosen:
        kinds = (_every(report), before, model.filters)
        train, test = _digits("train", side), _digits("test", side)
        accuracy = tuple(_accuracy(filters, train, test) for filters in kinds)
    measuring(1.0)
    return Cost((energy[0], energy[1]), (error[0], error[1]), evidence, accuracy)  # type: ignore[arg-type]


def _equivariance(filters: Array, weights: Weights, action: LatticeAction, x: Array) -> float:
    """‖z(s·x) − e^{iωs} z(x)‖ / ‖z(x)‖ over some elements of the group, root mean square."""
    angles = action.lattice[:: max(1, len(action.lattice) // _ELEMENTS)]
    still = x @ filters
    gap = [squared_norm(action.apply(x, s) @ filters - weights.phases(s) * still).sum() for s in angles]
    return float(np.sqrt(np.mean(gap) / squared_norm(still).sum()))


def _every(report: FilterReport) -> Array:
    """All live filters as complex ones: pairs together, other real ones alone."""
    partner, live = report.relatives.partner, ~report.dead
    single: list[tuple[int, ...]] = [(j,) for j in np.flatnonzero(live & (partner < 0)).tolist()]
    paired = np.flatnonzero(live & (partner >= 0)).tolist()
    pairs: list[tuple[int, ...]] = [(j, int(partner[j])) for j in paired if partner[partner[j]] != j or j < partner[j]]
    return complex_features(report, single + pairs)


def _digits(split: str, side: int) -> tuple[Array, Array]:
    """The bundled digits of a split, each turned at random, test digits four times: patches (n, D) and labels."""
    turned = [
        datasets.rotated(datasets.sample(split), seed, side) for seed in ((0,) if split == "train" else (1, 2, 3, 4))
    ]
    return np.concatenate([t.patches for t in turned]), np.concatenate([t.labels for t in turned])


def _accuracy(filters: Array, train: tuple[Array, Array], test: tuple[Array, Array]) -> float:
    """How often the nearest of the training digits by |z| has the label of a test digit."""
    known, asked = (np.abs(x @ filters) for x, _ in (train, test))
    nearest = (2 * asked @ known.T - np.square(known).sum(axis=1)).argmax(axis=1)
    return float(np.mean(train[1][nearest] == test[1]))
