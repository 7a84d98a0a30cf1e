"""Sections of the report: their claims, their files, and that a second run reads what the first one made."""

import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
from PIL import Image

import tsa
from tsa import InputError
from tsa.cli import main
from tsa.experiments import dft, filters, mnist, orbits, posteriors, report, sequences
from tsa.pictures import datasets
from tsa.stage import Chart, ChartLine, charts_image, charts_svg


@pytest.fixture(scope="module")
def sections():
    return {
        "orbits": orbits.section(),
        "dft": dft.section(),
        "filters": filters.section(quick=True),
        "posteriors": posteriors.section(turns=4),
        "sequences": sequences.section(runs=4),
    }


def test_every_claim_has_a_number_and_a_verdict(sections):
    for section in sections.values():
        assert section.figures
        for claim in section.claims:
            assert re.search(r"\d", claim.ours)
            assert claim.verdict in get_args(report.Verdict)
            assert "nan" not in claim.ours
    assert [claim.verdict for claim in sections["dft"].claims] == ["holds", "holds"]
    assert {claim.verdict for claim in sections["orbits"].claims} == {"holds"}
    assert sections["posteriors"].claims[1].verdict == "holds"
    assert sections["posteriors"].claims[2].verdict == "better"


def test_figures_are_svg_and_png(sections, tmp_path):
    section = report.run_section(tmp_path, "dft", {}, lambda: sections["dft"])
    for figure in section.figures:
        assert ET.fromstring(figure.svg).tag.endswith("svg")
        with Image.open(tmp_path / f"{figure.name}.png") as image:
            assert image.size == (520, 420)


def test_a_second_run_reads_the_first(sections, tmp_path):
    made = []

    def make():
        made.append(1)
        return sections["dft"]

    first = report.run_section(tmp_path, "dft", {"quick": True}, make)
    again = report.run_section(tmp_path, "dft", {"quick": True}, make)
    assert first == again
    assert len(made) == 1
    report.run_section(tmp_path, "dft", {"quick": False}, make)  # other settings
    assert len(made) == 2
    (tmp_path / "dft.png").unlink()  # an interrupted or damaged run
    report.run_section(tmp_path, "dft", {"quick": False}, make)
    assert len(made) == 3
    (tmp_path / "dft.json").write_text("{")
    report.run_section(tmp_path, "dft", {"quick": False}, make)
    assert len(made) == 4
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="Cannot write"):
        report.run_section(tmp_path / "file", "dft", {}, make)


def test_the_report_is_one_file_that_loads_nothing(sections, tmp_path):
    hostile = report.Claim("<script>alert(1)</script>", "1 < 2 & 3", "holds in part")
    changed = replace(sections["dft"], claims=(hostile,))
    path = report.write_report(tmp_path, [sections["orbits"], changed], quick=True)
    text = path.read_text(encoding="utf-8")
    assert "<script" not in text
    assert "&lt;script&gt;" in text
    assert 'class="holds-in-part"' in text
    pictures = re.findall(r'(?:src|href)="([^#"][^"]*)"', text)
    assert len(pictures) == 3
    assert all(address.startswith("data:image/svg+xml;base64,") for address in pictures)


def test_charts_of_both_kinds():
    charts = [
        Chart("√κ̂", "n", "share", [ChartLine("a", [1.0, 10.0, 100.0], [0.1, 0.2, 0.3], [(0.0, 0.2)] * 3)], log_x=True),
        Chart("flat", "x", "y", [ChartLine("b", [0.0, 1.0], [2.0, 2.0], dots=True)], log_y=True),
    ]
    words = [e.text for e in ET.fromstring(charts_svg(charts, "Two charts")).iter() if e.tag.endswith("text")]
    assert {"√κ̂", "n", "share", "a", "1", "10", "100", "flat", "b"} <= set(words)
    assert "-0" not in words
    narrow = ET.fromstring(charts_svg(charts[:1] * 3, "Three charts"))
    assert int(narrow.get("width")) < 3 * 520
    assert np.asarray(charts_image(charts).convert("L")).min() < 100


