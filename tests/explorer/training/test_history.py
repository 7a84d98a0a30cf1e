"""The snapshots that show how filters were learned: how many, how large, what ends them."""

import numpy as np
import pytest

from explorer.training import FilterSnapshot, State, TrainingHistory, requested_run
from tests.shared.trainings import ENDLESS, SHIFT, ends, learns
from tsa.stage import filter_bytes


def test_snapshots_of_the_filters_during_training(jobs):
    job = ends(jobs.submit(requested_run(**SHIFT | {"pairs": 30_000}), "me"))
    status = job.status()
    assert [snapshot.pairs for snapshot in status.snapshots] == [100, *range(5_000, 30_001, 5_000)]
    np.testing.assert_array_equal(status.snapshots[-1].pictures, filter_bytes(status.filters))
    assert np.abs(status.snapshots[0].pictures - 128.0).max() > 100
    assert np.any(status.snapshots[0].pictures != status.snapshots[-1].pictures)
    np.testing.assert_array_equal(status.weights, job.result().model.weights)
    assert status.pairs_per_second > 0  # it had
    assert status.seconds_left is None


@pytest.mark.slow
def test_the_snapshots_of_a_refined_model_end_with_its_filters(jobs):
    job = ends(jobs.submit(requested_run("rotation", 8, 20, 10_000, refined=True), "me"))
    status, model = job.status(), job.result().model
    assert [snapshot.pairs for snapshot in status.snapshots] == [100, 5_000, 10_000, 10_000]
    np.testing.assert_array_equal(status.snapshots[-1].pictures, filter_bytes(model.filters))
    assert len(status.weights) == model.subspaces


@pytest.mark.slow
def test_what_goes_on_has_no_weights_yet(jobs):
    job = learns(jobs.submit(requested_run(**ENDLESS), "me"), 5_000)
    job.stop()
    stopped = ends(job, State.STOPPED).status()
    assert len(stopped.weights) == 20
    job.resume()
    learns(job, stopped.pairs + 1)
    status = job.status()
    assert status.weights is None
    assert [a.pairs for a in status.snapshots[: len(stopped.snapshots) - 1]] == [
        a.pairs for a in stopped.snapshots[:-1]
    ]


@pytest.mark.parametrize("settings", [("rotation", 16, 50), ("rotation", 32, 400), ("shift in 2-D", 31, 480)])
@pytest.mark.parametrize("pairs", [2_000, 100_000, 5_000_000])
def test_the_history_of_a_long_training_is_not_large(settings, pairs):
    """What was shown stays, but for the newest snapshot, so that only what is new need be sent."""
    history = TrainingHistory(requested_run(*settings, pairs))
    size = history.snapshot(0, np.ones((settings[1] ** 2, settings[2]), complex)).pictures.nbytes
    for seen in [100, *range(5_000, pairs + 1, 5_000)]:
        before = history.snapshots[:-1]
        history.add(FilterSnapshot(seen, np.empty(0)))
        assert history.snapshots[: len(before)] == before
    assert len(history.snapshots) * size < 4_000_000
    assert history.snapshots[-1].pairs == seen
    if pairs == 100_000:
        assert len(history.snapshots) >= 8


def test_of_very_many_filters_the_first_are_shown():
    real, imaginary = np.random.default_rng(0).normal(size=(2, 1024, 400))
    filters = real + 1j * imaginary
    shown = TrainingHistory(requested_run("rotation", 32, 400)).snapshot(7, filters).pictures
    assert shown.shape == (128, 2, 1024)
    np.testing.assert_array_equal(shown, filter_bytes(filters)[:128])
