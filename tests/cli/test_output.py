"""What commands print for programs: JSON, files on standard output, and completion for a shell."""

import io
import json
import shutil
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

import tsa
from tsa.cli import main


def printed(capsys, *arguments):
    assert main([*map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.fixture
def filters(tmp_path):
    path = tmp_path / "filters.npy"
    np.save(path, np.fft.fft(np.eye(8))[:, 1:4])
    return path


def test_weights_as_json(capsys):
    model, rows = tsa.load("shift-32"), printed(capsys, "weights", "shift-32")["filters"]
    assert [row["weight"] for row in rows] == np.asarray(model.weights).tolist()
    assert all(0.99 < row["confidence"] <= 1 for row in rows)


def test_a_report_as_json(capsys):
    report = printed(capsys, "inspect", "shift-32")
    assert report["patches"] == [32]
    assert report["coverage"] is None
    assert report["subspaces"] == "15 planes, 2 lines"


def test_a_posterior_as_json_is_that_of_python(capsys):
    summary = printed(capsys, "posterior", "F", "--angle", "22.7")
    assert json.loads(json.dumps(summary)) == summary
    capsys.readouterr()
    assert main(["posterior", "F", "--angle", "22.7", "--out", "-", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == summary


def test_sets_of_filters_as_json(capsys, filters, tmp_path):
    table = printed(capsys, "inspect", filters, "--filters", "--group", "shift")["table"]
    assert [abs(row["weight"]) for row in table] == [1, 2, 3]
    assert len(printed(capsys, "compare", filters, filters, "--group", "shift")["sets"]) == 2
    made = printed(capsys, "subset", filters, "--group", "shift", "--out", tmp_path / "model.npz")
    assert made["irreps"] == "1x1 + 1x2 + 1x3"
    assert made["energy"][1] == pytest.approx(made["energy"][0])


def test_a_group_as_json(capsys, tmp_path):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((600, 5))
    y = np.stack([np.roll(one, s) for one, s in zip(x, rng.integers(5, size=600), strict=True)])
    np.savez(tmp_path / "pairs.npz", X=x, Y=y)
    found = printed(capsys, "discover", tmp_path / "pairs.npz")
    assert (found["found"], found["orders"]) == (True, [5])
    assert len(found["weights"]) == len(found["confidence"])


def test_tables_go_to_standard_output(capfdbinary, filters):
    assert main(["inspect", str(filters), "--group", "shift", "--out", "-", "--format", "csv"]) == 0
    lines = capfdbinary.readouterr().out.decode().splitlines()
    assert len(lines) == 1 + 3
    assert lines[0].startswith("filter")


def test_pictures_go_to_standard_output(capfdbinary):
    assert main(["posterior", "square", "--out", "-", "--format", ".png"]) == 0
    with Image.open(io.BytesIO(capfdbinary.readouterr().out)) as picture:
        assert picture.format == "PNG"


def test_standard_output_needs_a_format(capsys):
    assert main(["posterior", "square", "--out", "-"]) == 2
    assert "--format" in capsys.readouterr().err


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_completion_knows_the_commands(capsys, shell):
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert "discover" in script
    assert "--json" in script or "json" in script


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_takes_the_completion(tmp_path):
    script = tmp_path / "tsa.bash"
    script.write_text(subprocess.check_output([sys.executable, "-m", "tsa", "completion", "bash"], text=True))
    asked = f'source {script}; COMP_WORDS=(tsa poste); COMP_CWORD=1; _shtab_tsa; echo "${{COMPREPLY[@]}}"'
    assert subprocess.check_output(["bash", "-c", asked], text=True).strip() == "posterior"


def test_completion_says_what_it_needs(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert main(["completion", "bash"]) == 2
    assert "pip install shtab" in capsys.readouterr().err
