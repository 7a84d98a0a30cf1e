"""A real cluster of two processes gives the answer of one machine, bit for bit, whichever of them is killed."""

import json
import logging
import os
import signal
import socket
import sys
from importlib.metadata import version
from types import SimpleNamespace

import numpy as np
import pytest
from distributed import Client, LocalCluster
from threadpoolctl import threadpool_limits

from tsa import ClusterError, InputError, ShapeError, TangentDistance, load, nearest
from tsa.cli import main
from tsa.pictures import datasets
from tsa.recognition import BispectralDistance, Euclidean, cluster, neighbours

MODEL = load("rotation-16-refined")


@pytest.fixture(scope="module")
def digits():
    """Patches in double precision, so that equal means equal to the last bit."""
    train, test = datasets.sample("train"), datasets.sample("test")
    known = np.concatenate([datasets.rotated(train, seed).patches for seed in (0, 1)])
    return known.astype(np.float64), datasets.rotated(test, 2).patches.astype(np.float64)


def local(workers, **options):
    """A cluster that listens on this machine only, at free ports."""
    places = dict.fromkeys(("dashboard_address", "worker_dashboard_address"), "127.0.0.1:0")
    return LocalCluster(
        n_workers=workers, threads_per_worker=1, host="127.0.0.1", silence_logs=logging.CRITICAL, **places, **options
    )


@pytest.fixture(scope="module")
def client():
    with local(2) as two, Client(two, set_as_default=False) as client:
        yield client


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(neighbours, "_CHUNK_BOUNDS", 2**15)


def here(train, queries, metric, k):
    """One machine with as many BLAS threads as a worker: two would round the last bit of some products otherwise."""
    with threadpool_limits(1, "blas"):
        return nearest(train, queries, metric, k)


def test_blocks_hold_every_query_once():
    for train in (1, 7, 60_000, 10**6):
        for queries in (1, 139, 140, 10_000):
            pieces = neighbours.blocks(train, queries)
            np.testing.assert_array_equal(np.concatenate([np.arange(queries)[p] for p in pieces]), np.arange(queries))
            assert all((p.stop - p.start) * min(train, 2**16) <= 2**23 for p in pieces)


METRICS = {
    "euclidean": "euclidean",
    "torus": load("rotation-16").torus,
    "manifold": MODEL,
    "tangent": TangentDistance(16),
    "bispectrum": BispectralDistance.fitted(MODEL, datasets.rotated(datasets.sample("test"), 3).patches, 32),
}


@pytest.mark.slow
@pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
def test_the_same_bits_as_on_one_machine(metric, client, digits, small_blocks):
    train, queries = digits
    seen = []
    index, distance = cluster.nearest(client, train, queries, metric, 3, seen.append)
    expected = here(train, queries, metric, 3)
    np.testing.assert_array_equal(index, expected[0])
    np.testing.assert_array_equal(distance, expected[1])
    assert len(seen) > 10
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


@pytest.mark.slow
def test_killing_every_worker_changes_nothing(client, digits, small_blocks):
    """Each is killed while it computes; the cluster starts others, and none of the patches is lost."""
    train, queries = digits
    condemned = client.run(os.getpid)
    assert len(condemned) == 2

    def kill_one(fraction):
        busy = [address for address, tasks in client.processing().items() if tasks and address in condemned]
        if busy and fraction > 0.4 * (2 - len(condemned)):
            os.kill(condemned.pop(busy[0]), signal.SIGKILL)

    found = cluster.nearest(client, train, queries, TangentDistance(16, shifts=True), 2, kill_one)
    assert not condemned
    for ours, expected in zip(found, here(train, queries, TangentDistance(16, shifts=True), 2), strict=True):
        np.testing.assert_array_equal(ours, expected)


