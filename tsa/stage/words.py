"""The posterior in words and numbers, always true of what is shown: for pictures, alternative texts, the terminal."""

from typing import NamedTuple

import numpy as np

from tsa.sweep import Sweep

_COUNT = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")
_LEAST = 0.01  # mass of a mode worth naming
_FLAT = 1.25  # peak over the uniform density below which there are none
_UNEXPLAINED = 0.6
_LOUD = 0.04  # share of all concentration that makes a weight heard


class Mode(NamedTuple):
    """A turn that explains the pair: its angle in radians, and the mass around it."""

    angle: float
    mass: float

    @property
    def degrees(self) -> int:
        """The angle as people read it, 0 to 359."""
        return int(np.floor(np.degrees(self.angle) + 0.5)) % 360


def modes(sweep: Sweep, row: int = 0) -> list[Mode]:
    """The modes worth naming, around the circle; none where the posterior is nearly flat."""
    if is_flat(sweep, row):
        return []
    angles, masses = sweep.mode_angles[row], sweep.mode_masses[row]
    named = masses >= min(_LEAST, masses.max())
    pairs = zip(angles[named].tolist(), masses[named].tolist(), strict=True)
    return sorted((Mode(*pair) for pair in pairs), key=lambda mode: mode.degrees)


def is_flat(sweep: Sweep, row: int = 0) -> bool:
    """Whether the posterior hardly varies."""
    return bool(2 * np.pi * sweep.density[row].max() < _FLAT)


def sentence(sweep: Sweep, row: int = 0) -> str:
    """Which turns explain the pair, and how well: "Four turns explain this pair equally well: 30°, 120°, …"."""
    if is_flat(sweep, row):
        return "Every turn explains this pair about equally well."
    found = modes(sweep, row)
    turns = ", ".join(f"{mode.degrees}°" for mode in found)
    if sweep.unexplained[row] > _UNEXPLAINED:
        alone = len(found) == 1
        closest = "The one that comes closest is" if alone else f"{_count(len(found))} come about as close as any:"
        return f"No turn explains this pair well. {closest} {turns}."
    if len(found) == 1:
        return f"One turn explains this pair: {turns}."
    even = min(mode.mass for mode in found) > 0.8 / len(found)
    return f"{_count(len(found))} turns explain this pair {'equally well' if even else 'to some degree'}: {turns}."


def reason(sweep: Sweep, row: int = 0) -> str:
    """Why: which weights speak, and what a single best answer would have hidden; may be empty."""
    explained = sweep.unexplained[row] <= _UNEXPLAINED
    if is_flat(sweep, row):
        alike = "The patch is empty, or looks the same however it is turned."
        return alike if explained else "x and y share no weight that tells one turn from another."
    parts = [_speakers(sweep, row)]
    count = len(modes(sweep, row))
    if count > 1 and explained:
        parts.append(f"A single best answer would have hidden {_count(count - 1).lower()} of them.")
    return " ".join(filter(None, parts))


def numbers(sweep: Sweep, row: int = 0) -> dict[str, str]:
    """The uncertainty over whole degrees, the log evidence and three distances, each by its name."""
    bits = max(0.0, (sweep.entropy[row] - np.log(2 * np.pi / 360)) / np.log(2))  # surer than one degree is sure
    torus, manifold, euclid = sweep.distances[row]
    return {
        "Uncertainty": f"{bits:.1f} of 8.5 bits",
        "Log evidence": f"{sweep.log_evidence[row]:.1f}".replace("-", "−"),
        "Torus distance": f"{torus:.2f}",
        "Manifold distance": f"{manifold:.2f}",
        "Euclidean distance": f"{euclid:.2f}",
    }


def _speakers(sweep: Sweep, row: int) -> str:
    """Which weights say something: why a square, whose weights are multiples of four, has four answers."""
    kappa = np.abs(sweep.pooled[row])
    heard = (1 + np.flatnonzero(kappa > _LOUD * kappa.sum())).tolist()
    if not 1 <= len(heard) <= 4:
        return ""
    if len(heard) == 1:
        return f"Only weight {heard[0]} speaks."
    return f"Only weights {', '.join(map(str, heard[:-1]))} and {heard[-1]} speak."


def _count(n: int) -> str:
    return _COUNT[n] if n < len(_COUNT) else str(n)
