"""The commands run without the modules that only Unix has, and in a console of any encoding."""

import os
import signal
import subprocess
import sys

import pytest

import tsa
from tsa.experiments import bench

UNIX_ONLY = ("resource", "fcntl", "pwd", "grp", "termios")
WITHOUT_UNIX = f"""
import sys
for name in {UNIX_ONLY}:
    sys.modules[name] = None  # `import name` fails
import importlib, pkgutil
import tsa, tsa.cli, explorer
for package in (tsa, explorer):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if module.name not in ("tsa.__main__", "tsa.cli.__main__", "explorer.app.script"):  # which run on import
            importlib.import_module(module.name)
tsa.cli.main(["weights", "shift-32"])
"""


def run(code, **environment):
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONIOENCODING", "PYTHONUTF8")}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, env=clean | environment)


def test_nothing_needs_a_module_that_only_unix_has():
    answer = run(WITHOUT_UNIX, PYTHONIOENCODING="utf-8")
    assert answer.returncode == 0, answer.stderr.decode()
    assert answer.stdout.decode().startswith("1x0 + 1x1")


def test_where_memory_cannot_be_measured_none_is_printed(monkeypatch, capsys):
    bench._print_peak_memory()
    assert capsys.readouterr().out.endswith("MB at the most\n")
    monkeypatch.setitem(sys.modules, "resource", None)
    bench._print_peak_memory()
    assert capsys.readouterr().out == ""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no broken pipes of this kind")
@pytest.mark.parametrize("command", [["-m", "tsa", "weights", "shift-32"], ["-m", "tsa.cli", "posterior", "square"]])
def test_a_reader_that_leaves_ends_a_command_without_a_word(command):
    with subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        running.stdout.close()
        assert running.stderr.read() == b""
    assert running.returncode == 141


@pytest.mark.parametrize(("module", "name"), [("tsa", "tsa"), ("explorer", "tsa-explorer")])
def test_both_commands_say_their_version(module, name):
    answer = subprocess.run([sys.executable, "-m", module, "--version"], capture_output=True, encoding="utf-8")
    assert answer.stdout == f"{name} {tsa.__version__}\n"


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has other signals")
def test_stopping_the_explorer_leaves_one_line():
    # A process started in the background may have been told to ignore SIGINT, which its children inherit.
    start = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)"
    start += "; from explorer.__main__ import main; sys.exit(main(['--no-browser', '--port', '8660']))"
    command = [sys.executable, "-u", "-c", start]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8") as running:
        next(line for line in running.stdout if "127.0.0.1" in line)  # it starts to serve right after this line
        running.send_signal(signal.SIGINT)
        error = running.stderr.read()
    assert (running.returncode, error) == (130, "tsa-explorer: stopped.\n")


COMMANDS = """
from explorer.__main__ import main as explorer
from tsa.cli import main
main(["inspect", "shift-32"]), main(["posterior", "square"]), main(["weights", "shift-32"])
main(["inspect", "no-\\u03c9.npz"]), explorer(["--model", "no-\\u03c9.npz"])
main(["train", "--help"])
"""


@pytest.mark.parametrize(
    "console",
    [
        {"PYTHONIOENCODING": "ascii"},
        pytest.param({"PYTHONIOENCODING": "cp1252"}, marks=pytest.mark.slow),
        pytest.param({"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}, marks=pytest.mark.slow),
    ],
    ids=["ascii", "cp1252", "C locale"],
)
def test_no_console_encoding_crashes_a_command(console):
    answer = run(COMMANDS, **console)
    out, err = answer.stdout.decode("cp1252"), answer.stderr.decode("cp1252")
    assert "Traceback" not in err
    assert answer.returncode == 0
    for word in ("noise ?", "mean purity", "30", "paper's finite difference", "example: tsa train"):
        assert word in out
    assert "tsa: There is no model file no-?.npz" in err
    assert "tsa-explorer: There is no model file no-?.npz" in err
