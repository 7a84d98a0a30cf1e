"""The actions: what they do to pictures, that they are linear, and that their streams can be resumed."""

import numpy as np
import pytest
from scipy import ndimage, stats

from tests.hard import TURN
from tsa import InputError, ShapeError
from tsa.groups import CyclicShift, ImageRotation, white_noise
from tsa.pictures import random_patches


@pytest.fixture(params=["matrices", "splines"])
def large(request, monkeypatch):
    """Once as many small patches are moved, once as few or large ones are."""
    monkeypatch.setattr("tsa.groups.rotation._MANY_PAIRS", 1 if request.param == "matrices" else 10**9)
    if request.param == "splines":
        monkeypatch.setattr("tsa.groups.shift.MAX_MATRIX_SIDE_PIXELS", 1)


@pytest.mark.parametrize("size", [15, 16, 40])
@pytest.mark.usefixtures("large")
def test_rotation_is_scipys_inside_the_disc(size):
    action = ImageRotation(size)
    inside = np.isin(np.arange(size**2), action.support)
    x = np.random.default_rng(0).normal(size=size**2) * inside
    for s in (0.3, 2.0, 5.5):
        reference = ndimage.rotate(x.reshape(size, size), np.degrees(s), reshape=False, order=3, mode="mirror")
        np.testing.assert_allclose(action.apply(x, s), reference.ravel() * inside, atol=1e-12)


def test_positive_angles_turn_counter_clockwise():
    """A bright spot right of the centre moves up."""
    picture = np.zeros((9, 9))
    picture[4, 7] = 1.0
    turned = ImageRotation(9).apply(picture.ravel(), np.pi / 2).reshape(9, 9)
    assert np.unravel_index(turned.argmax(), (9, 9)) == (1, 4)
    np.testing.assert_allclose(turned, np.rot90(picture), atol=1e-12)


@pytest.mark.parametrize("action", [ImageRotation(8), CyclicShift(6), CyclicShift((3, 4))], ids=str)
@pytest.mark.usefixtures("large")
def test_operators_pairs_and_apply_agree(action):
    x, y, index = action.pairs(200, rng=1)
    assert x.dtype == y.dtype == np.float32
    np.testing.assert_allclose(y, action.apply(x, action.lattice[index]), atol=1e-5)
    operators = list(action.operators())
    assert len(operators) == len(action.lattice)
    np.testing.assert_allclose(y, np.stack([operators[i] @ one for i, one in zip(index, x, strict=True)]), atol=1e-5)
    assert len(np.unique(index)) > 0.5 * min(200, len(action.lattice))


def test_shift_is_roll():
    x = np.random.default_rng(0).normal(size=12)
    np.testing.assert_allclose(CyclicShift(12).apply(x, TURN * 5 / 12), np.roll(x, 5), atol=1e-12)
    moved = CyclicShift((3, 4)).apply(x, [TURN / 3, TURN * 3 / 4])
    np.testing.assert_allclose(moved, np.roll(x.reshape(3, 4), (1, 3), (0, 1)).ravel(), atol=1e-12)
    halfway = CyclicShift(12).apply(CyclicShift(12).apply(np.sin(TURN * np.arange(12) / 12), 0.1), 0.2)
    np.testing.assert_allclose(halfway, np.sin(TURN * np.arange(12) / 12 - 0.3), atol=1e-12)


def test_streams_resume_anywhere():
    action = ImageRotation(8)
    for start in (0, 99, 100, 137):
        fresh, resumed = action.stream(3), action.stream(3, start=start)
        for _ in range(start):
            next(fresh)
        for _ in range(3):
            for a, b in zip(next(fresh), next(resumed), strict=True):
                np.testing.assert_array_equal(a, b)
    assert not np.array_equal(next(action.stream(3))[0], next(action.stream(4))[0])


def test_every_batch_sees_all_angles():
    action = CyclicShift(10)
    x, y = next(action.stream(0, batch_size=100))
    shifts = [int(np.argmin([np.abs(np.roll(a, m) - b).max() for m in range(10)])) for a, b in zip(x, y, strict=True)]
    assert len(set(shifts)) == 10


def test_streams_of_ones_own_patches():
    patches = np.arange(30.0).reshape(5, 6)
    x, y = next(CyclicShift(6).stream(0, batch_size=20, patches=patches))
    assert {tuple(row) for row in x} <= {tuple(row) for row in patches.astype(np.float32)}
    np.testing.assert_array_equal(np.sort(x), np.sort(y))
    with pytest.raises(ShapeError, match="6 pixels"):
        next(CyclicShift(6).stream(0, patches=np.zeros((2, 7))))


def test_noise_is_standard_normal():
    noise = white_noise(np.random.default_rng(0), (500, 101))
    assert noise.shape == (500, 101)
    assert stats.kstest(noise.ravel().astype(float), "norm").pvalue > 1e-3
    assert abs(np.corrcoef(noise[:, 0], noise[:, 50])[0, 1]) < 0.2


def test_characters():
    assert CyclicShift(6).characters.tolist() == [0, 1, 2, 3]
    assert len(CyclicShift((8, 8)).characters) == 34
    shift = CyclicShift((4, 4))
    assert sum(shift.is_real(k) for k in shift.characters) == 4
    assert [k for k in ImageRotation(16).characters if ImageRotation(16).is_real(k)] == [0]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ImageRotation(1), "2×2"),
        (lambda: CyclicShift(0), "samples"),
        (lambda: CyclicShift((2, 2)).apply(np.zeros(4), 0.1), "two dimensions"),
        (lambda: ImageRotation(4).apply(np.zeros(9), 0.1), "16 pixels"),
        (lambda: ImageRotation(4).apply(np.zeros(16), np.nan), "finite"),
    ],
)
def test_bad_input(make, message):
    with pytest.raises((InputError, ShapeError), match=message):
        make()


def test_cutting_patches():
    rng = np.random.default_rng(0)
    image = rng.normal(size=(40, 50))
    image[:20] = 3.0
    patches = random_patches(image, 8, 200, rng=1)
    assert patches.shape == (200, 64)
    np.testing.assert_array_equal(patches, random_patches(image, 8, 200, rng=1))
    lively = patches[patches.any(axis=1)]
    assert 0 < len(lively) < 200
    np.testing.assert_allclose(lively.mean(axis=1), 0, atol=1e-6)
    np.testing.assert_allclose(lively.std(axis=1), 1, atol=1e-5)
    x, y = next(ImageRotation(8).stream(0, patches=patches))
    assert x.shape == y.shape == (100, 64)
    with pytest.raises(ShapeError, match="at least 60"):
        random_patches(image, 60, 1)


@pytest.mark.parametrize("action", [ImageRotation(6), CyclicShift(5), CyclicShift((3, 4))], ids=repr)
@pytest.mark.usefixtures("large")
def test_an_orbit_is_the_action_at_every_angle_once(action):
    x = np.random.default_rng(0).normal(size=(3, action.dimension))
    seen = dict(action.apply_all(x))
    assert sorted(seen) == list(range(len(action.lattice)))
    for i in (0, 1, len(action.lattice) // 2, len(action.lattice) - 1):
        np.testing.assert_allclose(seen[i], action.apply(x, action.lattice[i]), atol=1e-12)
