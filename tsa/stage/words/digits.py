"""Recognition of a digit in words: which digit each distance finds at each angle, and how often it is right."""

from collections.abc import Sequence

import numpy as np

from tsa.recognition import DISTANCES, STEP_DEGREES, Votes

TITLES = {"ED": "Euclidean", "TD": "Tangent", "√κ̂": "Torus √κ̂", "MD": "Manifold", "bispectrum": "Bispectrum"}
SHORT_TITLES = {"bispectrum": "bisp"}  # on narrow screens; the others keep their abbreviation
MEANINGS = {
    "ED": "Compares pixel by pixel, without turning: a turned digit is far from itself. Neighbours are shown as they"
    " are stored.",
    "TD": "Both pictures may move along their tangents, which is accurate for small turns only. Neighbours are shown"
    " turned by the angle that it found.",
    "√κ̂": "Compares the sizes of the coordinates in all subspaces, every phase free: turning changes nothing, and"
    " phases are ignored. Neighbours are shown at their most probable turn.",
    "MD": "The distance that remains after the best single turn. Neighbours are shown turned by it, the most probable"
    " angle given the pair.",
    "bispectrum": "Euclidean distance of a complete invariant: sizes, and phases relative to each other. Neighbours are"
    " shown at their most probable turn.",
}

# Texts in which the browser fills in {names}.
TEMPLATES = {
    "neighbours": "Nearest under {title} distance: {digits}.",
    "votes": "Votes: {votes}.",
    "vote": "{count} for {digit}",
    "share": "{count} of {all}",
    "dial": "{angle} degrees. {sentence}",
}


def sentences(votes: Votes, only: int | None = None) -> list[str]:
    """What Euclidean and manifold distance find, for each of the T angles; `only` is the angle of votes on one."""
    if only is not None:
        euclid, manifold = (int(votes.winners[DISTANCES.index(name), 0]) for name in ("ED", "MD"))
        return [f"At {only}° Euclidean distance finds {euclid}, manifold distance {manifold}."]
    return [
        f"{_finding(votes, 'ED', turn)}; {_lower(_finding(votes, 'MD', turn))}."
        for turn in range(votes.winners.shape[1])
    ]


def reason(votes: Votes, digit: int, labelled: bool, only: int | None = None) -> str:
    """How often the two distances are right, or agree with each other if the digit has no label."""
    if only is not None:
        return "The answers at all angles follow when the drawing is finished."
    right = votes.accuracy(digit)
    euclid, manifold = (_percent(float(right[DISTANCES.index(name)])) for name in ("ED", "MD"))
    steps = votes.winners.shape[1]
    if labelled:
        return (
            f"It is a {digit}. Of the {steps} angles compared, Euclidean distance is right at {euclid}, manifold"
            f" distance at {manifold}."
        )
    return (
        f"The digit has no label. It is compared with {digit}, the most frequent answer of manifold distance;"
        f" Euclidean distance gives the same answer at {euclid} of the {steps} angles compared."
    )


def legend(digit: int, labelled: bool) -> str:
    """What the colour of a right answer stands for."""
    return f"right: {digit}" if labelled else f"{digit}, most frequent under manifold distance"


def shares(votes: Votes, digit: int, labelled: bool) -> list[str]:
    """At which share of the angles each distance finds the digit."""
    return [f"{_percent(share)} {'right' if labelled else 'agree'}" for share in votes.accuracy(digit).tolist()]


def short_shares(votes: Votes, digit: int) -> list[str]:
    """The same for narrow screens."""
    return [_percent(share) for share in votes.accuracy(digit).tolist()]


def strip_label(votes: Votes, digit: int, labelled: bool, only: int | None = None) -> str:
    """The alternative text of the votes at all angles."""
    if only is not None:
        return "The votes at all angles follow when the drawing is finished."
    verb = "right" if labelled else f"finds {digit}"
    each = [
        f"{TITLES[name]}: {verb} at {share}, changes {_times(changes) if changes else 'never'}"
        for name, share, changes in zip(DISTANCES, short_shares(votes, digit), votes.changes.tolist(), strict=True)
    ]
    return f"The vote at {votes.winners.shape[1]} angles. {'. '.join(each)}."


def marks(labelled: bool) -> Sequence[str]:
    """What is written beside a wrong and a right answer; empty without a label."""
    return ("✗ wrong", "✓ right") if labelled else ("", "")


def _finding(votes: Votes, name: str, turn: int) -> str:
    distance = DISTANCES.index(name)
    finds = f"{TITLES[name]} distance finds {votes.winners[distance, turn]}"
    changes = int(votes.changes[distance])
    if not changes:
        return f"{finds} at every angle"
    return f"{finds} at {turn * STEP_DEGREES}°, and its answer changes {_times(changes)} in a full turn"


def _lower(text: str) -> str:
    return text[0].lower() + text[1:]


def _percent(share: float) -> str:
    """Rounded down, so that 100 % means always; "< 1" for shares above 0 that round down to 0."""
    return f"{'< 1' if 0 < share < 0.01 else int(np.floor(100 * share + 1e-9))} %"


def _times(n: int) -> str:
    return {1: "once", 2: "twice"}.get(n, f"{n} times")
