"""Every file the lab gives away, opened by a reader that knows nothing of us."""

import csv
import json
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from explorer.state import Shape, decode_link
from tests.shared.browser import choose, says


@pytest.mark.slow
def test_every_download_holds_what_it_says(page, browser, tmp_path):
    choose(page, "triangle")
    says(page, "Three turns")
    page.get_by_text("Save", exact=True).click()
    page.get_by_text("Posterior (CSV)").wait_for()
    for button in page.locator(".stPopoverBody button, [data-testid=stPopoverBody] button").all():
        with page.expect_download(timeout=60_000) as download:
            button.click()
        download.value.save_as(tmp_path / download.value.suggested_filename)
    names = sorted(path.name for path in tmp_path.iterdir())
    stage, table = "stage.html stage.png stage.svg turn.webp turn.gif", "posterior.csv subspaces.csv summary.json"
    assert names == sorted(f"{stage} {table} posterior.py x.png x.npy y.png y.npy view.json".split(" "))
    for name, size in (("stage.png", (1440, 900)), ("x.png", (256, 256)), ("y.png", (256, 256))):
        with Image.open(tmp_path / name) as picture:
            assert picture.size == size
    for name in ("turn.webp", "turn.gif"):
        with Image.open(tmp_path / name) as film:
            assert film.n_frames >= 30
    assert np.load(tmp_path / "x.npy", allow_pickle=False).shape == (256,)
    texts = [element.text or "" for element in ElementTree.parse(tmp_path / "stage.svg").iter()]
    assert any("By 30°, 150° or 270°: three turns fit equally well." in text for text in texts)
    modes = json.loads((tmp_path / "summary.json").read_text())["modes"]
    assert [mode["mass"] for mode in modes] == pytest.approx([1 / 3] * 3, abs=0.02)
    assert decode_link(json.loads((tmp_path / "view.json").read_text())).x == Shape("triangle")
    assert len(list(csv.DictReader((tmp_path / "subspaces.csv").read_text().splitlines()))) == 55
    ran = subprocess.run([sys.executable, tmp_path / "posterior.py"], capture_output=True, text=True, check=True)
    ours = list(csv.DictReader((tmp_path / "posterior.csv").read_text().splitlines()))
    theirs = list(csv.DictReader(ran.stdout.splitlines()))
    for a, b in zip(ours, theirs, strict=True):
        assert float(a["density"]) == pytest.approx(float(b["density"]), rel=1e-9, abs=1e-9)
    tab = browser.new_context(offline=True).new_page()
    tab.goto((tmp_path / "stage.html").as_uri())
    says(tab, "Three turns")
    tab.close()
