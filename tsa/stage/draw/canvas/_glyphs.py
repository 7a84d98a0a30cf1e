"""Characters that Pillow's font lacks, as strokes in units of the font size; y runs up from the baseline."""

import numpy as np

from tsa._base import Array

STROKE = 0.076  # width of a stem of the font


def _arc(centre: tuple[float, float], radii: tuple[float, float], start: float, stop: float) -> Array:
    """Points on an ellipse between two angles in degrees."""
    angle = np.radians(np.linspace(start, stop, 25))
    return np.stack([centre[0] + radii[0] * np.cos(angle), centre[1] + radii[1] * np.sin(angle)], axis=-1)


def _wave(height: float) -> Array:
    x = np.linspace(0.07, 0.51, 21)
    return np.stack([x, height + 0.045 * np.sin((x - 0.07) / 0.44 * 2 * np.pi)], axis=-1)


# The width of each character, and its strokes (n, 2).
GLYPHS: dict[str, tuple[float, list[Array]]] = {
    "−": (0.58, [np.array([[0.07, 0.27], [0.51, 0.27]])]),
    "–": (0.52, [np.array([[0.04, 0.25], [0.48, 0.25]])]),
    "×": (0.58, [np.array([[0.11, 0.09], [0.47, 0.45]]), np.array([[0.11, 0.45], [0.47, 0.09]])]),
    "²": (
        0.36,
        [np.concatenate([_arc((0.17, 0.6), (0.1, 0.1), 160, -30), [[0.07, 0.36], [0.29, 0.36]]])],
    ),
    "≈": (0.58, [_wave(0.19), _wave(0.36)]),
    "κ": (
        0.53,
        [
            np.array([[0.1, 0.04], [0.1, 0.49]]),
            np.array([[0.44, 0.49], [0.12, 0.25]]),
            np.array([[0.22, 0.32], [0.46, 0.04]]),
        ],
    ),
    "σ": (0.6, [_arc((0.27, 0.255), (0.205, 0.23), 0, 360), np.array([[0.27, 0.485], [0.54, 0.485]])]),
    "μ": (
        0.6,
        [
            np.array([[0.1, -0.17], [0.1, 0.49]]),
            np.concatenate([_arc((0.285, 0.2), (0.185, 0.175), 180, 360), [[0.47, 0.49], [0.47, 0.04]]]),
        ],
    ),
    "Σ": (0.62, [np.array([[0.54, 0.65], [0.1, 0.65], [0.34, 0.345], [0.1, 0.04], [0.56, 0.04]])]),
}
