"""A drawing of the square of two phases: the path of two weights, and phases of pairs as dots."""

from fractions import Fraction

import numpy as np

from tsa._base import Array
from tsa.groups import TorusPath
from tsa.stage.draw.canvas import SvgCanvas
from tsa.stage.draw.colours import hue, theme

_WIDTH, _HEIGHT = 860, 450  # pixels
_SIDE = 400  # pixels, of the square
_FONT_SIZE = 15  # pixels
_STEPS = 120  # of each winding of the faster phase
_OPEN_WINDINGS = 12  # of the faster phase, drawn of a path that does not close
_LOOK = theme("light")


def phases_svg(path: TorusPath, phases: Array | None = None) -> str:
    """The square of phases (φ₁, φ₂) with a path through it, and phases (m, 2) of pairs in radians as dots."""
    canvas = SvgCanvas(_WIDTH, _HEIGHT, _LOOK.card)
    left, top = (_WIDTH - _SIDE) / 2, 20.0
    canvas.card((left, top), (_SIDE, _SIDE), _LOOK.soft, _LOOK.border, 0)
    first, second = float(path.first), float(path.second)
    fastest = max(abs(first), abs(second), 1e-9)
    turns = path.period if path.windings else _OPEN_WINDINGS / fastest
    s, step = np.linspace(0, 2 * np.pi * turns, 1 + round(_STEPS * fastest * turns), retstep=True)
    speeds = np.array([first, second])
    for here in s[:-1]:
        start = (speeds * (here + step / 2)) % (2 * np.pi) - speeds * step / 2  # in the square with its middle
        shares = np.clip(np.stack([start, start + speeds * step]) / (2 * np.pi), 0, 1)
        one, other = np.stack([left + _SIDE * shares[:, 0], top + _SIDE * (1 - shares[:, 1])], -1).tolist()
        canvas.line((one[0], one[1]), (other[0], other[1]), hue(float(here / turns)), 4)
    for phase in [] if phases is None else np.mod(phases, 2 * np.pi) / (2 * np.pi):
        canvas.disc((left + _SIDE * float(phase[0]), top + _SIDE * (1 - float(phase[1]))), 2, _LOOK.text.faint(0.55))
    for share, name in ((0, "0°"), (Fraction(1, 2), "180°"), (1, "360°")):
        canvas.label((left + _SIDE * float(share), top + _SIDE + 22), name, _LOOK.quiet, _FONT_SIZE - 1, "middle")
        canvas.label((left - 8, top + _SIDE * (1 - float(share)) + 5), name, _LOOK.quiet, _FONT_SIZE - 1, "end")
    canvas.label((left + 0.75 * _SIDE, top + _SIDE + 22), "phase φ₁", _LOOK.text, _FONT_SIZE, "middle", bold=True)
    canvas.label((left - 14, top + 0.25 * _SIDE + 5), "phase φ₂", _LOOK.text, _FONT_SIZE, "end", bold=True)
    words = f"Path of weights {path.first} : {path.second}"
    canvas.label((left + _SIDE + 24, top + 20), words, _LOOK.text, _FONT_SIZE, bold=True)
    if phases is not None:
        canvas.label((left + _SIDE + 24, top + 44), f"dots: phases of {len(phases)} pairs", _LOOK.quiet, _FONT_SIZE)
    dots = "" if phases is None else f", and the phases of {len(phases)} pairs as dots"
    return canvas.document("Two phases", f"{words} in the square of two phases{dots}.")
