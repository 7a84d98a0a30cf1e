"""A motion scene as a picture, drawn without a browser: the world, the posterior over shifts and its waves."""

from collections.abc import Callable

import numpy as np
from PIL import Image
from scipy import ndimage

from tsa._base import Array
from tsa.stage.draw import SIZE_PIXELS, Canvas, PixelCanvas, SvgCanvas, Theme, balanced, hue, theme, wrapped
from tsa.stage.draw import Colour as Ink
from tsa.stage.exports import png
from tsa.stage.motion import Motion, MotionAnswer, MotionScene
from tsa.stage.motion_output.packing import MAX_SHOWN_WAVE, log_map, shown_waves
from tsa.stage.words import motion as words

Point = tuple[float, float]
_MARGIN, _GAP, _PADDING = 24.0, 16.0, 18.0  # pixels around cards, between them, and inside
_CARDS_TOP = 136.0
_WIDTHS = (452.0, 552.0, 356.0)  # of the cards
_TITLE = 40.0  # height of a card's title
_RASTER_PIXELS = 768  # along a side of the map and of the world, as pixels
_LINE_PIXELS = 3  # of the raster, width of a line in it
_OUTSIDE = 0.45  # brightness of the moved picture outside the window, which is not seen
_GREY_PIXELS = 2.5  # around no motion, where a direction means little
_FAN_CLEARANCE = 1.1  # pixels around the true motion within which no drawn motion is shown
_WHITE, _BLACK = Ink(255, 255, 255), Ink(0, 0, 0)


def motion_png(scene: MotionScene, theme_name: str = "light") -> bytes:
    """The scene as a PNG file of 1440 × 900 pixels: hue is direction, opacity density, the outline that of 95 %."""
    canvas = PixelCanvas(*SIZE_PIXELS, theme(theme_name).paper)
    _compose(canvas, scene, theme(theme_name))
    return png(canvas.image())


def motion_svg(scene: MotionScene, theme_name: str = "light") -> str:
    """The same as an SVG file; the map and the picture are pixels inside it, all else is lines and text."""
    canvas = SvgCanvas(*SIZE_PIXELS, theme(theme_name).paper)
    _compose(canvas, scene, theme(theme_name))
    texts = words.motion_words(scene)
    return canvas.document(f"{words.QUESTION} {texts.headline}", texts.second)


def _compose(canvas: Canvas, scene: MotionScene, look: Theme) -> None:
    texts = words.motion_words(scene)
    _head(canvas, texts, look, (_MARGIN + 4, 62.0), SIZE_PIXELS[0] - 2 * _MARGIN, 30.0)
    height, left = SIZE_PIXELS[1] - _MARGIN - _CARDS_TOP, _MARGIN
    titles = ("Seen through a window", "Posterior over the shift, in pixels", "Why: its waves")
    for title, width in zip(titles, _WIDTHS, strict=True):
        canvas.card((left, _CARDS_TOP), (width, height), look.card, look.border)
        canvas.label((left + _PADDING, _CARDS_TOP + 27), title, look.text, 16, bold=True)
        left += width + _GAP
    world, plane, waves = np.cumsum([_MARGIN, *(width + _GAP for width in _WIDTHS[:2])]).tolist()
    top, room = _CARDS_TOP + _TITLE, [width - 2 * _PADDING for width in _WIDTHS]
    draw_world(canvas, scene, (world + _PADDING, top), room[0])
    _small_pictures(canvas, scene, look, (world + _PADDING, top + room[0] + 24), room[0])
    draw_plane(canvas, scene, look, (plane + _PADDING, top), room[1])
    _numbers(canvas, texts, look, (plane + _PADDING, top + room[1] + 16), room[1])
    _waves(canvas, scene.answer, look, (waves + _PADDING, top), room[2])
    at = top + room[2] + 24
    for line in wrapped(texts.waves, room[2], 14):
        canvas.label((waves + _PADDING, at), line, look.quiet, 14)
        at += 20
    canvas.label((waves + _PADDING, at + 8), "hue: phase · size: certainty", look.quiet, 13)


def _head(canvas: Canvas, texts: words.MotionWords, look: Theme, at: Point, width: float, size: float) -> None:
    """The headline on one line, smaller if it is long, and the second line on one or two."""
    while len(wrapped(texts.headline, width, size)) > 1:
        size -= 1
    canvas.label(at, texts.headline, look.text, size, bold=True)
    for i, line in enumerate(balanced(texts.second, width, 17)):
        canvas.label((at[0], at[1] + 32 + 22 * i), line, look.quiet, 17)


# -- the world ---------------------------------------------------------------------------------------------


