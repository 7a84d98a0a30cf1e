"""The dial: the area of a petal is the probability of its mode, and nothing covers anything."""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest
from scipy import ndimage

from tests.shared.drawings import SVG, outside_the_page, overlapping_texts, text_boxes
from tsa import Subgroup, load
from tsa.pictures import draw
from tsa.stage import Scene
from tsa.stage.draw import DialView, Petals, PixelCanvas, SvgCanvas, draw_dial, hue
from tsa.stage.words import is_flat, modes

PAGE, CORNER, BOX = (640, 600), (10, 10), (620, 580)
CENTRE, OUTER = np.array([320.0, 300.0]), 290.0
SCENES = {
    "square": ("square", 0.5, {}),
    "F": ("F", 0.5, {}),
    "broad": ("F", 2.0, {}),
    "hexagon": ("hexagon", 0.5, {}),
    "disc": ("disc", 0.5, {}),
    "noisy": ("triangle", 0.5, {"pixel_noise": 0.5}),
}


def scene(name, angle=30):
    shape, sigma, more = SCENES[name]
    learned = load("rotation-16-refined")
    return Scene(Subgroup(learned.filters, learned.weights, noise=sigma), draw(shape), angle=angle, **more)


def view_of(made, angle=None, look="light"):
    """A view of a scene; another angle moves the knob alone."""
    angle = made.angle if angle is None else angle
    return DialView.of(made.sweep(whole=False), made.x, angle, row=0, look=look, noise=made.noise)


def petals_alone(made):
    """The dial in pixels (h, w, 3), without its knob: two drawings, each with the knob elsewhere, laid together."""
    shown = []
    for angle in (75, 255):
        canvas = PixelCanvas(*PAGE, view_of(made).theme.card)
        draw_dial(canvas, view_of(made, angle), CORNER, BOX)
        shown.append(np.asarray(canvas.image(), float))
    row, column = np.indices(shown[0].shape[:2]) + 0.5
    up = np.radians(75)
    near = (column - CENTRE[0]) * np.cos(up) - (row - CENTRE[1]) * np.sin(up) > 0  # the half with the first knob
    return np.where(near[..., None], shown[1], shown[0])


def measured_areas(made, petals):
    """The areas beyond r₀ in squared pixels, one for each named mode between its minima, or the only one.

    The outline is the middle of the contour: a pixel is inside by its share of hue and half of its share of ink.
    """
    view = view_of(made)
    pixels = petals_alone(made)
    row, column = np.indices(pixels.shape[:2]) + 0.5
    x, y = column - CENTRE[0], CENTRE[1] - row
    radius, angle = np.hypot(x, y), np.arctan2(y, x) % (2 * np.pi)
    ground = np.array(view.theme.card[:3], float)
    ink = np.array(view.theme.text[:3], float) - ground
    tint = np.array([hue(a)[:3] for a in angle.ravel()], float).reshape(pixels.shape) - ground
    share = np.linalg.pinv(np.stack([np.broadcast_to(ink, tint.shape), tint], axis=-1)) @ (pixels - ground)[..., None]
    inside = np.clip(share[..., 1, 0] + share[..., 0, 0] / 2, 0, 1)
    parts, _ = ndimage.label(np.abs(pixels - ground).max(axis=-1) > 8, np.ones((3, 3)))
    inside[parts != parts[int(CENTRE[1]), int(CENTRE[0] + petals.base - 6)]] = 0  # labels, ticks and the sample
    safe = petals.base - 3
    inside[radius < safe] = 1
    found = modes(view.sweep)
    density = made.posterior().density(np.radians(np.arange(3600) / 10))
    peaks = sorted(round(10 * np.degrees(mode.angle)) % 3600 for mode in found)
    if len(peaks) < 2:
        return [inside.sum() - np.pi * petals.base**2]
    areas = {}
    for before, peak, after in zip(peaks[-1:] + peaks[:-1], peaks, peaks[1:] + peaks[:1], strict=True):
        left, right = (a + np.argmin(density[np.arange(a, a + (b - a) % 3600) % 3600]) for a, b in
                       ((before, peak), (peak, after)))  # fmt: skip
        wide = np.radians((right - left) % 3600 / 10)
        within = (angle - np.radians(left / 10)) % (2 * np.pi) < wide
        # Inside the safe radius the sector is known; its rim would only add the raggedness of two straight edges.
        ring = inside[within & (radius >= safe)].sum() + wide / 2 * safe**2
        areas[peak] = ring - wide / 2 * petals.base**2
    return [areas[round(10 * np.degrees(mode.angle)) % 3600] for mode in found]


def off_by(made):
    """The largest relative error of a petal's area as a probability; of modes of at least 5 %."""
    view = view_of(made)
    petals = Petals.of(view.density, OUTER)
    masses = [mode.mass for mode in modes(view.sweep)] or [1.0]
    areas = measured_areas(made, petals)
    errors = [abs(a / petals.scale / m - 1) for a, m in zip(areas, masses, strict=True) if m >= 0.05]
    return max(errors)


