"""Odd arguments of both commands, and odd files named by them: one sentence, no traceback; `TSA_FUZZ=10000` tries so
many. The work itself (training, benchmarks) is left out: what is tried is everything before it.
"""

import argparse
import json
import random
import time
from unittest.mock import MagicMock

import numpy as np
import pytest

import tsa
from explorer.__main__ import main as explorer_main
from tests.shared import foreign_files as made
from tests.shared.mutations import TIMES, mutate
from tsa.cli import _main, bench, discover, main, models, reproduce, train

VALUES = [
    "", "0", "-1", "1", "3", "16", "1e9", "1e400", "nan", "inf", "-inf", "9" * 400, "x", "16x16", "0x0", "3x", "x3",
    "-", "--", "rotation", "shift", "rotation-16", "shift-32", "square", "shape.F", "../..", "/", "/dev/null", ".",
    "ॐ", "a" * 5000, "<b>", "*.png", "none.npz", "none.png", "out.csv", "out.html", "out.txt", "1,2", "30.5",
]  # fmt: skip


class Worked(tsa.TSAError):
    """Raised in place of the work."""


class Work(MagicMock):
    """Stands for modules and functions that work for minutes."""

    def __call__(self, *_, **__):
        raise Worked("worked")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder to work in, with some files; nothing is computed for long."""
    monkeypatch.chdir(tmp_path)
    for module, names in {
        train: ["train_run", "train_runs", "white_patches"],
        discover: ["discover", "discover_starts"],
        bench: ["bench", "adaptation", "registration", "tracking", "discovery_benchmark"],
        reproduce: ["dft", "filters", "mnist", "motion", "orbits", "posteriors", "report", "sequences"],
        models: ["calibration", "turned_photo_patches", "slid_photo_patches"],
    }.items():
        for name in names:
            monkeypatch.setattr(module, name, Work())
    return tmp_path


def odd_about(rng):
    """A provenance as nobody writes it."""
    odd = [None, [], {}, "x", 1e308, -1, [[1]], [[1, 2]], {"n_pairs": "x"}, {"a": {"b": [1]}}, "9" * 300]
    names = ["recipe", "curve", "group", "noise", "discovered", "orders", "recovery", "refined from", "seed", "pairs"]
    return {rng.choice(names): rng.choice(odd) for _ in range(rng.randrange(1, 5))}


def odd_file(rng, path):
    """A file that may be a model, or filters, or neither."""
    model = tsa.load("shift-32")
    kind = rng.randrange(5)
    if kind == 0:
        tsa.save(model, path, (32,), odd_about(rng))
        if rng.random() < 0.5:
            path.write_bytes(mutate(rng, path.read_bytes()))
    elif kind == 1:
        w = np.random.default_rng(rng.randrange(9)).standard_normal((rng.choice([1, 25, 36]), rng.choice([1, 5, 40])))
        np.save(path, w * rng.choice([1, 1e300, 1e-300, 0]))
    elif kind == 2:
        path.write_bytes(mutate(rng, made.mat5(W=np.eye(16))))
    elif kind == 3:
        path.write_bytes(mutate(rng, made.checkpoint({"w": np.eye(16, dtype="f4")})))
    else:
        path.write_bytes(rng.randbytes(rng.randrange(200)))


def commands():
    (found,) = [one for one in _main._parser()._actions if isinstance(one, argparse._SubParsersAction)]
    return found.choices


def odd_arguments(rng, parser, files):
    """Some options of a command with values, most of them odd, and values for its places."""
    argv = []
    for action in parser._actions:
        if action.option_strings and (rng.random() > 0.25 or action.dest in ("help", "version", "scheduler")):
            continue
        if action.option_strings:
            argv.append(action.option_strings[-1])
        if action.nargs == 0:
            continue
        for _ in range(rng.choice([1, 1, 1, 1, 2, 0])):
            right = [str(one) for one in action.choices] if action.choices else files
            argv.append(rng.choice(right if rng.random() < 0.6 else VALUES))
    return argv


def ran(run, argv, capsys):
    """What was printed as an error; fails on anything but a code and sentences."""
    start = time.perf_counter()
    try:
        code = run(argv)
    except SystemExit as ended:  # of argparse
        code = ended.code
    said = capsys.readouterr().err
    assert code in (0, 1, 2, 3), argv
    assert "Traceback" not in said, argv
    assert time.perf_counter() - start < 20, argv  # a whole report on a small model is among them
    last = said.strip().splitlines()[-1] if said.strip() else ""
    assert code != 2 or 0 < len(last) < 6000, argv
    return last


@pytest.mark.fuzz
@pytest.mark.parametrize("part", range(4))
def test_odd_arguments_are_one_sentence(part, folder, capsys):
    rng, every = random.Random(part), sorted(commands().items())
    said = set()
    names = [f"f{i}.{ending}" for i, ending in enumerate(["npz", "npy", "mat", "pt", "png", "npz", "npz", "txt"])]
    for number in range(max(40, TIMES // 4)):
        if number % 10 == 0:
            for name in names:
                odd_file(rng, folder / name)
        name, parser = rng.choice(every)
        said.add(ran(main, [name, *odd_arguments(rng, parser, names)], capsys))
    assert len(said) > 10


@pytest.mark.fuzz
def test_odd_arguments_of_the_server_are_one_sentence(folder, capsys, monkeypatch):
    """The server itself is not started."""
    rng, started = random.Random(9), []
    monkeypatch.setattr("explorer.__main__.free_port", lambda host, port: None)
    for name in ("bench.run_bench", "shots.take_shots"):
        monkeypatch.setattr(f"explorer.tools.{name}", lambda *_: started.append(1) or 0)
    odd_file(rng, folder / "m.npz")
    options = ["--host", "--port", "--allowed-host", "--model", "--lessons", "--no-browser", "bench", "lesson", "check"]
    for _ in range(max(60, TIMES // 10)):
        argv = [rng.choice([*options, *VALUES, "m.npz"]) for _ in range(rng.randrange(1, 6))]
        ran(explorer_main, argv, capsys)


@pytest.mark.parametrize(
    "about", [{"recipe": 1}, {"recipe": {"n_pairs": "x"}}, {"curve": [1]}, {"recipe": {}, "curve": {}}]
)
def test_an_odd_provenance_is_left_out_of_the_report(about, folder, capsys):
    tsa.save(tsa.load("shift-32"), folder / "m.npz", (32,), {"group": "shift", **about})
    assert main(["inspect", "m.npz"]) == 0
    assert "trained on" not in capsys.readouterr().out
    assert json.loads(json.dumps(about)) == about


def test_names_of_files_stay_text_in_a_table(folder):
    tag = "<img src=x onerror=alert(1)>"
    np.save(folder / f"{tag}.npy", np.random.default_rng(0).standard_normal((36, 5)))
    np.save(folder / "b.npy", np.eye(36))
    assert main(["compare", f"{tag}.npy", "b.npy", "--out", "table.html"]) == 0
    text = (folder / "table.html").read_text(encoding="utf-8")
    assert "&lt;img src=x" in text
    assert tag not in text
