"""The drawing operations: a small vector canvas with two backends, SVG text (`_svg`) and pixels by Pillow (`_pixels`).

x runs to the right and y down, in pixels of the finished picture; later drawings cover earlier ones. No font is
fetched: SVG names sans-serif, pixels use the font that comes with Pillow.
"""

import base64
import io
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

import numpy as np
from PIL import Image, ImageFont

from tsa._base import Array
from tsa.stage.draw.canvas._glyphs import GLYPHS
from tsa.stage.draw.colours import Colour

CORNER_RADIUS = 12  # pixels, of a card

Point = tuple[float, float]
Anchor = Literal["start", "middle", "end"]


class Canvas(ABC):
    """A picture in the making. Points are pairs or arrays (n, 2), lengths are in pixels of the finished picture."""

    @abstractmethod
    def polygon(self, points: Array, colour: Colour) -> None:
        """A filled shape."""

    @abstractmethod
    def disc(self, centre: Point, radius: float, colour: Colour) -> None:
        """A filled circle."""

    @abstractmethod
    def ring(self, centre: Point, radius: float, colour: Colour, width: float) -> None:
        """The outline of a circle; half of its width lies on either side of the radius."""

    @abstractmethod
    def line(self, start: Point, end: Point, colour: Colour, width: float, dash: Point | None = None) -> None:
        """A straight line with round ends, or dashes (length, gap)."""

    @abstractmethod
    def polyline(self, points: Array, colour: Colour, width: float) -> None:
        """Straight lines through points (n, 2)."""

    @abstractmethod
    def frame(self, corner: Point, size: Point, colour: Colour) -> None:
        """A line of one pixel just outside a box; `corner` is the upper left one."""

    @abstractmethod
    def card(self, corner: Point, size: Point, fill: Colour, border: Colour, radius: float = CORNER_RADIUS) -> None:
        """A box with rounded corners and a border of one pixel; `corner` is the upper left one."""

    @abstractmethod
    def label(
        self, at: Point, words: str, colour: Colour, size: float, anchor: Anchor = "start", bold: bool = False
    ) -> None:
        """Opaque text; `at` is the start, middle or end of its baseline."""

    @abstractmethod
    def picture(self, values: Array, centre: Point, side: float, turn: float = 0.0, coarse: bool = False) -> None:
        """The inscribed disc of a square grey picture (n, n) in 0…1, turned counter-clockwise by radians.

        `coarse` shows its pixels as squares; otherwise it is interpolated.
        """

    @abstractmethod
    def tile(self, values: Array, corner: Point, size: Point) -> None:
        """A picture in 0…1 as a box, its pixels shown as rectangles: grey (rows, columns), or in colour (…, 3)."""

    def fan(self, inner: Array, outer: Array, colours: Sequence[Colour]) -> None:
        """The band between two outlines (n + 1, 2), in n slices, each with its colour.

        Every slice extends under the next one, so that no hairline of the background shows between them.
        """
        three = np.minimum(np.arange(len(colours))[:, None] + np.arange(3), len(outer) - 1)
        slices = np.concatenate([outer[three], inner[three[:, ::-1]]], axis=1)
        for points, colour in zip(slices, colours, strict=True):
            self.polygon(points, colour)


def wrapped(words: str, width: float, size: float) -> list[str]:
    """Lines of text that fit into a width at a font size."""
    lines = list[str]()
    for word in words.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, size) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def balanced(words: str, width: float, size: float) -> list[str]:
    """As few lines as fit into a width, and these about equally long: no word stands alone on the last one."""
    lines = wrapped(words, width, size)
    for narrower in np.arange(width, width / 2, -size):
        tried = wrapped(words, float(narrower), size)
        if len(tried) > len(lines):
            break
        lines = tried
    return lines


def text_width(words: str, size: float) -> float:
    """The width of a line of text at a font size: pixels have it by their font, SVG is told to."""
    return sum(width for _, width in text_pieces(words, size))


def text_pieces(words: str, size: float) -> list[tuple[str, float]]:
    """A line of text in pieces that the font can draw and single characters of `GLYPHS`, each with its width."""
    font = font_of_size(_MEASURED_SIZE)  # at one large size, so that widths do not depend on rounding
    return [
        (piece, size * (GLYPHS[piece][0] if piece in GLYPHS else font.getlength(piece) / _MEASURED_SIZE))
        for piece in _UNKNOWN_TO_FONT.split(words)
        if piece
    ]


def around(centre: Point, radius: Array | float, angle: Array) -> Array:
    """Points (n, 2) at a radius and angles around a centre; angles run counter-clockwise."""
    return np.stack([centre[0] + radius * np.cos(angle), centre[1] - radius * np.sin(angle)], axis=-1)


def runs(mask: Array) -> list[tuple[int, int]]:
    """The runs of true values in a mask, as (start, stop) pairs."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(int), [0]])))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


_MEASURED_SIZE = 200.0  # pixels
_UNKNOWN_TO_FONT = re.compile(f"([{''.join(GLYPHS)}])")


@lru_cache(maxsize=64)
def font_of_size(size: float) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """The font that comes with Pillow, at this size in pixels."""
    return ImageFont.load_default(size)


def byte_image(values: Array) -> Image.Image:
    """Values in 0…1 as an 8-bit image: grey (rows, columns), or red, green and blue (rows, columns, 3)."""
    return Image.fromarray(np.rint(255 * np.clip(values, 0, 1)).astype(np.uint8))


def png_address(image: Image.Image) -> str:
    """The image as a `data:` address, which carries its pixels: for an SVG file or an <img>."""
    buffer = io.BytesIO()
    image.save(buffer, "PNG", optimize=True)
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()
