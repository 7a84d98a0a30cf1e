"""The stage as SVG, PNG, WebP and GIF: every number and every place is that of the posterior."""

import base64
import io
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from PIL import Image, ImageFont, ImageSequence
from scipy import ndimage

from tsa import InputError, ShapeError, Subgroup, load
from tsa.pictures import draw, to_disc
from tsa.stage import sweep
from tsa.stage.draw import (
    MAX_BYTES,
    SIZE_PIXELS,
    DialView,
    hue,
    stage_png,
    stage_svg,
    text_width,
    theme,
    turn_animation,
)
from tsa.stage.draw.canvas._glyphs import GLYPHS
from tsa.stage.words import answer, modes, numbers, why

pytestmark = pytest.mark.slow  # whole pictures, a third of a second each

SVG = "{http://www.w3.org/2000/svg}"
DIAL = np.array([348, 460])  # its centre, and the radius of its rim
OUTER = (900 - 24 - 156 - 112 - 36) / 2
RIM = OUTER * 0.625 * 1.05


@pytest.fixture(scope="module")
def model():
    learned = load("rotation-16-refined")
    return Subgroup(learned.filters, learned.weights, noise=0.5)


@pytest.fixture(scope="module")
def square(model):
    return sweep(model, to_disc(draw("square")), 16)


def texts(svg):
    return ET.fromstring(svg).findall(f"{SVG}text")


def pixels(png):
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"), float)


@pytest.mark.parametrize(("name", "angle"), [("square", 30), ("F", 200), ("pentagon", 5), ("disc", 77), ("noise", 350)])
def test_each_mode_is_named_on_the_dial_and_over_the_axis(name, angle, model):
    row = sweep(model, to_disc(draw(name)), 16, only=angle)
    svg = stage_svg(DialView.of(row, draw(name), angle), model)
    found = modes(row)
    on_dial = {t.text: t for t in texts(svg) if float(t.get("x")) < 680 and t.get("font-weight")}
    over_axis = [t for t in texts(svg) if float(t.get("x")) > 680]
    for mode in found:
        label = on_dial[f"{mode.degrees}°"]
        right, up = float(label.get("x")) - DIAL[0], DIAL[1] - float(label.get("y"))
        assert np.degrees(np.abs(np.angle((right + 1j * up) * np.exp(-1j * mode.angle)))) < 20
        assert np.hypot(right, up) > RIM
        under = next(t for t in over_axis if t.text == f"{mode.degrees}°" and t.get("font-weight"))
        above = [t for t in over_axis if t.text == f"{100 * mode.mass:.0f} %"]
        assert min(abs(float(t.get("x")) - float(under.get("x"))) for t in above) < 2
    percent = sorted(t.text for t in texts(svg) if re.fullmatch(r"\d+ %", t.text))
    assert percent == sorted(2 * [f"{100 * mode.mass:.0f} %" for mode in found])


def test_the_svg_says_everything(square, model):
    svg = stage_svg(DialView.of(square, draw("square"), 30), model)
    root = ET.fromstring(svg)
    said = [t.text for t in texts(svg)]
    assert "By how much was x turned to become y?" in said
    assert answer(square, 30) in said
    assert why(square, 30) in said
    assert root.find(f"{SVG}title").text == answer(square, 30)
    assert numbers(square, 30)["Uncertainty"] in said
    assert "expected noise σ = 0.5" in said
    assert "true turn" in said
    assert len(root.findall(f"{SVG}image")) == 5
    assert (root.get("width"), root.get("height")) == tuple(map(str, SIZE_PIXELS))
    assert set(re.findall(r'(?:href|src)="(\w+:)', svg)) == {"data:"}  # nothing is fetched


