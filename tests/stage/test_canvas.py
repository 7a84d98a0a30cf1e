"""The canvas: areas are right, edges smooth, slices without seams, words safe; hue is the wheel of OKLCH."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from tests.hard import TURN
from tsa._base import InputError
from tsa.stage.draw import Colour, PixelCanvas, SvgCanvas, around, balanced, hue, text_width, theme, wrapped

WHITE, BLACK = Colour(255, 255, 255), Colour(0, 0, 0)
SVG = "{http://www.w3.org/2000/svg}"


def ink(draw, size=100):
    """The area that is covered, in pixels, of what is drawn black on white."""
    canvas = PixelCanvas(size, size, WHITE)
    draw(canvas)
    return (1 - np.asarray(canvas.image().convert("L"), float) / 255).sum()


def elements(draw, kind):
    canvas = SvgCanvas(100, 100, WHITE)
    draw(canvas)
    return ET.fromstring(canvas.document("title", "words")).findall(f".//{SVG}{kind}")


SQUARE = np.array([[20.0, 30.0], [70.0, 30.0], [70.0, 80.0], [20.0, 80.0]])
FORMS = {
    "polygon": (lambda c, colour: c.polygon(SQUARE, colour), 2500, "path", 1),
    "disc": (lambda c, colour: c.disc((50, 50), 30, colour), np.pi * 900, "circle", 1),
    "ring": (lambda c, colour: c.ring((50, 50), 30, colour, 4), TURN * 30 * 4, "circle", 1),
    "line": (lambda c, colour: c.line((20, 20), (80, 60), colour, 6), 6 * np.hypot(60, 40) + np.pi * 9, "line", 1),
    "dashes": (lambda c, colour: c.line((10, 50), (90, 50), colour, 4, (6, 4)), 8 * 6 * 4, "line", 1),
    "corner": (lambda c, colour: c.polyline(SQUARE[:2], colour, 6), 6 * 50 + np.pi * 9, "polyline", 1),
    "frame": (lambda c, colour: c.frame((20, 20), (60, 40), colour), 62 * 42 - 60 * 40, "rect", 2),
    "card": (lambda c, colour: c.card((20, 20), (60, 40), colour, colour), 61 * 41 - (4 - np.pi) * 144, "rect", 2),
}


@pytest.mark.parametrize(("draw", "area", "kind", "count"), FORMS.values(), ids=FORMS)
def test_forms_cover_what_they_should(draw, area, kind, count):
    assert ink(lambda c: draw(c, BLACK)) == pytest.approx(area, rel=0.04)
    assert ink(lambda c: draw(c, BLACK.faint(0.25))) == pytest.approx(area / 4, rel=0.08 if kind != "rect" else 0.2)
    found = elements(lambda c: draw(c, BLACK.faint(0.25)), kind)
    assert len(found) == count
    assert "0.25" in found[-1].attrib.values()


@pytest.mark.parametrize("name", ["polygon", "disc", "ring", "line", "corner", "picture"])
def test_forms_stand_where_they_should(name):
    """To a twentieth of a pixel, or areas between two forms would be wrong; so that pixels and SVG agree."""
    forms = {name: draw for name, (draw, *_) in FORMS.items()}
    forms["picture"] = lambda c, _: c.picture(np.zeros((8, 8)), (50, 50), 60)
    canvas = PixelCanvas(100, 100, WHITE)
    forms[name](canvas, BLACK)
    cover = 1 - np.asarray(canvas.image().convert("L"), float) / 255
    row, column = np.indices(cover.shape) + 0.5
    middle = (column * cover).sum() / cover.sum(), (row * cover).sum() / cover.sum()
    expected = {"polygon": (45, 55), "line": (50, 40), "corner": (45, 30)}.get(name, (50, 50))
    np.testing.assert_allclose(middle, expected, atol=0.17 if name == "polygon" else 0.05)


def test_edges_are_smooth():
    canvas = PixelCanvas(100, 100, WHITE)
    canvas.disc((50, 50), 30, BLACK)
    assert len(np.unique(np.asarray(canvas.image())[..., 0])) > 6


def test_slices_leave_no_seam():
    """A wheel of opaque slices: where it is thick, nothing of the ground shines through."""
    canvas = PixelCanvas(200, 200, BLACK)
    angle = np.radians(np.arange(361))
    colours = [hue(a) for a in angle[:-1]]
    canvas.fan(around((100, 100), 50, angle), around((100, 100), 90, angle), colours)
    pixels = np.asarray(canvas.image(), float)
    row, column = np.indices((200, 200)) + 0.5
    radius = np.hypot(row - 100, column - 100)
    seen = pixels[(radius > 53) & (radius < 87)]
    assert seen.max(axis=1).min() > 150
    assert np.asarray(canvas.image())[100, 100].max() == 0
    assert len(elements(lambda c: c.fan(SQUARE, SQUARE + 5, [BLACK] * 3), "path")) == 3


def test_angles_run_counter_clockwise():
    np.testing.assert_allclose(around((10, 20), 5, np.array([0, np.pi / 2])), [[15, 20], [10, 15]], atol=1e-12)
    picture = np.zeros((64, 64))
    picture[24:40, 44:60] = 1  # at angle 0
    canvas = PixelCanvas(90, 90, BLACK)
    canvas.picture(picture, (45, 45), 80, np.pi / 2)
    row, column = np.argwhere(np.asarray(canvas.image().convert("L")) > 128).mean(axis=0)
    assert (row, column) == (pytest.approx(45 - 25, abs=1), pytest.approx(45, abs=1))
    image = elements(lambda c: c.picture(picture, (45, 45), 80, np.pi / 2), "image")[0]
    assert image.get("transform") == "rotate(-90 45 45)"  # SVG turns clockwise


def test_pictures_are_cut_round():
    area = ink(lambda c: c.picture(np.zeros((8, 8)), (50, 50), 60))
    assert area == pytest.approx(np.pi * 900, rel=0.02)


def test_words_are_safe_and_placed():
    text = elements(lambda c: c.label((50, 60), "<a & b>", BLACK, 12, "end", bold=True), "text")[0]
    assert text.text == "<a & b>"
    assert (text.get("x"), text.get("text-anchor"), text.get("font-weight")) == ("50", "end", "600")
    for anchor, left, right in (("start", 50, 100), ("middle", 25, 75), ("end", 0, 50)):
        canvas = PixelCanvas(100, 100, WHITE)
        canvas.label((50, 60), "minus −1°", BLACK, 10, anchor)
        rows, columns = np.nonzero(np.asarray(canvas.image().convert("L")) < 128)
        assert left <= columns.min() + 1
        assert columns.max() - 1 <= right
        assert rows.min() >= 50
        assert rows.max() <= 60


def test_bold_is_darker():
    plain, bold = (ink(lambda c, b=b: c.label((5, 60), "turn", BLACK, 30, bold=b)) for b in (False, True))
    assert bold > 1.1 * plain


def test_wrapping_loses_no_word():
    words = "By 30°, 120°, 210° or 300°: four turns fit equally well."
    assert wrapped(words, 1000, 16) == [words]
    lines = wrapped(words, 130, 16)
    assert len(lines) > 2
    assert " ".join(lines) == words
    assert wrapped("", 100, 16) == []
    even = balanced(words, 300, 16)
    assert " ".join(even) == words
    assert len(even) == len(wrapped(words, 300, 16)) == 2
    assert text_width(even[1], 16) > 0.6 * text_width(even[0], 16)
    assert balanced("", 100, 16) == []


def test_hue_is_one_lightness_and_chroma_all_around():
    """Back through the definition of OKLab, wherever sRGB could hold the colour."""
    rgb = np.array([hue(np.radians(d))[:3] for d in range(360)]) / 255
    linear = np.where(rgb > 0.04045, ((rgb + 0.055) / 1.055) ** 2.4, rgb / 12.92)
    to_lms = [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
    to_lab = [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
    lightness, a, b = np.array(to_lab) @ np.cbrt(np.array(to_lms) @ linear.T)
    inside = ((rgb > 0) & (rgb < 1)).all(axis=1)
    assert inside.mean() > 0.8
    np.testing.assert_allclose(lightness[inside], 0.7, atol=0.003)
    np.testing.assert_allclose(np.hypot(a, b)[inside], 0.13, atol=0.003)
    gap = np.angle(np.exp(1j * (np.arctan2(b, a) - np.radians(np.arange(360) + 15))))
    assert np.degrees(np.abs(gap[inside])).max() < 1
    assert hue(-0.1) == hue(TURN - 0.1)


def test_themes():
    assert sum(theme("light").text[:3]) < 200 < 700 < sum(theme("light").paper[:3])
    assert sum(theme("dark").paper[:3]) < 100 < 600 < sum(theme("dark").text[:3])
    with pytest.raises(InputError, match=r"no theme 'blue'; there are light, dark"):
        theme("blue")
