"""The benchmark of `discover`, small: one line for each group, and what it scores is what was planted."""

import numpy as np
import pytest

from tsa import discover
from tsa.cli import main
from tsa.experiments.discovery.bispectral_networks import frequencies
from tsa.experiments.discovery.cases import Case, score, torus_case
from tsa.experiments.discovery.known import compare_with_refined
from tsa.experiments.discovery.peers import compare_with_peers
from tsa.groups import CyclicShift, ImageRotation


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


@pytest.mark.slow
def test_a_rotation_has_the_spaces_of_the_action():
    """Interpolated turns are no group; the spaces are those of the projections P_k all the same."""
    words = compare_with_refined(ImageRotation(8), 10_000, 1)
    assert "25 of 25 weights as with the action (refined: 25)" in words
    assert "100% within 2°" in words


def _missing(name):
    raise ImportError(name)


def test_peers_are_skipped_where_they_are_missing(capsys, monkeypatch):
    for module in ("liedetect", "bispectral_networks"):
        monkeypatch.setattr(f"tsa.experiments.discovery.{module}.import_module", _missing)
    compare_with_peers(0, groups=1)
    said = capsys.readouterr().out
    assert "LieDetect: skipped" in said
    assert "σ 0.1, 1000 pairs: discover 1 of 1 right" in said
    assert "relations in the true planes 1" in said
    assert "Bispectral Networks: skipped" in said


def test_frequencies_of_waves():
    """Of cos and e^{ikt} the frequency; none of a sum of two, and none of noise."""
    t = 2 * np.pi * np.arange(12) / 12
    waves = [np.cos(3 * t), np.exp(-2j * t), np.ones(12), np.cos(np.pi * np.arange(12)), np.cos(t) + np.cos(4 * t)]
    assert frequencies(np.array(waves).T) == {0, 2, 3, 6}
    assert frequencies(np.random.default_rng(0).standard_normal((12, 3))) == set()


def test_the_score_catches_wrong_weights():
    """The planes of weights 1, 2, 3, judged by pairs of weights 1, 2, 4: not all can be right."""
    case = torus_case("", [1, 2, 3])
    found = discover(*case.pairs(1500, np.random.default_rng(0), 0.1)[:2])
    other: Case = torus_case("", [1, 2, 4])
    right, _ = score(found, case.pairs(500, np.random.default_rng(1), 0.0), 0)
    wrong, _ = score(found, other.pairs(500, np.random.default_rng(1), 0.0), 0)
    assert right.all()
    assert not wrong.all()
