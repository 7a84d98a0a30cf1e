"""`tsa.patch` of many pictures equals that of each."""

import numpy as np
import pytest
from PIL import Image

import tsa


def test_batches_are_their_pictures():
    rng = np.random.default_rng(0)
    grey, colour = rng.random((3, 20, 24)), rng.random((3, 20, 24, 3))
    turns = [0.0, 0.4, -2.0]
    for pictures in (grey, colour, list(grey), [Image.fromarray(np.uint8(255 * p)) for p in grey], ["bar", "S", "F"]):
        together = tsa.patch(pictures, 8, turns)
        alone = np.stack([tsa.patch(p, 8, s) for p, s in zip(pictures, turns, strict=True)])
        np.testing.assert_array_equal(together, alone)
        np.testing.assert_array_equal(tsa.patch(pictures, 8)[0], tsa.patch(pictures[0], 8))


def test_one_picture_at_many_turns():
    turns = np.array([0.0, 0.5])
    np.testing.assert_allclose(tsa.patch("F", 8, turns)[1], tsa.patch("F", 8, 0.5))
    assert tsa.patch("F", 8).shape == (64,)
    assert tsa.patch(np.zeros((0, 9, 9)), 8).shape == (0, 64)
    with pytest.raises(tsa.ShapeError):
        tsa.patch(["F", "S"], 8, np.ones(3))
    with pytest.raises(tsa.ShapeError):
        tsa.patch("F", 8, np.ones((2, 2)))


def test_patches_of_photos_are_exported():
    patches = tsa.random_patches(np.random.default_rng(0).random((30, 40)), 8, 5, 0)
    assert patches.shape == (5, 64)
