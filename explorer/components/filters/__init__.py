"""The component of the filters page: all filters of a model by weight, and one of them in detail."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorer.components import component
from explorer.state import NamedModel, digest_of
from tsa.analysis import FilterReport, complex_features
from tsa.groups import CyclicShift, ImageRotation
from tsa.model import Weights
from tsa.stage import as_bytes, as_pairs, distinct, filter_bytes, pack_arrays, words

_mount = component(__name__)

_ORDERS = {"weight": "|ω|", "purity": "purity"}  # value of the menu → what the filters are sorted by


def filters(data: bytes) -> None:
    """Show what `session.view.data_for("filters", …)` has prepared; the body is what `pack_filters` returns.

    It reports the filter that is chosen, as its place in the order by |ω|; None is the one named in the packed header.
    """
    _mount(key="filters", data=data, default={"message": None}, on_message_change=lambda: None, height="content")


@dataclass(frozen=True, eq=False)
class Relative:
    """For each filter of a model the nearest one of another model: complex (D, J), their numbers and cosines (J,)."""

    name: str
    filters: NDArray[np.complexfloating]
    numbers: NDArray[np.int64]
    cosines: NDArray[np.float64]


def pack_filters(
    named: NamedModel,
    spectra: NDArray[np.floating],
    frequencies: NDArray[np.int64],
    patch: NDArray[np.float64] | None,
    chosen: int | None = None,
    sigma: float = 0.5,
    angle: int = 0,
    relative: Relative | None = None,
) -> bytes:
    """Filters, their character projections, their responses to a patch and the texts about each, sorted by |ω|.

    If none was chosen, it is the plane with the largest response to the patch. The lab's σ and its angle, in degrees,
    are used for models that the lab can use. `spectra` and `relative` are in the order of `shown_filters`; `patch` (D,)
    is None if the patches are not square.
    """
    shown = shown_filters(named)
    response = None if patch is None else patch @ shown.filters
    order = shown.order
    weights, lines = np.asarray(shown.weights)[order], shown.lines[order]
    if chosen is None:
        strength = np.ones(len(order)) if response is None else np.abs(response[order])
        if named.report is not None:  # copies are folded at first
            strength = strength * (named.report.relatives.original[order] < 0)
        chosen = int(np.argmax(strength * np.atleast_2d(weights.T).any(axis=0)))
    noise = sigma if named.turns else named.model.noise
    heights = np.clip(spectra[order], 0, None)
    own = _own(named, shown, frequencies)[order]
    rows, two = np.arange(len(order)), own[:, 0] != own[:, 1]
    purity = heights[rows, own[:, 0]] + two * heights[rows, own[:, 1]]
    others = heights.copy()
    np.put_along_axis(others, own, -1, axis=1)
    runner = others.argmax(axis=1)
    top = heights.max(axis=1)
    shape = named.shape if len(named.shape) == 2 else (1, named.shape[0])
    share = np.maximum(others[rows, runner], 0)
    rotation = isinstance(named.action, ImageRotation)
    group = "rotation" if rotation else "shift" if isinstance(named.action, CyclicShift) else "other"
    facts = words.filters.FilterFacts(
        weights,
        lines,
        np.clip(purity, 0, 1),
        two,
        share,
        (shape[0], shape[1]),
        group,  # type: ignore[arg-type]
    )
    orders = _ORDERS | ({name: name for name in [*_COLUMNS, "quadrature"]} if named.report is not None else {})
    texts, text_arrays = _packed_words(facts, named.report is not None)
    texts |= {
        "titles": {
            by: words.filters.title(named.name, lines, name, named.report is not None) for by, name in orders.items()
        },
        "runners": words.filters.weight_labels(frequencies[runner]),
        "response": words.filters.response(noise, named.turns),
    }
    header: dict[str, object] = {
        "digest": digest_of(named.name, named.digest, noise, angle, response, relative and relative.name),
        "chosen": chosen, "shape": list(shape),
        "weights": weights.tolist(), "lines": lines.tolist(), "frequencies": frequencies.tolist(),
        "purity": np.clip(purity, 0, 1).round(4).tolist(), "top": top.round(6).tolist(), "own": own.tolist(),
        "runnerHeight": share.round(4).tolist(),
        "noise": noise, "rotation": rotation, "angle": angle,
        "words": texts, "set": None if named.report is None else _set_of(named.report, order), "relative": None,
    }  # fmt: skip
    arrays: dict[str, NDArray[Any]] = {
        "filters": filter_bytes(shown.filters[:, order]),
        # One byte each: the square root of the share of the highest, so that small values stay visible.
        "spectrum": as_bytes(np.sqrt(heights / np.maximum(top, 1e-12)[:, None])),
        "response": as_pairs(response[order] if response is not None else np.empty(0, complex)),
        **text_arrays,
    }
    if relative is not None:
        header["relative"] = {
            "name": relative.name, "numbers": relative.numbers[order].tolist(),
            "cosines": relative.cosines[order].round(4).tolist(),
        }  # fmt: skip
        arrays["relatives"] = filter_bytes(relative.filters[:, order])
    return pack_arrays(header, arrays)


@dataclass(frozen=True, eq=False)
class ShownFilters:
    """The filters of a page: complex (D, J). Real ones are lines, or their quadrature partner is the imaginary part."""

    filters: NDArray[Any]
    weights: Weights
    lines: NDArray[np.bool_]
    order: NDArray[np.int64]  # by |ω|


def shown_filters(named: NamedModel) -> ShownFilters:
    """The filters of a model, or all of the set it was made from."""
    report = named.report
    if report is None:
        model = named.model
        return ShownFilters(model.filters, model.irreps, model.lines, model.irreps.order())
    members = [(j, int(k)) if k >= 0 else (j,) for j, k in enumerate(report.relatives.partner)]
    filters = complex_features(report, members)
    return ShownFilters(filters, report.weights, report.real & (report.relatives.partner < 0), report.order())


_COLUMNS = {
    "of what pixels allow": "relative_purity", "weights in effect": "effective_weights", "energy inside": "inside",
    "share at −ω": "mirrored", "length": "length",
}  # fmt: skip


def _set_of(report: FilterReport, order: NDArray[np.int64]) -> dict[str, object]:
    """What a set says of its filters besides weight and purity, each as a place in `order`, −1 for none."""
    place = np.append(np.argsort(order), -1)
    partner, original = report.relatives.partner, report.relatives.original
    columns = {name: getattr(report, field)[order].round(4).tolist() for name, field in _COLUMNS.items()}
    return {
        "numbers": (order + 1).tolist(),
        "columns": columns | {"quadrature": report.relatives.quadrature[order].round(4).tolist()},
        "partner": place[partner[order]].tolist(),
        "original": place[original[order]].tolist(),
        "dead": report.dead[order].tolist(),
    }


def _packed_words(facts: words.filters.FilterFacts, of_set: bool) -> tuple[dict[str, object], dict[str, NDArray[Any]]]:
    """Texts for the header, and arrays that say which of them each of the J filters has.

    `verdict`, `motion` and `movement` (J,) are places in the lists `verdicts`, `motions` and `movements` of the header.
    In a movement {s} is φ · `movementRate[j, 0]` for the phase φ from 0° to 359°, plus `movementRate[j, 1]` if it is
    negative.
    """
    moved = words.filters.movements(facts)
    verdicts, verdict = distinct(words.filters.verdicts(facts))
    motions, motion = distinct(words.filters.motions(facts, of_set))
    movements, movement = distinct(move.template for move in moved)
    header: dict[str, object] = {
        "histogram": words.filters.histogram(facts.weights),
        "weights": words.filters.weight_labels(facts.weights),
        "verdicts": verdicts,
        "motions": motions,
        "movements": movements,
        "templates": words.filters.TEMPLATES | (words.filters.SET_TEMPLATES if of_set else {}),
    }
    rate = np.array([(move.per_degree, move.period) for move in moved], np.float32)
    return header, {"verdict": verdict, "motion": motion, "movement": movement, "movementRate": rate}


def _own(named: NamedModel, shown: ShownFilters, frequencies: NDArray[np.int64]) -> NDArray[np.intp]:
    """Indices of ω and −ω in the spectrum of each filter, (J, 2): a real filter has half its power at each.

    Both are the index of ω for complex filters, and for ω = n/2, which is the same frequency as −n/2.
    """
    period = np.array(named.action.lattice_shape)
    index = {tuple(np.mod(np.atleast_1d(f), period)): i for i, f in enumerate(frequencies)}
    weights = np.asarray(shown.weights)
    real = shown.lines if named.report is None else named.report.real
    signs = np.where(real, -1, 1)

    def places(weights: NDArray[Any]) -> NDArray[np.intp]:
        distinct, place = np.unique(weights, axis=0, return_inverse=True)
        return np.array([index[tuple(np.mod(np.atleast_1d(w), period))] for w in distinct])[place.ravel()]

    return np.stack([places(weights), places((signs * weights.T).T)], axis=1)
