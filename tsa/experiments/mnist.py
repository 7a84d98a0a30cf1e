"""Rotated MNIST (paper, section 4 and its figure of accuracies): one nearest neighbour under each distance.

Every digit is turned once by a random angle and sampled at 16×16 pixels. Methods that have parameters besides the
model fit them to the training patches, without labels; no setting was chosen by its result on the test digits.
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
from tsa._base import Array, InputError, ProgressCallback, write_atomically
from tsa.experiments.report import Claim, Figure, Section
from tsa.model import Subgroup, balanced
from tsa.pictures import Digits, rotated, upright
from tsa.recognition import (
    BispectralDistance,
    Euclidean,
    ManifoldDistance,
    Metric,
    TangentDistance,
    TorusDistance,
    nearest,
)
from tsa.stage import Chart, ChartLine, Curve, accuracy_svg

SIZES = (300, 1_000, 3_000, 10_000, 60_000)
QUICK_SIZES = (100, 300, 1_000)
SEEDS = {"train": 0, "test": 1, "subsets": 2}
_SIDE_PIXELS = 16
_LEARNED_MODEL = "rotation-16"  # the paper's filters, for √κ̂ as learned
_MAX_FIT_PATCHES = 10_000  # training patches to which a method fits its parameters
_BISPECTRUM_AXES = 128  # dimensions to which the bispectral invariants are reduced


LITERATURE_COUNTS = (10_000, 2_000, 50_000)  # training, validation and test digits of mnist-rot


def literature_split(train: Digits, test: Digits, seed: int = 12_345) -> tuple[Digits, Digits]:
    """Digits split as those of mnist-rot (Larochelle et al., ICML 2007): 12,000 known, of them 2,000 for validation.

    Known of its recipe: 10,000 + 2,000 + 50,000 digits, more than either part of MNIST has, so both are pooled; each
    is turned by an angle uniform in [0, 2π). What differs: which digits were drawn is not known, so the draw is ours;
    angles are whole degrees; digits are turned exactly on a disc and sampled at 16×16 pixels, where the original
    interpolates at 28×28. Nothing is tuned here, so validation digits count as training digits.
    """
    images, labels = (np.concatenate([getattr(d, name) for d in (train, test)]) for name in ("images", "labels"))
    known = LITERATURE_COUNTS[0] + LITERATURE_COUNTS[1]
    if len(labels) < known + LITERATURE_COUNTS[2]:
        raise InputError(f"The split of mnist-rot takes 62,000 of the 70,000 MNIST digits; got {len(labels):,}.")
    order = np.random.default_rng(seed).permutation(len(labels))
    pooled = Digits(images, labels)
    return pooled[order[:known]], pooled[order[known : known + LITERATURE_COUNTS[2]]]


# What the rows of the table are.
ABOUT = {
    "ED": "Euclidean distance",
    "TD": "two-sided tangent distance of rotation",
    "√κ̂": "distance of the maximal torus, model as learned",
    "√κ̂ bal": "distance of the maximal torus, weight spaces split evenly",
    "MD": "manifold distance of rotation",
    "bispectrum": "Euclidean distance of the invariants",
    "ED-NR": "Euclidean distance, digits not rotated",
}


class Method(NamedTuple):
    """A distance: its name, a description, and a function from training patches (n, D) to the metric."""

    name: str
    about: str
    metric: Callable[[Array], Metric]
    upright: bool = False


def methods(model: Subgroup) -> list[Method]:
    """The distances of the paper's figure, and two more. "As learned" refers to the paper's model, not to `model`."""
    learned = files.load(_LEARNED_MODEL)
    made: dict[str, Callable[[Array], Metric]] = {
        "ED": lambda x: Euclidean(),
        "TD": lambda x: TangentDistance(_SIDE_PIXELS),
        "√κ̂": lambda x: TorusDistance(learned),
        "√κ̂ bal": lambda x: TorusDistance(balanced(model, x)),
        "MD": lambda x: ManifoldDistance(balanced(model, x)),
        "bispectrum": lambda x: BispectralDistance.fitted(model, x, _BISPECTRUM_AXES),
        "ED-NR": lambda x: Euclidean(),
    }
    return [Method(name, ABOUT[name], metric, upright=name == "ED-NR") for name, metric in made.items()]


@dataclass(frozen=True)
class Outcome:
    """How many of the test digits one method classified correctly with n training digits, and the seconds it took."""

    method: str
    n: int
    right: int
    of: int
    seconds: float

    @property
    def accuracy(self) -> float:
        """Fraction of the test digits that was classified correctly."""
        return self.right / self.of

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % confidence interval of the accuracy."""
        z, p = 1.96, self.accuracy
        middle, half = p + z * z / (2 * self.of), z * np.sqrt(p * (1 - p) / self.of + (z / (2 * self.of)) ** 2)
        scale = 1 + z * z / self.of
        return float(middle - half) / scale, float(middle + half) / scale


