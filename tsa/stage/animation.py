"""The dial and the strip turning through the whole circle, as a small picture that moves: WebP, or GIF."""

import io

import numpy as np
from numpy.typing import ArrayLike
from PIL import Image

from tsa.colours import Theme, hue
from tsa.drawing import PixelCanvas
from tsa.errors import InputError
from tsa.progress import Report, shares
from tsa.stage.dial import Frame, draw_dial, draw_strip
from tsa.sweep import Sweep

MOST_BYTES = 1_500_000
_SECONDS = 6.0  # for one turn
# Quality, or greys of the picture: the first that makes the file small enough.
_FINENESS = {"webp": (90, 60, 20), "gif": (28, 10, 4)}


def turn_animation(
    sweep: Sweep,
    picture: ArrayLike,
    *,
    kind: str = "webp",
    other: ArrayLike | None = None,
    frames: int = 60,
    size: int = 480,
    theme: str = "light",
    report: Report | None = None,
) -> bytes:
    """A file that loops without a seam: the picture, or `other`, turned once around, and the posterior at each turn.

    `kind` is "webp" or "gif". It is `size` wide and a quarter taller. The sweep must hold all turns.
    """
    turns = len(sweep.y)
    if kind not in _FINENESS:
        raise InputError(f"An animation is of kind 'webp' or 'gif', not {kind!r}.")
    if turns < 2:
        raise InputError("An animation needs a sweep of all turns; this one holds a single turn (made with `only`).")
    if not 2 <= frames <= turns:
        raise InputError(f"An animation has from 2 to {turns} frames; got {frames}.")
    if not 200 <= size <= 1000:
        raise InputError(f"An animation is from 200 to 1000 pixels wide; got {size}.")
    drawing, encoding = shares(report, 3, 1)
    images = []
    for i in range(frames):
        angle = round(i * turns / frames)
        frame = Frame.of(sweep, picture, angle, other, angle, theme)
        images.append(_drawn(frame, size))
        drawing((i + 1) / frames)
    data = b""
    for fineness in _FINENESS[kind]:
        data = _encoded(images, kind, fineness, frame.theme)
        if len(data) <= MOST_BYTES:
            break
    encoding(1.0)
    return data


def _drawn(frame: Frame, size: int) -> Image.Image:
    canvas = PixelCanvas(size, size * 5 // 4, frame.theme.card)
    draw_dial(canvas, frame, (size / 2, size / 2), size / 2 - 4)
    draw_strip(canvas, frame, (22, size + 4), (size - 44, size / 4 - 30))
    return canvas.image()


def _encoded(images: list[Image.Image], kind: str, fineness: int, look: Theme) -> bytes:
    if kind == "gif":
        palette = _palette(look, fineness)
        images = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images]
    buffer = io.BytesIO()
    images[0].save(
        buffer, kind, save_all=True, append_images=images[1:], duration=round(1000 * _SECONDS / len(images)), loop=0,
        quality=fineness, method=2,
    )  # fmt: skip
    return buffer.getvalue()


def _palette(look: Theme, greys: int) -> Image.Image:
    """One for all frames, so that nothing flickers: hues, words, greys, and shades of them while greys are many."""
    colours = [look.card, look.text] + [hue(angle) for angle in np.radians(np.arange(0, 360, 2.5))]
    if greys > 4:
        colours += [colour.over(look.card, share) for colour in colours[2::4] for share in (0.6, 0.3)]
        colours += [look.quiet] + [look.text.over(look.card, share) for share in (0.75, 0.5, 0.25)]
    levels = np.linspace(0, 255, greys).round().astype(int).tolist()
    palette = Image.new("P", (1, 1))
    palette.putpalette([v for colour in colours for v in colour[:3]] + [v for level in levels for v in (level,) * 3])
    return palette