def test_a_chart_with_a_gap_a_ground_and_pictures():
    line = ChartLine("a", [0.0, 1.0, 2.0, 3.0, 4.0], [1.0, 2.0, np.nan, 3.0, 1.0])
    ground = np.array([[1.0, 0.0], [0.0, 0.0]])
    chart = Chart("one", "x", "y", [line], y_range=(0.0, 4.0), ground=ground, pictures=(np.zeros((2, 2)),))
    elements = [e.tag.rpartition("}")[2] for e in ET.fromstring(charts_svg([chart], "One chart")).iter()]
    assert elements.count("polyline") == 2  # on either side of the gap
    assert elements.count("image") == 2
    pixels = np.asarray(charts_image([chart])).astype(int)
    blue = np.argwhere(pixels[..., 2] > pixels[..., 0] + 100)
    assert blue.size
    assert (blue < np.array(pixels.shape[:2]) * 0.65).all()  # the upper left quarter of the plot


def test_words_become_html():
    path = report._text("`a<b` is 3e-08, X_j of e^{is} ± 2 %")
    assert path == (
        "<code>a&lt;b</code> is 3&#8239;·&#8239;10<sup>−8</sup>, X<sub>j</sub> of e<sup>is</sup>&nbsp;±&nbsp;2&nbsp;%"
    )


def test_what_others_report_is_no_claim_of_the_paper(sections):
    outcomes = [mnist.Outcome(m.name, 12_000, 900, 1000, 1.5) for m in mnist.methods(tsa.load("rotation-16-refined"))]
    section = mnist.literature_section(outcomes)
    assert section.seconds == 1.5 * len(outcomes)
    text = report.html([sections["dft"], section], quick=False)
    assert "<p>2 claims of" in text
    assert "MD 90.0&nbsp;±&nbsp;0.9&nbsp;%" in text


def test_the_command(tmp_path, capsys):
    assert main(["reproduce", "dft", "--out", str(tmp_path / "dft")]) == 0
    assert "holds" in capsys.readouterr().out
    assert json.loads((tmp_path / "dft" / "dft.json").read_text())["seed"] == 0
    assert main(["reproduce", "all"]) == 2
    assert "--quick" in capsys.readouterr().err


@pytest.mark.slow
def test_everything_quickly(tmp_path, capsys, monkeypatch):
    digits = {split: datasets.sample(split)[:n] for split, n in (("train", 400), ("test", 100))}
    monkeypatch.setattr(datasets, "sample", digits.get)
    assert main(["reproduce", "all", "--quick", "--out", str(tmp_path)]) == 0
    first = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert first.count("<section") == 6
    assert main(["reproduce", "all", "--quick", "--out", str(tmp_path)]) == 0
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == first
    assert "report.html" in capsys.readouterr().out


@pytest.mark.slow
def test_everything_with_the_split_of_the_literature(tmp_path, monkeypatch):
    """The full report in small: few digits and sequences, filters that are not trained again."""
    digits = {split: datasets.sample(split)[:n] for split, n in (("train", 300), ("test", 150))}
    make_filters, make_sequences = filters.section, sequences.section
    monkeypatch.setattr(datasets, "mnist", lambda folder, split: digits[split])
    monkeypatch.setattr(mnist, "SIZES", (100, 300))
    monkeypatch.setattr(mnist, "LITERATURE_COUNTS", (250, 50, 150))
    monkeypatch.setattr(filters, "section", lambda quick: make_filters(quick=True))
    monkeypatch.setattr(sequences, "section", lambda runs: make_sequences(runs=4))
    assert main(["reproduce", "all", "--data", str(tmp_path), "--out", str(tmp_path)]) == 0
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert text.count("<section") == 7
    assert "300 training and 150 test digits at 16×16 pixels" in text
    assert (tmp_path / "accuracy-literature.png").exists()
