"""Everything a reviewer would ask of a model, computed once: for the command line, the model page and its downloads.

Rotations of pixels are interpolated, so a model can be wrong in two ways that look alike: its own error, and the error
of the action it is held against. Pictures on a disc (`tsa.polar`) can be turned exactly and tell the two apart.
"""

from dataclasses import dataclass

import numpy as np

from tsa import checks, datasets
from tsa.checks import Array
from tsa.errors import InputError
from tsa.groups import ImageRotation
from tsa.model import Subgroup, equivariance_error
from tsa.polar import patch_of, to_polar, turn
from tsa.progress import Report, shares
from tsa.recovery import Recovery, recovery
from tsa.sheet import by_weight
from tsa.stiefel import orthonormality_defect
from tsa.weights import Group, Weights, check_same_patches, describe, highest, spectra

_TURNS = 36  # angles at which equivariance is measured: every 10°, quarter turns among them
_SHIFTS = 24


@dataclass(frozen=True, eq=False)
class Equivariance:
    """The error of z(s·x) ≈ e^{iωs} z(x) against s, as a fraction of ‖z(x)‖ (root mean square): each curve is (n,).

    With A_s the action on patches, T_s the exact turn of a picture p, and C the camera that sees it as x = Cp,

        z(A_s x) − e^{iωs} z(x)  =  [z(A_s x) − z(C T_s p)]  +  [z(C T_s p) − e^{iωs} z(x)]
               `total`                  `interpolation`                  `model`

    so no curve exceeds the sum of the other two. The pictures are the bundled digits. Quarter turns permute pixels, and
    there `interpolation` is zero. Whole cyclic shifts permute samples: for them it is zero throughout, and the patches
    are white noise. `noise` is the total error on white noise, which holds finer detail than any picture a camera
    sees, so that most of what it shows for rotations is interpolation.
    """

    angles: Array  # (n,), or (n, 2) for a two-parameter group
    noise: Array
    total: Array
    interpolation: Array
    model: Array


@dataclass(frozen=True, eq=False)
class Inspection:
    """What is true of one model under one action. `energy` of patches is the fraction the filters' span holds.

    `weights` are the action's opinion (their confidence is the purity at the weight it prefers); `recovery` judges the
    weights the model has. Evidences are mean nats per fresh pair of white noise, phases free and phases coupled, of the
    pixels that the action moves.
    """

    model: Subgroup
    action: Group
    defect: float
    weights: Weights
    recovery: Recovery
    noise_energy: float
    digit_energy: float | None  # None where patches are not square pictures
    equivariance: Equivariance
    pairs: int
    decoupled_evidence: float
    coupled_evidence: float

    def table(self) -> list[dict[str, object]]:
        """One row for each subspace, slowest first and counted from 1, as everywhere people see them."""
        score, weights = self.recovery, self.model.weights.tolist()
        return [
            {
                "subspace": number,
                "weight": weights[j] if isinstance(weights[j], int) else tuple(weights[j]),
                "kind": "line" if self.model.lines[j] else "plane",
                "purity": float(score.purity[j]),
                "ceiling": float(score.ceiling[j]),
                "affinity": float(score.affinity[j]),
                "confidence": float(self.weights.confidence[j]),
            }
            for number, j in enumerate(by_weight(self.model.weights), 1)
        ]

    def summary(self) -> dict[str, tuple[str | float, str]]:
        """Name → (value, what it means), in the order in which one would ask."""
        planes, lines = int(np.sum(~self.model.lines)), int(np.sum(self.model.lines))
        score, error = self.recovery, self.equivariance
        rows: dict[str, tuple[str | float, str]] = {
            "subspaces": (f"{planes} planes, {lines} lines", "Planes turn; lines stay, or change sign."),
            "weights": (describe(self.model.weights), "How many subspaces (n x) turn how often per turn of the group."),
            "confirmed weights": (
                f"{np.sum((score.purity > self.weights.confidence - 1e-6) & (score.purity > 0.5))} of "
                f"{self.model.subspaces}",
                "Subspaces of which more than half is of the weight they are said to have.",
            ),
            "noise σ": (self.model.noise, "Standard deviation of the noise the model expects in a pixel."),
            "orthogonality": (self.defect, "Largest entry of |WᵀW − I|: 0 if the filters are orthonormal."),
            "mean purity": (score.purity.mean(), "How much of a filter the action keeps at its one weight."),
            "least purity": (score.purity.min(), "The same, of the worst filter."),
            "least relative purity": (
                score.relative_purity.min(),
                "Over that of the equally ranked filter in the purest set the pixels allow; 1 is as good.",
            ),
            "mean affinity": (score.score, "Cosine of the angle to the true space of the weight: 1 is perfect."),
            "least affinity": (score.affinity.min(), "The same, of the worst filter."),
            "energy of noise": (self.noise_energy, "Fraction of the variance of white noise the filters hold."),
        }
        if self.digit_energy is not None:
            rows["energy of digits"] = (self.digit_energy, "Fraction of the variance of turned digits they hold.")
        rows |= {
            "equivariance error": (error.noise.mean(), "‖z(s·x) − e^{iωs}z(x)‖/‖z(x)‖ on white noise, mean over s."),
            "worst of these": (error.noise.max(), "The same at the worst s."),
            "model error": (error.model.mean(), "The same on patches moved exactly: the model's own share."),
            "interpolation error": (error.interpolation.mean(), "How far the action is from moving them exactly."),
            "decoupled evidence": (
                self.decoupled_evidence,
                f"Mean log p(y|x) of {self.pairs} pairs, in nats, phases free; what training raises.",
            ),
            "coupled evidence": (self.coupled_evidence, "The same with all phases tied to one s."),
        }
        return {name: (v if isinstance(v, str) else float(v), meaning) for name, (v, meaning) in rows.items()}


