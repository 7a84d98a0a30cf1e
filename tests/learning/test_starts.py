"""Many starts and settings: the same results on a cluster as here, and the best of them by held-out pairs."""

import logging

import numpy as np
import pytest
from distributed import LocalCluster

from tsa import InputError
from tsa.cli import main
from tsa.experiments.discovery.cases import CONTROLS, torus_case
from tsa.files import read
from tsa.learning import TrainingRun, best_discovery, discover_starts, train_runs
from tsa.recognition import cluster

X, Y, _ = torus_case("", [1, 2, 3], lines=1).pairs(800, np.random.default_rng(0), 0.1)
RUNS = [TrainingRun("shift", (9,), 4, n_pairs=pairs, seed=seed) for pairs in (200, 20_000) for seed in (0, 1)]


def test_the_best_start_has_found_the_group():
    found = discover_starts(X, Y, [0, 1])
    strangers = discover_starts(*CONTROLS["independent pairs"](500, np.random.default_rng(0)), [0])
    assert str(best_discovery([*strangers, *found]).weights.folded) == "1x0 + 1x1 + 1x2 + 1x3"
    assert not best_discovery(strangers).found
    with pytest.raises(InputError, match="at least one"):
        best_discovery([])


def test_longer_trainings_have_higher_evidence():
    short, other, long, longer = (one.log_evidence for one in train_runs(RUNS))
    assert min(long, longer) > max(short, other) + 0.1
    with pytest.raises(InputError, match="one group"):
        train_runs([RUNS[0], TrainingRun("shift", (8,), 3)])


def test_the_command_keeps_the_best(tmp_path, capsys):
    path = tmp_path / "best.npz"
    settings = ["--subspaces", "4", "--rate", "0.001", "0.25", "--pairs", "5000", "--starts", "2"]
    assert main(["train", "shift", "--shape", "9", *settings, "--out", str(path)]) == 0
    rows = [line for line in capsys.readouterr().out.splitlines() if "evidence" in line]
    assert len(rows) == 4
    assert read(path).about["recipe"]["learning_rate"] == 0.25
    assert main(["train", "shift", "--shape", "9", "--rate", "0.1", "0.2", "--resume", "--out", str(path)]) == 2
    np.savez(tmp_path / "pairs.npz", X=X, Y=Y)
    assert main(["discover", str(tmp_path / "pairs.npz"), "--starts", "2"]) == 0
    assert "seed 1: A group of 1 parameter" in capsys.readouterr().out


@pytest.mark.slow
def test_a_cluster_gives_the_same_bits(tmp_path, capsys):
    places = dict.fromkeys(("dashboard_address", "worker_dashboard_address"), "127.0.0.1:0")
    options = {"n_workers": 2, "threads_per_worker": 1, "host": "127.0.0.1", "silence_logs": logging.CRITICAL}
    with LocalCluster(**options, **places) as two, cluster.connect_map(two.scheduler_address) as mapped:
        there, trained = discover_starts(X, Y, [0, 1, 2], mapped), train_runs(RUNS, mapper=mapped)
        np.savez(tmp_path / "pairs.npz", X=X, Y=Y)
        command = ["discover", str(tmp_path / "pairs.npz"), "--starts", "2", "--scheduler", two.scheduler_address]
        assert main(command) == 0
    for one, other in zip(there, discover_starts(X, Y, [0, 1, 2]), strict=True):
        assert one.pack() == other.pack()
    for one, other in zip(trained, train_runs(RUNS), strict=True):
        assert one.log_evidence == other.log_evidence
        np.testing.assert_array_equal(one.result.model.filters, other.result.model.filters)
    assert capsys.readouterr().out.count("seed") == 2
