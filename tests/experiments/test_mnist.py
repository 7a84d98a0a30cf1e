"""The experiment on rotated digits: repeatable, resumable, and honest about its uncertainty."""

import json
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from scipy.stats import binomtest

from tsa import InputError
from tsa.cli import main
from tsa.experiments import bench, mnist
from tsa.pictures import datasets


@pytest.fixture(scope="module")
def digits():
    return datasets.sample("train")[:400], datasets.sample("test")[:100]


@pytest.fixture(scope="module")
def finished(digits, tmp_path_factory):
    folder = tmp_path_factory.mktemp("mnist")
    return folder, mnist.run_mnist(*digits, "rotation-16-refined", folder, sizes=(50, 400))


def test_all_methods_at_all_sizes(finished):
    folder, outcomes = finished
    assert [o.n for o in outcomes] == [50] * 7 + [400] * 7
    assert len({o.method for o in outcomes}) == 7
    accuracy = {o.method: o.accuracy for o in outcomes if o.n == 400}
    assert accuracy["ED"] < accuracy["TD"] < accuracy["√κ̂ bal"] < accuracy["MD"]
    assert abs(accuracy["bispectrum"] - accuracy["MD"]) < 0.1
    assert (folder / "table.txt").read_text() == mnist.table(outcomes)


def test_the_figure_shows_every_method(finished):
    folder, outcomes = finished
    svg = ET.parse(folder / "accuracy.svg").getroot()
    words = [element.text for element in svg.iter() if element.tag.endswith("text")]
    assert {o.method for o in outcomes} <= set(words)
    assert len([e for e in svg.iter() if e.tag.endswith("circle")]) == len(outcomes)
    assert all(float(e.get("cy")) > 0 for e in svg.iter() if e.tag.endswith("circle"))


def test_a_stopped_run_continues(digits, finished, tmp_path):
    """Only what is missing is computed, and the whole is what an uninterrupted run gives."""
    folder, outcomes = finished
    kept = json.loads((folder / "outcomes.json").read_text())
    kept["outcomes"] = kept["outcomes"][:9]
    (tmp_path / "outcomes.json").write_text(json.dumps(kept))
    seen = []

    def progress(title):
        seen.append(title)
        return lambda fraction: None

    again = mnist.run_mnist(*digits, "rotation-16-refined", tmp_path, (50, 400), progress)
    assert len(seen) == 5
    assert [(o.method, o.n, o.right) for o in again] == [(o.method, o.n, o.right) for o in outcomes]
    assert mnist.run_mnist(*digits, "rotation-16-refined", tmp_path, (50, 400), progress) == again
    assert len(seen) == 5


def test_other_settings_are_another_run(digits, finished, tmp_path):
    folder, _ = finished
    with pytest.raises(InputError, match="another run"):
        mnist.run_mnist(*digits, "rotation-16", folder, (50, 400))
    (tmp_path / "outcomes.json").write_text("not json")
    with pytest.raises(InputError, match="cannot be used"):
        mnist.run_mnist(*digits, "rotation-16", tmp_path, (50,))
    with pytest.raises(InputError, match="model of rotation"):
        mnist.run_mnist(*digits, "shift-16x16", tmp_path / "new", (50,))


def test_intervals_are_wilsons():
    for right, of in ((0, 50), (37, 50), (9712, 10_000), (10, 10)):
        expected = binomtest(right, of).proportion_ci(0.95, "wilson")
        np.testing.assert_allclose(mnist.Outcome("", 1, right, of, 0).interval, expected, atol=1e-5)


def test_the_command(tmp_path, capsys, digits, monkeypatch):
    monkeypatch.setattr(datasets, "sample", lambda split: digits[split == "test"])
    assert main(["reproduce", "mnist", "--quick", "--out", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert re.search(r"^bispectrum +\d+\.\d\d \(", out, re.MULTILINE)
    assert "accuracy.svg" in out
    assert main(["reproduce", "mnist"]) == 2
    assert main(["reproduce", "mnist", "--data", str(tmp_path)]) == 2
    assert capsys.readouterr().err.count("\n") == 2


def test_bench_recognition(digits, capsys):
    bench.recognition(*digits, slices=2)
    out = capsys.readouterr().out
    assert "manifold distance, exact" in out
    assert "turned by 360 angles" in out


def test_the_split_of_the_literature():
    """12,000 and 50,000 digits, none in both; the same draw every time."""
    images = np.arange(70_000, dtype=np.int64).view(np.uint8).reshape(70_000, 2, 4)[:, :, :2]
    images = np.ascontiguousarray(images)
    labels = np.arange(70_000)
    train, test = datasets.Digits(images[:60_000], labels[:60_000]), datasets.Digits(images[60_000:], labels[60_000:])
    known, asked = mnist.literature_split(train, test)
    assert (len(known), len(asked)) == (12_000, 50_000)
    assert not set(known.labels.tolist()) & set(asked.labels.tolist())
    np.testing.assert_array_equal(known.images, images[known.labels])
    np.testing.assert_array_equal(mnist.literature_split(train, test)[0].labels, known.labels)
    with pytest.raises(InputError, match="62,000"):
        mnist.literature_split(train[:100], test)
