"""A tiny vector canvas with two backends that draw the same calls: SVG as text, and pixels with Pillow.

x runs to the right and y down; later things cover earlier ones. Nothing is fetched: SVG names no font but sans-serif,
pixels use the font that comes with Pillow.
"""

import base64
import io
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import lru_cache
from html import escape
from typing import Literal

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from tsa.checks import Array
from tsa.colours import Colour

Point = tuple[float, float]
Anchor = Literal["start", "middle", "end"]


class Canvas(ABC):
    """Something that can be drawn on. Points are (n, 2) or pairs, lengths are in pixels of the finished picture."""

    @abstractmethod
    def polygon(self, points: Array, colour: Colour) -> None:
        """A filled shape."""

    @abstractmethod
    def disc(self, centre: Point, radius: float, colour: Colour) -> None:
        """A filled circle."""

    @abstractmethod
    def ring(self, centre: Point, radius: float, colour: Colour, width: float) -> None:
        """A circle's line."""

    @abstractmethod
    def line(self, start: Point, end: Point, colour: Colour, width: float, dash: Point | None = None) -> None:
        """A straight line with round ends, or dashes (length, gap)."""

    @abstractmethod
    def card(self, corner: Point, size: Point, fill: Colour, line: Colour) -> None:
        """A box with rounded corners and a thin line around it; `corner` is the upper left one."""

    @abstractmethod
    def label(
        self, at: Point, words: str, colour: Colour, size: float, anchor: Anchor = "start", bold: bool = False
    ) -> None:
        """Words on a baseline, always opaque."""

    @abstractmethod
    def picture(self, values: Array, centre: Point, side: float, turn: float = 0.0, coarse: bool = False) -> None:
        """A square grey picture in 0…1, cut round, turned counter-clockwise by radians; a coarse one shows pixels."""

    def fan(self, inner: Array, outer: Array, colours: Sequence[Colour]) -> None:
        """The band between two outlines (n + 1, 2), in n slices of their own colour.

        Every slice reaches under the next one, so that no hairline of the ground shows between them.
        """
        three = np.minimum(np.arange(len(colours))[:, None] + np.arange(3), len(outer) - 1)
        slices = np.concatenate([outer[three], inner[three[:, ::-1]]], axis=1)
        for points, colour in zip(slices, colours, strict=True):
            self.polygon(points, colour)


class SvgCanvas(Canvas):
    """Draws by writing SVG."""

    def __init__(self, width: int, height: int, ground: Colour) -> None:
        self.size = width, height
        self._parts = [f'<rect width="{width}" height="{height}"{_paint("fill", ground)}/>']

    def document(self, title: str, description: str) -> str:
        """All that was drawn, as one SVG file that says in words what it shows."""
        width, height = self.size
        head = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
            ' font-family="sans-serif" role="img" aria-labelledby="title desc">',
            f'<title id="title">{escape(title)}</title><desc id="desc">{escape(description)}</desc>',
            '<clipPath id="round" clipPathUnits="objectBoundingBox"><circle cx=".5" cy=".5" r=".5"/></clipPath>',
        ]
        return "\n".join([*head, *self._parts, "</svg>", ""])

    def polygon(self, points: Array, colour: Colour) -> None:
        """A <path>."""
        path = "L".join(f"{_n(x)} {_n(y)}" for x, y in points.tolist())
        self._parts.append(f'<path d="M{path}Z"{_paint("fill", colour)}/>')

    def disc(self, centre: Point, radius: float, colour: Colour) -> None:
        """A <circle>."""
        self._parts.append(f"<circle{_circle(centre, radius)}{_paint('fill', colour)}/>")

    def ring(self, centre: Point, radius: float, colour: Colour, width: float) -> None:
        """A <circle> without a fill."""
        paint = _paint("stroke", colour)
        self._parts.append(f'<circle{_circle(centre, radius)} fill="none"{paint} stroke-width="{_n(width)}"/>')

    def line(self, start: Point, end: Point, colour: Colour, width: float, dash: Point | None = None) -> None:
        """A <line>."""
        ends = f' x1="{_n(start[0])}" y1="{_n(start[1])}" x2="{_n(end[0])}" y2="{_n(end[1])}"'
        style = ' stroke-linecap="round"' if dash is None else f' stroke-dasharray="{_n(dash[0])} {_n(dash[1])}"'
        self._parts.append(f'<line{ends}{_paint("stroke", colour)} stroke-width="{_n(width)}"{style}/>')

    def card(self, corner: Point, size: Point, fill: Colour, line: Colour) -> None:
        """A <rect>."""
        box = f' x="{_n(corner[0])}" y="{_n(corner[1])}" width="{_n(size[0])}" height="{_n(size[1])}" rx="{_ROUNDING}"'
        self._parts.append(f"<rect{box}{_paint('fill', fill)}{_paint('stroke', line)}/>")

    def label(
        self, at: Point, words: str, colour: Colour, size: float, anchor: Anchor = "start", bold: bool = False
    ) -> None:
        """A <text>."""
        style = f' font-size="{_n(size)}"' + (' font-weight="600"' if bold else "")
        style += "" if anchor == "start" else f' text-anchor="{anchor}"'
        where = f' x="{_n(at[0])}" y="{_n(at[1])}"'
        self._parts.append(f"<text{where}{style}{_paint('fill', colour)}>{escape(words)}</text>")

    def picture(self, values: Array, centre: Point, side: float, turn: float = 0.0, coarse: bool = False) -> None:
        """An <image> with its pixels inside."""
        image = _grey(values)
        image.thumbnail((round(3 * side), round(3 * side)))  # enough for any screen
        x, y = centre
        box = f' x="{_n(x - side / 2)}" y="{_n(y - side / 2)}" width="{_n(side)}" height="{_n(side)}"'
        look = f' transform="rotate({-np.degrees(turn):g} {_n(x)} {_n(y)})"' if turn else ""
        look += ' style="image-rendering:pixelated"' if coarse else ""
        self._parts.append(f'<image{box}{look} clip-path="url(#round)" href="{data_address(image)}"/>')


