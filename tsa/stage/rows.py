"""Rows of the drawing of waves: one for each weight, or one for a run of weights that hardly contribute."""

from typing import Literal, NamedTuple

import numpy as np

from tsa._base import Array

_MIN_LOUD_SHARE = 0.04  # of the sum of κ over all weights, for a weight that is loud
_MIN_LOUD_KAPPA = 0.1  # for the same: its wave alone makes one turn e^{0.2} times as probable as another
_MAX_SILENT_KAPPA = 0.05  # below it, neighbouring weights share a row: their waves cannot be told from a line

Kind = Literal["fixed", "loud", "quiet", "silent"]


class WeightRow(NamedTuple):
    """The weights |ω| that share a row. "fixed" is weight 0; only "silent" rows have more than one weight."""

    weights: tuple[int, ...]
    kind: Kind


def is_loud(kappa: Array) -> Array:
    """Which weights carry the likelihood: κ (..., K) of each weight → bool (..., K)."""
    return (kappa > _MIN_LOUD_SHARE * kappa.sum(axis=-1, keepdims=True)) & (kappa >= _MIN_LOUD_KAPPA)


def loudness(pooled: Array) -> Array:
    """The largest κ_k over all turns of a sweep, (T, K) → (K,), so that rows keep their height while the dial turns."""
    return np.abs(pooled).max(axis=0)


def weight_rows(weights: Array, kappa: Array) -> list[WeightRow]:
    """Rows of the weights (J,) of a model, in ascending order; `kappa` (K,) is the loudness of the weights 1…K."""
    loud = is_loud(kappa)
    rows: list[WeightRow] = []
    for weight in np.unique(np.abs(weights)).tolist():
        own = weight - 1  # place of a weight that moves
        silent = weight > 0 and kappa[own] < _MAX_SILENT_KAPPA
        kind: Kind = "fixed" if weight == 0 else "silent" if silent else "loud" if loud[own] else "quiet"
        if silent and rows and rows[-1].kind == "silent":
            rows[-1] = WeightRow((*rows[-1].weights, weight), kind)
        else:
            rows.append(WeightRow((weight,), kind))
    return rows
