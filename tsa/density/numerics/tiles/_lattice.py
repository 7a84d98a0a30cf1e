"""Lattices of integer vectors with few coordinates: a basis, its completion, and the cosets of its image."""

from math import prod

import numpy as np

from tsa._base import Array


def lattice_basis(vectors: Array) -> Array:
    """A basis (r, p) of all integer combinations of the rows of `vectors` (n, p), in echelon form."""
    axes = vectors.shape[1]
    pivots: list[list[int] | None] = [None] * axes  # the basis vector whose first coordinate other than 0 is here
    for vector in vectors.tolist():
        _insert(pivots, vector)
        if all(pivot is not None and pivot[a] == 1 for a, pivot in enumerate(pivots)):
            break  # every integer vector is a combination already
    basis = [pivot for pivot in pivots if pivot is not None]
    return np.array(basis, np.int64).reshape(len(basis), axes)


def _insert(pivots: list[list[int] | None], vector: list[int]) -> None:
    """Add a vector to an echelon basis, by Euclid's algorithm at each pivot."""
    for axis in range(len(vector)):
        if not vector[axis]:
            continue
        pivot = pivots[axis]
        if pivot is None:
            pivots[axis] = vector if vector[axis] > 0 else [-v for v in vector]
            return
        while vector[axis]:
            times = pivot[axis] // vector[axis]
            pivot, vector = vector, [a - times * b for a, b in zip(pivot, vector, strict=True)]
        pivots[axis] = pivot if pivot[axis] > 0 else [-v for v in pivot]


def completed(basis: Array, axes: int) -> Array:
    """The rows of `basis` (r, p) and further integer rows: a matrix (p, p) of the least possible determinant."""
    triangular, change = _by_columns(basis.reshape(-1, axes))
    inverse = np.rint(np.linalg.inv(change)).astype(np.int64)
    return np.concatenate([basis.reshape(-1, axes), inverse[len(triangular) :]])


def representatives(matrix: Array) -> Array:
    """One vector (n, p) of each coset of Z^p by the image of a nonsingular integer matrix (p, p); 0 first."""
    triangular, _ = _by_columns(matrix)
    sides = tuple(abs(int(d)) for d in np.diag(triangular))
    return np.indices(sides).reshape(len(sides), prod(sides)).T


def _by_columns(matrix: Array) -> tuple[Array, Array]:
    """A lower triangular form L = AU of A (r, p) of full rank, and the unimodular U (p, p) (Hermite)."""
    form, change = matrix.copy(), np.eye(matrix.shape[1], dtype=np.int64)
    for row in range(len(form)):
        for column in range(row + 1, form.shape[1]):
            while form[row, column]:
                times = form[row, row] // form[row, column]
                for part in (form, change):
                    part[:, row] -= times * part[:, column]
                    part[:, [row, column]] = part[:, [column, row]]
    return form, change
