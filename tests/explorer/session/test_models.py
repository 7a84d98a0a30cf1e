"""Models from anywhere: what a file says is believed, what it does not say is found out, and names tell them apart."""

from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from explorer.app import SCRIPT
from explorer.session.kept import Kept, KeptModels
from explorer.state import open_as
from tests.shared.apps import choose_model, opened, upload
from tests.shared.model_files import npy, npz, real_dft
from tsa import fourier_model, load
from tsa._base import InputError
from tsa.files import Hints, read
from tsa.groups import CyclicShift, ImageRotation
from tsa.model import real_columns


@pytest.fixture
def page():
    return opened("model")


def random_w(pixels, columns, seed=0):
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(pixels, columns)))[0]


def test_weights_in_a_file_are_kept():
    given = np.arange(8)
    kept = open_as("w", npz(W=random_w(64, 16), weights=given))
    np.testing.assert_array_equal(kept.model.weights, given)
    assert "weights are those of the file" in kept.note
    anew = open_as("w", npz(W=random_w(64, 16), weights=np.stack([given, given], axis=1)))
    assert anew.model.parameters == anew.action.parameters


@pytest.mark.parametrize("rows", [False, True])
def test_a_whole_basis_is_read_the_way_a_group_likes(rows):
    basis = real_dft(32)
    named = open_as("dft", npy(basis.T if rows else basis))
    assert named.action.shape == (32,)
    np.testing.assert_array_equal(np.sort(np.abs(named.model.weights)), np.arange(17))
    assert ("in rows" in named.note) == rows
    assert "100 %" in named.note


def test_a_visitor_may_know_better():
    w = random_w(240, 40)
    assert open_as("w", npy(w)).action.shape == (240,)
    picture = open_as("w", npy(w), hints=Hints((12, 20), "shift"))
    assert isinstance(picture.action, CyclicShift)
    assert picture.shape == (12, 20)
    assert picture.model.weights.shape == (20, 2)
    columns = real_columns(load("rotation-16-refined").filters)
    turned = open_as("r", npy(columns), hints=Hints(group="rotation"))
    assert isinstance(turned.action, ImageRotation)
    with pytest.raises(InputError, match="needs square patches"):
        open_as("w", npy(w), hints=Hints((12, 20), "rotation"))
    with pytest.raises(InputError, match="240 pixels"):
        open_as("w", npy(w), hints=Hints((7, 9)))


def test_the_same_numbers_under_another_group_are_another_model():
    w = npy(random_w(16, 4))
    digests = {open_as("w", w, hints=Hints(shape, "shift")).digest for shape in ((16,), (4, 4), (2, 8))}
    assert len(digests) == 3


def test_two_files_of_one_name_are_two_models(page):
    upload(page, "W.npy", npy(random_w(16, 4, seed=1)))
    upload(page, "W.npy", npy(random_w(16, 4, seed=2)))
    upload(page, "rotation-16.npy", npy(random_w(16, 4, seed=3)))
    names = page.selectbox(key="model_menu").options
    assert {"W", "W (2)", "rotation-16", "rotation-16 (2)"} <= set(names)
    assert page.selectbox(key="model_menu").value == "rotation-16 (2)"
    upload(page, "W.npy", npy(random_w(16, 4, seed=1)))
    assert page.selectbox(key="model_menu").options == names
    assert page.selectbox(key="model_menu").value == "W"


@pytest.mark.slow
def test_a_file_can_be_chosen_again(page):
    data = npy(random_w(16, 4))
    upload(page, "mine.npy", data)
    page.selectbox(key="model_menu").set_value("rotation-16").run()
    upload(page, "mine.npy", data)
    assert page.selectbox(key="model_menu").value == "mine"


def test_reading_a_file_otherwise_takes_the_place_of_the_first_reading(page):
    upload(page, "W.npy", npy(random_w(24, 4)))
    assert page.session_state["models"].by_name["W"].shape == (24,)
    shape, group = (box for box in page.selectbox if box.label in ("Patches", "Group"))
    shape.set_value((4, 6)).run()
    assert not page.exception
    assert list(page.session_state["models"].by_name) == ["W"]
    assert page.session_state["models"].by_name["W"].shape == (4, 6)
    group.set_value("rotation").run()
    assert ["needs square patches" in error.value for error in page.error] == [True]
    assert page.session_state["models"].by_name["W"].shape == (4, 6)
    page.selectbox(key="model_menu").set_value("rotation-16").run()
    assert "Patches" not in [box.label for box in page.selectbox]


