"""The dial and the posterior under it through a whole turn, as an animated WebP or GIF."""

import io

import numpy as np
from numpy.typing import ArrayLike
from PIL import Image

from tsa._base import Array, InputError, ProgressCallback, split_progress
from tsa.stage.draw.canvas import PixelCanvas
from tsa.stage.draw.colours import Theme, hue
from tsa.stage.draw.dial import DialView, draw_dial
from tsa.stage.draw.posterior import draw_posterior
from tsa.stage.sweep import Sweep

MAX_BYTES = 1_500_000  # of a file; `_QUALITIES` are tried until it fits
_TURN_SECONDS = 6.0

# Quality of a WebP, or number of greys of a GIF: the first with which the file is no larger than MAX_BYTES is used.
_QUALITIES = {"webp": (90, 60, 20), "gif": (28, 10, 4)}


def turn_animation(
    sweep: Sweep,
    picture: ArrayLike,
    *,
    kind: str = "webp",
    other: ArrayLike | None = None,
    frames: int = 60,
    size: int = 480,
    theme: str = "light",
    noise: Array | None = None,
    on_progress: ProgressCallback | None = None,
) -> bytes:
    """A file that loops: the picture, or `other`, turned once around, with the posterior at each turn.

    `kind` is "webp" or "gif". It is `size` pixels wide and a quarter taller. The sweep must hold all turns; `noise`
    is what it has on y, to be shown on the picture.
    """
    turns = len(sweep.y)
    if kind not in _QUALITIES:
        raise InputError(f"An animation is of kind 'webp' or 'gif', not {kind!r}.")
    if turns < 2:
        raise InputError("An animation needs a sweep of all turns; this one holds a single turn (made with `only`).")
    if not 2 <= frames <= turns:
        raise InputError(f"An animation has from 2 to {turns} frames; got {frames}.")
    if not 200 <= size <= 1000:
        raise InputError(f"An animation is from 200 to 1000 pixels wide; got {size}.")
    drawing, encoding = split_progress(on_progress, 3, 1)
    images = []
    for i in range(frames):
        angle = round(i * turns / frames)
        view = DialView.of(sweep, picture, angle, other, angle, theme, noise=noise)
        images.append(_drawn(view, size))
        drawing((i + 1) / frames)
    data = encode_animation(images, kind, view.theme, _TURN_SECONDS)
    encoding(1.0)
    return data


def encode_animation(images: list[Image.Image], kind: str, look: Theme, seconds: float) -> bytes:
    """A file that shows the images in this time and loops, as fine as `MAX_BYTES` allow; `kind` is "webp" or "gif"."""
    if kind not in _QUALITIES:
        raise InputError(f"An animation is of kind 'webp' or 'gif', not {kind!r}.")
    data = b""
    for fineness in _QUALITIES[kind]:
        data = _encoded(images, kind, fineness, look, seconds)
        if len(data) <= MAX_BYTES:
            break
    return data


def _drawn(view: DialView, size: int) -> Image.Image:
    canvas = PixelCanvas(size, size * 5 // 4, view.theme.card)
    edge = 0.025 * size
    draw_dial(canvas, view, (edge, edge), (size - 2 * edge, size - 2 * edge))
    left, top, type_size = 2 * edge, size - edge, max(11.0, 0.03 * size)
    wide, tall = size - 2 * left, size / 4 + edge - 1.6 * type_size
    at = left + view.angle % 360 / 360 * wide
    canvas.line((at, top + tall / 4), (at, top + tall), view.theme.text, 1.5, (5, 4))
    draw_posterior(canvas, view, (left, top), (wide, tall), type_size)
    return canvas.image()


def _encoded(images: list[Image.Image], kind: str, fineness: int, look: Theme, seconds: float) -> bytes:
    if kind == "gif":
        palette = _palette(look, fineness)
        images = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images]
    buffer = io.BytesIO()
    images[0].save(
        buffer, kind, save_all=True, append_images=images[1:], loop=0,
        duration=round(1000 * seconds / len(images)), quality=fineness, method=2,
    )  # fmt: skip
    return buffer.getvalue()


def _palette(look: Theme, greys: int) -> Image.Image:
    """One palette for all frames, so that nothing flickers: hues, text, greys, and paler shades if greys are many."""
    colours = [look.card, look.text, look.faint] + [hue(angle) for angle in np.radians(np.arange(0, 360, 2.5))]
    if greys > 4:
        colours += [colour.over(look.card, share) for colour in colours[3::4] for share in (0.6, 0.3)]
        colours += [look.quiet] + [look.text.over(look.card, share) for share in (0.75, 0.5, 0.25)]
    levels = np.linspace(0, 255, greys).round().astype(int).tolist()
    palette = Image.new("P", (1, 1))
    palette.putpalette([v for colour in colours for v in colour[:3]] + [v for level in levels for v in (level,) * 3])
    return palette