def run_mnist(
    train: Digits,
    test: Digits,
    model_name: str,
    folder: Path,
    sizes: Iterable[int] = SIZES,
    progress: Callable[[str], ProgressCallback] = lambda title: lambda fraction: None,
    search: Callable[..., tuple[Array, Array]] = nearest,
) -> list[Outcome]:
    """Run every method with the first n digits of a random order, for each n; outcomes are saved in `folder`.

    Called again with the same folder, it continues where it stopped. `search` is `tsa.nearest`, or that of a cluster.
    """
    model = files.load(model_name)
    if not isinstance(model, Subgroup) or model.dimension != _SIDE_PIXELS**2 or model.parameters != 1:
        raise InputError(
            f"The experiment needs a model of rotation with weights, at 16×16 pixels; {model_name} is not."
        )
    sizes = sorted({min(n, len(train)) for n in sizes})
    done = _Record(folder, _settings(train, test, model_name, model, sizes))
    order = np.random.default_rng(SEEDS["subsets"]).permutation(len(train))
    turned = [rotated(digits, SEEDS[split], _SIDE_PIXELS) for split, digits in (("train", train), ("test", test))]
    straight = [upright(digits, _SIDE_PIXELS) for digits in (train, test)]
    for n in sizes:
        for method in methods(model):
            if done.has(method.name, n):
                continue
            known, queries = straight if method.upright else turned
            x = known.patches[order[:n]]
            started = time.perf_counter()
            metric, on_progress = method.metric(x[:_MAX_FIT_PATCHES]), progress(f"{method.name}, {n:,}")
            index = search(x, queries.patches, metric, on_progress=on_progress)[0][:, 0]
            seconds = time.perf_counter() - started
            right = int(np.sum(known.labels[order[index]] == queries.labels))
            done.add(Outcome(method.name, n, right, len(queries), round(seconds, 2)))
    write_atomically(folder / "table.txt", table(done.outcomes))
    write_atomically(folder / "accuracy.svg", figure(done.outcomes))
    return done.outcomes


def _settings(train: Digits, test: Digits, name: str, model: Subgroup, sizes: list[int]) -> dict[str, Any]:
    """Everything the outcomes depend on."""
    return {
        "model": name,
        "models": [zlib.crc32(files.pack_model(one)) for one in (model, files.load(_LEARNED_MODEL))],
        "digits": [[zlib.crc32(a.tobytes()) for a in (digits.images, digits.labels)] for digits in (train, test)],
        "counts": [len(train), len(test)],
        "sizes": sizes,
        "seeds": SEEDS,
    }


class _Record:
    """Outcomes in a JSON file, rewritten after each of them, so that an interrupt loses at most one."""

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
        write_atomically(self._path, json.dumps(text, indent=1))


def _by_method(outcomes: list[Outcome]) -> dict[str, list[Outcome]]:
    names = dict.fromkeys(outcome.method for outcome in outcomes)
    return {name: sorted((o for o in outcomes if o.method == name), key=lambda o: o.n) for name in names}


def table(outcomes: list[Outcome]) -> str:
    """Accuracies in per cent with 95 % intervals, a row for each method; last, the seconds of its largest search.

    Below it stands what the rows are.
    """
    sizes = sorted({outcome.n for outcome in outcomes})
    lines = ["training digits".ljust(16) + "".join(f"{n:>19,}" for n in sizes) + "   seconds"]
    for name, row in _by_method(outcomes).items():
        cells = ["{:.2f} ({:.1f}–{:.1f})".format(*(100 * v for v in (o.accuracy, *o.interval))) for o in row]
        # A combining hat (U+0302) has no width of its own.
        lines.append(
            name.ljust(16 + name.count("\u0302")) + "".join(f"{c:>19}" for c in cells) + f"{row[-1].seconds:10.1f}"
        )
    shown = [name for name in _by_method(outcomes) if name in ABOUT]
    lines += ["", *(name.ljust(16 + name.count("\u0302")) + ABOUT[name] for name in shown)]
    return "\n".join(lines) + "\n"


