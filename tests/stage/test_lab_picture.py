"""The stage as SVG, PNG, WebP and GIF: every number and every place is that of the posterior."""

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
    SvgCanvas,
    draw_strip,
    hue,
    stage_png,
    stage_svg,
    theme,
    turn_animation,
)
from tsa.stage.words import modes, numbers, reason, sentence

SVG = "{http://www.w3.org/2000/svg}"
DIAL = np.array([440, 312])  # its centre, and the radius of its rim
RIM = 254 * 0.56 * 1.09


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
def test_each_mode_has_its_label_in_its_place(name, angle, model):
    row = sweep(model, to_disc(draw(name)), 16, only=angle)
    svg = stage_svg(DialView.of(row, draw(name), angle), model)
    labels = [t for t in texts(svg) if t.get("font-weight") and re.fullmatch(r"\d+°", t.text)]
    found = modes(row)
    assert [label.text for label in labels] == [f"{mode.degrees}°" for mode in found]
    split_progress = [t.text for t in texts(svg) if re.fullmatch(r"\d+ %", t.text)]
    assert split_progress == [f"{round(100 * mode.mass)} %" for mode in found]
    for label, mode in zip(labels, found, strict=True):
        right, up = float(label.get("x")) - DIAL[0], DIAL[1] - float(label.get("y"))
        assert np.degrees(np.abs(np.angle((right + 1j * up) * np.exp(-1j * mode.angle)))) < 4
        assert np.hypot(right, up) > RIM


def test_the_svg_says_everything(square, model):
    svg = stage_svg(DialView.of(square, draw("square"), 30), model)
    root = ET.fromstring(svg)
    said = [t.text for t in texts(svg)]
    assert sentence(square, 30) in said
    assert reason(square, 30) in said
    assert root.find(f"{SVG}title").text == sentence(square, 30)
    for name, value in numbers(square, 30).items():
        assert said.index(value) == said.index(name) + 1
    assert sorted(w for w in said if re.fullmatch(r"-?\d+", w)) == sorted(map(str, model.weights.tolist()))
    assert f"{model.subspaces} subspaces, slowest first" in said
    assert "true turn" in said
    assert len(root.findall(f"{SVG}image")) == 5
    assert (root.get("width"), root.get("height")) == tuple(map(str, SIZE_PIXELS))
    assert set(re.findall(r'(?:href|src)="(\w+:)', svg)) == {"data:"}  # nothing is fetched


@pytest.mark.parametrize(("first", "second"), [("F", "F"), ("disc", "disc"), ("square", "triangle"), ("F", "S")])
def test_the_font_of_the_png_has_every_character(first, second, model):
    """Except the minus sign, which is drawn."""
    pair = sweep(model, to_disc(draw(first)), 16, other=to_disc(draw(second)), only=50)
    said = texts(stage_svg(DialView.of(pair, draw(first), 50, draw(second)), model))
    font = ImageFont.load_default(26)
    missing = bytes(font.getmask("\uffff"))
    characters = {character for text in said for character in text.text} - {"−"}
    assert [c for c in sorted(characters) if bytes(font.getmask(c)) == missing] == []


def test_one_turn_and_the_same_row_of_all_agree(square, model):
    """Up to the last digit of single precision, in which all turns are computed together."""
    alone = stage_svg(DialView.of(sweep(model, to_disc(draw("square")), 16, only=30), draw("square"), 30), model)
    among = stage_svg(DialView.of(square, draw("square"), 30), model)
    assert [t.text for t in texts(alone)] == [t.text for t in texts(among)]
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
    np.testing.assert_allclose(shown[60, 300], theme(look).card[:3])
    for angle in np.radians([75, 165, 255, 345]):  # between the petals
        x, y = np.rint(DIAL + RIM * np.array([np.cos(angle), -np.sin(angle)]) - 0.5).astype(int)
        np.testing.assert_allclose(shown[y, x], hue(angle)[:3], atol=4)
    half = 100
    cut = shown[DIAL[1] - half : DIAL[1] + half, DIAL[0] - half : DIAL[0] + half, 0] / 255
    true = ndimage.rotate(draw("square", 284), 30, reshape=False, order=1)[
        142 - half : 142 + half, 142 - half : 142 + half
    ]
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
    assert any("log scale" in text for text in said)
    assert stage_png(log, model) != stage_png(linear, model)


@pytest.mark.parametrize("log", [False, True])
def test_full_colour_is_the_credible_set(log, square):
    """The degrees in full colour hold 95 % of the mass, and without the least of them they would not."""
    scene = DialView.of(square, draw("square"), 30, log=log)
    canvas = SvgCanvas(360, 100, scene.theme.card)
    draw_strip(canvas, scene, (0, 0), (720, 100))
    wheel = {"#{:02x}{:02x}{:02x}".format(*hue(np.radians(d))[:3]) for d in range(360)}
    paths = [p for p in ET.fromstring(canvas.document("", "")).findall(f"{SVG}path") if p.get("fill") in wheel]
    starts = {float(re.match(r"M([\d.]+)", path.get("d"))[1]) / 2 for path in paths}  # half degrees that begin a slice
    density = square.density[30] / square.density[30].sum()
    chosen = [d for d in range(360) if (d - 0.5) % 360 in starts and d in starts]
    assert len(starts) == 2 * len(chosen)
    assert density[chosen].sum() >= 0.95
    assert density[chosen].sum() - density[chosen].min() < 0.95


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
