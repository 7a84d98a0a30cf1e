"""Facts about the page of the DFT, and the model behind it."""

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from explorer.course.facts.subject import LEAST_MASS, About
from explorer.state import SIGNAL_LENGTH, ViewState
from tsa._base import Array
from tsa.model import fourier_model

DFT_NOISE = 0.5  # σ


@dataclass(frozen=True, eq=False)
class DftFacts(About):
    """The DFT: a signal on a ring, its shifted copy, and the posterior over the shift."""

    @cached_property
    def _signal(self) -> Array:
        return np.array(self._view.signal, float)

    @cached_property
    def _posterior(self) -> Any:
        return drawn_posterior(self._view)

    @cached_property
    def _answers(self) -> list[tuple[float, float]]:
        angles, masses = self._posterior.modes()[:2]
        n = len(self._signal)
        found = [(float(a) * n / (2 * np.pi) % n, float(m)) for a, m in zip(angles, masses, strict=True)]
        return sorted((place, mass) for place, mass in found if mass >= LEAST_MASS)

    @property
    def shift(self) -> int:
        """By how many places the signal is shifted."""
        return self._view.shifted

    def kappa(self, frequency: float) -> float:
        """The loudness κ of a frequency."""
        return float(abs(self._posterior.eta[int(frequency) - 1]))

    def phase(self, frequency: float) -> float:
        """The angle by which the arrow of a frequency turns, in degrees."""
        return float(np.degrees(np.angle(self._posterior.eta[int(frequency) - 1])) % 360)

    def from_fft(self, frequency: float) -> float:
        """2 |X|² / (16 σ²), with X from numpy.fft."""
        spectrum = np.fft.fft(self._signal / self._signal.max())
        return float(2 * abs(spectrum[int(frequency)]) ** 2 / (len(self._signal) * DFT_NOISE**2))

    @cached_property
    def answers(self) -> int:
        """How many shifts are answers: peaks with a mass of 1 % or more."""
        return len(self._answers) if np.ptp(self._signal) else 0

    @cached_property
    def uneven(self) -> float:
        """How far the mass of an answer is from an equal share, at most; 1 if there is none."""
        return max((abs(mass - 1 / self.answers) for _, mass in self._answers), default=1.0)

    def place(self, number: float) -> float:
        """The shift of an answer, counted from 1 in ascending order, in places."""
        return round(self._answers[int(number) - 1][0], 1) % len(self._signal)


def drawn_posterior(view: ViewState) -> Any:
    """The posterior over the shift of the signal of a view, scaled to a height of 1, at σ = 0.5."""
    x = np.array(view.signal, float)
    x = x / max(x.max(), 1.0)
    return drawn_dft().posterior(x, np.roll(x, view.shifted))


@cache
def drawn_dft() -> Any:
    """The DFT of the signals that can be drawn, as a model."""
    return fourier_model(SIGNAL_LENGTH, noise=DFT_NOISE)
