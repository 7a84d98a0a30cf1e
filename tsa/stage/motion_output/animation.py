"""The window opens and closes again, with the posterior at each size, as an animated WebP or GIF."""

import numpy as np
from PIL import Image

from tsa._base import InputError
from tsa.stage.draw import PixelCanvas, Theme, encode_animation, theme, wrapped
from tsa.stage.motion import MotionScene
from tsa.stage.motion_output.drawing import draw_plane, draw_world
from tsa.stage.words import motion as words

_SECONDS = 7.0  # there and back
_HEAD = 62.0  # pixels above the pictures, for two lines of text


def motion_animation(
    scene: MotionScene, kind: str = "webp", theme_name: str = "light", frames: int = 20, size: int = 720
) -> bytes:
    """A file that loops: the window from a tenth of the world to all of it in `frames` steps, and back.

    `kind` is "webp" or "gif"; it is `size` pixels wide.
    """
    if not 2 <= frames <= 100 or not 400 <= size <= 1200:
        raise InputError(f"An animation has 2 to 100 frames of 400 to 1200 pixels; got {frames} of {size}.")
    images = [_drawn(one, theme(theme_name), size) for one in widening(scene, frames)]
    return encode_animation(images + images[-2:0:-1], kind, theme(theme_name), _SECONDS)


def widening(scene: MotionScene, count: int) -> list[MotionScene]:
    """The scene with its window from a tenth of the world to all of it, in `count` equal steps."""
    sizes = np.round(2 * np.linspace(scene.side / 10, scene.side, count)) / 2
    return [scene.through(float(size)) for size in sizes]


def _drawn(scene: MotionScene, look: Theme, size: int) -> Image.Image:
    side = (size - 48) / 2.17
    canvas = PixelCanvas(size, round(_HEAD + side * 1.17 + 24), look.card)
    headline = words.motion_words(scene).headline
    type_size = next((s for s in (20.0, 18.0, 16.0, 14.0) if len(wrapped(headline, size - 32, s)) == 1), 12.0)
    canvas.label((16, 38), headline, look.text, type_size, bold=True)
    draw_world(canvas, scene, (16, _HEAD + 44 * side / 500), side)
    draw_plane(canvas, scene, look, (32 + side, _HEAD - 8), side * 1.17)
    return canvas.image()
