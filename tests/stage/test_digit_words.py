"""The words about the votes on a digit."""

import numpy as np
import pytest

from tsa.recognition import DISTANCES, Votes
from tsa.stage.words import digits


def votes(winners, steps=72):
    """Votes with these winners (M, T)."""
    none = np.zeros((len(DISTANCES), steps, 7))
    return Votes(none.astype(int), none, none, np.zeros((len(DISTANCES), steps, 10), int), winners)


@pytest.fixture
def turning():
    """Euclidean distance finds 2 at the first 18 angles and 7 at the others; all other distances find 2."""
    winners = np.full((len(DISTANCES), 72), 2)
    winners[0, 18:] = 7
    return votes(winners)


def test_every_angle_has_its_sentence(turning):
    said = digits.sentences(turning)
    assert len(said) == 72
    rest = "(changes twice in a full turn), and manifold distance says 2 (the same at every angle)."
    assert said[17] == f"At 85°, Euclidean distance says 2 {rest}"
    assert said[18] == f"At 90°, Euclidean distance says 7 {rest}"


def test_shares_are_those_of_the_votes(turning):
    assert digits.reason(turning, 2, labelled=True) == (
        "It is a 2. Of the 72 angles compared, Euclidean distance is right at 25 % and manifold distance at 100 %."
    )
    unlabelled = digits.reason(turning, 2, labelled=False)
    assert unlabelled.startswith("The digit has no label, so answers are compared with 2, the most frequent answer")
    assert unlabelled.endswith("agrees at 25 % of the 72 angles compared.")
    assert digits.shares(turning, 2, labelled=True)[:2] == ["25 % right", "100 % right"]
    assert digits.shares(turning, 7, labelled=False)[:2] == ["75 % agree", "0 % agree"]
    assert digits.legend(2, labelled=True) == "2, the right answer"
    label = digits.strip_label(turning, 2, labelled=True)
    assert label.startswith(
        "The vote at 72 angles. Euclidean: right at 25 %, changes twice in a full turn. Tangent: right at 100 %,"
    )
    assert label.endswith("Bispectrum: right at 100 %, the same at every angle.")


def test_few_and_almost_all_are_not_none_and_all():
    winners = np.full((len(DISTANCES), 144), 3)
    winners[:, 0] = 4
    assert digits.shares(votes(winners, 144), 4, labelled=True) == ["< 1 % right"] * 5
    assert digits.shares(votes(winners, 144), 3, labelled=True) == ["99 % right"] * 5
    winners[:, ::48] = 4
    assert "changes 6 times" in digits.strip_label(votes(winners, 144), 4, labelled=False)


def test_one_angle_while_drawing():
    winners = np.arange(5)[:, None]
    one = votes(winners, 1)
    assert digits.sentences(one, only=30) == ["At 30°, Euclidean distance says 0 and manifold distance says 3."]
    assert digits.reason(one, 3, labelled=False, only=30).endswith("when you lift the pen.")
    assert digits.marks(labelled=False) == ("", "")


def test_every_distance_has_its_words():
    assert set(digits.TITLES) == set(digits.MEANINGS) == set(DISTANCES)
