"""What is known of a picture's spectrum before it is seen, and the densities over s that follow for a pair.

Given the power τ_j² of the clean picture in each plane, log p(x, y | s) is a constant plus Re Σ_j conj(η_j) e^{iω_j·s}
(`tsa.model._both_noisy`). The power is not known, and is summed over: each `SpectrumPrior` is a finite list of
hypotheses, each of which gives one generalised von Mises density and its evidence. `Hyperprior` mixes them; the pair's
own evidence decides which of them counts.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from scipy import fft
from scipy.special import logsumexp

from tsa._base import Array
from tsa.registration.photographs import band_power, photographic_power
from tsa.registration.planes import NoisyPlanes

_CHUNK_PAIRS = 8  # whose waves are held at once: they stay in cache
_BAND_SHARES = (0.4, 0.85)  # of the power of a picture


@dataclass(frozen=True, eq=False)
class NoisyPair:
    """B pairs in the planes: coordinates of x and y (B, J), variances of their noise in each real dimension (B, J).

    `signal` (B, 1) is the energy that is not noise, the mean of both.
    """

    x: Array
    y: Array
    n_x: Array
    n_y: Array
    signal: Array

    @cached_property
    def energies(self) -> tuple[Array, Array]:
        """|x|² and |y|² of each plane, (B, J)."""
        return self.x.real**2 + self.x.imag**2, self.y.real**2 + self.y.imag**2

    @cached_property
    def terms(self) -> tuple[Array, Array, Array, Array]:
        """Parts of log p(x, y | s, τ²) for any τ²: n_x n_y, n_x + n_y, and the energies that go with them."""
        energy_x, energy_y = self.energies
        opposite = (self.n_y * energy_x + self.n_x * energy_y) / 2
        return self.n_x * self.n_y, self.n_x + self.n_y, opposite, (energy_x + energy_y) / 2

    @cached_property
    def overlap(self) -> Array:
        """conj(x) y, (B, J)."""
        return np.asarray(self.x.conj() * self.y)


class Hypotheses(NamedTuple):
    """C hypotheses on each of B pairs: log p(x, y, hypothesis | s) = `level` + Re Σ_h conj(`eta`_h) e^{ih·s}.

    `level` (B, C), `eta` (B, C, H) at the integer `harmonics` (H, p).
    """

    level: Array
    eta: Array
    harmonics: Array


class SpectrumPrior(Protocol):
    """A list of hypotheses about the power of a clean picture in each plane."""

    def hypotheses(self, planes: NoisyPlanes, pair: NoisyPair, likeness: float = 1.0) -> Hypotheses:
        """The hypotheses, with their prior probabilities in `level`; `likeness` as in `given_power`."""


def given_power(pair: NoisyPair, power: Array | float, likeness: float = 1.0) -> tuple[Array, Array]:
    """log p(x, y | s, τ²) of each plane as a constant and η: (B, J) each.

    `likeness` is the correlation of the clean coordinates of x, turned, and of y: 1 if y shows the same picture, 0 if
    it shows an unrelated one with this power; η is then 0.
    """
    product, total, opposite, energy = pair.terms
    det = product + power * (total + (1 - likeness**2) * power)
    share = power / det
    return -np.log(det) - opposite / det - share * energy, pair.overlap * (likeness * share)


@dataclass(frozen=True)
class FreeSpectrum:
    """Any spectrum: the power of each weight space is unknown on its own, and may be zero.

    In weight space k the power is λ_k times the square of the planes' softness. λ_k is zero with probability `silence`,
    else log-uniform on `rungs` values over `decades` around the energy of the pair. A picture may have a symmetry of
    order r, which silences all weights but the multiples of r; r = 1 has probability ½. Summed over λ_k, weight k gives
    a factor f_k(k·s) whose logarithm is a short Fourier series: `harmonics` of its terms are kept.
    """

    silence: float = 0.5
    rungs: int = 22
    decades: tuple[float, float] = (-5.0, 2.0)
    symmetries: Sequence[int] = tuple(range(1, 9))
    harmonics: int = 8
    nodes: int = 64

    def hypotheses(self, planes: NoisyPlanes, pair: NoisyPair, likeness: float = 1.0) -> Hypotheses:
        """One hypothesis for each symmetry."""
        silence = self._silence(planes, pair)
        levels, etas = [silence + np.log(self.silence)], [np.zeros(silence.shape, complex)]
        for log_share, power in self._powers(planes, pair):
            level, eta = (planes.pooled(part) for part in given_power(pair, power, likeness))
            levels.append(level + log_share)
            etas.append(eta)
        choices = _symmetries(planes.spaces, self.symmetries)
        if not likeness:
            return _without_waves(_by_symmetry(choices, logsumexp(levels, axis=0), silence), planes)
        mean, series = self._series(np.stack(levels), np.stack(etas))
        harmonics, place = _multiples(planes.spaces, self.harmonics)
        level = _by_symmetry(choices, mean, silence)
        eta = np.zeros((len(mean), len(choices), len(harmonics)), complex)
        for c, (speaks, _) in enumerate(choices):
            for h in range(self.harmonics):
                eta[:, c, place[speaks, h]] += series[:, speaks, h]
        return Hypotheses(level, eta, harmonics)

    @staticmethod
    def _silence(planes: NoisyPlanes, pair: NoisyPair) -> Array:
        """log p(x, y) of each weight space without power, (B, K)."""
        return planes.pooled(given_power(pair, 0.0)[0])

    def _powers(self, planes: NoisyPlanes, pair: NoisyPair) -> Iterator[tuple[float, Array]]:
        """The powers other than zero, (B, J) each, and the logarithm of their probability."""
        profile = planes.softness**2 / (2 * planes.softness**2).sum()
        for rung in np.logspace(*self.decades, self.rungs):
            yield np.log((1 - self.silence) / self.rungs), rung * pair.signal * profile

    def _series(self, level: Array, eta: Array) -> tuple[Array, Array]:
        """log Σ_r exp(level_r + Re conj(η_r) e^{iφ}) as a series in φ: its mean (B, K) and η (B, K, harmonics)."""
        circle = 2 * np.pi * np.arange(self.nodes) / self.nodes
        waves = np.stack([np.ones(self.nodes), np.cos(circle), np.sin(circle)])
        parts = np.stack([level, eta.real, eta.imag], axis=-1)  # (R, B, K, 3)
        logarithm = np.empty((*level.shape[1:], self.nodes))
        for start in range(0, len(logarithm), _CHUNK_PAIRS):
            rows = slice(start, start + _CHUNK_PAIRS)
            values = parts[:, rows] @ waves
            # At each φ relative to the largest term there: a clipped logarithm would have other harmonics.
            top = values.max(axis=0)
            values -= top
            np.maximum(values, -700.0, out=values)
            logarithm[rows] = top + np.log(np.exp(values, out=values).sum(axis=0))
        spectrum = fft.rfft(logarithm, axis=-1)[..., : self.harmonics + 1] / self.nodes
        return spectrum[..., 0].real, 2 * spectrum[..., 1:].conj()


@dataclass(frozen=True)
class PhotographicSpectrum:
    """The mean power spectrum of photographs times f^`tilt`, f the spatial frequency, at an unknown contrast.

    Photographs fall about as f⁻², so tilts from −1 to 2 are everything between smooth pictures and white ones. `bands`
    are frequencies, in cycles per side, about which nearly half or most of the power may lie instead: of ridges,
    bricks or lines of text. Each spectrum is as probable as another. The contrast is one of `scales` from a
    tenth to ten times the energy of the pair.
    """

    scales: int = 9
    decades: tuple[float, float] = (-1.0, 1.0)
    tilts: tuple[float, ...] = (-1.0, 0.0, 1.0, 2.0)
    bands: tuple[float, ...] = ()

    def hypotheses(self, planes: NoisyPlanes, pair: NoisyPair, likeness: float = 1.0) -> Hypotheses:
        """One hypothesis for each spectrum and contrast."""
        parts = [given_power(pair, power, likeness) for power in self._powers(planes, pair)]
        level = np.stack([level.sum(axis=1) for level, _ in parts], axis=1) - np.log(len(parts))
        if not likeness:
            return _without_waves(level, planes)
        return Hypotheses(level, np.stack([planes.pooled(eta) for _, eta in parts], axis=1), planes.spaces)

    def _powers(self, planes: NoisyPlanes, pair: NoisyPair) -> Iterator[Array]:
        profiles = [_normalised(photographic_power(planes, tilt)) for tilt in self.tilts]
        photographs = _normalised(photographic_power(planes))
        for centre in self.bands:
            band = _normalised(band_power(planes, centre))
            profiles += [share * band + (1 - share) * photographs for share in _BAND_SHARES]
        for profile in profiles:
            for scale in np.logspace(*self.decades, self.scales):
                yield scale * pair.signal * profile


def _normalised(power: Array) -> Array:
    """So that both real dimensions of all planes have 1 in all."""
    return power / (2 * power.sum())


def _default_parts() -> tuple[tuple[float, SpectrumPrior], ...]:
    return (0.5, FreeSpectrum()), (0.5, PhotographicSpectrum())


@dataclass(frozen=True)
class Hyperprior:
    """A mixture of priors over spectra: `parts` are their probabilities and the priors.

    The default is half a free spectrum, which suits drawings and shapes, and half a smooth one, as photographs have it,
    which is sharper where it applies. Anything with a method `hypotheses` can take the place of either.
    """

    parts: tuple[tuple[float, SpectrumPrior], ...] = field(default_factory=_default_parts)

    def hypotheses(self, planes: NoisyPlanes, pair: NoisyPair, likeness: float = 1.0) -> Hypotheses:
        """The hypotheses of all parts, on common harmonics."""
        found = [(np.log(share), prior.hypotheses(planes, pair, likeness)) for share, prior in self.parts]
        level = np.concatenate([share + part.level for share, part in found], axis=1)
        if not likeness:
            return _without_waves(level, planes)
        harmonics = np.unique(np.concatenate([part.harmonics for _, part in found]), axis=0)
        if harmonics.shape[1] == 1:  # 1…K without gaps, as `GeneralizedVonMises` has them
            harmonics = np.arange(1, harmonics.max() + 1)[:, None]
        count = sum(part.level.shape[1] for _, part in found)
        eta = np.zeros((len(pair.x), count, len(harmonics)), complex)
        start = 0
        for _, part in found:
            stop = start + part.level.shape[1]
            eta[:, start:stop, _places(part.harmonics, harmonics)] = part.eta
            start = stop
        return Hypotheses(level, eta, harmonics)


def _without_waves(level: Array, planes: NoisyPlanes) -> Hypotheses:
    """Hypotheses under which nothing depends on s: they have no harmonics."""
    return Hypotheses(level, np.zeros((*level.shape, 0), complex), planes.spaces[:0])


def _multiples(spaces: Array, count: int) -> tuple[Array, Array]:
    """The distinct multiples 1…count of the weights (K, p): harmonics (H, p), and (K, count) their places there."""
    multiples = spaces[:, None] * np.arange(1, count + 1)[:, None]
    harmonics, place = np.unique(multiples.reshape(-1, spaces.shape[1]), axis=0, return_inverse=True)
    return harmonics, place.reshape(len(spaces), count)


def _places(harmonics: Array, among: Array) -> Array:
    place = {tuple(k): i for i, k in enumerate(among.tolist())}
    return np.array([place[tuple(k)] for k in harmonics.tolist()])


def _by_symmetry(choices: list[tuple[Array, float]], speaking: Array, silent: Array) -> Array:
    """Sums over the weights (B, K) that may have power under each symmetry, and of silence over the others: (B, C)."""
    sums = [np.where(speaks, speaking, silent).sum(axis=1) + np.log(share) for speaks, share in choices]
    return np.stack(sums, axis=1)


def _symmetries(spaces: Array, orders: Sequence[int]) -> list[tuple[Array, float]]:
    """For each symmetry the weights that may have power, and its probability.

    On the torus a picture may repeat r ≤ 4 times along one coordinate, or along all.
    """
    p = spaces.shape[1]
    masks = [np.ones(len(spaces), bool)]
    for r in (r for r in orders if r > 1 and (p == 1 or r <= 4)):
        divides = spaces % r == 0
        masks += [divides[:, a] for a in range(p)] if p > 1 else []
        masks.append(divides.all(axis=1))
    if len(masks) == 1:
        return [(masks[0], 1.0)]
    return [(mask, 0.5 if i == 0 else 0.5 / (len(masks) - 1)) for i, mask in enumerate(masks)]
