"""Paths on the 2-torus: what is said of them, held against walking along them."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsa import InputError
from tsa.groups import UNITS, ExactWeight, TorusPath

FRACTIONS = st.fractions(-12, 12, max_denominator=6)


def orbit(a, b, unit=""):
    return TorusPath(ExactWeight(Fraction(a), unit), ExactWeight(Fraction(b), unit))


def returns(path, s):
    """Whether s turns bring both phases back, in exact arithmetic."""
    return all((Fraction(s) * weight.factor).denominator == 1 for weight in (path.first, path.second))


@given(FRACTIONS, FRACTIONS)
def test_a_commensurate_path_closes_at_its_period_and_not_before(a, b):
    path = orbit(a, b)
    p, q = path.windings
    if a == b == 0:
        assert (p, q, path.period, path.kernel) == (0, 0, 0.0, 0)
        return
    period = 1 / path.common.factor
    assert (p, q) == (a * period, b * period)
    assert math.gcd(p, q) == 1  # a path that closed k times earlier would have windings with a divisor k
    assert path.period == pytest.approx(float(period))
    assert returns(path, period)
    assert returns(path, path.whole_turns)
    assert not any(returns(path, turns) for turns in range(1, path.whole_turns))


def test_the_kernel_counts_the_turns_that_do_nothing():
    lattice = 27720  # divisible by 1…12, so that it holds every element of every kernel
    s = np.arange(lattice)
    for a, b in product(range(13), repeat=2):
        path = orbit(a, b)
        assert path.whole_turns == 1
        identity = np.count_nonzero((s * a % lattice == 0) & (s * b % lattice == 0))
        assert identity == (path.kernel or lattice)


def test_incommensurate_weights_never_close():
    for one, other in product(UNITS, repeat=2):
        path = TorusPath(ExactWeight(Fraction(3), one), ExactWeight(Fraction(2), other))
        assert (path.windings is None) == (one != other)
        assert (path.period == math.inf) == (one != other)
    half = orbit(1, 2, "π")  # commensurate with each other, but not with a turn
    assert half.windings == (1, 2)
    assert half.period == pytest.approx(1 / math.pi)
    assert half.whole_turns is half.kernel is None
    assert TorusPath(ExactWeight(Fraction(0), "π"), ExactWeight(Fraction(4))).kernel == 4  # nothing, in whatever unit


def test_the_double_cover():
    path = orbit(1, Fraction(3, 2))
    assert (path.windings, path.period, path.whole_turns, path.kernel) == ((2, 3), 2.0, 2, 1)


@pytest.mark.parametrize("pair", [(2, 3), (5, 12), (0, 1), (4, 8), (7, 7)])
def test_a_closed_path_leaves_even_gaps(pair):
    path = orbit(*pair)
    fast = max(path.windings)
    assert path.gap(fast) == pytest.approx(1 / fast)
    assert path.gap(3 * fast) == pytest.approx(1 / fast)  # going round again meets nothing new


def test_the_promise_of_the_gap_is_kept_and_tight():
    path = TorusPath(ExactWeight(Fraction(1)), ExactWeight(Fraction(1), "Φ"))
    for windings in (1, 2, 5, 13, 40):
        fast = np.random.default_rng(windings).random()
        met = (fast + np.arange(windings)) / float(path.second) * float(path.first) % 1
        asked = np.linspace(0, 1, 4001)
        off = np.abs((asked[:, None] - met + 0.5) % 1 - 0.5).min(axis=1)
        assert off.max() == pytest.approx(path.gap(windings) / 2, abs=2e-4)
    assert path.gap(2000) < 0.002  # as close as one likes


def test_weights_print_and_refuse():
    shown = [str(ExactWeight(Fraction(n), unit)) for n, unit in [(3, ""), (1, "√2"), (2, "π"), ("3/2", "")]]
    assert shown == ["3", "√2", "2π", "3/2"]
    with pytest.raises(InputError, match="unit of a weight"):
        ExactWeight(Fraction(1), "e")
