"""The canvas that draws pixels, with Pillow."""

from itertools import pairwise

import numpy as np
from PIL import Image, ImageDraw

from tsa._base import Array
from tsa.stage.draw.canvas._glyphs import GLYPHS, STROKE
from tsa.stage.draw.canvas.canvas import CORNER_RADIUS, Anchor, Canvas, Point, byte_image, font_of_size, text_pieces
from tsa.stage.draw.colours import Colour


class PixelCanvas(Canvas):
    """Draws on an image `fine` times as large, which is then reduced: all edges are smooth."""

    def __init__(self, width: int, height: int, ground: Colour, fine: int = 3) -> None:
        self._fine = fine
        self._image = Image.new("RGB", (width * self._fine, height * self._fine), ground[:3])
        self._draw = ImageDraw.Draw(self._image, "RGBA")  # blends colours with an opacity below 1

    def image(self) -> Image.Image:
        """All that was drawn, at its final size."""
        return self._image.reduce(self._fine)

    def polygon(self, points: Array, colour: Colour) -> None:
        """Pillow's polygon."""
        self._draw.polygon((points * self._fine).ravel().tolist(), _rgba(colour))

    def disc(self, centre: Point, radius: float, colour: Colour) -> None:
        """Pillow's ellipse."""
        self._draw.ellipse(self._box(centre, radius), _rgba(colour))

    def ring(self, centre: Point, radius: float, colour: Colour, width: float) -> None:
        """Pillow's ellipse without a fill."""
        stroke = max(1, round(width * self._fine))
        self._draw.ellipse(self._box(centre, radius + width / 2), None, _rgba(colour), stroke)

    def line(self, start: Point, end: Point, colour: Colour, width: float, dash: Point | None = None) -> None:
        """Each dash, or the whole line, as a polygon: Pillow's own lines have ragged ends."""
        a, b = np.array(start, float), np.array(end, float)
        length = float(np.hypot(*(b - a)))
        along = (b - a) / length if length else np.array([1.0, 0.0])
        excess = 0.5 / self._fine  # Pillow's polygons own the pixels on their edge, which shows where they are thin
        radius = width / 2 - excess
        if dash is None:
            self.polygon(_capsule(a, b, along, radius), colour)
            return
        across = np.array([-along[1], along[0]]) * radius
        for begin in np.arange(0, length, sum(dash)):
            p, q = a + (begin + excess) * along, a + (min(begin + dash[0], length) - excess) * along
            self.polygon(np.stack([p + across, q + across, q - across, p - across]), colour)

    def polyline(self, points: Array, colour: Colour, width: float) -> None:
        """A line with round ends for each piece: round corners too."""
        for start, end in pairwise(points.tolist()):
            self.line((start[0], start[1]), (end[0], end[1]), colour, width)

    def frame(self, corner: Point, size: Point, colour: Colour) -> None:
        """Pillow's rectangle without a fill."""
        (x, y), (width, height) = corner, size
        box = [self._fine * v for v in (x - 1, y - 1, x + width + 1, y + height + 1)]
        self._draw.rectangle((box[0], box[1], box[2] - 1, box[3] - 1), None, _rgba(colour), self._fine)

    def card(self, corner: Point, size: Point, fill: Colour, border: Colour, radius: float = CORNER_RADIUS) -> None:
        """Pillow's rounded rectangle."""
        (x, y), (width, height) = corner, size
        box = [self._fine * v for v in (x - 0.5, y - 0.5, x + width + 0.5, y + height + 0.5)]
        self._draw.rounded_rectangle(box, radius * self._fine, _rgba(fill), _rgba(border), self._fine)

    def label(
        self, at: Point, words: str, colour: Colour, size: float, anchor: Anchor = "start", bold: bool = False
    ) -> None:
        """Pillow's own font, which has one weight: bold is a stroke around it. `GLYPHS` are drawn."""
        large = size * self._fine
        font = font_of_size(large)
        pieces = text_pieces(words, large)
        left = at[0] * self._fine - {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor] * sum(w for _, w in pieces)
        base = at[1] * self._fine
        stroke = max(1, round(_BOLD * large)) if bold else 0
        for piece, width in pieces:
            if piece in GLYPHS:
                width_of_stroke = max(1, round(STROKE * large + 2 * stroke))
                for points in GLYPHS[piece][1]:
                    placed = np.array([left, base]) + large * points * np.array([1, -1])
                    self._draw.line(placed.ravel().tolist(), colour[:3], width_of_stroke, "curve")
            else:
                self._draw.text((left, base), piece, colour[:3], font, "ls", stroke_width=stroke)
            left += width

    def picture(self, values: Array, centre: Point, side: float, turn: float = 0.0, coarse: bool = False) -> None:
        """The picture at its final size, rotated, pasted through a round mask."""
        pixels = round(side * self._fine)
        large = byte_image(values).resize(
            (pixels, pixels), Image.Resampling.NEAREST if coarse else Image.Resampling.BICUBIC
        )
        if turn:
            large = large.rotate(float(np.degrees(turn)), Image.Resampling.BILINEAR)
        mask = Image.new("L", large.size)
        ImageDraw.Draw(mask).ellipse((0, 0, pixels - 1, pixels - 1), 255)
        x, y = (round(c * self._fine - pixels / 2) for c in centre)
        self._image.paste(large, (x, y), mask)

    def tile(self, values: Array, corner: Point, size: Point) -> None:
        """The picture at its final size, pasted."""
        width, height, left, top = (round(self._fine * v) for v in (*size, *corner))
        self._image.paste(byte_image(values).resize((width, height), Image.Resampling.NEAREST), (left, top))

    def _box(self, centre: Point, radius: float) -> tuple[int, int, int, int]:
        x, y, r = (self._fine * v for v in (*centre, radius))
        return round(x - r), round(y - r), round(x + r) - 1, round(y + r) - 1  # the last pixels are Pillow's own


_BOLD = 0.018  # width of the stroke around bold text, as a share of its size


def _capsule(a: Array, b: Array, along: Array, radius: float) -> Array:
    half = np.linspace(-np.pi / 2, np.pi / 2, 9)
    out = np.outer(np.cos(half), along) + np.outer(np.sin(half), [-along[1], along[0]])
    return np.concatenate([b + radius * out, a - radius * out])


def _rgba(colour: Colour) -> tuple[int, int, int, int]:
    return *colour[:3], round(255 * colour.opacity)
