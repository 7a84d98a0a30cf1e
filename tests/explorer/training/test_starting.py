"""Processes are started outside the lock of the jobs: nobody waits for the start of another's."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from explorer.training import State, Trainer, requested_run
from tests.shared.trainings import ENDLESS, SHIFT, ends, learns, until


class Gate:
    """Holds up the start of every process until it is opened."""

    def __init__(self, monkeypatch):
        self.reached, self.open, self.begun = threading.Semaphore(0), threading.Event(), []
        gate = self

        class SlowTrainer(Trainer):
            def __init__(self):
                gate.reached.release()
                assert gate.open.wait(60)
                super().__init__()
                gate.begun.append(self)

        for module in ("jobs", "job"):
            monkeypatch.setattr(f"explorer.training.{module}.Trainer", SlowTrainer)


@pytest.fixture
def gate(monkeypatch):
    gate = Gate(monkeypatch)
    yield gate
    gate.open.set()


def at_once(call):
    """What a call returns in another thread, within ten seconds."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(call).result(10)


@pytest.mark.slow
def test_nobody_waits_while_the_process_of_another_is_started(jobs, gate):
    starting = jobs.submit(requested_run(**SHIFT), "me")
    waiting = at_once(lambda: jobs.submit(requested_run(**SHIFT), "you"))
    assert gate.reached.acquire(timeout=60)
    assert at_once(waiting.status).position == 1
    assert at_once(starting.status).sentence == "Starting."
    gate.open.set()
    ends(starting)
    ends(waiting)


def test_a_process_that_is_not_wanted_any_more_when_it_has_started_is_ended(jobs, gate):
    job = jobs.submit(requested_run(**ENDLESS), "me")
    assert gate.reached.acquire(timeout=60)
    at_once(job.pause)
    assert at_once(job.status).state is State.PAUSED
    gate.open.set()
    until(lambda: gate.begun)
    assert gate.begun[0]._process.wait(60) != 0
    assert job.status().state is State.PAUSED
    job.resume()
    learns(job)
    assert job._trainer is gate.begun[1]


def test_nobody_waits_while_a_spare_process_is_started(jobs, gate):
    with ThreadPoolExecutor(1) as pool:
        preparing = pool.submit(jobs.prepare)
        assert gate.reached.acquire(timeout=60)
        at_once(jobs.prepare)  # one is enough
        assert at_once(lambda: jobs.of("me")) is None
        at_once(jobs.close)
        gate.open.set()
        preparing.result(60)
    (unwanted,) = gate.begun
    assert jobs._spare is None
    assert unwanted._process.wait(60) != 0
    unwanted._process.stdin.close()
    unwanted._process.stdout.close()
