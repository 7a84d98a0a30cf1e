"""Actions of one's own: anything with `shape`, `lattice_shape` and `apply`, checked before it is used.

`MatrixAction` derives everything else (matrices, streams of pairs, characters) from these three.
"""

from abc import abstractmethod
from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, InputError, checks
from tsa.groups.action import Action, LatticeAction
from tsa.model import Weights, lattice_points

_MAX_ELEMENTS = 100_000  # of the lattice
_MAX_KEPT_NUMBERS = 2**24  # up to which all matrices of an action are kept
_SAMPLED_ELEMENTS = 8  # pairs of group elements on which the law of the group is checked
TOLERANCE = 1e-3  # of a matrix entry; interpolation in single precision stays below it


class MatrixAction(LatticeAction):
    """An action given by `shape`, `lattice_shape` and `apply` alone; its matrices are `apply` to unit vectors.

    Parameter a takes the angles 2πm/n_a on the lattice, n_a = lattice_shape[a]: for a finite group all its elements,
    for a circle more than twice its largest weight.
    """

    @abstractmethod
    def apply(self, x: ArrayLike, s: ArrayLike) -> Array:
        """x (..., D) moved by s (...) or (..., p), broadcast against the batch of x."""

    @cached_property
    def lattice(self) -> Array:  # type: ignore[override]
        """All points of the lattice: (n,), or (n, p) if p > 1."""
        angles = 2 * np.pi * lattice_points(self.lattice_shape) / np.array(self.lattice_shape)
        return angles[:, 0] if len(self.lattice_shape) == 1 else angles

    @cached_property
    def characters(self) -> Array:  # type: ignore[override]
        """One of each pair ±ω of the weights that differ on the lattice."""
        return np.asarray(Weights.of_dft(self.lattice_shape))

    def _matrix(self, index: int) -> Array:
        """A with apply(x, lattice[index]) = x @ A.T."""
        if self._kept is not None:
            return np.asarray(self._kept[index])
        return np.asarray(self.apply(np.eye(self.dimension), self.lattice[index]).T)

    @cached_property
    def _kept(self) -> Array | None:
        if len(self.lattice) * self.dimension**2 > _MAX_KEPT_NUMBERS:
            return None
        return np.stack([self.apply(np.eye(self.dimension), s).T for s in self.lattice])

    def operators(self) -> Iterator[Array]:
        """The action at each point of the lattice, as matrices (D, D).

        >>> custom = tsa.groups.CustomAction(tsa.groups.CyclicShift(4))
        >>> next(iter(custom.operators())).shape
        (4, 4)
        """
        for i in range(len(self.lattice)):
            yield self._matrix(i).astype(np.float32)

    def apply_all_to_columns(self, x: Array) -> Iterator[tuple[int, Array]]:
        """All points of the lattice in order.

        >>> custom = tsa.groups.CustomAction(tsa.groups.CyclicShift(4))
        >>> len(list(custom.apply_all_to_columns(np.eye(4))))
        4
        """
        for i in range(len(self.lattice)):
            yield i, (self._matrix(i) @ x).astype(x.dtype)

    def _ordered(self, index: Array) -> Array:
        return np.sort(index)

    def _move_block(self, x: Array, index: Array, out: Array) -> None:
        for i in np.unique(index):
            rows = slice(*np.searchsorted(index, (i, i + 1)))
            out[rows] = x[rows] @ self._matrix(int(i)).T


