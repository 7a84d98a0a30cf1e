"""The shape of the project: one direction of dependence, a command line that speaks in sentences."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import tsa
from tsa.cli import main


def test_tsa_never_imports_the_app_nor_dask_unasked():
    unwanted = ("streamlit", "plotly", "explorer", "dask", "distributed")
    code = f"import sys, tsa, tsa.cli; print([m for m in {unwanted} if m in sys.modules])"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


def test_readme_example_prints_what_it_says(capsys):
    readme = (Path(__file__).parents[1] / "README.md").read_text()
    code = re.search(r"```python\n(.*?)```", readme, re.DOTALL)[1]
    exec(code, {})
    promised = re.findall(r"^print.*# (\S.*?):", code, re.MULTILINE)
    shifts, masses, error = capsys.readouterr().out.splitlines()
    assert [shifts, masses] == promised[:2]
    assert float(error) == pytest.approx(float(promised[2]), rel=0.1)


def test_public_names_exist():
    assert all(hasattr(tsa, name) for name in tsa.__all__)


@pytest.mark.slow
def test_bench_prints_ratios(capsys):
    assert main(["bench", "densities"]) == 0
    out = capsys.readouterr().out
    assert "bare irfft + exp + rfft" in out
    assert "its two matrix products" in out


def test_known_errors_are_one_sentence(capsys, monkeypatch):
    def fail():
        raise tsa.InputError("noise must be positive.")

    monkeypatch.setattr("tsa.experiments.bench.densities", fail)
    assert main(["bench", "densities"]) == 2
    assert capsys.readouterr().err == "tsa: noise must be positive.\n"


def test_help_has_an_example(capsys):
    with pytest.raises(SystemExit):
        main(["bench", "--help"])
    assert "example: tsa bench densities" in capsys.readouterr().out


def test_train_inspect_refine_and_draw(tmp_path, capsys):
    path, refined, sheet = tmp_path / "m.npz", tmp_path / "r.npz", tmp_path / "f.png"
    assert (
        main(["train", "rotation", "--shape", "10", "--subspaces", "15", "--pairs", "20000", "--out", str(path)]) == 0
    )
    assert main(["weights", str(path)]) == 0
    assert "confidence" in capsys.readouterr().out
    assert main(["refine", str(path), "--out", str(refined)]) == 0
    assert main(["inspect", str(refined)]) == 0
    report = capsys.readouterr().out
    for word in ("10×10 pixels", "planes", "lines", "orthogonality", "purity", "equivariance error", "20,000 pairs"):
        assert word in report
    assert main(["reproduce", "filters", "--model", str(refined), "--out", str(sheet)]) == 0
    picture = Image.open(sheet)
    assert picture.width > 500
    assert len(picture.getcolors()) > 50


@pytest.mark.parametrize("shape", ["12", "4x6"])
def test_train_shifts(tmp_path, shape, capsys):
    path = tmp_path / "m.npz"
    train = ["train", "shift", "--shape", shape, "--subspaces", "6", "--pairs", "2000", "--refine", "--out", str(path)]
    assert main(train) == 0
    assert main(["inspect", str(path)]) == 0
    assert main(["reproduce", "filters", "--model", str(path), "--out", str(tmp_path / "f.png")]) == 0
    assert "CyclicShift" in capsys.readouterr().out


def test_a_foreign_w_is_inspected(tmp_path, capsys):
    filters = tsa.fourier_model(9).filters[:, 1:]
    w = np.stack([filters.real, filters.imag], -1).reshape(9, -1)
    np.savez(tmp_path / "w.npz", W=w, shape=[9])
    assert main(["inspect", str(tmp_path / "w.npz")]) == 0
    assert "1x1 + 1x2 + 1x3 + 1x4" in capsys.readouterr().out


def test_a_foreign_dft_and_a_random_w_are_told_apart(tmp_path, capsys):
    np.save(tmp_path / "dft.npy", np.fft.fft(np.eye(16)))
    assert main(["inspect", str(tmp_path / "dft.npy")]) == 0
    told = capsys.readouterr()
    assert "CyclicShift(16)" in told.out
    assert "7 filters were conjugates" in told.out
    assert told.err == ""
    np.save(tmp_path / "random.npy", np.linalg.qr(np.random.default_rng(0).normal(size=(16, 16)))[0])
    assert main(["inspect", str(tmp_path / "random.npy")]) == 0
    assert "No known group acts on these filters" in capsys.readouterr().out
    assert main(["weights", str(tmp_path / "random.npy")]) == 0
    assert "No known group acts on these filters" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["train", "--out", "x.npz"],
        ["inspect", "no-such-model"],
        ["train", "rotation", "--shape", "4x5", "--out", "x.npz"],
        ["train", "rotation", "--shape", "4", "--subspaces", "500", "--out", "x.npz"],
        ["train", "rotation", "--sigma", "nan", "--out", "x.npz"],
        ["train", "rotation", "--rate", "0", "--out", "x.npz"],
        ["train", "rotation", "--rate", "1e9", "--out", "x.npz"],
        ["train", "rotation", "--bundled", "shift-32", "--out", "x.npz"],
        ["train", "rotation", "--pairs", "100", "--out", "x.txt"],
        ["refine", "shift-32", "--out", "x.txt"],
        ["posterior", "F", "--pixel-noise", "-1"],
        ["posterior", "F", "--pixel-noise", "nan"],
        ["posterior", "F", "--angle", "inf"],
        ["train", "rotation", "--pairs", "0", "--out", "x.npz"],
        ["train", "rotation", "--seed", "-1", "--out", "x.npz"],
        ["train", "shift", "--shape", "2x2x2", "--out", "x.npz"],
        ["train", "rotation", "--pairs", "100", "--out", "."],
        ["reproduce", "filters", "--out", "figure.xyz"],
        ["reproduce", "filters", "--out", "nowhere/figure.png"],
        ["posterior", "F", "--out", "nowhere/figure.png"],
    ],
)
def test_mistakes_are_one_sentence(arguments, capsys):
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert error.startswith("tsa: ")
    assert error.count("\n") == 1


@pytest.mark.parametrize("command", ["train", "weights", "inspect", "refine", "reproduce", "bench"])
def test_every_command_has_an_example(command, capsys):
    with pytest.raises(SystemExit):
        main([command, "--help"])
    assert f"example: tsa {command}" in capsys.readouterr().out


@pytest.mark.slow
def test_bench_learning(capsys):
    assert main(["bench", "learning"]) == 0
    assert "four bare float32 products" in capsys.readouterr().out
