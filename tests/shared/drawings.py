"""Reading a drawing back: the boxes of its texts, and whether all of it is on the page."""

import re
import xml.etree.ElementTree as ET
from itertools import combinations

import numpy as np

from tsa.stage.draw import text_width

SVG = "{http://www.w3.org/2000/svg}"


def text_boxes(svg):
    """(words, left, top, right, bottom) of each text, from the baseline to the top of its capitals."""
    boxes = []
    for text in ET.fromstring(svg).iter(f"{SVG}text"):
        x, y, size = (float(text.get(name)) for name in ("x", "y", "font-size"))
        width = text_width(text.text, size)
        left = x - {None: 0, "middle": 0.5, "end": 1}[text.get("text-anchor")] * width
        boxes.append((text.text, left, y - 0.72 * size, left + width, y + 0.05 * size))
    return boxes


def overlapping_texts(svg):
    """The pairs of texts that cover each other."""
    return [
        (a[0], b[0])
        for a, b in combinations(text_boxes(svg), 2)
        if a[1] < b[3] and b[1] < a[3] and a[2] < b[4] and b[2] < a[4]
    ]


def outside_the_page(svg):
    """The elements that are not wholly on the page, lines with their width and texts included."""
    root = ET.fromstring(svg)
    page = np.array([float(root.get("width")), float(root.get("height"))])
    found = [words for words, *box in text_boxes(svg) if min(box) < 0 or box[2] > page[0] or box[3] > page[1]]
    for element in root.iter():
        points = _points(element)
        if points is not None:
            half = float(element.get("stroke-width") or 0) / 2
            if (points - half < 0).any() or (points + half > page).any():
                found.append(element.tag.removeprefix(SVG))
    return found


def _points(element):
    get, kind = element.get, element.tag.removeprefix(SVG)
    number = lambda *names: np.array([float(get(name) or 0) for name in names])  # noqa: E731
    if kind in ("path", "polyline"):
        return np.array(re.findall(r"-?[\d.]+", get("d") or get("points")), float).reshape(-1, 2)
    if kind == "line":
        return number("x1", "y1", "x2", "y2").reshape(2, 2)
    if kind == "circle" and get("clipPathUnits") is None and get("cx") != ".5":
        centre, r = number("cx", "cy"), number("r")
        return np.stack([centre - r, centre + r])
    if kind in ("rect", "image"):
        corner, size = number("x", "y"), number("width", "height")
        return np.stack([corner, corner + size])
    return None
