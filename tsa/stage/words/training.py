"""A training in words: how many pairs its filters were trained on, and its evidence; a search for a group."""

from collections.abc import Sequence

from tsa.model import Weights

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


# -- a search for the group behind pairs -----------------------------------------------------------------------------

_MAX_NAMED_WEIGHTS = 10
PLANES = "Planes, lit up as they keep their energy from x to y"  # title while a search runs
PLANES_OF_GROUP = "The filters of the group, each above its weight"
RELATIONS = "Relations: the phases of these planes, ● plus and ○ minus, add up to 0 in every pair"


def before(moved: str) -> str:
    """What a training does, before it starts; `moved` is turned or shifted."""
    return (
        f"The training is not told by how much each patch was {moved}. From such pairs alone it learns pairs of "
        "filters that transform among themselves: irreducible representations of the group. Press **Start**."
    )


def before_search() -> str:
    """What a search does, before it starts."""
    return (
        "The search is told neither the group nor by how much each row was moved. It finds planes that keep their "
        "energy, then relations between the angles by which they turn, and from these the number of parameters and an "
        "integer weight for each plane. Press **Start**."
    )


def search_step(count: int, relations: int, parameters: int, ended: bool = False) -> str:
    """How far a search is: `16 planes, 14 relations: 2 parameters left`; at the end there are lines besides planes."""
    noun = "subspace" if ended else "plane"
    counted = f"{count} {noun}{'s' if count != 1 else ''}"
    if not parameters:
        return counted
    found = f"{relations} relation{'s' if relations != 1 else ''}"
    return f"{counted}, {found}: {parameters} parameter{'s' if parameters != 1 else ''} left"


def group_found(orders: Sequence[int], weights: Weights) -> str:
    """What the group is, and its weights: `This is a torus (circle × circle), with weights …`; 0 is a circle."""
    circles, finite = sum(not n for n in orders), [n for n in orders if n]
    parts = " × ".join(f"Z/{n}" if n else "circle" for n in orders)
    if not finite:
        name = {1: "a circle", 2: f"a torus ({parts})"}.get(circles, f"a torus of {circles} dimensions ({parts})")
    elif not circles:
        name = f"the finite group {parts}" if len(finite) > 1 else f"the cyclic group {parts}"
    else:
        name = f"a product of circles and cyclic groups ({parts})"
    spaces = str(weights).split(" + ")
    more = f" and {len(spaces) - _MAX_NAMED_WEIGHTS} more" if len(spaces) > _MAX_NAMED_WEIGHTS else ""
    return f"This is {name}, with weights {' + '.join(spaces[:_MAX_NAMED_WEIGHTS])}{more}."


def relations_label(relations: int, planes: int) -> str:
    """The alternative text of the table of relations."""
    return (
        f"{relations} independent relations between the phases of {planes} planes" if relations else "No relations yet"
    )