def test_angles_of_the_answer_are_underlined_in_their_hue(square, model):
    root = ET.fromstring(stage_svg(DialView.of(square, draw("square"), 30), model))
    lines = [line for line in root.findall(f"{SVG}line") if float(line.get("y1")) < 156]
    assert [line.get("stroke") for line in lines] == [
        "#{:02x}{:02x}{:02x}".format(*hue(mode.angle)[:3]) for mode in modes(square, 30)
    ]
    words, size = answer(square, 30), 42
    for line, found in zip(lines, re.finditer(r"\d+°", words), strict=True):
        left, right = (24 + text_width(words[:end], size) for end in found.span())
        assert left <= float(line.get("x1")) < float(line.get("x2")) <= right


def test_x_is_the_same_whatever_y_is(model):
    """Its greys are those of its picture, also beside a noisy y."""
    noise = np.random.default_rng(0).normal(size=256)
    shown = []
    for added in (None, noise):
        row = sweep(model, to_disc(draw("F")), 16, added, only=30)
        svg = stage_svg(DialView.of(row, draw("F"), 30, noise=added), model)
        shown.append([i.get("href") for i in ET.fromstring(svg).findall(f"{SVG}image")])
    (dial, x, x_seen, y, y_seen), noisy = shown
    assert noisy[1:3] == [x, x_seen]
    assert all(a != b for a, b in zip((dial, y, y_seen), (noisy[0], *noisy[3:]), strict=True))
    seen = np.asarray(Image.open(io.BytesIO(base64.b64decode(x_seen.partition(",")[2]))), float) / 255
    assert (seen.min(), seen.max()) == (0, pytest.approx(0.95, abs=0.06))
    small = np.asarray(Image.fromarray(draw("F").astype(np.float32)).resize((16, 16), Image.Resampling.BOX))
    assert np.abs(seen - small)[4:12, 4:12].mean() < 0.1


@pytest.mark.parametrize(("first", "second"), [("F", "F"), ("disc", "disc"), ("square", "triangle"), ("F", "S")])
def test_the_font_of_the_png_has_every_character(first, second, model):
    """Except those that are drawn."""
    pair = sweep(model, to_disc(draw(first)), 16, other=to_disc(draw(second)), only=50)
    said = texts(stage_svg(DialView.of(pair, draw(first), 50, draw(second)), model, prior=(1j,)))
    font = ImageFont.load_default(26)
    missing = bytes(font.getmask("\uffff"))
    characters = {character for text in said for character in text.text} - set(GLYPHS)
    assert [c for c in sorted(characters) if bytes(font.getmask(c)) == missing] == []


def test_one_turn_and_the_same_row_of_all_agree(square, model):
    """Up to the last digit of single precision, in which all turns are computed together; it orders equal peaks."""
    alone = stage_svg(DialView.of(sweep(model, to_disc(draw("square")), 16, only=30), draw("square"), 30), model)
    among = stage_svg(DialView.of(square, draw("square"), 30), model)
    assert sorted(t.text for t in texts(alone)) == sorted(t.text for t in texts(among))
    explicit = stage_svg(DialView.of(square, draw("square"), 30, row=30), model)
    assert explicit == among
    assert stage_svg(DialView.of(square, draw("square"), 31), model) != among


def test_another_picture_is_named_as_such(model):
    pair = sweep(model, to_disc(draw("square")), 16, other=to_disc(draw("F")), only=50)
    svg = stage_svg(DialView.of(pair, draw("square"), 50, draw("F")), model)
    said = [t.text for t in texts(svg)]
    assert "turn of y" in said
    assert "true turn" not in said
    assert "another picture" in svg


