"""The canvas that writes SVG: the only place where SVG is written."""

from html import escape

import numpy as np

from tsa._base import Array
from tsa.stage.draw.canvas.canvas import CORNER_RADIUS, Anchor, Canvas, Point, byte_image, png_address, text_width
from tsa.stage.draw.colours import Colour


class SvgCanvas(Canvas):
    """Writes an element for each call."""

    def __init__(self, width: int, height: int, ground: Colour) -> None:
        self.size = width, height
        self._clips = False  # whether a picture is clipped to a disc
        self._parts = [f'<rect width="{width}" height="{height}"{_paint("fill", ground)}/>']

    def document(self, title: str, description: str) -> str:
        """All that was drawn as an SVG file, with a title and a description for screen readers."""
        width, height = self.size
        head = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
            ' font-family="Helvetica, Arial, sans-serif" role="img" aria-labelledby="title desc">',
            f'<title id="title">{escape(title)}</title><desc id="desc">{escape(description)}</desc>',
        ]
        if self._clips:
            head.append(
                '<clipPath id="round" clipPathUnits="objectBoundingBox"><circle cx=".5" cy=".5" r=".5"/></clipPath>'
            )
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

    def polyline(self, points: Array, colour: Colour, width: float) -> None:
        """A <polyline>."""
        path = " ".join(f"{_n(x)},{_n(y)}" for x, y in points.tolist())
        stroke = f'{_paint("stroke", colour)} stroke-width="{_n(width)}" stroke-linejoin="round"'
        self._parts.append(f'<polyline points="{path}" fill="none"{stroke}/>')

    def frame(self, corner: Point, size: Point, colour: Colour) -> None:
        """A <rect> without a fill."""
        box = _box((corner[0] - 0.5, corner[1] - 0.5), (size[0] + 1, size[1] + 1))
        self._parts.append(f'<rect{box} fill="none"{_paint("stroke", colour)}/>')

    def card(self, corner: Point, size: Point, fill: Colour, border: Colour, radius: float = CORNER_RADIUS) -> None:
        """A <rect>."""
        paint = _paint("fill", fill) + _paint("stroke", border)
        self._parts.append(f'<rect{_box(corner, size)} rx="{_n(radius)}"{paint}/>')

    def label(
        self, at: Point, words: str, colour: Colour, size: float, anchor: Anchor = "start", bold: bool = False
    ) -> None:
        """A <text>, as wide as Pillow's font makes it, whatever the font of the reader: no two texts run together."""
        style = f' font-size="{_n(size)}"' + (' font-weight="600"' if bold else "")
        style += "" if anchor == "start" else f' text-anchor="{anchor}"'
        where = f' x="{_n(at[0])}" y="{_n(at[1])}"'
        style += f' textLength="{_n(text_width(words, size))}" lengthAdjust="spacingAndGlyphs"'
        self._parts.append(f"<text{where}{style}{_paint('fill', colour)}>{escape(words)}</text>")

    def picture(self, values: Array, centre: Point, side: float, turn: float = 0.0, coarse: bool = False) -> None:
        """An <image> that contains its pixels."""
        self._clips = True
        image = byte_image(values)
        image.thumbnail((round(3 * side), round(3 * side)))  # enough for any screen
        x, y = centre
        box = _box((x - side / 2, y - side / 2), (side, side))
        look = f' transform="rotate({-np.degrees(turn):g} {_n(x)} {_n(y)})"' if turn else ""
        look += _PIXELATED if coarse else ""
        self._parts.append(f'<image{box}{look} clip-path="url(#round)" href="{png_address(image)}"/>')

    def tile(self, values: Array, corner: Point, size: Point) -> None:
        """An <image> that contains its pixels."""
        address = png_address(byte_image(values))
        look = f' preserveAspectRatio="none"{_PIXELATED}'
        self._parts.append(f'<image{_box(corner, size)}{look} href="{address}"/>')


_PIXELATED = ' style="image-rendering:pixelated"'


def _paint(kind: str, colour: Colour) -> str:
    solid = f' {kind}="#{colour.red:02x}{colour.green:02x}{colour.blue:02x}"'
    return solid if colour.opacity >= 1 else f'{solid} {kind}-opacity="{colour.opacity:.2g}"'


def _box(corner: Point, size: Point) -> str:
    return f' x="{_n(corner[0])}" y="{_n(corner[1])}" width="{_n(size[0])}" height="{_n(size[1])}"'


def _circle(centre: Point, radius: float) -> str:
    return f' cx="{_n(centre[0])}" cy="{_n(centre[1])}" r="{_n(radius)}"'


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
