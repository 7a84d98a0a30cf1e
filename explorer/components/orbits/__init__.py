"""The component of the orbits page: the path (ω₁ s, ω₂ s) on the torus, flat and in space, and texts about it.

The facts and the words of every pair of weights are sent at once, so that the sliders need no server.
"""

from functools import cache

from explorer.components import component
from explorer.state import STOPS
from tsa._base import Array
from tsa.groups import TorusPath
from tsa.stage import as_bytes, distinct, pack_arrays, words

_mount = component(__name__)


def orbits(data: bytes) -> None:
    """Show what `session.view.data_for("orbits", …)` has prepared; the body is a packed picture with all answers."""
    _mount(key="orbits", data=data, default={"message": None}, on_message_change=lambda: None, height="content")


def pack_orbits(picture: Array) -> bytes:
    """The picture to be turned, with the facts and words of every pair of weights."""
    answers, word_index = _answers()
    return pack_arrays({"side": len(picture), **answers}, {"picture": as_bytes(picture), "words": word_index})


@cache
def _answers() -> tuple[dict[str, object], Array]:
    """The results for all settings of the sliders: n stops, and facts and texts for each pair of them.

    The array, uint16 (n, n, 6), has the places in `texts` of the fields of `PathWords`. `coverage[i][j]` lists pairs
    (windings, text): the text of the last one that the faster phase has reached holds.
    """
    stops = [
        {"name": name, "label": words.orbits.weight_label(weight), "spoken": spoken, "value": float(weight)}
        for name, (weight, spoken) in STOPS.items()
    ]
    weights = [weight for weight, _ in STOPS.values()]
    paths = [[TorusPath(one, other) for other in weights] for one in weights]
    texts, index = distinct(text for row in paths for path in row for text in words.orbits.path_words(path))
    header = {
        "stops": stops,
        "orbits": [[describe(path) for path in row] for row in paths],
        "longest": words.orbits.MAX_WINDINGS,
        "texts": texts,
        "coverage": [[words.orbits.coverage(path) for path in row] for row in paths],
        "templates": words.orbits.TEMPLATES,
    }
    return header, index.reshape(len(stops), len(stops), -1)


def describe(path: TorusPath) -> dict[str, object]:
    """The facts of a path that the drawings need."""
    return {
        "windings": path.windings,
        "period": path.period if path.windings else None,
        "wholeTurns": path.whole_turns,
        "kernel": path.kernel,
    }