@pytest.mark.parametrize("look", ["light", "dark"])
def test_the_png_shows_the_turned_picture_in_the_hue_circle(look, square, model):
    png = stage_png(DialView.of(square, draw("square"), 30, look=look), model)
    image = Image.open(io.BytesIO(png))
    assert (image.format, image.size) == ("PNG", SIZE_PIXELS)
    shown = pixels(png)
    np.testing.assert_allclose(shown[5, 5], theme(look).paper[:3])
    np.testing.assert_allclose(shown[170, 300], theme(look).card[:3])
    for angle in np.radians([75, 165, 255, 345]):  # between the petals
        x, y = np.rint(DIAL + RIM * np.array([np.cos(angle), -np.sin(angle)]) - 0.5).astype(int)
        np.testing.assert_allclose(shown[y, x], hue(angle)[:3], atol=4)
    half = 100
    cut = shown[DIAL[1] - half : DIAL[1] + half, DIAL[0] - half : DIAL[0] + half, 0] / 255
    side = round(2 * OUTER * 0.612)
    true = ndimage.rotate(draw("square", side), 30, reshape=False, order=1)
    true = true[side // 2 - half : side // 2 + half, side // 2 - half : side // 2 + half]
    assert np.abs(cut - true).mean() < 0.02
    assert np.abs(cut - true[:, ::-1]).mean() > 0.05  # turned the other way


def test_a_logarithmic_scale_shows_what_is_unlikely(square, model):
    """A height says by how many nats a degree is below the peak; twenty are the floor."""
    linear, log = (DialView.of(square, draw("square"), 30, log=log) for log in (False, True))
    with np.errstate(divide="ignore"):
        below = np.log(linear.heights)
    np.testing.assert_allclose(20 * (log.heights - 1), np.maximum(below, -20), atol=1e-9)
    assert log.heights.mean() > 2 * linear.heights.mean()
    said = [t.text for t in texts(stage_svg(log, model))]
    assert "log scale" in said
    assert stage_png(log, model) != stage_png(linear, model)


@pytest.mark.parametrize("kind", ["webp", "gif"])
def test_the_turn_moves_and_loops(kind, square):
    heard = []
    data = turn_animation(square, draw("square"), kind=kind, frames=6, size=240, theme="dark", on_progress=heard.append)
    image = Image.open(io.BytesIO(data))
    assert (image.format, image.size, image.n_frames) == (kind.upper(), (240, 300), 6)
    assert image.info["loop"] == 0
    frames = [np.asarray(view.convert("RGB"), float) for view in ImageSequence.Iterator(image)]
    for before, after in zip(frames, frames[1:] + frames[:1], strict=True):
        assert np.abs(before - after).mean() > 1
    np.testing.assert_allclose(frames[3][4, 4], theme("dark").card[:3], atol=2)
    assert heard == sorted(heard)
    assert heard[-1] == pytest.approx(1)


def test_a_busy_picture_still_makes_a_small_gif(monkeypatch, model):
    busy = np.random.default_rng(0).uniform(size=(64, 64))
    swept = sweep(model, to_disc(busy), 16)
    full = turn_animation(swept, busy, kind="gif", frames=2, size=200)
    assert len(full) < MAX_BYTES
    monkeypatch.setattr("tsa.stage.draw.animation.MAX_BYTES", 0.8 * len(full))
    assert len(turn_animation(swept, busy, kind="gif", frames=2, size=200)) < 0.8 * len(full)


def test_wrong_wishes_are_answered_with_a_sentence(square, model):
    picture = draw("square")
    single = sweep(model, to_disc(picture), 16, only=3)
    for wish, sentence_ in (
        (lambda: DialView.of(square, picture, 30, look="sepia"), "no theme 'sepia'"),
        (lambda: DialView.of(single, picture, 3, row=3), "1 turns.* no row 3"),
        (lambda: DialView.of(single, picture, np.nan), "angle must be finite"),
        (lambda: turn_animation(square, picture, kind="mp4"), "'webp' or 'gif', not 'mp4'"),
        (lambda: turn_animation(single, picture), "sweep of all turns"),
        (lambda: turn_animation(square, picture, frames=1), "from 2 to 360 frames; got 1"),
        (lambda: turn_animation(square, picture, size=9), "from 200 to 1000 pixels wide; got 9"),
    ):
        with pytest.raises(InputError, match=sentence_):
            wish()
    with pytest.raises(ShapeError, match=r"second picture must be a square grey picture .* got shape \(3, 4\)"):
        DialView.of(square, picture, 30, np.zeros((3, 4)))
