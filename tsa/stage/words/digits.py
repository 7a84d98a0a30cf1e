"""Recognition of a digit in words: which digit each distance finds at each angle, and how often it is right."""

from collections.abc import Sequence

import numpy as np

from tsa.recognition import DISTANCES, STEP_DEGREES, Votes

TITLES = {"ED": "Euclidean", "TD": "Tangent", "√κ̂": "Torus √κ̂", "MD": "Manifold", "bispectrum": "Bispectrum"}
MEANINGS = {
    "ED": "Compares the pictures pixel by pixel, without turning them, so a turned digit is far from itself. Neighbours"
    " are shown as they are stored.",
    "TD": "Lets both pictures move along their tangents, a good approximation for small turns only. Neighbours are"
    " shown turned by the angle it finds.",
    "√κ̂": "Compares the lengths |z| of the coordinates in all subspaces and ignores their phases, so turning changes"
    " nothing. Neighbours are shown at their most probable turn.",
    "MD": "The distance that remains after one picture is turned by the best single angle. Neighbours are shown turned"
    " by that angle.",
    "bispectrum": "Euclidean distance between complete invariants: lengths, and phases relative to each other."
    " Neighbours are shown at their most probable turn.",
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
        return [f"At {only}°, Euclidean distance says {euclid} and manifold distance says {manifold}."]
    return [
        f"At {turn * STEP_DEGREES}°, {_finding(votes, 'ED', turn)}, and {_finding(votes, 'MD', turn)}."
        for turn in range(votes.winners.shape[1])
    ]


def reason(votes: Votes, digit: int, labelled: bool, only: int | None = None) -> str:
    """How often the two distances are right, or agree with each other if the digit has no label."""
    if only is not None:
        return "The other angles are compared when you lift the pen."
    right = votes.accuracy(digit)
    euclid, manifold = (_percent(float(right[DISTANCES.index(name)])) for name in ("ED", "MD"))
    steps = votes.winners.shape[1]
    if labelled:
        return (
            f"It is a {digit}. Of the {steps} angles compared, Euclidean distance is right at {euclid} and manifold"
            f" distance at {manifold}."
        )
    return (
        f"The digit has no label, so answers are compared with {digit}, the most frequent answer of manifold distance."
        f" Euclidean distance agrees at {euclid} of the {steps} angles compared."
    )


def legend(digit: int, labelled: bool) -> str:
    """What the colour of a right answer stands for."""
    return f"{digit}, the right answer" if labelled else f"{digit}, the most frequent answer of manifold distance"


def shares(votes: Votes, digit: int, labelled: bool) -> list[str]:
    """At which share of the angles each distance finds the digit."""
    return [f"{_percent(share)} {'right' if labelled else 'agree'}" for share in votes.accuracy(digit).tolist()]


def strip_label(votes: Votes, digit: int, labelled: bool, only: int | None = None) -> str:
    """The alternative text of the votes at all angles."""
    if only is not None:
        return "The other angles are compared when you lift the pen."
    verb = "right" if labelled else f"says {digit}"
    each = [
        f"{TITLES[name]}: {verb} at {_percent(share)}, {_changes(changes)}"
        for name, share, changes in zip(DISTANCES, votes.accuracy(digit).tolist(), votes.changes.tolist(), strict=True)
    ]
    return f"The vote at {votes.winners.shape[1]} angles. {'. '.join(each)}."


def marks(labelled: bool) -> Sequence[str]:
    """What is written beside a wrong and a right answer; empty without a label."""
    return ("✗ wrong", "✓ right") if labelled else ("", "")


def _finding(votes: Votes, name: str, turn: int) -> str:
    distance = DISTANCES.index(name)
    name = {"ED": "Euclidean", "MD": "manifold"}[name]
    return f"{name} distance says {votes.winners[distance, turn]} ({_changes(int(votes.changes[distance]))})"


def _changes(changes: int) -> str:
    return f"changes {_times(changes)} in a full turn" if changes else "the same at every angle"


def _percent(share: float) -> str:
    """Rounded down, so that 100 % means always; "< 1" for shares above 0 that round down to 0."""
    return f"{'< 1' if 0 < share < 0.01 else int(np.floor(100 * share + 1e-9))} %"


def _times(n: int) -> str:
    return {1: "once", 2: "twice"}.get(n, f"{n} times")
