"""The report on a model under an action: for the command line, the model page and its downloads."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, InputError, ProgressCallback, checks, split_progress
from tsa.analysis.equivariance import Equivariance, digits_on_disc, measure_equivariance, total_energy
from tsa.analysis.filter_sets import FilterReport, report_filters
from tsa.analysis.recovery import Recovery, recovery
from tsa.analysis.spectra import check_same_patches, weights_of_spectra
from tsa.analysis.spectra import spectra as spectra_of
from tsa.groups import Action, ImageRotation, LatticeAction, as_lattice_action
from tsa.model import Subgroup, Torus, Weights, orthonormality_defect
from tsa.pictures import patch_of, turn_disc

_MAX_SENTENCE = 300  # characters of what a file says of itself


@dataclass(frozen=True, eq=False)
class Inspection:
    """Measurements of one model under one action. `energy` of patches is the fraction within the filters' span.

    `weights` are estimated from the action (their confidence is the purity at that weight); `recovery` measures the
    weights of the model. Evidences are mean nats per fresh pair of white noise, phases free and phases coupled, of the
    pixels that the action moves, at σ = `evidence_sigma`.

    >>> report = tsa.inspect(tsa.fourier_model(8), tsa.groups.CyclicShift(8), pairs=200)
    >>> bool(report.defect < 1e-12)
    True
    """

    model: Subgroup
    action: LatticeAction
    defect: float
    weights: Weights
    recovery: Recovery
    noise_energy: float
    digit_energy: float | None  # None where patches are not square pictures
    equivariance: Equivariance
    pairs: int
    decoupled_evidence: float
    coupled_evidence: float
    evidence_sigma: float
    noise_data: str  # what the model's own σ was measured on

    def table(self) -> list[dict[str, object]]:
        """One row for each subspace, slowest first and counted from 1, as everywhere people see them.

        >>> report = tsa.inspect(tsa.fourier_model(8), tsa.groups.CyclicShift(8), pairs=200)
        >>> [row["weight"] for row in report.table()]
        [0, -1, -2, -3, -4]
        """
        score, weights = self.recovery, list(self.model.irreps)
        return [
            {
                "subspace": number,
                "weight": weights[j],
                "kind": "line" if self.model.lines[j] else "plane",
                "purity": float(score.purity[j]),
                "ceiling": float(score.ceiling[j]),
                "affinity": float(score.affinity[j]),
                "confidence": float(self.weights.confidence[j]),
            }
            for number, j in enumerate(self.model.irreps.order(), 1)
        ]

    def summary(self) -> dict[str, tuple[str | float, str]]:
        """Name → (value, what it means), in the order of the report; `data` says what each was measured on.

        >>> report = tsa.inspect(tsa.fourier_model(8), tsa.groups.CyclicShift(8), pairs=200)
        >>> list(report.summary())[:2]
        ['subspaces', 'weights']
        """
        return {name: (value, meaning) for name, value, meaning, _ in self._quantities()}

    def data(self) -> dict[str, str]:
        """Name of each quantity of the summary → the data that it was measured on.

        >>> report = tsa.inspect(tsa.fourier_model(8), tsa.groups.CyclicShift(8), pairs=200)
        >>> set(report.data()) <= set(report.summary())
        True
        """
        return {name: data for name, _, _, data in self._quantities()}

    def _quantities(self) -> list[tuple[str, str | float, str, str]]:
        """Name, value, meaning and data of each quantity."""
        planes, lines = int(np.sum(~self.model.lines)), int(np.sum(self.model.lines))
        score, error = self.recovery, self.equivariance
        filters, noise, digits = "the filters", "white noise", "30 digits of MNIST"
        pairs = f"{self.pairs:,} new pairs of white noise, σ = {self.evidence_sigma:g}"
        rows: list[tuple[str, str | float, str, str]] = [
            (
                "subspaces",
                f"{planes} plane{'s' * (planes != 1)}, {lines} line{'s' * (lines != 1)}",
                "Planes turn; lines stay, or change sign.",
                filters,
            ),
            ("weights", str(self.model.irreps), "n x ω: n subspaces turn ω times per turn of the group.", filters),
            (
                "confirmed weights",
                f"{np.sum((score.purity > self.weights.confidence - 1e-6) & (score.purity > 0.5))} of "
                f"{self.model.subspaces}",
                "Subspaces of which more than half has the weight that the model assigns.",
                filters,
            ),
            (
                "noise σ",
                self.model.noise,
                "Standard deviation of the noise that the model expects per pixel.",
                self.noise_data,
            ),
            ("orthogonality", self.defect, "Largest entry of |WᵀW − I|; 0 if the filters are orthonormal.", filters),
            ("mean purity", score.purity.mean(), "Share of a filter that has its weight, mean over filters.", filters),
            ("least purity", score.purity.min(), "The same for the worst filter.", filters),
            (
                "least relative purity",
                score.relative_purity.min(),
                "Purity relative to the purest set of filters that the pixels allow; 1 is ideal.",
                filters,
            ),
            ("mean affinity", score.score, "Cosine of the angle to the true space of the weight; 1 is ideal.", filters),
            ("least affinity", score.affinity.min(), "The same for the worst filter.", filters),
            (
                "energy of noise",
                self.noise_energy,
                "Share of the variance of the patches that the filters hold.",
                noise,
            ),
        ]
        if self.digit_energy is not None:
            rows.append(("energy of digits", self.digit_energy, "The same share for digits.", f"{digits}, turned"))
        error_means = "‖z(s·x) − e^{iωs}z(x)‖ / ‖z(x)‖, mean over s."
        rows += [
            ("equivariance error", error.on_white_noise.mean(), error_means, noise),
            ("largest equivariance error", error.on_white_noise.max(), "The same at the worst s.", noise),
        ]
        if isinstance(self.action, ImageRotation):
            rows += [
                ("error on digits", error.total.mean(), error_means, digits),
                ("model's share", error.model.mean(), "The same for digits that are turned exactly.", digits),
                (
                    "interpolation's share",
                    error.interpolation.mean(),
                    "Error of the action itself, which interpolates pixels.",
                    digits,
                ),
            ]
        rows += [
            (
                "decoupled evidence",
                self.decoupled_evidence,
                "Mean log p(y | x) in nats, phases free; training raises it.",
                pairs,
            ),
            ("coupled evidence", self.coupled_evidence, "The same with all phases tied to one s.", pairs),
        ]
        return [(name, v if isinstance(v, str) else float(v), meaning, data) for name, v, meaning, data in rows]


@overload
def inspect(
    model: Subgroup,
    action: Action,
    *,
    spectra: Array | None = None,
    pairs: int | None = None,
    rng: checks.Rng = 0,
    about: Mapping[str, Any] | None = None,
    on_progress: ProgressCallback | None = None,
) -> Inspection: ...


@overload
def inspect(model: ArrayLike, action: Action, *, on_progress: ProgressCallback | None = None) -> FilterReport: ...


def inspect(
    model: Subgroup | ArrayLike,
    action: Action,
    *,
    spectra: Array | None = None,
    pairs: int | None = None,
    rng: checks.Rng = 0,
    about: Mapping[str, Any] | None = None,
    on_progress: ProgressCallback | None = None,
) -> Inspection | FilterReport:
    """Inspect a model under an action; or filters (D, n), real or complex, of which nothing else is required.

    `spectra` are those of the model's filters (`tsa.analysis.spectra`), if known. `pairs` fresh ones measure the
    evidence: 2000, or 32 for a two-parameter group, where each takes a tenth of a second. `about` is the provenance in
    the model's file, if any: the evidence is at the σ of its training (1 if unknown, the deviation of white noise), and
    it may say what the model's own σ was measured on. `on_progress` is called with the fraction done.

    >>> report = tsa.inspect(tsa.fourier_model(8), tsa.groups.CyclicShift(8), pairs=200)
    >>> bool(report.defect < 1e-12)
    True
    """
    if isinstance(model, Torus) and not isinstance(model, Subgroup):
        model = model.filters
    if not isinstance(model, Subgroup):
        return report_filters(model, action, on_progress=on_progress)
    action = as_lattice_action(action)
    check_same_patches(model, action)
    if model.parameters != action.parameters:
        raise InputError(
            f"The model has weights of shape {model.weights.shape}, but {action} has {action.parameters} parameters."
        )
    weighing, comparing, moving, _ = split_progress(on_progress, 2, 8, 4, 1)
    if pairs is None:
        pairs = 2000 if model.parameters == 1 else 32
    if checks.whole(pairs, "pairs") < 1:
        raise InputError("Evidence is measured on at least one pair; got pairs=0.")
    # Streams of their own: training with seed 0 begins where default_rng(0) does.
    for_digits, for_pairs = checks.generator(rng).spawn(2)
    heights = spectra_of(model.filters, action, weighing) if spectra is None else spectra
    weights = weights_of_spectra(heights, action)
    score = recovery(model, action, comparing, heights=heights)
    equivariance = measure_equivariance(model, action, moving)
    x, y, _ = action.pairs(pairs, for_pairs)
    # Pixels that are always zero are no evidence, as in training.
    sigma = _number_in(about, "recipe", "noise") or 1.0
    trained = model.with_noise(sigma)
    still = (model.dimension - action.support.size) * np.log(2 * np.pi * sigma**2) / 2
    inspection = Inspection(
        model,
        action,
        orthonormality_defect(model.filters),
        weights,
        score,
        float(np.square(np.abs(model.filters[action.support])).sum() / action.support.size),
        _digit_energy(model, action, for_digits),
        equivariance,
        pairs,
        float(trained.torus.log_evidence(x, y).mean() + still),
        float(trained.log_evidence(x, y).mean() + still),
        sigma,
        _noise_data(model, about),
    )
    if on_progress is not None:
        on_progress(1.0)
    return inspection


def _number_in(about: Mapping[str, Any] | None, part: str, name: str) -> float | None:
    """A positive number in the provenance of a file, which may hold anything."""
    section = (about or {}).get(part)
    value = section.get(name) if isinstance(section, dict) else None
    usable = isinstance(value, int | float) and not isinstance(value, bool) and np.isfinite(value) and value > 0
    return float(value) if usable and value is not None else None


def _noise_data(model: Subgroup, about: Mapping[str, Any] | None) -> str:
    """What σ was measured on, if the file says so of this σ."""
    measured = _number_in(about, "noise", "sigma")
    if about is None or measured is None or not np.isclose(measured, model.noise):
        return "a setting"
    return str(about["noise"].get("measured on", "a setting"))[:_MAX_SENTENCE]


def _digit_energy(model: Subgroup, action: LatticeAction, rng: np.random.Generator) -> float | None:
    if len(action.shape) == 1 or action.shape[0] != action.shape[1] or action.shape[0] < 2:
        return None
    pictures = digits_on_disc()
    turned = np.stack(
        [turn_disc(p, s) for p, s in zip(pictures, rng.uniform(0, 2 * np.pi, len(pictures)), strict=True)]
    )
    x = patch_of(turned, action.shape[0])
    return total_energy(model.coordinates(x)) / total_energy(x)
