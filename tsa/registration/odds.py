"""Do two noisy patches show the same thing, moved? The odds against another picture, unrelated or somewhat alike."""

from functools import cached_property

import numpy as np

from tsa._base import Array
from tsa.registration.hyperprior import FreeSpectrum, Hyperprior, PhotographicSpectrum
from tsa.registration.noise import MIN_SHARE, Evidence, all_noise, climb, log_evidences
from tsa.registration.planes import NoisyPlanes
from tsa.registration.posterior import PlanePair, log_evidence, noisy_pair

# More spectra than for σ: ridges and lines of text have most of their power in one band of frequencies.
_SPECTRA = Hyperprior(
    (
        (0.5, FreeSpectrum(rungs=15, harmonics=4, nodes=16)),
        (0.5, PhotographicSpectrum(scales=5, tilts=(0.0, 1.0), bands=(4.0, 8.0, 14.0))),
    )
)
_RESAMPLED = 0.97  # likeness of a picture and itself, turned: the edges of shapes fall on other places between pixels
_RESAMPLED_SHARE = 0.05  # of pictures that are the same, changed as much as that
_ALIKE = 0.5  # likeness of two pages of text, whose lines can be brought on one another
_RUNGS = 24  # σ that are tried for unrelated pictures
# Odds of twenty to one. Of different photos, digits, drawings, maps, leaves and cells with noise of 0 to 0.3, at most
# 1.3 % are then called the same (300 to 1,200 pairs a kind and noise), of fingerprints and pages of text at most 2.8 %.
DECIDED = float(np.sqrt(2 * np.log(20)))


class Odds:
    """The odds that y is x moved, for B pairs: found for all of them when they are first asked for.

    y may show exactly what x shows, or nearly, because turning it changed it a little; else something somewhat like it,
    or unrelated. Each of these explanations takes the noise of its own highest evidence, because pictures that differ
    can pass for noise. `sigma` (B,) is the noise if y is x moved; if it is `known`, it holds for all.
    """

    def __init__(self, planes: NoisyPlanes, pair: PlanePair, sigma: Array, known: bool) -> None:
        self._planes, self._pair, self._sigma, self._known = planes, pair, sigma, known

    @cached_property
    def z_scores(self) -> Array:
        """The signed root of twice the log odds of each pair, (B,)."""
        return np.asarray(np.sign(self.log_odds) * np.sqrt(2 * np.abs(self.log_odds)))

    @cached_property
    def log_odds(self) -> Array:
        """log p(x, y | exactly or nearly x, moved) − log p(x, y | somewhat alike or unrelated), (B,)."""
        apart = self._sigma if self._known else self._noise_apart()
        unrelated, alike = self._highest(0.0, apart), self._highest(_ALIKE, apart)
        if not self._known:
            alike = np.maximum(alike, self._highest(_ALIKE, self._sigma))
        exactly, nearly = (self._highest(likeness, self._sigma) for likeness in (1.0, _RESAMPLED))
        same = np.logaddexp(exactly + np.log1p(-_RESAMPLED_SHARE), nearly + np.log(_RESAMPLED_SHARE))
        return np.asarray(same - np.logaddexp(alike, unrelated) + np.log(2))

    def _evidence(self, likeness: float) -> Evidence:
        return lambda noisy: log_evidence(self._planes, noisy, _SPECTRA, likeness)

    def _highest(self, likeness: float, start: Array) -> Array:
        """The log evidence at σ = `start` (B,), or if it is not known, at the best σ that is found from there."""
        best, value = start, np.full(len(start), -np.inf)
        if not self._known:
            best, value = climb(self._planes, self._pair, self._evidence(likeness), start)
        noisy = noisy_pair(self._planes, self._pair, best, best)
        return np.maximum(value, self._evidence(likeness)(noisy))

    def _noise_apart(self) -> Array:
        """σ of high evidence that x and y are unrelated, (B,): it may be far from what the best s leaves over."""
        rungs = all_noise(self._planes, self._pair) * np.geomspace(MIN_SHARE, 1.0, _RUNGS)[:, None]
        best = np.argmax(log_evidences(self._planes, self._pair, self._evidence(0.0), rungs), axis=0)
        return np.asarray(np.take_along_axis(rungs, best[None], 0)[0])