def draw_world(canvas: Canvas, scene: MotionScene, corner: Point, size: float) -> None:
    """What is seen in the window, dimly what is not, where the picture was, and motions drawn from the posterior."""
    canvas.tile(_world_raster(scene), corner, (size, size))
    scale, n = size / scene.side, scene.side

    def at(place: Motion) -> Point:
        return corner[0] + (n / 2 + place[0]) * scale, corner[1] + (n / 2 - place[1]) * scale

    middle = scene.window_at
    for right, up in scene.answer.fan.tolist():
        end = (middle[0] + right, middle[1] + up)
        near = np.hypot(right - scene.motion[0], up - scene.motion[1]) < _FAN_CLEARANCE
        if not near and max(map(abs, end)) <= n / 2:
            colour = hue(float(np.arctan2(up, right)))
            canvas.line(at(middle), at(end), colour, 1.6)
            canvas.disc(at(end), 5, _BLACK)
            canvas.disc(at(end), 4, colour)
    end = (middle[0] + scene.motion[0], middle[1] + scene.motion[1])
    if max(map(abs, end)) <= n / 2:
        _arrow(canvas, at(middle), at(end))


def _world_raster(scene: MotionScene) -> Array:
    """(_RASTER_PIXELS, _RASTER_PIXELS) in 0…1: y in the window, with a rim, and the moved picture dimly around it."""
    low, high = float(scene.x.min()), float(scene.x.max())
    size, n = _RASTER_PIXELS, scene.side
    y, after, before = (
        np.clip((_enlarged((values - low) / (high - low), how)), 0, 1)
        for values, how in (
            (scene.y, Image.Resampling.NEAREST), (scene.after, Image.Resampling.BICUBIC),
            (scene.x, Image.Resampling.BICUBIC),
        )
    )  # fmt: skip
    place = (np.arange(size) + 0.5) / size * n - n / 2
    away = [np.mod(one - c + n / 2, n) - n / 2 for one, c in zip((place, -place), scene.window_at, strict=True)]
    distance = np.hypot(away[0], away[1][:, None])
    drawn = np.where(distance <= scene.window / 2, y, _OUTSIDE * after)
    dashes = (np.arange(size) + np.arange(size)[:, None]) // 10 % 2 == 0
    drawn[_edge(before > 0.5) & dashes] = 0.85
    rim = np.abs(distance - scene.window / 2) * size / n
    drawn[rim < 3] = 0.0
    drawn[rim < 1.5] = 1.0
    return drawn


def _enlarged(values: Array, how: Image.Resampling) -> Array:
    image = Image.fromarray(values.astype(np.float32))
    return np.asarray(image.resize((_RASTER_PIXELS, _RASTER_PIXELS), how), np.float64)


def _edge(inside: Array) -> Array:
    """The cells of a mask near its edge: so many that a smaller copy of the picture still has all of the line."""
    return np.asarray(inside & ~ndimage.binary_erosion(inside, iterations=_LINE_PIXELS, border_value=1))


def _arrow(canvas: Canvas, start: Point, end: Point) -> None:
    """White on black, from `start` to `end`."""
    (x, y), (dx, dy) = start, np.subtract(end, start).tolist()
    length = float(np.hypot(dx, dy))
    if length < 1:
        return
    along, across = np.array([dx, dy]) / length, np.array([-dy, dx]) / length
    head = min(16.0, length)
    for grown, colour in ((2.0, _BLACK), (0.0, _WHITE)):
        canvas.line((x, y), (end[0] - 0.8 * head * along[0], end[1] - 0.8 * head * along[1]), colour, 3.5 + 1.5 * grown)
        tip, base = np.array(end) + grown * along, np.array(end) - (head + grown) * along
        canvas.polygon(np.stack([tip, base + (7 + grown) * across, base - (7 + grown) * across]), colour)


def _small_pictures(canvas: Canvas, scene: MotionScene, look: Theme, corner: Point, width: float) -> None:
    low, high = float(scene.x.min()), float(scene.x.max())
    unseen, seen = 0.8, scene.seen > 0
    pictures = {
        "x, before": (scene.x - low) / (high - low),
        "y, as seen": np.where(seen, (scene.y - low) / (high - low), unseen),
        "x, moved": (scene.laid - low) / (high - low),
        "left over": np.where(seen, 0.5 + 0.5 * scene.left_over / (high - low), unseen),
    }
    side = (width - 3 * 12) / 4
    for i, (name, values) in enumerate(pictures.items()):
        left = corner[0] + i * (side + 12)
        canvas.tile(values, (left, corner[1]), (side, side))
        canvas.label((left, corner[1] + side + 18), name, look.quiet, 13)


# -- the plane of shifts -----------------------------------------------------------------------------------


def draw_plane(canvas: Canvas, scene: MotionScene, look: Theme, corner: Point, size: float) -> None:
    """The posterior as a map with its 95 % region, its marginals above and beside it, and motions with their names."""
    answer, n = scene.answer, scene.side
    left, top, side = corner[0] + 34, corner[1] + 44, size - 34 - 46
    canvas.tile(_map_raster(answer, look), (left, top), (side, side))

    def at(motion: Motion) -> Point:
        return left + (0.5 + motion[0] / n) * side, top + (0.5 - motion[1] / n) * side

    for share in (-0.5, -0.25, 0.0, 0.25, 0.5):
        text = words.signed(share * n, 0)
        x, y = at((share * n, share * n))
        canvas.line((x, top), (x, top + side), look.border, 1, None if share == 0 else (2, 4))
        canvas.line((left, y), (left + side, y), look.border, 1, None if share == 0 else (2, 4))
        canvas.label((x, top + side + 18), text, look.quiet, 13, "middle")
        canvas.label((left - 6, y + 4), text, look.quiet, 13, "end")
    places = (np.arange(len(answer.map)) + 0.5) / len(answer.map) * side
    for marginal, upwards in zip(answer.marginals, (False, True), strict=True):
        height = 34 * marginal / marginal.max()
        curve = (
            np.stack([left + side + 5 + height, top + side - places], 1)
            if upwards
            else np.stack([left + places, top - 5 - height], 1)
        )
        base = curve.copy()
        base[:, 0 if upwards else 1] = left + side + 5 if upwards else top - 5
        canvas.polygon(np.concatenate([curve, base[::-1]]), look.faint)
        canvas.polyline(curve, look.text, 1)
    _markers(canvas, scene, look, at, left + side)