def inspect(
    model: Subgroup, action: Group, *, pairs: int | None = None, rng: checks.Rng = 0, report: Report | None = None
) -> Inspection:
    """Inspect a model under an action.

    `pairs` fresh ones measure the evidence: 2000, or 32 for a two-parameter group, where each takes a tenth of a
    second. `report` is called with the fraction done.
    """
    check_same_patches(model, action)
    if model.weights.ndim != action.lattice.ndim:
        raise InputError(f"The model has weights of shape {model.weights.shape}; those of {action} have another.")
    weighing, comparing, moving, _ = shares(report, 2, 8, 4, 1)
    if pairs is None:
        pairs = 2000 if model.weights.ndim == 1 else 32
    if checks.whole(pairs, "pairs") < 1:
        raise InputError("Evidence is measured on at least one pair; got pairs=0.")
    # Streams of their own: training with seed 0 begins where default_rng(0) does.
    for_digits, for_pairs = checks.generator(rng).spawn(2)
    heights = spectra(model.filters, action, weighing)
    weights = highest(heights, action)
    score = recovery(model, action, comparing, heights=heights)
    equivariance = _equivariance(model, action, moving)
    x, y, _ = action.pairs(pairs, for_pairs)
    # Pixels that are always zero are no evidence, as in training.
    still = (model.dimension - action.support.size) * np.log(2 * np.pi * model.noise**2) / 2
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
        float(model.torus.log_evidence(x, y).mean() + still),
        float(model.log_evidence(x, y).mean() + still),
    )
    if report is not None:
        report(1.0)
    return inspection


def _digit_energy(model: Subgroup, action: Group, rng: np.random.Generator) -> float | None:
    if len(action.shape) == 1 or action.shape[0] != action.shape[1] or action.shape[0] < 2:
        return None
    pictures = _digits()
    turned = np.stack([turn(p, s) for p, s in zip(pictures, rng.uniform(0, 2 * np.pi, len(pictures)), strict=True)])
    x = patch_of(turned, action.shape[0])
    return _energy(model.coordinates(x)) / _energy(x)


def _digits() -> Array:
    """The bundled digits as pictures on a disc: (30, rings, spokes)."""
    return np.stack([to_polar(image) for image in datasets.gallery()[0]])


def _energy(z: Array) -> float:
    return float(np.square(np.abs(z)).sum())


def _equivariance(model: Subgroup, action: Group, report: Report) -> Equivariance:
    number = _TURNS if isinstance(action, ImageRotation) else _SHIFTS
    angles = action.lattice[:: max(1, len(action.lattice) // number)]
    noise = equivariance_error(model, action, angles)
    if not isinstance(action, ImageRotation):
        return Equivariance(angles, noise, noise, np.zeros(len(angles)), noise)
    pictures = _digits()
    x = patch_of(pictures, action.size)
    still = model.coordinates(x)
    scale = max(np.sqrt(_energy(still)), 1e-300)  # filters in the corners see nothing of a disc
    errors = np.empty((3, len(angles)))
    for i, s in enumerate(angles):
        promised = np.exp(1j * s * model.weights) * still
        interpolated = model.coordinates(action.apply(x, s))
        exact = model.coordinates(patch_of(turn(pictures, float(s)), action.size))
        gaps = (interpolated - promised, interpolated - exact, exact - promised)
        errors[:, i] = [np.sqrt(_energy(gap)) / scale for gap in gaps]
        report((i + 1) / len(angles))
    return Equivariance(angles, noise, *errors)
