"""The benchmark of `discover`, small: one line for each group, and what it scores is what was planted."""

import numpy as np
import pytest

from tsa import discover
from tsa.cli import main
from tsa.experiments.discovery.cases import Case, score, torus_case
from tsa.experiments.discovery.known import compare_with_refined
from tsa.experiments.discovery.peers import compare_with_peers
from tsa.groups import CyclicShift


@pytest.mark.slow
def test_random_groups_and_a_total(capsys):
    assert main(["bench", "discover", "--part", "random", "--groups", "2", "--pairs", "2000", "--seed", "8"]) == 0
    *rows, total = capsys.readouterr().out.splitlines()
    assert len(rows) == 3
    assert total.startswith("rank right in 2 of 2, all weights in 2")


def test_a_known_action_is_matched():
    words = compare_with_refined(CyclicShift(9), 1500, 0)
    assert "5 of 5 weights as with the action" in words
    assert "100% within 2°" in words


def _missing(name):
    raise ImportError(name)


def test_peers_are_skipped_where_they_are_missing(capsys, monkeypatch):
    monkeypatch.setattr("tsa.experiments.discovery.peers.import_module", _missing)
    compare_with_peers(0, groups=1)
    said = capsys.readouterr().out
    assert "LieDetect: skipped" in said
    assert "discover: 1 of 1 right" in said


def test_the_score_catches_wrong_weights():
    """The planes of weights 1, 2, 3, judged by pairs of weights 1, 2, 4: not all can be right."""
    case = torus_case("", [1, 2, 3])
    found = discover(*case.pairs(1500, np.random.default_rng(0), 0.1)[:2])
    other: Case = torus_case("", [1, 2, 4])
    right, _ = score(found, case.pairs(500, np.random.default_rng(1), 0.0), 0)
    wrong, _ = score(found, other.pairs(500, np.random.default_rng(1), 0.0), 0)
    assert right.all()
    assert not wrong.all()