def _map_raster(answer: MotionAnswer, look: Theme) -> Array:
    """The map in colour, (_RASTER_PIXELS, _RASTER_PIXELS, 3) in 0…1."""
    levels, opacity, edge = log_map(answer)
    fine = np.clip(_enlarged(levels.astype(np.float64), Image.Resampling.BICUBIC), 0, 255)
    size = _RASTER_PIXELS
    right, up = np.arange(size) - size / 2, size / 2 - np.arange(size)[:, None]
    wheel = np.array([hue(angle)[:3] for angle in np.radians(np.arange(360))])
    colour = wheel[np.rint(np.degrees(np.arctan2(up, right))).astype(int) % 360]
    far = np.minimum(1.0, np.hypot(right, up) * answer.side / size / _GREY_PIXELS)[..., None]
    share = opacity[np.rint(fine).astype(int)][..., None] / 255
    pixels = (1 - share) * np.array(look.soft[:3]) + share * (far * colour + (1 - far) * 150)
    pixels[_edge(fine > edge)] = look.text[:3]
    return np.asarray(pixels / 255)


def _markers(canvas: Canvas, scene: MotionScene, look: Theme, at: Callable[[Motion], Point], limit: float) -> None:
    """No motion, the slowest and the most probable motion, and the truth; names where there is room beside them."""
    answer = scene.answer
    origin, slowest, mode, truth = (at(one) for one in ((0.0, 0.0), answer.slowest, answer.mode, scene.motion))
    canvas.line(origin, slowest, look.text, 1.2)
    canvas.disc(origin, 3.5, look.text)
    for place, radius in ((slowest, 5.5), (truth, 8.0)):
        canvas.disc(place, radius, look.text)
        canvas.disc(place, radius - 2, look.card)
    canvas.disc(truth, 3, look.text)
    x, y = mode
    canvas.polygon(np.array([[x, y - 9], [x + 9, y], [x, y + 9], [x - 9, y]]), look.card)
    canvas.polygon(np.array([[x, y - 7], [x + 7, y], [x, y + 7], [x - 7, y]]), look.text)
    taken: list[float] = []
    for place, name in ((truth, "truth"), (mode, "mode"), (slowest, "slowest")):
        if all(abs(place[1] - other) > 16 for other in taken):
            taken.append(place[1])
            on_left = place[0] + 120 > limit
            beside = place[0] + (-14 if on_left else 14), place[1] + 5
            canvas.label(beside, words.MARKERS[name], look.text, 14, "end" if on_left else "start", bold=True)


def _numbers(canvas: Canvas, texts: words.MotionWords, look: Theme, corner: Point, width: float) -> None:
    for i, (name, value) in enumerate(texts.numbers):
        left, top = corner[0] + i % 3 * width / 3, corner[1] + i // 3 * 56
        canvas.label((left, top + 18), name, look.quiet, 14)
        canvas.label((left, top + 40), value, look.text, 17, bold=True)


def _waves(canvas: Canvas, answer: MotionAnswer, look: Theme, corner: Point, size: float) -> None:
    """Each wave at its periods to the right and up, and fainter at their negatives, which are the same wave."""
    canvas.card(corner, (size, size), look.soft, look.soft, 8)
    step = size / (2 * MAX_SHOWN_WAVE + 2)
    middle = corner[0] + size / 2, corner[1] + size / 2
    canvas.line((corner[0], middle[1]), (corner[0] + size, middle[1]), look.border, 1)
    canvas.line((middle[0], corner[1]), (middle[0], corner[1] + size), look.border, 1)
    order = shown_waves(answer)[::-1]
    numbers = zip(answer.waves[order].tolist(), answer.certainty(order), np.angle(answer.eta[order]), strict=True)
    for (right, up), certainty, phase in numbers:
        radius = 0.62 * step * float(np.sqrt(certainty))
        if radius < 0.5:
            continue
        for sign in (-1, 1):
            x, y, angle = middle[0] + sign * right * step, middle[1] - sign * up * step, sign * float(phase)
            canvas.disc((x, y), radius, hue(angle).faint(0.4 if sign < 0 else 1.0))
            if radius > 2.5:
                end = x + radius * float(np.cos(angle)), y - radius * float(np.sin(angle))
                canvas.line((x, y), end, look.card, 1.3)