@pytest.mark.slow
def test_the_experiment_begun_here_ends_there(client, tmp_path, monkeypatch, capsys):
    sample = {split: datasets.sample(split)[:200] for split in ("train", "test")}
    monkeypatch.setattr(datasets, "sample", sample.__getitem__)
    command = ["reproduce", "mnist", "--quick", "--out"]
    assert main([*command, str(tmp_path / "here")]) == 0
    expected = json.loads((tmp_path / "here" / "outcomes.json").read_text())
    begun = {**expected, "outcomes": expected["outcomes"][:3]}
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "outcomes.json").write_text(json.dumps(begun))
    assert main([*command, str(tmp_path / "there"), "--scheduler", client.scheduler.address]) == 0
    found = json.loads((tmp_path / "there" / "outcomes.json").read_text())
    assert found["outcomes"][:3] == begun["outcomes"]
    for outcome in found["outcomes"] + expected["outcomes"]:
        del outcome["seconds"]
    assert found == expected
    assert capsys.readouterr().err == ""


@pytest.mark.slow
def test_mistakes_come_back_by_name(client, digits):
    train, queries = digits
    with pytest.raises(ShapeError, match="200 pixels"):
        cluster.nearest(client, train, queries[:, :200])
    with pytest.raises(InputError, match="k must be"):
        cluster.nearest(client, train, queries, k=0)
    with pytest.raises(InputError, match="finite"):
        cluster.nearest(client, train, queries * np.nan)


class Deadly(Euclidean):
    def pairs(self, queries, train, row, column):
        os._exit(1)


@pytest.mark.slow
def test_a_search_no_worker_survives_is_given_up(client, digits, monkeypatch):
    monkeypatch.setattr(client.cluster.scheduler, "allowed_failures", 0)
    with pytest.raises(ClusterError, match="2,000 training patches"):
        cluster.nearest(client, *digits, Deadly())


@pytest.mark.slow
def test_losing_the_scheduler_is_one_sentence(digits, small_blocks):
    lost = pytest.raises(ClusterError, match="scheduler was lost")
    with local(1) as one, cluster.connect(one.scheduler_address) as search, lost:
        search(*digits, on_progress=lambda fraction: one.close())


@pytest.fixture
def hasty(monkeypatch):
    monkeypatch.setattr(cluster, "_TIMEOUT_SECONDS", 0.2)


def said(address, capsys, tmp_path):
    assert main(["reproduce", "mnist", "--quick", "--out", str(tmp_path), "--scheduler", address]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    return error


def test_nobody_or_somebody_else_at_the_address(hasty, capsys, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        nobody = "tcp://{}:{}".format(*closed.getsockname())
    with socket.create_server(("127.0.0.1", 0)) as mute:
        somebody_else = "tcp://{}:{}".format(*mute.getsockname())
        for address in (nobody, somebody_else, "", "nonsense", "pigeon://127.0.0.1:1", "tls://127.0.0.1:1"):
            assert said(address, capsys, tmp_path).startswith(f"tsa: No Dask scheduler answers at {address!r}")


def test_without_dask(monkeypatch, capsys, tmp_path):
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert "pip install 'tsa-explorer[dask]'" in said("tcp://127.0.0.1:1", capsys, tmp_path)


@pytest.mark.slow
def test_without_workers(capsys, tmp_path):
    with local(0) as empty:
        assert "no workers" in said(empty.scheduler_address, capsys, tmp_path)


def test_another_version_is_sent_nothing():
    def cluster_of(*versions):
        here, *there = versions
        run = dict(enumerate(there))
        return SimpleNamespace(wait_for_workers=print, run_on_scheduler=lambda *_: here, run=lambda *_: run)

    ours = version("tsa-explorer")
    cluster._check_workers(cluster_of(ours, ours, ours), "tcp://there")
    for versions in ((ours, ours, "0.0.1"), ("0.0.1", ours)):
        with pytest.raises(ClusterError, match=f"has tsa-explorer 0.0.1 and {ours}; install {ours}"):
            cluster._check_workers(cluster_of(*versions), "tcp://there")
