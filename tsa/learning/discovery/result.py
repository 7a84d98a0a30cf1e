"""What `discover` returns: the model with its rank and weights, how sure they are, and a report in words."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from tsa import files
from tsa._base import Array, InputError, ShapeError, checks
from tsa.analysis import Comparison, compare
from tsa.density import Density
from tsa.learning.discovery._alignment import aligned
from tsa.model import Subgroup, Weights

_NEEDED_Z = 6.0
_WARN_LEFT = 0.3  # share of the dimensions that no subspace explains


def patch_shape(numbers: int) -> tuple[int, ...]:
    """The shape of patches of which only the size is known: square if they can be, or else in a row."""
    side = round(numbers**0.5)
    return (side, side) if side * side == numbers else (numbers,)


@dataclass(frozen=True)
class DiscoveryEvidence:
    """The numbers behind a decision; nan where a test was not reached.

    `relations` were found among the phases of `moving_planes`; the weakest is `least_z` standard deviations above 0,
    the strongest that the same guesses reach on permuted pairs is `chance_z` (six are required). `next_relation` is the
    height, 1 if true and 0 if not, of the strongest relation that would lower the rank by one. `support_by_chance` is
    the largest support of a plane in permuted pairs. `excess` is the residual over what noise of the size seen would
    leave. Evidences are mean nats per held-out pair: with all phases tied to s, and with all phases free.
    """

    pairs: int
    dimensions: int
    moving_planes: int = 0
    relations: int = 0
    least_z: float = np.nan
    chance_z: float = np.nan
    next_relation: float = np.nan
    step_chance: float = np.nan
    support_by_chance: float = np.nan
    excess: float = np.nan
    dimensions_left: int = 0
    coupled_evidence: float = np.nan
    free_evidence: float = np.nan

    @property
    def sufficient_pairs(self) -> int:
        """About how many pairs like these would have shown the weakest relation, or, if none was found, the planes."""
        if np.isfinite(self.least_z) and self.least_z > 0:
            return int(np.ceil(self.pairs * (_NEEDED_Z / self.least_z) ** 2))
        return self.dimensions**2


@dataclass(frozen=True, eq=False)
class Discovery:
    """The group found in pairs, or the reason why there is none.

    `rank` is the number of parameters, 0 if no group was found. `orders` has an entry for each: 0 for a circle, n for
    the cyclic group Z/n. `support` (J,) is how well the other planes foretell the phase of each in held-out pairs (0…1,
    nan where they cannot), `coherence` (J,) the correlation of |u|² and |v|² there.

    The model works in the coordinates of `transform`: those given, if the action is orthogonal there (`orthogonal`),
    else whitened ones. What pairs cannot show is stated by `ambiguity`.

    >>> x, y = tsa.groups.CyclicShift(8).pairs(1000, rng=0)[:2]
    >>> found = tsa.discover(x, y)
    >>> found.found, found.rank, found.orders
    (True, 1, (8,))
    """

    reason: str
    evidence: DiscoveryEvidence
    orders: tuple[int, ...] = ()
    found_model: Subgroup | None = None
    mean: Array | None = None
    whitening: Array | None = None  # (D, d) if the action is not orthogonal in the given coordinates
    support: Array | None = None
    coherence: Array | None = None

    @property
    def rank(self) -> int:
        """The number of parameters of the group; 0 if no group was found."""
        return len(self.orders)

    @property
    def found(self) -> bool:
        """Whether a group was found."""
        return self.found_model is not None

    @property
    def model(self) -> Subgroup:
        """The group as an ordinary model, in the coordinates of `transform`; an error with the reason if none."""
        if self.found_model is None:
            raise InputError(self.sentence)
        return self.found_model

    @cached_property
    def weights(self) -> Weights:
        """The weights of all subspaces; confidence is the support, or the coherence where the others cannot tell."""
        model = self.model
        assert self.support is not None
        assert self.coherence is not None
        confidence = np.where(np.isnan(self.support), self.coherence, self.support)
        return Weights(model.weights, np.clip(confidence, 0, 1))

    @property
    def orthogonal(self) -> bool:
        """Whether the action is orthogonal in the given coordinates, so that the model works on patches as given."""
        return self.found and self.whitening is None

    def transform(self, x: ArrayLike) -> Array:
        """Patches (..., D) in the coordinates of the model: less the mean, and whitened if need be.

        >>> x, y = tsa.groups.CyclicShift(8).pairs(1000, rng=0)[:2]
        >>> tsa.discover(x, y).transform(x).shape
        (1000, 8)
        """
        model, x = self.model, checks.finite(checks.real(x, "x"), "x")
        assert self.mean is not None
        if x.ndim == 0 or x.shape[-1] != len(self.mean):
            raise ShapeError(f"The pairs had {len(self.mean)} dimensions; got patches of shape {x.shape}.")
        centred = x - self.mean.astype(x.dtype)
        transformed = centred if self.whitening is None else centred @ self.whitening.astype(x.dtype)
        assert transformed.shape[-1] == model.dimension
        return np.asarray(transformed)

    def posterior(self, x: ArrayLike, y: ArrayLike) -> Density:
        """p(s | x, y) for patches as they were given to `discover`.

        >>> x, y = tsa.groups.CyclicShift(8).pairs(1000, rng=0)[:2]
        >>> tsa.discover(x, y).posterior(x[:3], y[:3]).mode().shape
        (3,)
        """
        return self.model.posterior(self.transform(x), self.transform(y))

    def pack(self, shape: tuple[int, ...] | None = None) -> bytes:
        """A model file: the model, the shape of its patches, the report, and the mean that `transform` subtracts.

        Without a shape, patches are square if they can be. If the group acts through a mixing, the file also holds the
        whitening, and the patches of the model are its coordinates, which have no shape.

        >>> x, y = tsa.groups.CyclicShift(8).pairs(1000, rng=0)[:2]
        >>> tsa.discover(x, y).pack()[:2]  # an .npz file is a zip
        b'PK'
        """
        model = self.model
        about = {"discovered": self.sentence, "report": self.report().splitlines(), "orders": list(self.orders)}
        shape = (model.dimension,) if self.whitening is not None else shape or patch_shape(model.dimension)
        if int(np.prod(shape)) != model.dimension:
            raise InputError(f"Patches {shape} do not have the {model.dimension} numbers of this model.")
        assert self.mean is not None
        arrays = {
            "filters": model.filters,
            "weights": model.weights,
            "noise": np.array(model.noise),
            "shape": np.array(shape),
            "about": files.json_array(about),
            "mean": self.mean,
        }
        return files.zip_arrays(arrays if self.whitening is None else {**arrays, "whitening": self.whitening})

    def compare(self, other: Subgroup, tolerance: float = 0.01) -> Comparison:
        """Whether another model is the same representation, up to what pairs cannot determine (see `ambiguity`).

        >>> x, y = tsa.groups.CyclicShift(8).pairs(1000, rng=0)[:2]
        >>> tsa.discover(x, y).compare(tsa.fourier_model(8)).verdict
        'The same representation: 5 weight spaces, 8 dimensions in all, agree to 0.01°.'
        """
        return compare(aligned(self.model, self.orders, other), other, tolerance)

    @property
    def group(self) -> str:
        """The group in words: `circle`, `circle × circle`, `Z/12 × Z/12`."""
        return " × ".join(f"Z/{order}" if order else "circle" for order in self.orders)

    @property
    def ambiguity(self) -> str:
        """What the pairs do not determine, however many there are."""
        parts = ["the sign of s"] if self.rank == 1 else ["the basis of s (any invertible integer matrix)"]
        parts += [f"the generator of Z/{order} (any unit)" for order in dict.fromkeys(self.orders) if order > 2]
        return "Pairs do not determine " + " or ".join(parts) + ": weights are equal up to that choice."

    @property
    def sentence(self) -> str:
        """The result in one sentence."""
        if not self.found:
            return f"No group found: {self.reason}."
        lines = int(self.model.lines.sum())
        return (
            f"A group of {_count(self.rank, 'parameter')} ({self.group}) with weights {self.model.irreps.folded}: "
            f"{_count(self.model.subspaces - lines, 'plane')} and {_count(lines, 'line')}, σ = {self.model.noise:.3g}."
        )

    def report(self) -> str:
        """The result and what speaks for it, line by line.

        >>> x, y = tsa.groups.CyclicShift(8).pairs(1000, rng=0)[:2]
        >>> print(tsa.discover(x, y).report().splitlines()[0])
        A group of 1 parameter (Z/8) with weights 1x0 + 1x1 + 1x2 + 1x3 + 1x4: 3 planes and 2 lines, σ = 0.000131.
        """
        e = self.evidence
        lines = [self.sentence, f"{e.pairs:,} pairs of {e.dimensions} dimensions that vary."]
        if np.isfinite(e.step_chance):
            lines.append(
                f"Small steps: the mean angles of the planes are multiples of one unit; {e.step_chance:.1%} of random "
                "angles would be as nearly (at most 1 % may be)."
            )
        elif e.moving_planes and np.isfinite(e.least_z):
            relations, planes = _count(e.relations, "relation"), _count(e.moving_planes, "plane")
            lines.append(
                f"{relations} between the phases of {planes}; the weakest is {e.least_z:.0f} standard deviations above "
                f"chance (6 are required), the strongest in permuted pairs {e.chance_z:.1f}."
            )
        elif e.moving_planes:
            lines.append(f"No relation between the phases of {_count(e.moving_planes, 'plane')} stood out by itself.")
        if not self.found:
            needed = max(e.sufficient_pairs, e.dimensions**2)
            lines.append(
                f"About {needed:,} pairs are needed to be sure."
                if needed > e.pairs
                else f"{needed:,} pairs show a group of {e.dimensions} dimensions where there is no noise; if there is "
                "much, try with ten times as many pairs as these."
            )
            return "\n".join(lines)
        if np.isfinite(e.next_relation):
            lines.append(
                f"Against one parameter fewer: the strongest further relation has height {e.next_relation:.2f} "
                "(1 if it held, 0 if not)."
            )
        if e.relations and np.isfinite(e.least_z):
            lines.append(
                f"Against one parameter more: the weakest relation ({e.least_z:.0f} standard deviations); about "
                f"{e.sufficient_pairs:,} pairs would have shown it."
            )
        if np.isfinite(e.coupled_evidence):
            lines.append(
                f"Evidence per held-out pair: {e.coupled_evidence:.2f} nats; {e.free_evidence:.2f} with free phases."
            )
        lines.append(self._support_in_words())
        lines.append(
            f"Residual: {e.excess:.2f} times what noise leaves. Not explained: {e.dimensions_left} of {e.dimensions} "
            "dimensions."
        )
        if not self.orthogonal:
            lines.append("The action is not orthogonal in the coordinates given: the model works on whitened ones.")
        if e.dimensions_left > _WARN_LEFT * e.dimensions:
            lines.append("Warning: many dimensions are not explained; more pairs may show further planes.")
        return "\n".join([*lines, self.ambiguity])

    def _support_in_words(self) -> str:
        assert self.support is not None
        known = self.support[np.isfinite(self.support)]
        if not known.size:
            return "Each plane turns by itself: none can be foretold from the others."
        return (
            f"Phases foretold from the other planes: support {known.min():.2f} to {known.max():.2f}, in permuted pairs "
            f"at most {self.evidence.support_by_chance:.2f}."
        )


def _count(number: int, word: str) -> str:
    """`1 line`, `2 lines`."""
    return f"{number} {word}{'' if number == 1 else 's'}"
