"""Rotated MNIST (paper, section 4 and its figure of accuracies): one nearest neighbour under each distance.

Every digit is turned once by a random angle and seen at 16×16 pixels. What a method needs to know of the data beyond
the model, it learns from the training patches, without their labels; nothing was chosen by looking at the test digits.
"""

import json
import time
import zlib
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tsa import files
from tsa.checks import Array
from tsa.datasets import Digits, rotated, upright
from tsa.distances import Euclidean, Metric, TorusDistance
from tsa.errors import InputError
from tsa.experiments.figure import Curve, accuracy_figure
from tsa.gauge import balanced
from tsa.invariants import BispectralDistance
from tsa.manifold import ManifoldDistance
from tsa.model import Subgroup
from tsa.neighbours import nearest
from tsa.progress import Report
from tsa.tangent import TangentDistance

SIZES = (300, 1_000, 3_000, 10_000, 60_000)
QUICK_SIZES = (100, 300, 1_000)
SEEDS = {"train": 0, "test": 1, "subsets": 2}
_SIDE = 16
_LEARNED = "rotation-16"  # the paper's filters, for √κ̂ as learned
_LEARNED_FROM = 10_000  # training patches at most from which a cut or axes are learned
_AXES = 128  # of the bispectral invariants


class Method(NamedTuple):
    """A distance: its name, what it is, and the metric it becomes once training patches are known."""

    name: str
    about: str
    metric: Callable[[Array], Metric]
    upright: bool = False


def methods(model: Subgroup) -> list[Method]:
    """The distances of the paper's figure, and ours. As-learned √κ̂ is that of the paper's model, not of this one."""
    learned = files.load(_LEARNED)
    return [
        Method("ED", "Euclidean", lambda x: Euclidean()),
        Method("TD", "two-sided tangent distance of rotation", lambda x: TangentDistance(_SIDE)),
        Method("√κ̂", "maximal torus, as learned", lambda x: TorusDistance(learned)),
        Method("√κ̂ bal", "maximal torus, weight spaces cut evenly", lambda x: TorusDistance(balanced(model, x))),
        Method("MD", "manifold distance of rotation", lambda x: ManifoldDistance(balanced(model, x))),
        Method("bispectrum", "Euclidean, of the invariants", lambda x: BispectralDistance.fitted(model, x, _AXES)),
        Method("ED-NR", "Euclidean, digits not rotated", lambda x: Euclidean(), upright=True),
    ]


