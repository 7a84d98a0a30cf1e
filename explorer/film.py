"""How filters came about: the snapshots of a training as the frames of a film."""

import math
from typing import NamedTuple

from explorer.trainer import GROWTH
from tsa.checks import Array
from tsa.recipes import Recipe
from tsa.stage.blob import filter_bytes

_MOST_BYTES = 3_000_000  # of a film
_MOST_BYTES_OF_A_FRAME = 2**18
_EARLY = 5_000  # pairs, before which hardly anything is to be seen


class Frame(NamedTuple):
    """Filters as pictures (J, 2, D), the way `filter_bytes` makes them, after this many pairs."""

    pairs: int
    pictures: Array


class Film:
    """How filters came about. The later its frames, the further apart; so a long film is not a large one."""

    def __init__(self, recipe: Recipe) -> None:
        size = 2 * math.prod(recipe.shape)
        self._most = _MOST_BYTES_OF_A_FRAME // size
        bytes_of_a_frame = size * min(self._most, recipe.n_subspaces)
        self._growth = max(GROWTH, (recipe.n_pairs / _EARLY) ** (bytes_of_a_frame / _MOST_BYTES))
        self.frames: list[Frame] = []

    def frame(self, pairs: int, filters: Array) -> Frame:
        """Filters (D, J) as pictures: the first ones, if there are very many."""
        return Frame(pairs, filter_bytes(filters[:, : self._most]))

    def add(self, frame: Frame) -> None:
        """The newest frame; the one before goes if it is too close to its own predecessor."""
        if len(self.frames) > 1 and self.frames[-1].pairs < self._growth * self.frames[-2].pairs:
            self.frames.pop()
        self.frames.append(frame)
