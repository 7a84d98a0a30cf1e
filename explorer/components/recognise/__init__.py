"""The component of the recognise page: a digit in a dial, its nearest neighbours and their votes at every turn."""

import numpy as np
from numpy.typing import NDArray

from explorer.components import component
from tsa.recognition import ALIGNMENTS, DISTANCES, DigitSearch, Votes
from tsa.stage import as_bytes, distinct, pack_arrays, words

_mount = component(__name__)


def recognise(data: bytes) -> None:
    """Show what `session.view.data_for("recognise", …)` has prepared; the body is what `pack_votes` returns."""
    _mount(key="recognise", data=data, default={"message": None}, on_message_change=lambda: None, height="content")


def pack_votes(
    votes: Votes,
    digit_search: DigitSearch,
    images: NDArray[np.uint8],
    picture: NDArray[np.float64],
    label: int | None,
    only: int | None = None,
) -> bytes:
    """Votes at T turns as bytes, with the pictures of all neighbours that occur and the texts about each turn.

    Without a label, the most frequent answer of manifold distance takes its place. `only` is the turn, in degrees, of
    votes at one turn. Turn t has the sentence `words.sentences[sentence[t]]`.
    """
    digit = int(np.bincount(votes.winners[DISTANCES.index("MD")]).argmax()) if label is None else label
    shown, place = np.unique(votes.neighbours, return_inverse=True)
    train = digit_search.train
    labelled = label is not None
    sentences, sentence = distinct(words.digits.sentences(votes, only))
    arrays = {
        "picture": as_bytes(picture),
        "images": images[shown],
        "labels": train.labels[shown].astype(np.uint8),
        "degrees": train.degrees[shown].astype(np.uint16),
        "neighbours": place.astype(np.uint16),
        "turns": np.degrees((votes.turns + np.pi) % (2 * np.pi) - np.pi).astype(np.float32),
        "counts": votes.counts.astype(np.uint8),
        "winners": votes.winners.astype(np.uint8),
        "sentence": sentence,
    }
    header: dict[str, object] = {
        "names": DISTANCES,
        "alignments": [ALIGNMENTS[name] for name in DISTANCES],
        "only": only,
        "steps": votes.winners.shape[1],
        "k": votes.neighbours.shape[2],
        "side": len(picture),
        "imageSide": images.shape[1],
        "digit": digit,
        "words": {
            "sentences": sentences,
            "reason": words.digits.reason(votes, digit, labelled, only),
            "legend": words.digits.legend(digit, labelled),
            "strip": words.digits.strip_label(votes, digit, labelled, only),
            "shares": words.digits.shares(votes, digit, labelled),
            "marks": words.digits.marks(labelled),  # beside a wrong and a right answer
            "titles": [words.digits.TITLES[name] for name in DISTANCES],
            "meanings": [words.digits.MEANINGS[name] for name in DISTANCES],
            "templates": words.digits.TEMPLATES,
        },
    }
    return pack_arrays(header, arrays)
