"""Any image becomes a patch; turning goes the way it looks."""

import numpy as np
import pytest
from PIL import Image

import tsa
from tsa.pictures import draw, patch_of, picture, to_disc, turn_disc


def test_one_picture_in_many_forms_gives_one_patch():
    grey = np.rint(255 * draw("F")).astype(np.uint8)
    wide = np.zeros((128, 200), np.uint8)
    wide[:, 36:164] = grey
    forms = [
        grey,
        grey / 255,
        grey.astype(np.uint16) * 257,
        np.stack([grey] * 3, -1),
        np.stack([grey / 255] * 4, -1),
        wide,
        Image.fromarray(grey),
        Image.fromarray(grey).convert("RGB"),
    ]
    expected = patch_of(to_disc(grey / 255), 16)
    for form in forms:
        np.testing.assert_allclose(tsa.patch(form, 16), expected, atol=2e-2)
    np.testing.assert_array_equal(tsa.patch("F", 16), patch_of(to_disc(draw("F")), 16))
    assert tsa.patch(grey, 16).shape == (256,)
    assert abs(tsa.patch(grey, 16).sum()) < 1e-9


def test_a_pillow_image_is_left_as_it_was():
    image = Image.new("L", (2000, 1500), 7)
    picture(image)
    assert image.size == (2000, 1500)


@pytest.mark.parametrize("angle", [0.3, 1.2, -2.0, 3.0])
def test_rotating_an_image_turns_its_patch(angle):
    image = draw("pinwheel")
    seen = tsa.patch(tsa.rotate(image, angle), 16)
    np.testing.assert_allclose(seen, patch_of(turn_disc(to_disc(image), angle), 16), atol=0.03)
    wrong = patch_of(turn_disc(to_disc(image), -angle), 16)
    assert np.abs(seen - wrong).max() > 0.3


def test_laws_of_rotation():
    image = np.random.default_rng(0).random((2, 3, 9, 9)).astype(np.float32)
    np.testing.assert_array_equal(tsa.rotate(image, np.pi / 2), np.rot90(image, axes=(-2, -1)))
    np.testing.assert_array_equal(tsa.rotate(image, 2 * np.pi), image)
    assert tsa.rotate(image, 0.4).dtype == np.float32
    np.testing.assert_array_equal(tsa.rotate(image, 0.4)[1, 2], tsa.rotate(image[1, 2], 0.4))
    smooth = draw("ring", 64)
    again = tsa.rotate(tsa.rotate(smooth, 0.4), -0.4)
    assert np.abs(again - smooth)[16:-16, 16:-16].mean() < 0.01


@pytest.mark.parametrize("bad", [(np.zeros(3), 0.1), (np.full((3, 3), np.nan), 0.1), (np.zeros((3, 3)), np.nan)])
def test_what_cannot_be_rotated_is_said(bad):
    with pytest.raises(tsa.TSAError):
        tsa.rotate(*bad)
