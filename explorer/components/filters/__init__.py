"""The component of the filters page: all filters of a model by weight, and one of them in detail."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorer.components import component
from explorer.state import NamedModel, digest_of
from tsa.groups import CyclicShift, ImageRotation
from tsa.stage import as_bytes, as_pairs, distinct, filter_bytes, pack_arrays, words

_mount = component(__name__)

_ORDERS = {"weight": "|ω|", "purity": "purity"}  # value of the menu → what the filters are sorted by


def filters(data: bytes) -> None:
    """Show what `session.view.data_for("filters", …)` has prepared; the body is what `pack_filters` returns.

    It reports the filter that is chosen, as its place in the order by |ω|; None is the one named in the packed header.
    """
    _mount(key="filters", data=data, default={"message": None}, on_message_change=lambda: None, height="content")


def pack_filters(
    named: NamedModel,
    spectra: NDArray[np.float64],
    frequencies: NDArray[np.int64],
    response: NDArray[np.complex128] | None,
    chosen: int | None = None,
    sigma: float = 0.5,
    angle: int = 0,
) -> bytes:
    """Filters, their character projections, their responses to a patch and the texts about each, sorted by |ω|.

    If none was chosen, it is the plane with the largest response to the patch. The lab's σ and its angle, in degrees,
    are used for models that the lab can use.
    """
    model = named.model
    order = model.irreps.order()
    weights, lines = model.weights[order], model.lines[order]
    if chosen is None:
        strength = np.ones(len(order)) if response is None else np.abs(response[order])
        chosen = int(np.argmax(strength * np.atleast_2d(weights.T).any(axis=0)))
    noise = sigma if named.turns else model.noise
    heights = np.clip(spectra[order], 0, None)
    own = _own(named, frequencies)[order]
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
    texts, text_arrays = _packed_words(facts)
    texts |= {
        "titles": {by: words.filters.title(named.name, lines, name) for by, name in _ORDERS.items()},
        "runners": [words.filters.weight_label(weight) for weight in frequencies[runner]],
        "response": words.filters.response(noise, named.turns),
    }
    header: dict[str, object] = {
        "digest": digest_of(named.name, named.digest, noise, angle, response),
        "chosen": chosen, "shape": list(shape),
        "weights": weights.tolist(), "lines": lines.tolist(), "frequencies": frequencies.tolist(),
        "purity": np.clip(purity, 0, 1).round(4).tolist(), "top": top.tolist(), "own": own.tolist(),
        "runnerHeight": share.round(4).tolist(),
        "noise": noise, "rotation": rotation, "angle": angle,
        "words": texts,
    }  # fmt: skip
    arrays: dict[str, NDArray[Any]] = {
        "filters": filter_bytes(model.filters[:, order]),
        # One byte each: the square root of the share of the highest, so that small values stay visible.
        "spectrum": as_bytes(np.sqrt(heights / np.maximum(top, 1e-12)[:, None])),
        "response": as_pairs(response[order] if response is not None else np.empty(0, complex)),
        **text_arrays,
    }
    return pack_arrays(header, arrays)


def _packed_words(facts: words.filters.FilterFacts) -> tuple[dict[str, object], dict[str, NDArray[Any]]]:
    """Texts for the header, and arrays that say which of them each of the J filters has.

    `verdict`, `motion` and `movement` (J,) are places in the lists `verdicts`, `motions` and `movements` of the header.
    In a movement {s} is φ · `movementRate[j, 0]` for the phase φ from 0° to 359°, plus `movementRate[j, 1]` if it is
    negative.
    """
    moved = words.filters.movements(facts)
    verdicts, verdict = distinct(words.filters.verdicts(facts))
    motions, motion = distinct(words.filters.motions(facts))
    movements, movement = distinct(move.template for move in moved)
    header: dict[str, object] = {
        "histogram": words.filters.histogram(facts.weights),
        "weights": [words.filters.weight_label(weight) for weight in facts.weights],
        "verdicts": verdicts,
        "motions": motions,
        "movements": movements,
        "templates": words.filters.TEMPLATES,
    }
    rate = np.array([(move.per_degree, move.period) for move in moved], np.float32)
    return header, {"verdict": verdict, "motion": motion, "movement": movement, "movementRate": rate}


def _own(named: NamedModel, frequencies: NDArray[np.int64]) -> NDArray[np.intp]:
    """Indices of ω and −ω in the spectrum of each filter, (J, 2): a real filter has half its power at each.

    Both are the index of ω for complex filters, and for ω = n/2, which is the same frequency as −n/2.
    """
    period = np.array(named.action.lattice_shape)
    index = {tuple(np.mod(np.atleast_1d(f), period)): i for i, f in enumerate(frequencies)}
    signs = np.where(named.model.lines, -1, 1)

    def places(weights: NDArray[Any]) -> list[int]:
        return [index[tuple(np.mod(np.atleast_1d(w), period))] for w in weights]

    return np.stack([places(named.model.weights), places((signs * named.model.weights.T).T)], axis=1)
