"""The group that was found with s counted as another model counts it: pairs determine weights up to a basis of s."""

from math import gcd

import numpy as np

from tsa._base import Array
from tsa.model import Subgroup

_TRIES = 300  # of planes from which a change of basis is guessed


def aligned(model: Subgroup, orders: tuple[int, ...], other: Subgroup) -> Subgroup:
    """The same filters with weights ω B, B the change of basis under which most of them are those of `other`.

    For tori, and for finite groups with factors of one order n, where weights count modulo n. B is invertible over the
    integers, or modulo n; other groups keep their weights.
    """
    if model.parameters != other.parameters or len(set(orders)) != 1 or model.dimension != other.dimension:
        return model
    n, weights, wanted = orders[0], model.irreps.values, _weights_in(model, other)
    moving = np.flatnonzero(wanted.any(axis=1) & weights.any(axis=1))
    rng, best, most = np.random.default_rng(0), np.eye(len(orders), dtype=np.int64), -1
    for _ in range(_TRIES if len(moving) >= len(orders) else 0):
        rows = rng.choice(moving, len(orders), replace=False)
        basis = _solved(weights[rows], wanted[rows], n)
        if basis is None:
            continue
        gap = weights @ basis - wanted
        agree = int(np.sum(~np.any(gap % n if n else gap, axis=1)))
        if agree > most:
            best, most = basis, agree
    moved = weights @ best
    moved = np.where(moved % n > n / 2, moved % n - n, moved % n) if n else moved
    return Subgroup(model.filters, moved if moved.shape[1] > 1 else moved[:, 0], model.noise)


def _weights_in(model: Subgroup, other: Subgroup) -> Array:
    """The weight that `other` gives to each filter of `model`: that of the weight space with most of it. (J, r)."""
    values = other.irreps.values
    both = np.concatenate([other.filters, other.filters.conj()], axis=1)
    signed = np.concatenate([values, -values])
    spaces, member = np.unique(signed, axis=0, return_inverse=True)
    shares = np.stack([_share(model.filters, both[:, member.ravel() == k]) for k in range(len(spaces))])
    return np.asarray(spaces[shares.argmax(axis=0)])


def _share(filters: Array, space: Array) -> Array:
    """The length of each filter (D, J) within the span of the columns of a space (D, m)."""
    u, size, _ = np.linalg.svd(space, full_matrices=False)
    return np.asarray(np.linalg.norm(u[:, size > 1e-6 * size[0]].conj().T @ filters, axis=0))


def _solved(weights: Array, wanted: Array, n: int) -> Array | None:
    """The integer matrix B with weights @ B = wanted (modulo n, if that is not 0); None if there is none."""
    determinant = round(np.linalg.det(weights))
    adjugate = np.rint(np.linalg.inv(weights) * determinant).astype(np.int64) if determinant else weights
    if not determinant or (n and gcd(determinant, n) != 1):
        return None
    if n:
        basis = pow(determinant, -1, n) * (adjugate @ wanted) % n
        return np.asarray(basis) if gcd(round(np.linalg.det(basis)), n) == 1 else None
    basis, rest = np.divmod(adjugate @ wanted, determinant)
    return np.asarray(basis) if not rest.any() and abs(round(np.linalg.det(basis))) == 1 else None
