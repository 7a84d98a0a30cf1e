"""Places for labels: beside what they name, covering neither it nor each other."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from tsa._base import Array
from tsa.stage.draw.canvas import Point, around

# Places that are tried, in halves of the label: from the tip outwards, and sideways.
_ALONG, _ACROSS = np.arange(-1.2, 3.01, 0.2), np.arange(0.0, 3.01, 0.2)


class Box(NamedTuple):
    """A rectangle; y runs down."""

    left: float
    top: float
    right: float
    bottom: float

    @classmethod
    def about(cls, centre: Point, size: Point) -> "Box":
        """The box of a size around its centre."""
        (x, y), (width, height) = centre, size
        return cls(x - width / 2, y - height / 2, x + width / 2, y + height / 2)

    def overlaps(self, other: "Box", gap: float = 0.0) -> bool:
        """Whether two boxes have less than a gap between them."""
        across = self.left < other.right + gap and other.left < self.right + gap
        return across and self.top < other.bottom + gap and other.top < self.bottom + gap

    def holds(self, points: Array, gap: float = 0.0) -> bool:
        """Whether any of the points (n, 2) is inside, or within a gap."""
        x, y = points.T
        inside = (x > self.left - gap) & (x < self.right + gap) & (y > self.top - gap) & (y < self.bottom + gap)
        return bool(inside.any())


def beside_tip(
    centre: Point, angle: float, tip: float, size: Point, bounds: Box, is_free: Callable[[Box], bool]
) -> Box | None:
    """A box of a size beside a tip at an angle and radius, within bounds: the nearest free one, or None.

    Places on the side of the nearest diagonal, where the bounds leave most room, come before those on the other side.
    """
    towards = -1.0 if np.sin(4 * angle) < -1e-9 else 1.0
    width, height = size
    # Half of the box across the direction of the tip, and along it.
    half = abs(np.sin(angle)) * width / 2 + abs(np.cos(angle)) * height / 2
    deep = abs(np.cos(angle)) * width / 2 + abs(np.sin(angle)) * height / 2
    side, along, across = (grid.ravel() for grid in np.meshgrid([1.0, -1.0], _ALONG, _ACROSS, indexing="ij"))
    x, y = around(centre, tip + (along - 0.3) * deep, np.array(angle)).T
    x = np.clip(x - side * towards * np.sin(angle) * across * half, bounds.left + width / 2, bounds.right - width / 2)
    y = np.clip(y - side * towards * np.cos(angle) * across * half, bounds.top + height / 2, bounds.bottom - height / 2)
    cost = 1.2 * np.abs(along) * deep + across * half + np.where(side < 0, 1.5 * height, 0.0)
    boxes = (Box.about((float(x[i]), float(y[i])), size) for i in np.argsort(cost, kind="stable"))
    return next((box for box in boxes if is_free(box)), None)


def spread_apart(boxes: Iterable[Box], gap: float = 0.0, taken: Iterable[Box] = ()) -> list[bool]:
    """Which of the boxes to keep so that none overlaps an earlier one that is kept, or one of those taken."""
    kept, used = list[bool](), list(taken)
    for box in boxes:
        kept.append(not any(box.overlaps(other, gap) for other in used))
        if kept[-1]:
            used.append(box)
    return kept
