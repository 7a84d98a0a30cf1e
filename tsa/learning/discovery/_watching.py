"""What `discover` has found so far, for somebody who watches: planes, relations between their phases, weights."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from tsa._base import Array


@dataclass(frozen=True, eq=False)
class DiscoveryStep:
    """The state of a search: J planes, and m independent relations that hold between their phases.

    `coherence` is the correlation of |u|² and |v|² of each plane: 1, less noise, once it is invariant. Each relation
    takes away one parameter, or makes a circle finite. `weights` (J, r) come at the end; 0 where none was found.
    """

    filters: Array  # complex (D, J), orthonormal in the coordinates in which planes are looked for
    coherence: Array  # (J,)
    relations: Array = field(default_factory=lambda: np.zeros((0, 0), np.int64))  # (m, J)
    parameters: int = 0  # that are left: the planes that turn, less the relations that took one away
    weights: Array | None = None


StepCallback = Callable[[DiscoveryStep], object]


class Watcher:
    """Turns what the parts of a search report into steps in the given coordinates; without a callback it does nothing.

    `basis` (D, d) leads from the coordinates of the search to those given.
    """

    def __init__(self, on_step: StepCallback | None, basis: Array) -> None:
        self._on_step, self._basis = on_step, basis
        self._latest: DiscoveryStep | None = None

    def planes(self, filters: Array, coherence: Callable[[], Array]) -> None:
        """Filters (d, J) in the first d directions of the search, and what makes their coherence."""
        if self._on_step is not None:
            self._send(DiscoveryStep(self._basis[:, : len(filters)] @ filters, coherence()))

    def relations(self, relations: Array, parameters: int) -> None:
        """All relations (m, J) found so far, between the planes last reported."""
        if self._latest is not None:
            self._send(DiscoveryStep(self._latest.filters, self._latest.coherence, relations, parameters))

    def weights(self, weights: Array) -> None:
        """The weights (J, r) of the planes last reported."""
        if self._latest is not None:
            last = self._latest
            step = DiscoveryStep(last.filters, last.coherence, last.relations, weights.shape[1], weights)
            self._send(step)

    def _send(self, step: DiscoveryStep) -> None:
        self._latest = step
        assert self._on_step is not None
        self._on_step(step)