def test_refinement_is_of_the_model_it_stands_beside(page):
    """Two files of one name, one after the other: what the first was refined to says nothing about the second."""
    choose_model(page, "shift-32")
    upload(page, "W.npy", npy(real_columns(fourier_model(9).filters)))
    refine(page)
    assert any("after" in table.value for table in page.table)
    upload(page, "W.npy", npy(real_columns(fourier_model(12).filters)))
    assert not any("after" in table.value for table in page.table)
    refine(page)
    before, after = (next(t.value for t in page.table if "after" in t.value)[side] for side in ("before", "after"))
    assert before[0] == after[0] == "5 planes, 2 lines"
    assert {"W (refined)", "W (2) (refined)"} <= set(page.selectbox(key="model_menu").options)


def refine(page):
    next(button for button in page.button if button.label == "Refine").click().run()
    assert not page.exception


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (npy(np.zeros((0, 0))), "no filters"),
        (npy(np.zeros((3, 0))), "no filters"),
        (npy(np.zeros((5000, 3400), np.float32)), "65 MB; at most 64 are read. Try float32."),
    ],
    ids=["empty", "no columns", "large"],
)
def test_odd_files_are_told_what_is_wrong(page, data, says):
    upload(page, "odd.npy", data)
    assert not page.exception
    assert [says in error.value for error in page.error] == [True]


def test_filters_that_cannot_be_mended_are_one_sentence(page):
    upload(page, "zeros.npy", npy(np.zeros((16, 4))))
    assert "not orthonormal" in page.error[0].value
    next(button for button in page.button if "nearest" in button.label).click().run()
    assert ["linearly dependent" in error.value for error in page.error] == [True]


def test_groups_have_names_for_people():
    assert ImageRotation(16).words == "rotation of 16×16 pixels"
    assert CyclicShift(32).words == "shifts of 32 samples"
    assert CyclicShift((4, 6)).words == "shifts of 4×6 pixels"


def test_an_odd_group_is_named_and_another_found():
    file = replace(read(npy(real_dft(9))), about={"group": "magic"})
    named = open_as("w", file)
    assert "magic" in named.note
    assert isinstance(named.action, CyclicShift)


def reloaded(before, **parameters):
    """The app in a tab that was reloaded, which shows the ticket it had."""
    app = AppTest.from_file(SCRIPT, default_timeout=60)
    for name, value in parameters.items():
        app.query_params[name] = value
    app.run()
    app.session_state["ticket"] = {"before": before}
    return app.run()


def test_own_models_survive_a_reload(page):
    upload(page, "W.npy", npy(real_columns(fourier_model(9).filters)))
    refine(page)
    ticket = page.session_state["models"].ticket
    again = reloaded(ticket, model="W", angle="40")
    assert not again.exception
    assert not again.toast
    assert list(again.session_state["models"].by_name) == ["W", "W (refined)"]
    assert again.session_state["models"].ticket == ticket
    assert (again.session_state["view"].view.model, again.session_state["view"].view.angle) == ("W", 40)
    assert again.query_params["model"] == "W"


@pytest.mark.slow
@pytest.mark.parametrize("ticket", ["", "0" * 32, "x" * 32, "../" * 10, 7, None, ["a"]])
def test_a_ticket_that_is_not_known_opens_nothing(page, ticket):
    upload(page, "W.npy", npy(random_w(16, 4)))
    again = reloaded(ticket)
    assert not again.exception
    assert again.session_state["models"].by_name == {}


def test_kept_models_are_bounded_and_expire():
    now = 0.0
    model = open_as("w", npy(random_w(16, 4)))
    one = Kept({"w": model}, {})
    kept = KeptModels(limit=3, max_bytes=10 * one.bytes, clock=lambda: now)
    for name in "abc":
        kept.put(name, one)
    assert kept.get("a") is one  # used last
    kept.put("d", one)
    assert [kept.get(name) is one for name in "abcd"] == [True, False, True, True]
    kept.put("e", Kept({str(i): model for i in range(9)}, {}))
    assert [kept.get(name) is not None for name in "acde"] == [False, False, True, True]
    now = 3600.0
    assert kept.get("e") is not None
    now = 3 * 3600.0
    assert kept.get("d") is kept.get("nobody") is None
    assert kept.get("e") is not None


def test_pages_that_need_a_rotation_model_say_what_they_show(page):
    page.selectbox(key="model_menu").set_value("shift-32").run()
    said = [text.value for text in page.markdown if "now used" in text.value]
    assert said == [
        "**shift-32** is now used on the page Filters. Lab and Recognise need a rotation model; they show "
        "rotation-16-refined instead of shift-32."
    ]
    lab = opened("recognise")
    choose_model(lab, "shift-32")
    lab.run()
    assert lab.info[0].value == ("Recognise needs a rotation model; it shows rotation-16-refined instead of shift-32.")
