"""Pictures in a world of n×n pixels that closes at its edges, and windows on it: bars, gratings, a barber pole.

What a person reads is (right, up), in pixels from the middle of the world; angles are in degrees, counter-clockwise
from the right as seen on screen. Arrays have rows downwards, and so have shifts of `tsa`: `shift_from_motion` and
`motion_from_shift` convert. Pictures lie between 0 and 1. Their edges are blurred like those of a camera, so that they
can be moved by parts of a pixel: a wave at the highest frequency of the pixels keeps 9 % of its height.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import ArrayLike
from scipy import fft
from scipy.special import ndtr

from tsa._base import Array, InputError, Rng, checks

Motion = tuple[float, float]  # (right, up) in pixels; for waves, in periods per world

_BLUR_PIXELS = 0.7  # standard deviation of the edges
_MIN_SIDE, _MAX_SIDE = 4, 1024


# -- pictures ----------------------------------------------------------------------------------------------


def bar(n: int, angle: float, length: float, thickness: float, centre: Motion = (0, 0)) -> Array:
    """A white bar on black that runs in the direction `angle`."""
    along, across = _unit(angle), _unit(angle + 90)

    def drawn(right: Array, up: Array) -> Array:
        return _slab(right, up, along, length) * _slab(right, up, across, thickness)

    return _repeated(n, drawn, length + thickness, centre)


def grating(n: int, wave: tuple[int, int], phase: float = 0.0, contrast: float = 1.0) -> Array:
    """Stripes, ½ + ½ contrast · cos(2π wave·(right, up)/n − phase), with `wave` in whole periods per world.

    They run at right angles to `wave`, n/|wave| pixels apart. `phase` is in radians and moves them along `wave`.
    """
    if any(not isinstance(k, int | np.integer) or 2 * abs(k) > n for k in wave):
        raise InputError(f"A wave has whole periods per world, at most half of {n} pixels; got {wave!r}.")
    right, up = _pixels(n)
    return 0.5 + 0.5 * contrast * np.cos(2 * np.pi * (wave[0] * right + wave[1] * up) / n - phase)


def plaid(
    n: int,
    waves: tuple[tuple[int, int], tuple[int, int]],
    phases: tuple[float, float] = (0, 0),
    contrasts: tuple[float, float] = (1, 1),
) -> Array:
    """The mean of two gratings. Its periods per world are as many as the determinant of the waves."""
    first, second = (grating(n, *wave) for wave in zip(waves, phases, contrasts, strict=True))
    return (first + second) / 2


def corner(n: int, side: float, angle: float = 0.0, centre: Motion = (0, 0)) -> Array:
    """A white square with a corner at `centre`; its sides run from there in the directions `angle` and `angle` + 90."""
    one, other = _unit(angle), _unit(angle + 90)

    def drawn(right: Array, up: Array) -> Array:
        middle = side / 2 * (one + other)
        right, up = right - middle[0], up - middle[1]
        return _slab(right, up, one, side) * _slab(right, up, other, side)

    return _repeated(n, drawn, 3 * side, centre)


def dot(n: int, diameter: float, centre: Motion = (0, 0)) -> Array:
    """A white dot on black."""

    def drawn(right: Array, up: Array) -> Array:
        return ndtr((diameter / 2 - np.hypot(right, up)) / _BLUR_PIXELS)

    return _repeated(n, drawn, diameter, centre)


def texture(n: int, grain: float = 1.5, rng: Rng = 7) -> Array:
    """White noise blurred by a Gaussian of `grain` pixels, from 0 to 1: no part of it is like another."""
    frequency = fft.fftfreq(_side(n))
    blur = np.exp(-2 * (np.pi * grain) ** 2 * (frequency[:, None] ** 2 + frequency**2))
    smooth = fft.ifft2(fft.fft2(checks.generator(rng).standard_normal((n, n))) * blur).real
    return (smooth - smooth.min()) / np.ptp(smooth)


def rhombus(n: int, edges: tuple[float, float], side: float, centre: Motion = (0, 0)) -> Array:
    """A white rhombus on black, with sides of `side` pixels in the two directions `edges`."""
    height = side * abs(np.sin(np.radians(edges[1] - edges[0])))  # distance of opposite sides

    def drawn(right: Array, up: Array) -> Array:
        return _slab(right, up, _unit(edges[0] + 90), height) * _slab(right, up, _unit(edges[1] + 90), height)

    return _repeated(n, drawn, 2 * side, centre)


def barber_pole(n: int, wave: tuple[int, int], width: float, phase: float = 0.0) -> Array:
    """A grating on a black ground, seen on an upright pole that is `width` pixels wide and closes around the world.

    A growing `phase` moves the stripes and not the pole; the same pictures come from moving all of it up or down.
    """
    right, up = _pixels(n)
    return grating(n, wave, phase) * _slab(right, up, _unit(0), width)


# A drawn face: ellipses, painted one over the other, as (right, up, half width, half height) in half worlds, turned by
# degrees, and their shade.
_FACE = (
    ((0.0, 0.05, 0.60, 0.78), 0, 0.22),  # hair
    ((0.0, -0.08, 0.50, 0.66), 0, 0.72),  # skin
    ((0.12, -0.06, 0.36, 0.56), 0, 0.80),  # lit from the right
    ((-0.20, 0.20, 0.13, 0.035), 12, 0.12),  # eyebrows
    ((0.20, 0.22, 0.13, 0.035), -6, 0.12),
    ((-0.20, 0.06, 0.11, 0.07), 0, 1.0),  # eyes
    ((0.20, 0.06, 0.11, 0.07), 0, 1.0),
    ((-0.18, 0.06, 0.05, 0.06), 0, 0.0),
    ((0.22, 0.06, 0.05, 0.06), 0, 0.0),
    ((-0.05, -0.14, 0.035, 0.16), -10, 0.52),  # nose
    ((0.0, -0.27, 0.10, 0.035), 0, 0.45),
    ((0.0, -0.46, 0.20, 0.065), 3, 0.30),  # mouth
    ((0.02, -0.42, 0.20, 0.035), 3, 0.66),
    ((-0.02, 0.62, 0.42, 0.20), 8, 0.18),  # fringe
)


def face(n: int) -> Array:
    """A face on black, drawn from ellipses: no two parts of it are alike, so a small window already tells how far."""
    right, up = _pixels(n)
    picture = np.zeros((n, n))
    for (x, y, width, height), degrees, shade in _FACE:
        (c, s), a, b = _unit(degrees), 2 * right / n - x, 2 * up / n - y
        along, across = (c * a + s * b) / width, (c * b - s * a) / height
        radius = np.hypot(along, across)  # 1 on the edge
        slope = np.hypot(along / width, across / height) / np.maximum(radius, 1e-9)
        inside = (1 - radius) / np.maximum(slope, 1e-9) * n / 2  # distance from the edge, in pixels
        picture += ndtr(inside / _BLUR_PIXELS) * (shade - picture)
    return picture


@dataclass(frozen=True)
class PeriodicPicture:
    """A picture with its name, drawn to scale at any size n of the world."""

    name: str
    draw: Callable[[int], Array]


PERIODIC_PICTURES = {
    picture.name: picture
    for picture in (
        PeriodicPicture("bar", lambda n: bar(n, 62, 46 * n / 48, n / 12)),
        PeriodicPicture("grating", lambda n: grating(n, (4, -2))),
        PeriodicPicture("plaid", lambda n: plaid(n, ((4, -1), (1, 4)))),
        PeriodicPicture("corner", lambda n: corner(n, 22 * n / 48, -90, (-n / 16, -n / 16))),
        PeriodicPicture("dot", lambda n: dot(n, n / 6)),
        PeriodicPicture("texture", lambda n: _with_equal_shades(texture(n))),
        PeriodicPicture("face", face),
        PeriodicPicture("thin rhombus", lambda n: rhombus(n, (45, np.degrees(np.arctan(1.5))), 0.45 * n)),
        PeriodicPicture("fat rhombus", lambda n: rhombus(n, (-35, 35), 0.45 * n)),
        PeriodicPicture("slanted plaid", lambda n: plaid(n, ((4, 0), (4, 1)))),
        PeriodicPicture("barber pole", lambda n: barber_pole(n, (3, 3), n / 4)),
    )
}


def _with_equal_shades(picture: Array) -> Array:
    """A Gaussian texture with about as many pixels of each shade, so that its contrast is like that of the others."""
    return np.asarray(ndtr((picture - picture.mean()) / picture.std()))


def draw_periodic(name: str, n: int = 48) -> Array:
    """The picture of this name, (n, n) between 0 and 1."""
    if name not in PERIODIC_PICTURES:
        raise InputError(f"There is no picture {name!r} of motion; there are {', '.join(PERIODIC_PICTURES)}.")
    return PERIODIC_PICTURES[name].draw(n)


# -- windows and motions -----------------------------------------------------------------------------------


def round_window(shape: tuple[int, int], diameter: float, centre: Motion = (0, 0), edge: float = 0.0) -> Array:
    """How much of each pixel is seen through a round window: 1 inside, 0 outside, (h, w).

    Between them the weight falls linearly over `edge` pixels, half of them inside the diameter; 0 is a hard edge. A
    window that reaches over an edge of the world goes on at the opposite one.
    """
    if not (np.isfinite(diameter) and diameter >= 0 and np.isfinite(edge) and edge >= 0):
        raise InputError(f"A window has a diameter and an edge of 0 pixels or more; got {diameter!r} and {edge!r}.")
    right, up = _pixels(*shape)
    away = (right - centre[0], up - centre[1])
    distance = np.hypot(*(np.mod(a + n / 2, n) - n / 2 for a, n in zip(away, shape[::-1], strict=True)))
    if edge == 0:
        return (distance <= diameter / 2).astype(np.float64)
    return np.clip(0.5 + (diameter / 2 - distance) / edge, 0.0, 1.0)


def shift_from_motion(motion: ArrayLike, shape: tuple[int, int]) -> Array:
    """Angles s (..., 2) of a cyclic shift of h×w pixels by `motion` (..., 2), pixels (right, up)."""
    right, up = np.moveaxis(checks.as_points(motion, 2), -1, 0)
    return np.mod(2 * np.pi * np.stack([-up / shape[0], right / shape[1]], axis=-1), 2 * np.pi)


def motion_from_shift(s: ArrayLike, shape: tuple[int, int]) -> Array:
    """Pixels (right, up), (..., 2), of the shift s (..., 2): of all that differ by whole worlds, the shortest."""
    down, right = np.moveaxis(np.mod(checks.as_points(s, 2) + np.pi, 2 * np.pi) - np.pi, -1, 0) / (2 * np.pi)
    return np.stack([right * shape[1], -down * shape[0]], axis=-1)


# -- drawing -----------------------------------------------------------------------------------------------


def _side(n: int) -> int:
    if not isinstance(n, int | np.integer) or not _MIN_SIDE <= n <= _MAX_SIDE:
        raise InputError(f"A world has {_MIN_SIDE} to {_MAX_SIDE:,} pixels on a side; got {n!r}.")
    return int(n)


def _pixels(height: int, width: int | None = None) -> tuple[Array, Array]:
    """Where the pixels stand from the middle of the world, right and up: both (h, w)."""
    shape = _side(height), _side(height if width is None else width)
    down, right = (place - (size - 1) / 2 for place, size in zip(np.indices(shape), shape, strict=True))
    return right, -down


def _unit(degrees: float) -> Array:
    return np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])


def _slab(right: Array, up: Array, across: Array, width: float) -> Array:
    """1 within half the width of the line through the origin at right angles to `across`, else 0, blurred."""
    distance = across[0] * right + across[1] * up
    return ndtr((distance + width / 2) / _BLUR_PIXELS) - ndtr((distance - width / 2) / _BLUR_PIXELS)


def _repeated(n: int, drawn: Callable[[Array, Array], Array], extent: float, centre: Motion) -> Array:
    """The union of a drawing around `centre` and its copies one world apart; `extent` is its largest diameter."""
    if not (0 < extent <= 4 * _side(n)):
        raise InputError(f"A drawing in a world of {n} pixels is more than 0 and at most {4 * n} pixels long.")
    right, up = (place - np.mod(c, n) for place, c in zip(_pixels(n), centre, strict=True))
    reach = int(np.ceil(extent / 2 / n)) + 1
    black = np.ones((n, n))
    for worlds_right, worlds_up in product(range(-reach, reach + 1), repeat=2):
        black *= 1 - drawn(right - n * worlds_right, up - n * worlds_up)
    return 1 - black
