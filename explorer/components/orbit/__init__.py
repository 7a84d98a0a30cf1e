"""The orbit: the path (ω₁ s, ω₂ s) on the torus, flat and in space. Python has answered for every pair of weights."""

from fractions import Fraction
from functools import cache
from itertools import pairwise

from explorer.components import component
from tsa.checks import Array
from tsa.orbits import Orbit, Weight
from tsa.stage.blob import as_bytes, pack

_WINDINGS = 100  # of the faster phase: as much of a path that never closes as a torus can show

_SHARED = ("instance.js", "colour.js", "canvas.js", "blob.js", "dial.js")
_mount = component(__name__, *_SHARED, "flat.js", "torus.js", "dials.js", "words.js", "orbit.js")


def _stops() -> dict[str, tuple[Weight, str]]:
    whole = {str(n): (Weight(Fraction(n)), "") for n in range(13)}
    between = {
        "sqrt2": (Weight(Fraction(1), "√2"), "the square root of 2"),
        "1.5": (Weight(Fraction(3, 2)), "one and a half"),
        "golden": (Weight(Fraction(1), "Φ"), "the golden ratio"),
        "pi": (Weight(Fraction(1), "π"), "π"),
        "2pi": (Weight(Fraction(2), "π"), "2π"),
    }
    return dict(sorted({**whole, **between}.items(), key=lambda stop: float(stop[1][0])))


STOPS = _stops()  # name → weight and how to say it: where the sliders can stand


def orbit(number: int, angle: int, picture: Array, first: str, second: str) -> tuple[str, str]:
    """Show the orbit; the weights (names of `STOPS`) at which its sliders were let go.

    When the number is new to the component, it begins at this angle with the weights given. It reports the angle at
    which the turn is let go, as the stage does.
    """
    header = {"number": number, "angle": angle, "start": [first, second], "side": len(picture), **_answers()}
    found = _mount(
        key="orbit",
        data=pack(header, {"picture": as_bytes(picture)}),
        default={"weights": None, "angle": None},
        on_weights_change=lambda: None,
        on_angle_change=lambda: None,
        height="content",
    )
    return decode(found.weights) or (first, second)


def decode(message: object) -> tuple[str, str] | None:
    """The names of both weights in a message from the browser; None if it is not what our sliders send."""
    if not isinstance(message, dict) or set(message) != {"first", "second"}:
        return None
    first, second = message["first"], message["second"]
    known = isinstance(first, str) and isinstance(second, str) and first in STOPS and second in STOPS
    return (first, second) if known else None


@cache
def _answers() -> dict[str, object]:
    """All the sliders can ask: the stops, and what is true of the orbit of each pair of them."""
    stops = [
        {"name": name, "label": str(weight).replace("3/2", "1½"), "spoken": spoken, "value": float(weight)}
        for name, (weight, spoken) in STOPS.items()
    ]
    weights = [weight for weight, _ in STOPS.values()]
    orbits = [[describe(Orbit(one, other)) for other in weights] for one in weights]
    return {"stops": stops, "orbits": orbits, "longest": _WINDINGS}


def describe(orbit: Orbit) -> dict[str, object]:
    """What the page says of an orbit; `gaps` lists [windings of the faster phase, largest gap in degrees]."""
    if orbit.windings is None:
        widths = [(n, 360 * orbit.gap(n)) for n in range(1, _WINDINGS + 1)]
        shrinking = [new for old, new in pairwise([(0, 361.0), *widths]) if new[1] < old[1] - 1e-9]
        gaps = [[n, round(width, 2)] for n, width in shrinking]
    else:
        fastest = max(orbit.windings)
        gaps = [[fastest, 360 * orbit.gap(fastest)]]
    return {
        "windings": orbit.windings,
        "period": orbit.period if orbit.windings else None,
        "wholeTurns": orbit.whole_turns,
        "kernel": orbit.kernel,
        "gaps": gaps,
    }
