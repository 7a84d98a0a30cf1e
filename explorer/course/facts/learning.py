"""Facts about what is learned: filters from shifted noise, and two circles from pairs that a lesson brings."""

from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np

from explorer.course.expression import LessonError
from explorer.course.facts.subject import About, HiddenPairs
from explorer.state import LAB_MODEL, STOPS
from tsa._base import Array
from tsa.learning import TSA, TrainingRun
from tsa.model import Torus

_PURE = 0.95  # share of the squared length of a filter pair at one frequency
_RATIOS = [(a, b) for a in range(1, 8) for b in range(1, 8) if np.gcd(a, b) == 1]


@dataclass(frozen=True, eq=False)
class TrainFacts(About):
    """Train: filters learned from pairs of shifted white noise."""

    @cached_property
    def _filters(self) -> Array:
        if self._subject.training:
            settings = {"pairs": "100000", "rate": "0.25", "seed": "0"} | dict(self._subject.training)
            return learned_filters(int(settings["pairs"]), float(settings["rate"]), int(settings["seed"]))
        return np.asarray(self._subject.open_model(self._view.model or LAB_MODEL).model.filters)

    @cached_property
    def length(self) -> int:
        """The number of samples, or pixels, of a filter."""
        return len(self._filters)

    @cached_property
    def filter_pairs(self) -> int:
        """The number of filter pairs of the chosen model."""
        return self._filters.shape[1]

    @cached_property
    def pure_waves(self) -> int:
        """How many filter pairs of the chosen model have 95 % of their squared length at one frequency."""
        return pure_waves(self._filters)

    @cached_property
    def by_chance(self) -> int:
        """How many filter pairs are pure waves after 100,000 pairs of lists that are not related at all."""
        x, y = np.random.default_rng(0).normal(size=(2, 20_000, 16))
        return pure_waves(TSA(n_subspaces=7, n_pairs=100_000, solver="sgd", random_state=0).fit(x, y).model_.filters)


def pure_waves(filters: Array) -> int:
    """How many filters (D, J) have 95 % of their squared length at one frequency."""
    return int((main_waves(filters)[1] > _PURE).sum())


def main_waves(filters: Array) -> tuple[Array, Array]:
    """The frequency (J,) at which each of the filters (D, J) has most of its squared length, and that share (J,)."""
    power = np.abs(np.fft.fft(filters, axis=0)) ** 2
    pairs = (power[1:] + power[:0:-1])[: len(power) // 2]
    if len(power) % 2 == 0:
        pairs[-1] /= 2  # the highest frequency of an even number of samples is its own mirror image
    return 1 + pairs.argmax(axis=0), pairs.max(axis=0) / power.sum(axis=0)


def training_pairs(count: int) -> tuple[Array, Array]:
    """The first pairs (count, 16) of shifted white noise that filters are learned from."""
    x, y = next(iter(TrainingRun("shift", (16,), 7).action.stream(0, count)))
    return x, y


@cache
def learned_filters(pairs: int, rate: float = 0.25, seed: int = 0) -> Array:
    """The filters after so many pairs of shifted white noise of 16 samples."""
    if not (0 < pairs <= 250_000 and 0.001 <= rate <= 10 and 0 <= seed < 2**31):
        raise LessonError("A trial trains with at most 250,000 pairs, a rate from 0.001 to 10 and a seed of 0 or more")
    run = TrainingRun("shift", (16,), 7, n_pairs=pairs, learning_rate=rate, seed=seed)
    return np.asarray(list(run.train())[-1].filters)


@dataclass(frozen=True, eq=False)
class OrbitFacts(About):
    """Orbits: the phases of two circles, learned from the pairs of the lesson, and the path that two weights make."""

    @cached_property
    def _phases(self) -> Array:
        if self._subject.pairs is None:
            raise LessonError("This lesson brings no pairs")
        return learned_phases(self._subject.pairs)

    @cached_property
    def holds(self) -> float:
        """How well the chosen weights tie the two phases together, from 0 (not at all) to 1."""
        first, second = (float(STOPS[name][0]) for name in self._view.orbit)
        return self.tie(first, second)

    def tie(self, first: float, second: float) -> float:
        """How well these weights tie the two phases together, from 0 (not at all) to 1."""
        if first == second == 0:
            return 0.0
        return _tied(self._phases, first, second)

    def weight(self, number: float) -> float:
        """The weight that the first (1) or the second (2) circle is set to."""
        return float(STOPS[self._view.orbit[int(number) - 1]][0])

    @cached_property
    def next_best(self) -> float:
        """The largest such value for other ratios of whole numbers up to 7 than that of the chosen weights."""
        first, second = self.weight(1), self.weight(2)
        return max(self.tie(a, b) for a, b in _RATIOS if a * second != b * first)

    @cached_property
    def ratios(self) -> int:
        """How many ratios of two whole numbers up to 7 there are besides the chosen one."""
        return len(_RATIOS) - 1

    @cached_property
    def untied(self) -> float:
        """The largest such value of any ratio for pairs in which the two planes turn independently."""
        assert self._subject.pairs is not None
        free = type(self)(replace(self._subject, pairs=self._subject.pairs._replace(turns=(0, 0))))
        return max(free.tie(a, b) for a, b in _RATIOS)


@cache
def learned_phases(pairs: HiddenPairs) -> Array:
    """The phases (size, 2) of the two circles that are learned from hidden pairs; turns (0, 0) are independent."""
    rng = np.random.default_rng(pairs.seed)
    basis, x = np.linalg.qr(rng.normal(size=(4, 4)))[0], rng.normal(size=(pairs.size, 4))
    s = rng.uniform(0, 2 * np.pi, (pairs.size, 2))
    turns = s[:, :1] * pairs.turns if any(pairs.turns) else s
    secret = Torus(basis[:, ::2] + 1j * basis[:, 1::2])
    y = secret.reconstruct(np.exp(1j * turns) * secret.coordinates(x)) + pairs.noise * rng.normal(size=x.shape)
    learned = TSA(n_subspaces=2, noise=0.5, n_pairs=20_000, random_state=0).fit(x, y).model_
    phases = np.asarray(learned.posterior(x, y).mu)
    # A learned plane may be seen from either side: choose that of the second so that a tie runs upwards, as drawn.
    one, other = (max(_tied(phases * (1, sign), a, b) for a, b in _RATIOS) for sign in (1, -1))
    return phases * (1, 1 if one >= other else -1)


def _tied(phases: Array, first: float, second: float) -> float:
    return float(np.cos(second * phases[:, 0] - first * phases[:, 1]).mean())