class CustomAction(MatrixAction):
    """An action of one's own class, made into one that training, `refine`, `inspect` and `recovery` can use.

    >>> custom = tsa.groups.CustomAction(tsa.groups.CyclicShift(8))
    >>> custom.dimension, custom.parameters
    (8, 1)
    """

    def __init__(self, action: Action, tolerance: float = TOLERANCE) -> None:
        check_action(action, tolerance)
        self.action = action

    def __repr__(self) -> str:
        return repr(self.action)

    @property
    def words(self) -> str:  # type: ignore[override]
        """The name of the class, unless it has `words` of its own."""
        return str(getattr(self.action, "words", type(self.action).__name__))

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        """Of a patch, as the action says."""
        return tuple(int(n) for n in self.action.shape)

    @property
    def lattice_shape(self) -> tuple[int, ...]:  # type: ignore[override]
        """The number of group elements along each parameter, as the action says."""
        return tuple(int(n) for n in self.action.lattice_shape)

    def apply(self, x: ArrayLike, s: ArrayLike) -> Array:
        """x (..., D) moved by s.

        >>> custom = tsa.groups.CustomAction(tsa.groups.CyclicShift(4))
        >>> custom.apply(np.arange(1.0, 5), 2 * np.pi / 4).round(6)
        array([4., 1., 2., 3.])
        """
        return np.asarray(self.action.apply(self._patches(x), np.asarray(s, np.float64)))


def as_lattice_action(action: Action) -> LatticeAction:
    """The action itself if it is built in, or else a checked `CustomAction`; an error says what is wrong with it.

    >>> action = tsa.groups.CyclicShift(8)
    >>> tsa.groups.as_lattice_action(action) is action
    True
    """
    return action if isinstance(action, LatticeAction) else CustomAction(action)


def check_action(action: Action, tolerance: float = TOLERANCE) -> None:
    """An error with the size of the defect, unless this is an orthogonal action of a commutative group of period 2π.

    >>> tsa.groups.check_action(tsa.groups.CyclicShift(8))  # no error: it is one
    """
    plain = type(action).__repr__ is object.__repr__
    called = type(action).__name__ if plain else repr(action)
    for name in ("shape", "lattice_shape"):
        value = getattr(action, name, None)
        if (
            not isinstance(value, tuple)
            or not value
            or not all(isinstance(n, int | np.integer) and n > 0 for n in value)
        ):
            raise InputError(f"An action has a tuple of whole numbers `{name}`; {called} has {value!r}.")
    if not callable(getattr(action, "apply", None)):
        raise InputError(f"An action has a method `apply(x, s)`; {called} has none.")
    parameters, dimension = len(action.lattice_shape), int(np.prod(action.shape))
    if np.prod(action.lattice_shape) > _MAX_ELEMENTS:
        raise InputError(f"A lattice has at most {_MAX_ELEMENTS:,} elements; {called} has {action.lattice_shape}.")
    rng, unit = np.random.default_rng(0), np.eye(dimension)

    def matrix(s: Array) -> Array:
        moved = np.asarray(action.apply(unit, s[0] if parameters == 1 else s))
        if moved.shape != unit.shape:
            raise InputError(
                f"`apply` keeps the shape of patches (n, {dimension}); {called} made {moved.shape} of {unit.shape}."
            )
        return checks.finite(checks.real(moved, "moved patches"), "moved patches").T

    def refuse(what: str, defect: float, s: Array) -> None:
        if defect > tolerance:
            where = ", ".join(f"{value:.3g}" for value in s)
            raise InputError(f"This action {what} (by up to {defect:.2g}, at s = {where}): {called}.")

    zero, sizes = np.zeros(parameters), np.array(action.lattice_shape)
    refuse("does not leave patches alone at s = 0", _gap(matrix(zero), unit), zero)
    for axis in range(parameters):
        turn = 2 * np.pi * (np.arange(parameters) == axis)
        refuse("does not have the period 2π", _gap(matrix(turn), unit), turn)
    for _ in range(_SAMPLED_ELEMENTS):
        s, t = 2 * np.pi * rng.integers(sizes, size=(2, parameters)) / sizes
        a, b = matrix(s), matrix(t)
        x = rng.standard_normal(dimension)
        moved = np.asarray(action.apply(3 * x[None], s[0] if parameters == 1 else s))[0]
        refuse("is not linear", _gap(moved, 3 * a @ x), s)
        refuse("is not orthogonal: AᵀA departs from the identity", _gap(a.T @ a, unit), s)
        refuse("does not commute: A_s A_t departs from A_t A_s", _gap(a @ b, b @ a), s)
        refuse("is not a group: A_s A_t departs from A_{s+t}", _gap(a @ b, matrix(s + t)), s)


def _gap(a: Array, b: Array) -> float:
    return float(np.abs(a - b).max())
