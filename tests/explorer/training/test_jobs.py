"""Trainings that visitors start: real processes, the same bits as the command line, and nothing left behind."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from explorer.training import Jobs, State, Trainer, requested_run
from tests.shared.trainings import ENDLESS, SHIFT, ends, learns, until
from tsa import InputError, Subgroup
from tsa.cli import main


def from_command_line(path, recipe):
    command = ["train", recipe.group, "--shape", "x".join(map(str, recipe.shape)), "--out", str(path)]
    for name, value in (("subspaces", recipe.n_subspaces), ("pairs", recipe.n_pairs), ("seed", recipe.seed)):
        command += [f"--{name}", str(value)]
    command += ["--rate", str(recipe.learning_rate), "--sigma", str(recipe.noise), *["--refine"] * recipe.refined]
    assert main(command) == 0
    return path.read_bytes()


def test_the_same_file_as_the_command_line(jobs, tmp_path, capsys):
    recipe = requested_run(**SHIFT, rate=0.3, noise=0.8, seed=5)
    job = ends(jobs.submit(recipe, "me"))
    assert job.download() == from_command_line(tmp_path / "m.npz", recipe)
    file, status = job.result(), job.status()
    assert isinstance(file.model, Subgroup)
    np.testing.assert_array_equal(file.model.filters, status.filters)
    assert file.about["curve"] == [list(point) for point in status.curve]
    assert (status.fraction, status.pairs, status.has_model) == (1.0, 2000, True)


@pytest.mark.slow
def test_another_seed_gives_another_model(jobs):
    one, other = (ends(jobs.submit(requested_run(**SHIFT, seed=seed), seed)).result().model for seed in (1, 2))
    assert np.abs(one.filters - other.filters).max() > 0.1


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [
        {"kind": "rotation", "size": 16, "subspaces": 50, "pairs": 30_000},
        {"kind": "rotation", "size": 8, "subspaces": 20, "pairs": 10_050, "seed": 3, "refined": True},
        {"kind": "shift in 2-D", "size": 6, "subspaces": 18, "pairs": 20_000, "noise": 0.5, "refined": True},
    ],
)
def test_every_group_gives_the_same_file_as_the_command_line(jobs, tmp_path, settings):
    recipe = requested_run(**settings)
    assert ends(jobs.submit(recipe, "me")).download() == from_command_line(tmp_path / "m.npz", recipe)


@pytest.mark.slow
def test_interruptions_leave_no_trace(jobs, tmp_path):
    """Paused, killed from outside, stopped and taken up again each time: still the file of the command line."""
    recipe = requested_run("rotation", 12, 40, 300_000, seed=2)
    job = learns(jobs.submit(recipe, "me"), 20_000)
    job.pause()
    paused = job.status()
    assert paused.state is State.PAUSED
    assert 20_000 <= paused.pairs < 300_000
    job.resume()
    learns(job, paused.pairs + 20_000)
    job._trainer.kill()
    ends(job, State.FAILED)
    job.resume()
    learns(job, paused.pairs + 40_000).stop()
    assert ends(job, State.STOPPED).status().pairs < 300_000
    job.resume()
    assert not job.status().has_model
    assert ends(job).download() == from_command_line(tmp_path / "m.npz", recipe)


def test_a_reloaded_tab_gets_its_training_back(jobs, clock):
    job = jobs.submit(requested_run(**ENDLESS), "before")
    clock.now = 0.5
    assert jobs.hand_over("before", "after")  # may still be watched
    assert jobs.of("after") is None
    clock.now = 2.5
    assert not jobs.hand_over("before", "after")
    assert jobs.of("after") is job
    assert jobs.of("before") is None
    clock.now = 91.0
    assert job.status().state is State.RUNNING  # taking it over was watching it
    job.discard()
    assert jobs.of("after") is None


def test_a_copied_tab_leaves_the_training_where_it_is(jobs, clock):
    job = jobs.submit(requested_run(**ENDLESS), "first")
    answers = []
    for clock.now in np.arange(0.0, 6.0, 0.6):
        job.status()
        answers.append(jobs.hand_over("first", "copy"))
    assert answers[0]
    assert not any(answers[3:])  # it does not ask for ever
    clock.now = 60.0  # a tab that was hidden for long asks once a minute
    assert not jobs.hand_over("first", "copy")
    assert jobs.of("first") is job
    assert jobs.of("copy") is None


def test_who_did_not_wait_for_the_old_training_does_not_wait_behind_it(jobs, clock):
    old = jobs.submit(requested_run(**ENDLESS), "before")
    new = jobs.submit(requested_run(**SHIFT), "after")
    assert new.status().position == 1
    clock.now = 2.5
    assert not jobs.hand_over("before", "after")
    assert old.status().state is State.DISCARDED
    assert jobs.of("after") is new
    ends(new)


def test_a_name_nobody_had_gets_nothing(jobs, clock):
    job = jobs.submit(requested_run(**ENDLESS), "me")
    clock.now = 10.0
    assert not jobs.hand_over("", "you")
    assert not jobs.hand_over("me", "me")
    assert jobs.of("me") is job
    assert jobs.of("you") is None


@pytest.mark.slow
def test_one_runs_and_the_others_wait_in_line(jobs, clock):
    first, *others = [jobs.submit(requested_run(**settings), n) for n, settings in enumerate((ENDLESS, SHIFT, SHIFT))]
    assert [job.status().position for job in (first, *others)] == [0, 1, 2]
    assert others[0].status().sentence == "In the queue at position 1: one training runs at a time."
    learns(first, 5000)
    status = first.status()
    assert status.pairs_per_second > 0
    assert status.seconds_left == pytest.approx((5_000_000 - status.pairs) / status.pairs_per_second)
    assert status.filters.shape == (64, 20)
    assert [pairs for pairs, _ in status.curve][:2] == [100, 5000]
    others[1].discard()
    first.stop()  # keeps its place until its model is made
    assert others[0].status().state is State.WAITING
    ends(first, State.STOPPED)
    ends(others[0])
    assert jobs.of(2) is None
    stopped = first.result()
    assert isinstance(stopped.model, Subgroup)
    assert stopped.about["curve"][-1][0] == first.status().pairs < 5_000_000


@pytest.mark.slow
def test_what_is_cut_off_says_so_and_goes_on(jobs):
    job = learns(jobs.submit(requested_run(**ENDLESS), "me"))
    job._trainer.kill()
    ends(job, State.FAILED)
    status = job.status()
    assert status.sentence.startswith("The training process ended unexpectedly")
    assert not status.has_model
    with pytest.raises(InputError, match="failed"):
        job.result()
    job.resume()
    learns(job, status.pairs + 1)


@pytest.mark.slow
def test_troubles_are_one_sentence(jobs, monkeypatch):
    recipe = requested_run(**SHIFT)
    object.__setattr__(recipe, "noise", -1.0)
    refused = ends(jobs.submit(recipe, "me"), State.FAILED)
    assert refused.status().sentence == "The noise must be a positive number of ordinary size, got -1.0."
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    missing = ends(jobs.submit(recipe, "me"), State.FAILED).status()
    assert missing.state is State.FAILED
    assert missing.sentence == "The training could not be started: No such file or directory."


@pytest.mark.slow
def test_who_leaves_is_waited_for_and_then_forgotten(jobs, clock):
    """The trainer's own reports make the server look at the clock: nobody has to ask."""
    gone = learns(jobs.submit(requested_run(**ENDLESS), "gone"))
    also_gone = jobs.submit(requested_run(**ENDLESS), "also gone")
    clock.now = 60.0
    here = jobs.submit(requested_run(**SHIFT), "here")
    assert here.status().position == 2
    clock.now = 100.0
    ends(here)
    assert [gone._state, also_gone._state] == [State.PAUSED] * 2
    assert gone.status().sentence.endswith("pairs, because its page was closed or hidden.")
    gone.resume()
    learns(gone)
    clock.now = 2000.0
    until(lambda: jobs.of("gone") is None)
    assert jobs.of("here") is None
    assert gone.status().state is State.DISCARDED
    assert gone.status().filters is None
    gone.resume()
    assert gone.status().sentence == "Discarded, because its page was not opened again."


