"""Small pictures of densities as HTML, for notebooks: curves of the circle, a heat map of the 2-torus.

The lines have the colour of the text and the heat map is one hue of varying opacity, so that they suit a light and a
dark page.
"""

from base64 import b64encode
from io import BytesIO

import numpy as np
from PIL import Image

from tsa._base import Array

_CURVE_SIZE = (150, 48)  # width and height in pixels
_MAP_SIZE = 96  # points and pixels along each axis
_LINE_OPACITY = 0.2
_BLUE = (66, 133, 244)


def curves(values: Array) -> str:
    """One small SVG for each row of `values` (n, m), over [0, 2π), each scaled to its own maximum."""
    return "".join(_curve(row / max(row.max(), 1e-300)) for row in values.astype(np.float64))


def _curve(heights: Array) -> str:
    width, height = _CURVE_SIZE
    across = (np.arange(heights.size) + 0.5) * (width / heights.size)
    down = (height - 2) - (height - 4) * heights
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(across, down, strict=True))
    return (
        f'<svg width="{width}" height="{height}" viewBox="0 0 {width} {height}" style="margin:2px">'
        f'<path d="M0 {height - 1.5}H{width}" stroke="currentColor" opacity="0.3"/>'
        f'<polyline points="{points}" fill="none" stroke="currentColor" stroke-width="1.5"/></svg>'
    )


def heat_map(eta: Array, frequencies: Array, mode: Array) -> str:
    """p(s)/max p over [0, 2π)² as the opacity of a picture: s₁ to the right, s₂ upwards.

    The pixel that holds the mode is full, and faint lines lead to it: a peak between the points is seen, and found.
    """
    s = 2 * np.pi * (np.arange(_MAP_SIZE) + 0.5) / _MAP_SIZE
    k1, k2 = frequencies.T
    # On a product grid the double sum is one matrix product.
    energy = ((eta.conj() * np.exp(1j * s[:, None] * k1)) @ np.exp(1j * k2[:, None] * s)).real
    top = (eta.conj() * np.exp(1j * (frequencies @ mode.astype(np.float64)))).real.sum()
    opacity = np.exp(np.minimum(energy - max(top, energy.max()), 0.0))
    column, row = (mode * _MAP_SIZE / (2 * np.pi)).astype(int) % _MAP_SIZE
    for through_mode in (opacity[column], opacity[:, row]):
        np.maximum(through_mode, _LINE_OPACITY, out=through_mode)
    opacity[column, row] = 1.0
    pixels = np.empty((_MAP_SIZE, _MAP_SIZE, 4), np.uint8)
    pixels[..., :3], pixels[..., 3] = _BLUE, np.round(255 * opacity.T[::-1])
    with BytesIO() as buffer:
        Image.fromarray(pixels, "RGBA").save(buffer, "PNG", optimize=True)
        encoded = b64encode(buffer.getvalue()).decode()
    return (
        f'<img width="{_MAP_SIZE}" height="{_MAP_SIZE}" style="border:1px solid currentColor" '
        f'alt="heat map of the density" src="data:image/png;base64,{encoded}">'
    )
