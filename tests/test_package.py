"""The shape of the project: one direction of dependence, a command line that speaks in sentences."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import tsa
from tsa.cli import main


def test_tsa_never_imports_the_app():
    code = "import sys, tsa, tsa.cli; print([m for m in ('streamlit', 'plotly', 'explorer') if m in sys.modules])"
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


def test_bench_prints_ratios(capsys):
    assert main(["bench", "densities"]) == 0
    out = capsys.readouterr().out
    assert "bare irfft + exp + rfft" in out
    assert "its two matrix products" in out


def test_known_errors_are_one_sentence(capsys, monkeypatch):
    def fail():
        raise tsa.InputError("noise must be positive.")

    monkeypatch.setattr("tsa.bench.densities", fail)
    assert main(["bench", "densities"]) == 2
    assert capsys.readouterr().err == "tsa: noise must be positive.\n"


def test_help_has_an_example(capsys):
    with pytest.raises(SystemExit):
        main(["bench", "--help"])
    assert "example: tsa bench densities" in capsys.readouterr().out
