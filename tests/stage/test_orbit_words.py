"""The words about paths on the torus: true of every pair of weights that the sliders offer."""

from fractions import Fraction

import pytest

from tsa.groups import ExactWeight, TorusPath
from tsa.stage.words.orbits import coverage, path_words, weight_label

WEIGHTS = [ExactWeight(Fraction(n)) for n in range(13)] + [
    ExactWeight(Fraction(3, 2)),
    ExactWeight(Fraction(1), "√2"),
    ExactWeight(Fraction(1), "Φ"),
    ExactWeight(Fraction(1), "π"),
    ExactWeight(Fraction(2), "π"),
]
PAIRS = [(first, second) for first in WEIGHTS for second in WEIGHTS]


def smallest_return(a, b):
    """The smallest s > 0 for which both a·s and b·s are whole, found by trying."""
    candidates = sorted({Fraction(k) / weight for weight in (a, b) if weight for k in range(1, 37)})
    return next(s for s in candidates if (a * s).denominator == (b * s).denominator == 1)


def test_every_pair_of_weights():
    for first, second in PAIRS:
        path = TorusPath(first, second)
        check(first, second, path_words(path), coverage(path))


def check(first, second, words, covered):
    moving = {weight.unit for weight in (first, second) if weight.factor}
    if not moving:
        assert words.sentence == "Nothing moves: both weights are 0."
        assert (words.closes, words.identity, covered) == ("does not move", "all turns", [(0, "–")])
        return
    if len(moving) == 2:
        assert words.sentence.startswith("The path never closes")
        assert (words.closes, words.winds, words.identity) == ("never", "unlimited", "only 0°")
        assert covered[:2] == [(0, "–"), (1, "180° so far")]
        widths = [float(text.split("°")[0]) for _, text in covered[1:]]
        assert widths == sorted(widths, reverse=True)
        return
    period = smallest_return(first.factor, second.factor)  # in turns, if the unit is one
    p, q = first.factor * period, second.factor * period
    assert words.winds == f"{p} × and {q} ×"
    if moving != {""}:
        assert "not a whole number of turns" in words.sentence
    elif period.numerator > 1:
        assert "one whole turn does not" in words.sentence
        assert words.identity == f"multiples of {round(float(360 * period))}°"
    elif period == 1:
        assert words.sentence == "The path closes after exactly one turn of s."
    else:
        assert words.sentence.startswith(f"The path closes after {period} of a turn")
        assert f"order {period.denominator}." in words.reason
        whole = {7: "360°/7", 11: "360°/11"}.get(period.denominator, f"{360 * period}°")
        assert words.identity == f"multiples of {whole}"
    [(windings, text)] = covered
    assert windings == 0
    assert float(text.rstrip("°")) == pytest.approx(180 / max(p, q), abs=0.1)


def test_the_square_is_named_for_its_weights_only():
    of = {pair: path_words(TorusPath(*(ExactWeight(Fraction(n)) for n in pair))) for pair in [(4, 8), (8, 4), (4, 4)]}
    assert "a square" in of[4, 8].meaning
    assert "a square" in of[8, 4].meaning
    assert of[4, 4].meaning.endswith("In a picture with 4-fold symmetry, only multiples of 4 carry evidence.")
    assert "each of their answers occurs 4 times" in of[4, 4].meaning


def test_half_a_turn_off():
    words = path_words(TorusPath(ExactWeight(Fraction(1)), ExactWeight(Fraction(3, 2))))
    assert words.reason.endswith("back where it was, but the phases are at (0°, 180°).")
    assert words.closes == "2 turns"


def test_texts_are_few_and_weights_are_written():
    assert len({text for pair in PAIRS for text in path_words(TorusPath(*pair))[:3]}) < 400
    assert [weight_label(weight) for weight in WEIGHTS[-5:]] == ["1½", "√2", "Φ", "π", "2π"]