def figure(outcomes: list[Outcome]) -> str:
    """Accuracy against the number of training digits, as SVG."""
    curves = [
        Curve(name, [o.n for o in row], [o.accuracy for o in row], [o.interval for o in row])
        for name, row in _by_method(outcomes).items()
    ]
    return accuracy_svg(curves)


def section(outcomes: list[Outcome]) -> Section:
    """The claims of the paper's experiment, judged on these outcomes with the most training digits."""
    found, most, of = _largest(outcomes)
    low = {name: outcome.interval[0] for name, outcome in found.items()}
    high = {name: outcome.interval[1] for name, outcome in found.items()}
    return Section(
        "mnist",
        "Rotated digits",
        (
            Claim(
                "Tangent distance outperforms Euclidean distance (section 4).",
                f"{most:,} training and {of:,} test digits, turned at random, one nearest neighbour: "
                f"{_shown(found, 'TD', 'ED')}.",
                "holds" if found["TD"].accuracy > found["ED"].accuracy else "does not hold",
            ),
            Claim(
                "√κ̂ and the manifold distance outperform tangent distance by a large margin.",
                f"{_shown(found, '√κ̂', '√κ̂ bal', 'MD')}; {_shown(found, 'TD')}.",
                "holds" if min(low["√κ̂ bal"], low["MD"]) > high["TD"] else "holds in part",
            ),
            Claim(
                "The manifold distance is about as accurate as Euclidean distance on digits that are not rotated.",
                f"{_shown(found, 'MD', 'ED-NR')}; invariants without a search over turns: "
                f"{_shown(found, 'bispectrum')}.",
                "holds" if low["MD"] < high["ED-NR"] and high["MD"] > low["ED-NR"] else "holds in part",
            ),
        ),
        (_chart(outcomes, "accuracy"),),
        SEEDS["train"],
        sum(outcome.seconds for outcome in outcomes),
    )


def literature_section(outcomes: list[Outcome]) -> Section:
    """Outcomes on the split of mnist-rot beside published ones; the paper does not use it."""
    found, most, of = _largest(outcomes)
    ours = _shown(found, "ED", "TD", "√κ̂", "MD", "bispectrum")
    return Section(
        "mnist-rot",
        "Rotated digits, split as in the literature",
        (
            Claim(
                "On mnist-rot others reach: SVM with a Gaussian kernel 88.9 %, a deep belief network "
                "89.7 % (Larochelle et al. 2007), transformation-invariant RBM 95.8 % (Sohn & Lee 2012).",
                f"{most:,} training and {of:,} test digits at 16×16 pixels, one nearest neighbour, trained without "
                f"labels: {ours}. The digits drawn are our own: those of the published split are not known.",
                "no claim",
            ),
        ),
        (_chart(outcomes, "accuracy-literature"),),
        SEEDS["train"],
        sum(outcome.seconds for outcome in outcomes),
    )


def _largest(outcomes: list[Outcome]) -> tuple[dict[str, Outcome], int, int]:
    """By method, the outcome with the most training digits; their number, and that of the test digits."""
    most = max(outcome.n for outcome in outcomes)
    found = {outcome.method: outcome for outcome in outcomes if outcome.n == most}
    return found, most, next(iter(found.values())).of


def _shown(found: dict[str, Outcome], *names: str) -> str:
    """Accuracies with their standard errors, in per cent."""
    rows = [(name, found[name].accuracy, found[name].of) for name in names]
    return ", ".join(f"{name} {100 * p:.1f} ± {100 * np.sqrt(p * (1 - p) / of):.1f} %" for name, p, of in rows)


def _chart(outcomes: list[Outcome], name: str) -> Figure:
    lines = [
        ChartLine(name, [float(o.n) for o in row], [o.accuracy for o in row], [o.interval for o in row])
        for name, row in _by_method(outcomes).items()
    ]
    chart = Chart("One nearest neighbour", "training digits", "accuracy", lines, log_x=True)
    caption = (
        "Share of test digits given their own label. ED is Euclidean distance, TD tangent distance, √κ̂ the distance of "
        "the maximal torus (bal: weight spaces split evenly), MD the manifold distance, bispectrum the distance of "
        "invariants, ED-NR Euclidean distance of digits that were never turned. Bars are 95 % intervals."
    )
    return Figure.of_charts(name, caption, [chart])
