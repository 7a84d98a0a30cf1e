"""The benchmark of many people at once: it does on a real server what people do, and counts what fails."""

import subprocess
import sys
import time

import pytest

from explorer.__main__ import main
from explorer.tools import load


@pytest.mark.slow
def test_people_draw_turn_choose_upload_and_train_without_an_error():
    command = "from explorer.tools import load; raise SystemExit(load.run_load(people=3, seconds=12, afterwards=0))"
    run = subprocess.run([sys.executable, "-c", command], capture_output=True, encoding="utf-8")
    assert run.returncode == 0, run.stdout + run.stderr
    for done in ("page opened", "stroke → posterior", "pen lifted → whole sweep"):
        assert f"{done}: median" in run.stdout
    assert "errors: 0" in run.stdout


def test_what_fails_is_counted_and_the_page_is_opened_anew():
    measured = load.Measured()
    person = load.Person("http://127.0.0.1:9", 0, time.monotonic() + 0.5, measured, trains=False)
    person._wait = lambda seconds: None
    person.run()
    assert measured.errors.total() > 1
    assert all("URLError" in text for text in measured.errors)


@pytest.mark.parametrize(("people", "seconds"), [("0", "10"), ("-1", "10"), ("201", "10"), ("3", "0"), ("3", "1e9")])
def test_a_load_without_bounds_is_refused(people, seconds, capsys):
    assert main(["bench", "--load", people, "--seconds", seconds]) == 2
    assert "takes 1 to 200 people for 1 to 3600 seconds" in capsys.readouterr().err