class PixelCanvas(Canvas):
    """Draws on a larger Pillow image, which is then made small: smooth edges everywhere."""

    _fine = 3  # pixels drawn for each one in the end

    def __init__(self, width: int, height: int, ground: Colour) -> None:
        self._image = Image.new("RGB", (width * self._fine, height * self._fine), ground[:3])
        self._draw = ImageDraw.Draw(self._image, "RGBA")  # blends what is seen through

    def image(self) -> Image.Image:
        """All that was drawn, at its final size."""
        return self._image.reduce(self._fine)

    def polygon(self, points: Array, colour: Colour) -> None:
        """Pillow's polygon."""
        self._draw.polygon((points * self._fine - 0.5).ravel().tolist(), _rgba(colour))

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

    def card(self, corner: Point, size: Point, fill: Colour, line: Colour) -> None:
        """Pillow's rounded rectangle."""
        (x, y), (width, height) = corner, size
        box = [self._fine * v for v in (x - 0.5, y - 0.5, x + width + 0.5, y + height + 0.5)]
        self._draw.rounded_rectangle(box, _ROUNDING * self._fine, _rgba(fill), _rgba(line), self._fine)

    def label(
        self, at: Point, words: str, colour: Colour, size: float, anchor: Anchor = "start", bold: bool = False
    ) -> None:
        """Pillow's own font, which has one weight: bold is a thin stroke around it."""
        self._draw.text(
            (at[0] * self._fine, at[1] * self._fine), words.translate(_SUBSTITUTES), colour[:3],
            _font(size * self._fine), {"start": "ls", "middle": "ms", "end": "rs"}[anchor], stroke_width=int(bold),
        )  # fmt: skip

    def picture(self, values: Array, centre: Point, side: float, turn: float = 0.0, coarse: bool = False) -> None:
        """The picture at its final size, turned, pasted through a round mask."""
        pixels = round(side * self._fine)
        large = _grey(values).resize((pixels, pixels), Image.Resampling.NEAREST if coarse else Image.Resampling.BICUBIC)
        if turn:
            large = large.rotate(float(np.degrees(turn)), Image.Resampling.BILINEAR)
        mask = Image.new("L", large.size)
        ImageDraw.Draw(mask).ellipse((0, 0, pixels - 1, pixels - 1), 255)
        x, y = (round(c * self._fine - pixels / 2) for c in centre)
        self._image.paste(large, (x, y), mask)

    def _box(self, centre: Point, radius: float) -> tuple[float, float, float, float]:
        x, y, r = (self._fine * v for v in (*centre, radius))
        return x - r - 0.5, y - r - 0.5, x + r - 0.5, y + r - 0.5


def wrapped(words: str, width: float, size: float) -> list[str]:
    """Lines that fit into a width at a size of type, also in fonts somewhat wider than ours."""
    lines = list[str]()
    for word in words.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and 1.15 * _font(size).getlength(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def data_address(image: Image.Image) -> str:
    """The image as a `data:` address, which puts it into an SVG file."""
    buffer = io.BytesIO()
    image.save(buffer, "PNG", optimize=True)
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()


def around(centre: Point, radius: Array | float, angle: Array) -> Array:
    """Points (n, 2) at a radius and angles around a centre; angles run counter-clockwise as seen."""
    return np.stack([centre[0] + radius * np.cos(angle), centre[1] - radius * np.sin(angle)], axis=-1)


_ROUNDING = 12
_SUBSTITUTES = str.maketrans({"−": "-"})  # Pillow's font has no minus sign


@lru_cache(maxsize=64)
def _font(size: float) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)


def _grey(values: Array) -> Image.Image:
    return Image.fromarray(np.rint(255 * np.clip(values, 0, 1)).astype(np.uint8))


def _capsule(a: Array, b: Array, along: Array, radius: float) -> Array:
    half = np.linspace(-np.pi / 2, np.pi / 2, 9)
    out = np.outer(np.cos(half), along) + np.outer(np.sin(half), [-along[1], along[0]])
    return np.concatenate([b + radius * out, a - radius * out])


def _rgba(colour: Colour) -> tuple[int, int, int, int]:
    return *colour[:3], round(255 * colour.opacity)


def _paint(kind: str, colour: Colour) -> str:
    solid = f' {kind}="#{colour.red:02x}{colour.green:02x}{colour.blue:02x}"'
    return solid if colour.opacity >= 1 else f'{solid} {kind}-opacity="{colour.opacity:.2g}"'


def _circle(centre: Point, radius: float) -> str:
    return f' cx="{_n(centre[0])}" cy="{_n(centre[1])}" r="{_n(radius)}"'


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
