"""`tsa inspect`, `tsa subset` and `tsa compare` on filters that are no model, from files of several kinds."""

import csv
import json

import numpy as np
import pytest

from tests.shared import foreign_files as made
from tsa import fourier_model, load
from tsa.cli import main
from tsa.model import real_columns


@pytest.fixture
def files(tmp_path):
    columns = real_columns(fourier_model((6, 6)).filters)
    twice = np.concatenate([columns, 2 * columns[:, :9]], axis=1)
    paths = {name: tmp_path / name for name in ("a.mat", "b.pt", "c.safetensors")}
    paths["a.mat"].write_bytes(made.mat5(W=twice))
    paths["b.pt"].write_bytes(
        made.checkpoint({"bias": np.ones(3), "layer.weight": twice.T.copy(), "fc.weight": columns})
    )
    paths["c.safetensors"].write_bytes(made.safetensors(w=columns[:, :20].copy()))
    return {name: str(path) for name, path in paths.items()}


def test_a_report_and_a_row_for_each_filter(files, tmp_path, capsys):
    out = tmp_path / "filters.csv"
    options = ["--array", "layer.weight", "--group", "shift", "--patch", "6x6", "--out", str(out)]
    assert main(["inspect", files["b.pt"], *options]) == 0
    shown = capsys.readouterr().out
    assert "45 of 36 pixels (45 real)" in shown
    assert "copies  9" in shown
    assert "fc.weight 36×36" in shown
    rows = list(csv.DictReader(out.read_text().splitlines()))
    assert len(rows) == 45
    assert sum(bool(row["copy of"]) for row in rows) == 9
    assert main(["inspect", files["b.pt"], "--array", "nowhere"]) == 2
    assert "has bias 3, layer.weight 45×36" in capsys.readouterr().err


def test_a_subset_becomes_a_model_file(files, tmp_path, capsys):
    out = tmp_path / "model.npz"
    assert main(["subset", files["a.mat"], "--group", "shift", "--patch", "6x6", "--out", str(out)]) == 0
    shown = capsys.readouterr().out
    assert "36 of 45 filters are in the model; left out: 9 copies." in shown
    assert "Energy of held-out patches: 100.0% in the model" in shown
    assert load(out).irreps.folded.spaces().keys() == fourier_model((6, 6)).irreps.folded.spaces().keys()


def test_several_sets_make_one_table(files, tmp_path, capsys):
    page, table = tmp_path / "table.html", tmp_path / "table.csv"
    for out in (page, table):
        names = [files["a.mat"], files["c.safetensors"]]
        assert main(["compare", *names, "--group", "shift", "--patch", "6x6", "--out", str(out)]) == 0
    assert "dimensions of pure filters" in capsys.readouterr().out
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert [(row["set"], row["filters"]) for row in rows] == [("a", "45"), ("c", "20")]
    assert page.read_text().count("<table>") == 2
    assert main(["compare", files["a.mat"], "--out", str(tmp_path / "x.pdf")]) == 2
    numbers = tmp_path / "filters.json"
    assert main(["inspect", "shift-32", "--filters", "--out", str(numbers)]) == 0
    assert len(json.loads(numbers.read_text())["17 filters"]) == 17
