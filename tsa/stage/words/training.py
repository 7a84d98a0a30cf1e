"""A training in words: how many pairs its filters were trained on, and its evidence."""

from collections.abc import Sequence

PAST_TITLE = "The filters as they were"  # while an earlier snapshot is shown


def snapshots(pairs: Sequence[int], refined: bool) -> list[str]:
    """How many pairs each snapshot was trained on; `refined` if the last one was refined after the training."""
    texts = [f"{count:,} pairs" for count in pairs]
    return [*texts[:-1], f"{texts[-1]}, refined"] if refined and texts else texts


def snapshot_labels(title: str, caption: str, counts: Sequence[int], seen: Sequence[str], training: bool) -> list[str]:
    """Alternative texts of the snapshots: title, number of filter pairs, and pairs learned from or caption."""
    last = len(counts) - 1
    return [
        f"{title if i == last else PAST_TITLE}: {count} pairs. {text if training else caption}"
        for i, (count, text) in enumerate(zip(counts, seen, strict=True))
    ]


def evidence_label(values: Sequence[float]) -> str:
    """The alternative text of the curve of mean log evidences."""
    return f"Mean log evidence, now {values[-1]:.1f}".replace("-", "−") if values else "No evidence yet"
