"""The component of the train page: pairs to learn from, then snapshots of the filters, with the evidence curve.

In a search for a group the curve gives way to the relations between phases.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from explorer.components import component
from explorer.training import FilterSnapshot
from tsa._base import Array
from tsa.model import Weights
from tsa.stage import pack_arrays, words

_mount = component(__name__)
_CURVE_POINTS = 400  # at least so many of a longer curve are drawn, and fewer than twice as many


@dataclass(frozen=True, eq=False)
class TrainingDisplay:
    """All that the component shows. With a new `name` it discards the snapshots it has."""

    name: str
    title: str
    caption: str
    snapshots: Sequence[FilterSnapshot]
    shape: tuple[int, ...]  # of a filter
    curve: tuple[tuple[int, float], ...] = ()
    total: int = 0  # pairs of the whole training; 0 while only pairs are shown
    weights: Array | None = None  # of the filters of the last snapshot
    refined: bool = False  # whether the last snapshot shows refined filters
    relations: Array | None = None  # (m, J), found so far in a search for a group; None in a training
    resting: bool = False  # whether no more snapshots are expected for now; the component then plays all of them once


def show_training(shown: TrainingDisplay, known: int, ticket: str, before: str) -> None:
    """Show the snapshots, the first `known` of which were sent before. If the component lacks them, `lost` changes.

    The component keeps the visitor's ticket in the storage of the tab. If it finds another ticket there, from before a
    reload, it reports that one as `before` until it is given back as the argument `before`.
    """
    _mount(
        key="training",
        data=pack_training(shown, known, ticket, before),
        default={"before": None, "lost": None},
        on_before_change=lambda: None,
        on_lost_change=lambda: None,
        height="content",
    )


def pack_training(shown: TrainingDisplay, known: int, ticket: str, before: str) -> bytes:
    """What is shown as bytes, without the first `known` snapshots."""
    step = max(1, len(shown.curve) // _CURVE_POINTS)
    # Means over `step` batches: those of single batches are noisy.
    points = np.array(shown.curve[: len(shown.curve) // step * step], np.float32).reshape(-1, step, 2).mean(axis=1)
    new = [snapshot.pictures.ravel() for snapshot in shown.snapshots[known:]]
    counts = [len(snapshot.pictures) for snapshot in shown.snapshots]
    relations = np.zeros((0, 0), np.int64) if shown.relations is None else shown.relations
    searching = shown.relations is not None
    seen = words.training.snapshots([snapshot.pairs for snapshot in shown.snapshots], shown.refined)
    if searching:
        last = len(shown.snapshots) - 1 if shown.weights is not None else -1
        seen = [
            words.training.search_step(len(s.pictures), s.relations, s.parameters, i == last)
            for i, s in enumerate(shown.snapshots)
        ]
    labels = words.training.snapshot_labels(shown.title, shown.caption, counts, seen, shown.total > 0 or searching)
    header = {
        "name": shown.name,
        "title": shown.title,
        "caption": shown.caption,
        "pairs": [snapshot.pairs for snapshot in shown.snapshots],
        "counts": counts,
        "known": known,
        "shape": list(shown.shape) if len(shown.shape) == 2 else [1, shown.shape[0]],
        "total": shown.total,
        "order": None if shown.weights is None else Weights(shown.weights).order().tolist(),
        "refined": shown.refined,
        "coherence": [None if s.coherence is None else s.coherence.round(2).tolist() for s in shown.snapshots],
        "found": [snapshot.relations for snapshot in shown.snapshots],
        "relations": relations.tolist() if searching else None,
        "resting": shown.resting,
        "ticket": ticket,
        "before": before,
        "words": {
            "seen": seen,  # of each snapshot
            "labels": labels,  # alternative text of each snapshot
            "pastTitle": words.training.PAST_TITLE,  # title of all snapshots but the last
            "evidence": words.training.evidence_label(points[:, 1].tolist()),
            "relations": words.training.RELATIONS,
            "relationsLabel": words.training.relations_label(*relations.shape),
            "weights": [] if shown.weights is None else [words.filters.weight_label(w) for w in shown.weights],
        },
    }
    return pack_arrays(header, {"filters": np.concatenate([np.empty(0, np.uint8), *new]), "curve": points})