def test_clicks_that_make_no_sense_do_nothing(jobs):
    job = jobs.submit(requested_run(**ENDLESS), "me")
    job.resume()
    assert job.status().state is State.RUNNING
    for _ in range(2):
        job.pause()
        assert job.status().state is State.PAUSED
    job.resume()
    waiting = jobs.submit(requested_run(**SHIFT), "you")
    waiting.stop()
    assert waiting.status().sentence == "Stopped before anything was learned, so there is no model."
    replaced = jobs.submit(requested_run(**ENDLESS), "you")
    assert jobs.submit(requested_run(**ENDLESS), "you") is jobs.of("you")
    for click in (replaced.pause, replaced.stop, replaced.discard):
        click()
        assert replaced.status().state is State.DISCARDED
    assert jobs.of("you").status().position == 1


@pytest.mark.slow
def test_many_visitors_clicking_at_once(monkeypatch):
    """Never more than the limit run, nobody waits beside an empty place, and no process stays behind."""
    begun = []

    class Recorded(Trainer):
        def __init__(self, *order):
            super().__init__(*order)
            begun.append(self)

    for module in ("jobs", "job"):
        monkeypatch.setattr(f"explorer.training.{module}.Trainer", Recorded)
    crowds = []

    def visit(owner):
        rng = np.random.default_rng(owner)
        job = jobs.submit(requested_run(**SHIFT), owner)
        for click in rng.choice(["pause", "resume", "resume", "stop", "status", "status", "discard"], 40):
            getattr(job, click)()
            with jobs.lock:
                states = [other._state for other in jobs._jobs.values()]
            crowds.append((states.count(State.RUNNING), states.count(State.WAITING)))
            if click == "discard":
                job = jobs.submit(requested_run(**SHIFT), owner)

    with closing(Jobs(limit=2)) as jobs, ThreadPoolExecutor(8) as pool:
        list(pool.map(visit, range(8)))
        for owner in range(8):
            job = jobs.of(owner)
            job.resume()
            until(lambda job=job: job.status().state in (State.FINISHED, State.STOPPED))
    assert max(running for running, _ in crowds) == 2
    assert all(running == 2 for running, waiting in crowds if waiting)
    for trainer in begun:
        trainer._process.wait(30)


