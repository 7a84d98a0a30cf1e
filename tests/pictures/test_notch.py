"""The notch: nothing at depth 0, to the centre at depth 1, and ever deeper in between."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from hypothesis.extra.numpy import arrays

from tsa import load
from tsa._base import InputError, ShapeError
from tsa.pictures import SHAPES, draw, gallery, notched, patch

PICTURES = some.one_of(
    some.sampled_from([draw(name) for name in SHAPES]),
    some.sampled_from(list(gallery()[0])),
    some.integers(1, 40).flatmap(lambda n: arrays(np.float64, (n, n), elements=some.floats(0, 1))),
)
DEPTHS = some.floats(0, 1)


@given(PICTURES)
def test_depth_0_changes_no_bit(picture):
    assert notched(picture, 0.0).tobytes() == picture.tobytes()


@given(PICTURES, DEPTHS, DEPTHS)
def test_a_deeper_notch_is_nowhere_brighter(picture, one, other):
    shallow, deep = notched(picture, min(one, other)), notched(picture, max(one, other))
    assert np.all(deep <= shallow)
    assert np.all(shallow <= picture)
    assert np.all(deep >= 0)


@given(PICTURES, DEPTHS, some.floats(0, 1e-3))
def test_a_little_deeper_is_a_little_darker(picture, depth, step):
    """Continuous, also at 0: the edge is a twentieth of a radius wide, and the notch at most a radius long."""
    before, after = notched(picture, depth), notched(picture, min(1.0, depth + step))
    assert np.abs(after - before).max() <= 20 * step + 1e-12


@pytest.mark.parametrize("size", [28, 48, 64, 127, 128])
def test_depth_1_reaches_the_centre_and_no_further(size):
    left = notched(np.ones((size, size)), 1.0)
    middle = left[:, size // 2]
    assert np.all(middle[: round(0.47 * size)] < 0.3)
    assert np.all(left[size // 2 + 1 :] == 1)
    assert np.all(left[:, : round(0.46 * size)] == 1)


def test_it_starts_at_the_top_of_the_picture_itself():
    """So that a small drawing is notched from the first step on."""
    small = np.zeros((64, 64))
    small[24:40, 24:40] = 1
    assert notched(small, 0.2).sum() < small.sum()


def test_nothing_in_the_way_is_left_as_it_is():
    below = np.zeros((32, 32))
    below[20:] = 1
    np.testing.assert_array_equal(notched(below, 1.0), below)


def test_float32_stays():
    assert notched(draw("square").astype(np.float32), 0.5).dtype == np.float32


@pytest.mark.parametrize("depth", [-0.1, 1.1, np.nan])
def test_wrong_depths_are_told(depth):
    with pytest.raises(InputError, match="from 0 to 1"):
        notched(draw("square"), depth)


def test_wrong_pictures_are_told():
    with pytest.raises(ShapeError, match="square"):
        notched(np.zeros((3, 4)), 0.5)


def test_four_answers_become_one_gradually():
    """On the square at σ = 0.5: no step of a tenth moves more than a fifth of the probability."""
    model = load("rotation-16-refined").with_noise(0.5)
    first = []
    for depth in np.linspace(0, 1, 11):
        picture = notched(draw("square"), depth)
        modes = model.posterior(patch(picture, 16), patch(picture, 16, turn=np.radians(30))).modes()
        first.append(float(modes.mass[0]))
        assert depth > 0.05 or sorted(np.round(modes.mass, 3)) == [0.25] * 4
        assert depth == 0 or np.degrees(modes.angle[0]) == pytest.approx(30, abs=2)
    assert first[0] == pytest.approx(0.25, abs=1e-3)
    assert first[-1] > 0.99
    assert np.all(np.diff(first) >= 0)
    assert np.diff(first).max() < 0.2