@pytest.mark.slow
@pytest.mark.parametrize("name", SCENES)
def test_the_area_of_a_petal_is_the_mass_of_its_mode(name):
    assert off_by(scene(name)) < 0.015


@pytest.mark.slow
def test_lengths_in_place_of_areas_are_caught(monkeypatch):
    """Radii that grow with the density itself, to the same tip."""
    true = Petals.of.__func__

    def by_length(cls, density, outer):
        petals = true(cls, density, outer)
        return petals._replace(reach=petals.base + (petals.reach.max() - petals.base) * density / density.max())

    monkeypatch.setattr(Petals, "of", classmethod(by_length))
    for name in ("square", "F", "noisy"):
        assert off_by(scene(name)) > 0.03


@pytest.mark.parametrize("name", SCENES)
def test_no_petal_passes_the_edge_and_areas_add_up(name):
    density = view_of(scene(name)).density
    petals = Petals.of(density, OUTER)
    assert petals.base <= petals.reach.min()
    assert petals.reach.max() < OUTER - 10
    total = np.sum((petals.reach[:-1] ** 2 - petals.base**2) / 2) * np.radians(0.5)
    assert total == pytest.approx(petals.scale, rel=1e-9)


def as_svg(view):
    canvas = SvgCanvas(*PAGE, view.theme.card)
    draw_dial(canvas, view, CORNER, BOX)
    return canvas.document("", "")


def test_the_grey_square_is_five_percent():
    view = view_of(scene("square"))
    grey = "#{:02x}{:02x}{:02x}".format(*view.theme.faint[:3])
    square = next(p for p in ET.fromstring(as_svg(view)).iter(f"{SVG}path") if p.get("fill") == grey)
    corners = np.array(re.findall(r"[\d.]+", square.get("d")), float).reshape(4, 2)
    side = np.ptp(corners, axis=0)
    assert side.prod() == pytest.approx(0.05 * Petals.of(view.density, OUTER).scale, rel=0.02)
    assert "area of 5 %" in [words for words, *_ in text_boxes(as_svg(view))]


def covered_petals(svg, petals):
    """The texts that a petal, the rim or the picture reaches into."""
    outline = petals.outline(tuple(CENTRE), 16)
    inside = lambda b: ((outline > [b[1], b[2]]) & (outline < [b[3], b[4]])).all(axis=1).any()  # noqa: E731
    return [box[0] for box in text_boxes(svg) if inside(box)]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["square", "F", "broad", "hexagon", "noisy"])
def test_labels_stand_beside_their_tips_at_every_turn(name):
    for angle in range(3, 360, 13):
        view = view_of(scene(name, angle))
        svg = as_svg(view)
        petals = Petals.of(view.density, OUTER)
        assert overlapping_texts(svg) == []
        assert covered_petals(svg, petals) == []
        assert outside_the_page(svg) == []
        boxes = {words: np.array(box) for words, *box in text_boxes(svg)}
        for mode in modes(view.sweep):
            left, top, right, bottom = boxes[f"{mode.degrees}°"]
            tip = CENTRE + petals.reach[2 * mode.degrees] * np.array([np.cos(mode.angle), -np.sin(mode.angle)])
            gap = np.hypot(max(left - tip[0], 0, tip[0] - right), max(top - tip[1], 0, tip[1] - bottom))
            assert gap < 45


def test_a_covered_petal_is_caught():
    view = view_of(scene("square"))
    petals = Petals.of(view.density, OUTER)
    svg = as_svg(view)
    x, y = CENTRE + petals.reach[60] * np.array([np.cos(np.pi / 6), -np.sin(np.pi / 6)])
    wrong = f'<text x="{x - 10:.0f}" y="{y + 5:.0f}" font-size="20">here</text></svg>'
    assert covered_petals(svg.replace("</svg>", wrong), petals) == ["here"]


def test_quarters_are_marked_unless_a_petal_is_there():
    def quarters(angle):
        said = [words for words, *_ in text_boxes(as_svg(view_of(scene("F", angle))))]
        return [words for words in ("0°", "90°", "180°", "270°") if words in said]

    assert quarters(200) == ["0°", "90°", "180°", "270°"]
    assert quarters(100) == ["0°", "180°", "270°"]
    assert is_flat(view_of(scene("disc")).sweep)


def test_noise_shows_on_the_picture_of_y():
    made = scene("noisy")
    clean, noisy = (petals_alone(s)[200:400, 220:420, 0] / 255 for s in (replace(made, pixel_noise=0.0), made))
    assert 0.1 < np.abs(clean - noisy).mean() < 0.5
    view = view_of(made)
    shown = view.noisy()
    assert (shown.min(), shown.max()) == (0, 1)
    plain = DialView.of(view.sweep, made.x, 30, noise=1e-9 * made.noise).noisy()
    each = len(shown) // 16
    black = slice(4 * each, 5 * each), slice(2 * each, 3 * each)  # outside the triangle
    assert plain[black].max() < 1e-6
    np.testing.assert_allclose(shown[black], max(0, made.noise.reshape(16, 16)[4, 2]), atol=1e-6)
    assert DialView.of(view.sweep, made.x, 30, noise=0 * made.noise).noise is None