PARENT = """
import os, sys, threading
from explorer.training import Jobs, requested_run
if __name__ == "__main__":
    job = Jobs().submit(requested_run("rotation", 8, 20, 5_000_000), "me")
    while (status := job.status()).state == "running" and not status.pairs:
        threading.Event().wait(0.01)
    print("streamlit" in sys.modules, flush=True)
    sys.stdin.read()
"""


@pytest.mark.slow
@pytest.mark.parametrize("way", ["killed", "ended"])
def test_no_training_outlives_the_server(way):
    """The trainer shares its parent's stderr, so that pipe ends only when both are gone."""
    server = subprocess.Popen(
        [sys.executable, "-c", PARENT],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=Path(__file__).parents[3],
    )  # fmt: skip
    with server:
        assert server.stdout.readline() == b"False\n"
        if way == "killed":
            server.kill()
        assert server.communicate(timeout=30) == (b"", b"")
    assert server.returncode == (-9 if way == "killed" else 0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": "scaling"}, "rotation, shift in 1-D, shift in 2-D; got 'scaling'"),
        ({"size": 1}, "size must be a whole number from 2 to 1,024"),
        ({"kind": "rotation", "size": 33}, "size must be a whole number from 2 to 32"),
        ({"size": 8.0}, "size must be a whole number"),
        ({"subspaces": 0}, "number of subspaces must be a whole number from 1 on"),
        ({"subspaces": 9}, "fewer subspaces, or use larger patches"),
        ({"pairs": 5_000_001}, "from 1 to 5,000,000"),
        ({"noise": float("nan")}, "noise must be a positive number"),
        ({"noise": 1e-9}, "noise must lie between 0.001 and 1000"),
        ({"rate": -1.0}, "rate must be a positive number"),
        ({"rate": "fast"}, "rate must be a positive number"),
        ({"seed": -1}, "seed must be a whole number from 0 on"),
    ],
)
def test_settings_out_of_range_are_one_sentence(changes, message):
    with pytest.raises(InputError, match=message) as caught:
        requested_run(**(SHIFT | changes))
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_a_process_that_waits_is_used_and_leaves_without_a_word(jobs, tmp_path, capfd):
    jobs.prepare()
    waiting = jobs._spare
    jobs.prepare()
    assert jobs._spare is waiting  # one is enough
    job = jobs.submit(requested_run(**SHIFT), "me")
    assert job._trainer is waiting
    jobs.prepare()
    assert jobs._spare is None  # it would take time from the one that runs
    ends(job)
    jobs.prepare()
    unused = jobs._spare
    assert unused is not waiting
    unused._process.stdin.close()  # as when the server is gone
    assert unused._process.wait(60) == 0
    assert capfd.readouterr().err == ""
    jobs.prepare()
    last = jobs._spare
    assert last is not unused
    jobs.close()
    assert last._process.wait(60) != 0
    for trainer in (unused, last):
        trainer._process.stdout.close()
    last._process.stdin.close()