@dataclass(frozen=True)
class Outcome:
    """How many of the test digits one method got right with n training digits, and the seconds it took."""

    method: str
    n: int
    right: int
    of: int
    seconds: float

    @property
    def accuracy(self) -> float:
        """The share that was right."""
        return self.right / self.of

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % confidence interval of the accuracy."""
        z, p = 1.96, self.accuracy
        middle, half = p + z * z / (2 * self.of), z * np.sqrt(p * (1 - p) / self.of + (z / (2 * self.of)) ** 2)
        scale = 1 + z * z / self.of
        return float(middle - half) / scale, float(middle + half) / scale


def run(
    train: Digits,
    test: Digits,
    model_name: str,
    folder: Path,
    sizes: Iterable[int] = SIZES,
    progress: Callable[[str], Report] = lambda title: lambda fraction: None,
    search: Callable[..., tuple[Array, Array]] = nearest,
) -> list[Outcome]:
    """Every method with the first n digits of a random order, for each n; outcomes are kept in `folder` as they come.

    Started again with the same folder it continues where it stopped. `search` is `tsa.nearest`, or that of a cluster.
    """
    model = files.load(model_name)
    if not isinstance(model, Subgroup) or model.dimension != _SIDE**2 or model.weights.ndim != 1:
        raise InputError(
            f"The experiment needs a model of rotation with weights, at 16×16 pixels; {model_name} is not."
        )
    sizes = sorted({min(n, len(train)) for n in sizes})
    done = _Record(folder, _settings(train, test, model_name, model, sizes))
    order = np.random.default_rng(SEEDS["subsets"]).permutation(len(train))
    turned = [rotated(digits, SEEDS[split], _SIDE) for split, digits in (("train", train), ("test", test))]
    straight = [upright(digits, _SIDE) for digits in (train, test)]
    for n in sizes:
        for method in methods(model):
            if done.has(method.name, n):
                continue
            known, asked = straight if method.upright else turned
            x = known.patches[order[:n]]
            started = time.perf_counter()
            metric, report = method.metric(x[:_LEARNED_FROM]), progress(f"{method.name}, {n:,}")
            index = search(x, asked.patches, metric, report=report)[0][:, 0]
            seconds = time.perf_counter() - started
            right = int(np.sum(known.labels[order[index]] == asked.labels))
            done.add(Outcome(method.name, n, right, len(asked), round(seconds, 2)))
    (folder / "table.txt").write_text(table(done.outcomes), encoding="utf-8")
    (folder / "accuracy.svg").write_text(figure(done.outcomes), encoding="utf-8")
    return done.outcomes


def _settings(train: Digits, test: Digits, name: str, model: Subgroup, sizes: list[int]) -> dict[str, Any]:
    """All that the outcomes depend on."""
    return {
        "model": name,
        "models": [zlib.crc32(files.pack(one)) for one in (model, files.load(_LEARNED))],
        "digits": [[zlib.crc32(a.tobytes()) for a in (digits.images, digits.labels)] for digits in (train, test)],
        "counts": [len(train), len(test)],
        "sizes": sizes,
        "seeds": SEEDS,
    }


class _Record:
    """Outcomes in a JSON file, written anew after each, so that an interrupt loses at most one."""

    def __init__(self, folder: Path, settings: dict[str, Any]) -> None:
        self._path, self._settings, self.outcomes = folder / "outcomes.json", settings, list[Outcome]()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if self._path.exists():
                earlier = json.loads(self._path.read_text(encoding="utf-8"))
                if earlier["settings"] != settings:
                    raise InputError(f"{folder} holds the outcomes of another run; give another folder with --out.")
                self.outcomes = [Outcome(**outcome) for outcome in earlier["outcomes"]]
        except (OSError, ValueError, KeyError, TypeError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"{folder} cannot be used for outcomes: {error}.") from error

    def has(self, method: str, n: int) -> bool:
        return any(outcome.method == method and outcome.n == n for outcome in self.outcomes)

    def add(self, outcome: Outcome) -> None:
        self.outcomes.append(outcome)
        text = {"settings": self._settings, "outcomes": [asdict(o) for o in self.outcomes]}
        partial = self._path.with_suffix(".partial")
        partial.write_text(json.dumps(text, indent=1), encoding="utf-8")
        partial.replace(self._path)


def _by_method(outcomes: list[Outcome]) -> dict[str, list[Outcome]]:
    names = dict.fromkeys(outcome.method for outcome in outcomes)
    return {name: sorted((o for o in outcomes if o.method == name), key=lambda o: o.n) for name in names}


def table(outcomes: list[Outcome]) -> str:
    """Accuracies in per cent with their 95 % intervals, a row for each method; the time of the largest search last."""
    sizes = sorted({outcome.n for outcome in outcomes})
    lines = ["training digits".ljust(16) + "".join(f"{n:>19,}" for n in sizes) + "   seconds"]
    for name, row in _by_method(outcomes).items():
        cells = ["{:.2f} ({:.1f}–{:.1f})".format(*(100 * v for v in (o.accuracy, *o.interval))) for o in row]
        # A combining hat takes no place of its own.
        lines.append(
            name.ljust(16 + name.count("\u0302")) + "".join(f"{c:>19}" for c in cells) + f"{row[-1].seconds:10.1f}"
        )
    return "\n".join(lines) + "\n"


def figure(outcomes: list[Outcome]) -> str:
    """Accuracy against the number of training digits, as SVG."""
    curves = [
        Curve(name, [o.n for o in row], [o.accuracy for o in row], [o.interval for o in row])
        for name, row in _by_method(outcomes).items()
    ]
    return accuracy_figure(curves)
