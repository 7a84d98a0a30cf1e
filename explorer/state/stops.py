"""The weights that the sliders of the orbits page can be set to."""

from fractions import Fraction

from tsa.groups import ExactWeight


def _stops() -> dict[str, tuple[ExactWeight, str]]:
    whole = {str(n): (ExactWeight(Fraction(n)), "") for n in range(13)}
    between = {
        "sqrt2": (ExactWeight(Fraction(1), "√2"), "the square root of 2"),
        "1.5": (ExactWeight(Fraction(3, 2)), "one and a half"),
        "golden": (ExactWeight(Fraction(1), "Φ"), "the golden ratio"),
        "pi": (ExactWeight(Fraction(1), "π"), "π"),
        "2pi": (ExactWeight(Fraction(2), "π"), "2π"),
    }
    return dict(sorted({**whole, **between}.items(), key=lambda stop: float(stop[1][0])))


STOPS = _stops()  # name in links → exact weight and its spoken name (empty: as it is printed), in ascending order
