"""Facts about the lab."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from explorer.course.expression import LessonError
from explorer.course.facts.subject import LEAST_MASS, About, picture_of
from explorer.state import LAB_MODEL, Digit, Shape, Source
from explorer.state import scene as scene_of
from tsa._base import Array
from tsa.density import GeneralizedVonMises
from tsa.pictures import notched
from tsa.stage import Scene, words


@dataclass(frozen=True, eq=False)
class LabFacts(About):
    """The lab: a picture x, its turned copy or another picture y, and the posterior over the turn."""

    _draw: int | None = None

    def drawn(self, number: int) -> "LabFacts":
        """The same view with the noise drawn anew."""
        return replace(self, _draw=number)

    @cached_property
    def scene(self) -> Scene:
        """What is compared."""
        view = self._view
        model = self._subject.open_model(view.model or LAB_MODEL).model.with_noise(view.sigma)
        y = None if view.y is None else picture_of(view.y)
        pair = scene_of(view, model, notched(picture_of(view.x), view.notch), y)
        return pair if self._draw is None else replace(pair, observation=self._draw)

    @cached_property
    def _sweep(self) -> Any:
        return self.scene.sweep(whole=False)

    @cached_property
    def _posterior(self) -> GeneralizedVonMises:
        return GeneralizedVonMises(self._sweep.pooled[0])

    @cached_property
    def _answers(self) -> list[tuple[float, float]]:
        named = [(np.degrees(mode.angle) % 360, mode.mass) for mode in words.modes(self._sweep)]
        return [(float(angle), float(mass)) for angle, mass in named if mass >= LEAST_MASS]

    def _circle(self, j: float) -> int:
        """The index in the model of the circle with this number on the page."""
        order = self.scene.model.irreps.order()
        if not 1 <= j <= len(order):
            raise LessonError(f"Circles have the numbers 1 to {len(order)}; got {j:g}")
        return int(order[int(j) - 1])

    @property
    def x(self) -> str:
        """The picture x: the name of a shape, "drawing", "photo" or "digit"."""
        return _name(self._view.x)

    @property
    def y(self) -> str:
        """The picture y, or "copy" if it is x, turned."""
        return "copy" if self._view.y is None else _name(self._view.y)

    @property
    def angle(self) -> int:
        """The turn that the dial shows, in degrees."""
        return self._view.angle

    @property
    def sigma(self) -> float:
        """The noise σ that the model expects."""
        return self._view.sigma

    @property
    def noise(self) -> float:
        """The pixel noise on y."""
        return self._view.noise

    @property
    def seen(self) -> int:
        """How many times y was observed again."""
        return self._view.observations

    @property
    def circle(self) -> int:
        """The number of the circle that is chosen, as its panel prints it; 0 if none is."""
        return 0 if self._view.circle is None else self._view.circle + 1

    @cached_property
    def norm(self) -> float:
        """The length of x as a list of pixel values."""
        return float(np.linalg.norm(self._sweep.x))

    def length(self, circle: float) -> float:
        """The length of the arrow of x in this circle."""
        return float(abs(self._sweep.coordinates[0, self._circle(circle)]))

    def weight(self, circle: float) -> int:
        """The weight of this circle."""
        return int(abs(np.asarray(self.scene.model.weights)[self._circle(circle)]))

    def phase(self, circle: float) -> float:
        """The angle from the arrow of x to that of y in this circle, in degrees."""
        return float(np.degrees(np.angle(self._sweep.eta[0, self._circle(circle)])) % 360)

    def kappa(self, circle: float) -> float:
        """The loudness κ of this circle."""
        return float(abs(self._sweep.eta[0, self._circle(circle)]))

    @cached_property
    def _turning(self) -> Array:
        return np.abs(np.asarray(self.scene.model.weights)) > 0

    @cached_property
    def loudest(self) -> int:
        """The number of the circle that turns and has the largest κ."""
        order = self.scene.model.irreps.order()
        kappa = np.where(self._turning, np.abs(self._sweep.eta[0]), 0.0)
        return int(np.argmax(kappa[order])) + 1

    @cached_property
    def _errors(self) -> Array:
        """How far the phase of each turning circle is from what the true turn makes it, in degrees."""
        weights = np.asarray(self.scene.model.weights)
        turned = self._sweep.eta[0] * np.exp(-1j * weights * np.radians(self._view.angle))
        return np.abs(np.degrees(np.angle(turned)))

    def circles(self, least: float, most: float) -> int:
        """How many turning circles have a κ between these."""
        return int(self._between(least, most).sum())

    def wrong(self, least: float, most: float, degrees: float) -> int:
        """How many turning circles with a κ between these have a phase that is off by more than so many degrees."""
        return int((self._errors[self._between(least, most)] > degrees).sum())

    def worst(self, least: float, most: float) -> float:
        """The largest error of the phase of a turning circle with a κ between these, in degrees."""
        return float(self._errors[self._between(least, most)].max(initial=0.0))

    def _between(self, least: float, most: float) -> Array:
        kappa = np.abs(self._sweep.eta[0])
        return self._turning & (kappa >= least) & (kappa <= most)

    @cached_property
    def vote(self) -> float:
        """The best turn if every circle had the same loudness, in degrees."""
        eta = self._sweep.eta[0]
        votes = np.where(self._turning, eta / np.maximum(np.abs(eta), 1e-300), 0)
        return float(np.degrees(GeneralizedVonMises(self.scene.model.irreps.pool(votes)).mode()) % 360)

    def wave(self, weight: float) -> float:
        """The height κ of the wave of this weight in the posterior."""
        return float(abs(self._wave(weight)))

    def loud(self, place: float) -> int:
        """The weight with the highest wave (1), the second highest (2), and so on."""
        return int(np.argsort(-np.abs(self._posterior.eta))[int(place) - 1]) + 1

    def wave_at(self, weight: float) -> float:
        """The direction μ of the summed arrows of this weight, in degrees."""
        return float(np.degrees(np.angle(self._wave(weight))) % 360)

    def _wave(self, weight: float) -> complex:
        eta = self._posterior.eta
        return complex(eta[int(weight) - 1]) if 1 <= weight <= len(eta) else 0j

    def share(self, fold: float) -> float:
        """The share of all κ that is at weights which are multiples of `fold`, in percent."""
        kappa = np.abs(self._posterior.eta)
        return float(100 * kappa[int(fold) - 1 :: int(fold)].sum() / max(kappa.sum(), 1e-12))

    @cached_property
    def answers(self) -> int:
        """How many turns are answers: peaks with a mass of 1 % or more."""
        return len(self._answers)

    @cached_property
    def uneven(self) -> float:
        """How far the mass of an answer is from an equal share, at most; 1 if there is none."""
        n = self.answers
        return max((abs(mass - 1 / n) for _, mass in self._answers), default=1.0)

    def turn(self, number: float) -> float:
        """The turn of an answer, counted from 1 in the order of degrees."""
        return round(self._answers[self._place(number)][0], 1) % 360

    def mass(self, number: float) -> float:
        """The mass of an answer, counted from 1 in the order of degrees."""
        return self._answers[self._place(number)][1]

    def _place(self, number: float) -> int:
        if not 1 <= number <= self.answers:
            raise LessonError(f"There are {self.answers} answers, and no answer {number:g}")
        return int(number) - 1

    @cached_property
    def surest(self) -> float:
        """The largest mass of an answer."""
        return max((mass for _, mass in self._answers), default=0.0)

    @cached_property
    def best(self) -> float:
        """The most probable turn, in degrees."""
        return float(np.degrees(self._posterior.mode()) % 360)

    @cached_property
    def arc(self) -> float:
        """The width of the set that holds 95 % of the probability, in degrees."""
        return float(np.degrees(np.diff(self._posterior.credible_set(0.95)).sum()))

    @cached_property
    def covered(self) -> bool:
        """Whether the true turn is in the set that holds 95 % of the probability."""
        return bool(self._posterior.density(np.radians(self._view.angle)) >= self._sweep.level[0])

    def odds(self, one: float, other: float) -> float:
        """How many times as probable one turn is as another."""
        high, low = self._posterior.log_density(np.radians([one, other]))
        return float(np.exp(high - low))

    def least_probable(self, turn: float) -> bool:
        """Whether hardly any turn is less probable than this one."""
        heights = self._posterior.log_density(np.radians([turn, *range(360)]))
        return bool(heights[0] < heights.min() + 0.05)

    def bar(self, weight: float) -> float:
        """The bar of this weight: the squared lengths of the arrows of x, over σ²."""
        return float(self._bars[int(weight) - 1])

    @cached_property
    def _bars(self) -> Array:
        return self._norms(self._sweep.x)

    def _norms(self, patch: Array) -> Array:
        return np.asarray(self.scene.model.pooled_norms(patch))

    @cached_property
    def bars_apart(self) -> float:
        """How different the bars of x and y are: half the length of the difference of their square roots."""
        return float(np.linalg.norm(np.sqrt(self._bars) - np.sqrt(self._norms(self._sweep.y[0]))) / 2)

    def bars_change(self, most: float) -> float:
        """By how much the bars of the weights up to `most` change over a full turn of x, at most, in percent."""
        angles = range(0, 360, 10)
        bars = np.array([self.other(f"angle={a}")._norms(self.other(f"angle={a}")._sweep.y[0]) for a in angles])
        bars = bars[:, : int(most)]
        return float(100 * (np.ptp(bars, axis=0) / bars.mean(axis=0)).max())

    @cached_property
    def left_over(self) -> float:
        """What the best turn leaves over: the manifold distance of x and y."""
        return float(self._sweep.distances[0, 1])


def _name(source: Source) -> str:
    if isinstance(source, Shape):
        return source.name
    return "digit" if isinstance(source, Digit) else "photo" if source.photo else "drawing"
