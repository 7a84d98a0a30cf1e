"""Ctrl-C at any moment from the first import on: exit code 130, and at the most one line."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tsa._base import loading

SCRIPTS = Path(sys.executable).parent
MODULE = [sys.executable, "-m"]
TSA = ["posterior", "F"]
EXPLORER = ["--no-browser", "--port", "8680"]


@pytest.fixture
def heard_signal():
    """A process started in the background may have been told to ignore SIGINT, which its children inherit."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(os.name == "nt", reason="Windows has other signals")
@pytest.mark.parametrize("moment", ["tsa._base.loading", "numpy", "scipy", "tsa.model"])
@pytest.mark.parametrize("command", [[str(SCRIPTS / "tsa")], [*MODULE, "tsa"], [*MODULE, "tsa.cli"]])
def test_the_command_line_ends_quietly_while_it_is_loaded(command, moment, heard_signal):
    assert stopped_at(moment, [*command, *TSA]) == (130, [])


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has other signals")
@pytest.mark.parametrize(
    "moment", ["numpy", "tsa.model", "tsa", "streamlit.config", "streamlit", "explorer.live", "explorer.app"]
)
@pytest.mark.parametrize("command", [[str(SCRIPTS / "tsa-explorer")], [*MODULE, "explorer"]], ids=["script", "module"])
def test_the_explorer_ends_quietly_while_it_is_loaded(command, moment, heard_signal):
    code, said = stopped_at(moment, [*command, *EXPLORER])
    assert code == 130
    assert said in ([], ["tsa-explorer: stopped."])


def stopped_at(moment, command):
    """The exit code of a command that gets SIGINT when this module has been imported, and what it said."""
    environment = {**os.environ, "PYTHONPROFILEIMPORTTIME": "1"}  # a line on stderr for each module
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8"
    ) as running:
        next(line for line in running.stderr if line.rstrip().endswith(f" {moment}"))
        running.send_signal(signal.SIGINT)
        lines = running.stderr.read().splitlines()
    return running.returncode, [line for line in lines if not line.startswith("import time:")]


@pytest.mark.parametrize(
    ("argv", "is_command"),
    [
        (["python", "-m", "tsa", "weights"], True),
        (["python", "-X", "utf8=1", "-m", "tsa"], False),  # which value belongs to which option is not known here
        (["python", "-I", "-m", "tsa.cli"], True),
        (["python3", "-m", "explorer"], True),
        (["python", "/usr/bin/tsa", "weights"], True),
        (["python", "tsa-explorer.exe"], True),
        (["python", "-m", "pytest", "-m", "tsa"], False),
        (["python", "-c", "import tsa", "tsa"], False),
        (["python", "study.py", "tsa"], False),
        (["python"], False),
        (["python", "-m"], False),
        ([], False),
    ],
)
def test_only_our_commands_are_prepared_for_it(argv, is_command):
    """Programs that import `tsa` handle Ctrl-C as they please."""
    assert loading.is_command(argv) is is_command
