"""No text of a visitor becomes HTML: names of files, arrays and models, provenance, and what stands in an address."""

import io

import numpy as np
import pytest

from tests.shared.browser import TIMEOUT_MS, at_rest, visit
from tsa import load
from tsa.files import pack_model
from tsa.model import real_columns

TAG = "<img src=x onerror=alert(1)>"  # a file of this name can be made, and uploaded
MADE = "img[src='x'], script[data-odd]"


@pytest.fixture
def tab(browser):
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.set_default_timeout(TIMEOUT_MS)
    dialogs = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    yield page
    page.close()
    assert dialogs == []


def nothing_made(page):
    """Whether no element came of the text, in the page or in a shadow root."""
    at_rest(page)
    assert page.locator(MADE).count() == 0


def upload(page, name, data):
    files = page.locator("input[type=file]")
    files.wait_for(state="attached")
    files.set_input_files({"name": name, "mimeType": "application/x", "buffer": data})


def test_names_and_provenance_of_a_file_stay_text(tab, server, tmp_path):
    about = {"group": "rotation", TAG: [TAG, {TAG: "<script data-odd>alert(1)</script>"}], "recipe": {"n_pairs": TAG}}
    tab.goto(f"{server}/model")
    upload(tab, f"{TAG}.npz", pack_model(load("rotation-16-refined"), (16, 16), about))
    tab.get_by_text(f"{TAG} is now used on the pages").wait_for()
    nothing_made(tab)
    for name in ("Refine", "Compare", "Provenance"):
        tab.get_by_role("tab", name=name).click()
        nothing_made(tab)
    for name in ("Filters", "Recognise", "Lab"):
        visit(tab, name)
        tab.wait_for_selector({"Filters": ".sheet[data-chosen]", "Lab": ".stage[data-drawn]"}.get(name, ".row"))
        nothing_made(tab)
    tab.get_by_role("button", name="Save", exact=True).click()
    with tab.expect_download() as download:
        tab.get_by_role("button", name="A page that works offline (HTML)").click()
    download.value.save_as(tmp_path / "stage.html")
    text = (tmp_path / "stage.html").read_text(encoding="utf-8")
    assert "&lt;img src=x" in text  # the name is there
    assert TAG not in text


def test_names_of_arrays_stay_text(tab, server):
    columns = real_columns(load("rotation-16-refined").filters)
    buffer = io.BytesIO()
    np.savez(buffer, **{TAG: np.concatenate([columns, 2 * columns], axis=1), f"{TAG}2": np.eye(16)})
    tab.goto(f"{server}/model")
    upload(tab, "arrays.npz", buffer.getvalue())
    tab.get_by_text("which need not be orthonormal").wait_for()
    assert tab.get_by_text(TAG).count()  # in what was read, and why
    nothing_made(tab)
    tab.get_by_role("button", name="Open with other settings").click()
    tab.get_by_role("combobox", name="Array").click()
    nothing_made(tab)


@pytest.mark.parametrize(
    "address", ["?model={}", "lesson?lesson={}", "?x={}&hide={}", "motion?world={}", "film?film={}"]
)
def test_what_stands_in_an_address_stays_text(tab, server, address):
    tab.goto(f"{server}/{address.replace('{}', TAG)}")
    tab.get_by_role("link", name="Lab", exact=True).wait_for()
    nothing_made(tab)
    if "model" in address:
        tab.get_by_text(f"a model that is not available here ({TAG})").wait_for()
