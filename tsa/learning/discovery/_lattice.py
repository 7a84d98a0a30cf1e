"""Integer arithmetic on lattices: short combinations (LLL), quotients (Smith normal form), weights modulo orders.

All integers of a quotient are Python integers (dtype object), so that no product overflows.
"""

import itertools
import math

import numpy as np

from tsa._base import Array

_MAX_EXCHANGES = 2000  # steps of the reduction; a basis of ten short vectors takes fewer than a hundred


def integer_box(dimensions: int, largest: int) -> Array:
    """All integer vectors with entries from −largest to largest, in lexicographic order: (n, dimensions)."""
    return np.array(list(itertools.product(range(-largest, largest + 1), repeat=dimensions)), np.int64)


def short_combinations(vectors: Array, quality: float = 0.75) -> Array:
    """A unimodular integer matrix U such that the rows of U @ vectors are short (Lenstra, Lenstra and Lovász 1982)."""
    rows, combination = vectors.astype(np.float64), np.eye(len(vectors), dtype=np.int64)
    k = 1
    for _ in range(_MAX_EXCHANGES):
        if k >= len(rows):
            break
        triangle = np.linalg.qr(rows[: k + 1].T)[1]  # column i: row i in the Gram–Schmidt basis
        for j in range(k - 1, -1, -1):
            if triangle[j, j] == 0:
                continue
            times = round(triangle[j, k] / triangle[j, j])
            rows[k] -= times * rows[j]
            combination[k] -= times * combination[j]
            triangle[:, k] -= times * triangle[:, j]
        if triangle[k, k] ** 2 + triangle[k - 1, k] ** 2 >= quality * triangle[k - 1, k - 1] ** 2:
            k += 1
        else:
            rows[[k, k - 1]] = rows[[k - 1, k]]
            combination[[k, k - 1]] = combination[[k - 1, k]]
            k = max(k - 1, 1)
    return combination


def quotient(relations: Array) -> tuple[Array, Array]:
    """The group Z^J / (integer rows of `relations`, (m, J)) by its Smith normal form.

    Returns the images of the J unit vectors, (J, k), and the order of each of the k cyclic factors, 0 for Z. Factors of
    order 1 are left out. For a factor of order n the images are defined modulo n.
    """
    a, images = relations.astype(object), np.eye(relations.shape[1], dtype=object)
    t = 0
    while a[t:, t:].any():
        i, j = min(np.argwhere(a[t:, t:]), key=lambda place: abs(a[t + place[0], t + place[1]])) + t
        a[[t, i]] = a[[i, t]]
        for matrix in (a, images):
            matrix[:, [t, j]] = matrix[:, [j, t]]
        for matrix in (images, a):  # `a` last: its row t is the one that is divided by
            matrix[:, t + 1 :] -= np.outer(matrix[:, t], a[t, t + 1 :] // a[t, t])
        a[t + 1 :] -= np.outer(a[t + 1 :, t] // a[t, t], a[t])
        if a[t + 1 :, t].any() or a[t, t + 1 :].any():
            continue
        indivisible = np.argwhere(a[t + 1 :, t + 1 :] % a[t, t])
        if len(indivisible):  # each order must divide the next
            a[t] = a[t] + a[t + 1 + indivisible[0][0]]
        else:
            t += 1
    orders = np.array([abs(a[i, i]) if i < t else 0 for i in range(len(images))], object)
    return images[:, orders != 1], orders[orders != 1]


def reduced_modulo(weights: Array, orders: Array) -> Array:
    """The same weights with entries from −n/2 to n/2 in the columns of finite order n."""
    half = orders // 2
    return np.where(orders > 0, (weights + half) % np.maximum(orders, 1) - half, weights)


def smallest_generator(weights: Array, order: int) -> Array:
    """Weights (J, 1) modulo `order`, multiplied by the unit of Z/order that makes the sum of their sizes least."""
    orders = np.array([order], object)
    units = [unit for unit in range(1, order) if math.gcd(unit, order) == 1]
    return min((reduced_modulo(weights * unit, orders) for unit in units), key=lambda named: np.abs(named).sum())
