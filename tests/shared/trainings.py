"""Trainings that end soon or never, and waiting for what they do."""

import threading

import pytest

from explorer.training import State

SHIFT = {"kind": "shift in 1-D", "size": 16, "subspaces": 8, "pairs": 2_000}


ENDLESS = {"kind": "rotation", "size": 8, "subspaces": 20, "pairs": 5_000_000}


def until(condition, seconds=180.0):
    """Wait for another process, looking a hundred times a second."""
    pulse = threading.Event()
    for _ in range(int(100 * seconds)):
        if condition():
            return
        pulse.wait(0.01)
    pytest.fail("waited in vain")


def ends(job, state=State.FINISHED):
    until(lambda: job.status().state not in (State.WAITING, State.RUNNING))
    assert job.status().state is state, job.status().sentence
    return job


def learns(job, pairs=1):
    until(lambda: job.status().pairs >= pairs or job.status().state is not State.RUNNING)
    assert job.status().state is State.RUNNING, job.status().sentence
    return job
