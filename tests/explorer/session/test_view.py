"""One stored view: every writer changes it the same way, and readers can tell whose change is newer."""

import json
import struct

import pytest
from streamlit.testing.v1 import AppTest

from explorer.session import pictures, run, view
from explorer.state import FIELDS, Digit, Pixels, Shape, ViewState, pin_name, read_view


@pytest.fixture(autouse=True)
def session(monkeypatch):
    """A session without Streamlit."""
    state = {}
    monkeypatch.setattr(view.st, "session_state", state)
    return state


def message(component="stage", obeyed=1, sequence=1, **fields):
    default = {
        "angle": 30, "log": False, "circle": None, "tried": None, "without": [], "predict": False, "describe": False,
        "filter": None, "orbit": ["2", "3"],
    }  # fmt: skip
    own = {name: default[name] for name in FIELDS[component]}
    return {"message": {"session": view.session(), "obeyed": obeyed, "sequence": sequence, **own, **fields}}


def sent(component="stage", digest="d", **options):
    data = view.data_for(component, digest, lambda: b"body", **options)
    (length,) = struct.unpack("<I", data[:4])
    return json.loads(data[4 : 4 + length]), data[4 + length :]


def test_the_revision_grows_with_every_change_and_with_nothing_else():
    assert view.revision() == 1
    view.change("sigma", sigma=1.0)
    view.change("sigma", sigma=1.0, noise=0.0)
    assert view.revision() == 2
    view.change("link", sigma=0.5, noise=0.2)
    assert view.revision() == 3
    assert view.current() == ViewState(noise=0.2)


def test_a_reader_obeys_others_and_not_itself():
    assert view.obey("stage", "angle", "log") == 1
    view.change("stage", angle=40)
    assert view.obey("stage", "angle", "log") == 1
    assert view.obey("recognise", "angle") == 2
    view.change("link", log=True)
    assert view.obey("stage", "angle", "log") == 3
    assert view.obey("recognise", "angle") == 2


def test_a_message_counts_if_its_sender_knew_of_the_last_change(session):
    session["stage"] = message(angle=100)
    view.listen()
    assert view.current().angle == 100
    view.change("link", angle=7)
    session["stage"] = message(angle=200, sequence=2)  # sent before it heard of the link
    view.listen()
    assert view.current().angle == 7
    session["stage"] = message(angle=200, sequence=3, obeyed=view.obey("stage", "angle"))
    view.listen()
    assert view.current().angle == 200


def test_actions_are_done_once_even_if_later_messages_have_taken_the_place_of_theirs(session):
    pinned = lambda: [pin.x.name for pin in view.current().pins]  # noqa: E731
    session["stage"] = message(sequence=3, actions=[[1, "pin"], [2, "start one"], [3, "pin"]])
    view.listen()
    assert pinned() == ["square", "F"]
    assert view.last_message("stage") == 3
    square = pin_name(view.current().pins[0])
    session["stage"] = message(sequence=5, obeyed=0, actions=[[3, "pin"], [4, f"remove {square}"], [5, "stage"]])
    view.listen()  # it does not know of the start's change of the angle, which matters to its fields alone
    assert pinned() == ["F"]
    view.change("another", pins=())
    view.listen()  # the message is still there
    assert pinned() == []


def test_a_message_of_an_earlier_session_is_dropped(session):
    session["stage"] = message(angle=100, obeyed=50)
    session["stage"]["message"]["session"] = "before"
    view.listen()
    assert view.current() == ViewState()


def test_an_old_message_does_not_undo_what_others_did_to_other_fields(session):
    session["filters"] = message("filters", filter=3)
    view.listen()
    view.change("model", model="rotation-16", filter=None)
    view.listen()  # the message is still there
    assert view.current().filter is None


@pytest.mark.parametrize(
    "bad",
    [{"angle": 360}, {"angle": -1}, {"angle": 30.0}, {"angle": True}, {"log": 1}, {"circle": 10_000}, {"circle": "1"},
     {"sequence": None}, {"obeyed": -1}, {"session": None}, {"missing": 3}, {"missing": "m" * 1000},
     {"actions": "pin"}, {"actions": [["pin", 1]]}, {"actions": [[1, "pin", 2]]}, {"actions": [[1, "pin"]] * 1000}],
)  # fmt: skip
def test_what_a_component_did_not_send_is_ignored(bad):
    good = message()["message"]
    assert read_view("stage", good) is not None
    assert read_view("stage", {**good, **bad}) is None


@pytest.mark.parametrize("bad", [None, 3, "x", [], {}])
def test_what_is_no_message_is_ignored(bad):
    assert read_view("stage", bad) is None


def test_bytes_are_sent_once_and_again_if_they_are_missing(session):
    session["stage"] = message()
    assert sent()[1] == b"body"
    assert sent()[1] == b""
    assert sent(digest="other")[1] == b"body"
    assert sent()[1] == b""
    session["stage"] = message(sequence=2, missing="d")
    view.listen()
    assert sent()[1] == b"body"
    view.listen()  # the message is still there
    assert sent()[1] == b""


def test_bytes_at_one_angle_are_not_taken_for_those_at_all(session):
    session["stage"] = message()
    assert sent(whole=False)[1] == b"body"
    assert sent()[1] == b"body"


def test_a_component_that_is_new_on_the_page_has_nothing(session):
    session["stage"] = message()
    assert sent()[1] == b"body"
    del session["stage"]
    assert sent()[1] == b"body"
    session["stage"] = message()
    view.leave_page()
    assert sent()[1] == b"body"


def test_links_restore_all_fields_and_nothing_else_changes():
    view.change("lab", noise=0.3, hide=frozenset({"x"}))
    run._follow({"sigma": "1.0", "x": "digit.3"})
    assert view.current() == ViewState(x=Digit(3), sigma=1.0)


def test_a_picture_from_a_link_is_taken_into_its_editor(session):
    drawn = Pixels(bytes([7]) * 48**2)
    view.change("link", x=drawn)
    editor = pictures.editor("x")
    assert (editor.kind, editor.drawing.pixels, editor.drawing.obey) == ("Draw", drawn, 2)
    view.change("link", x=Shape("pentagon"))
    assert (pictures.editor("x").kind, pictures.editor("x").shape) == ("Shapes", "pentagon")
    assert pictures.editor("x").drawing.pixels == drawn  # still there when somebody returns to it


def pages():
    """A slider on one page, another page, and a button that changes its field."""
    import streamlit as st

    from explorer.session import run, view

    page = st.session_state.get("wanted_page", "one")
    run.begin(page)
    if page == "one":
        st.slider("σ", 0.2, 2.0, step=0.05, **view.widget("sigma", "sigma"))
        st.slider("size", 1, 9, **view.setting("size", 5))
    st.button("change", on_click=lambda: view.change("scenario", sigma=1.5))
    run.finish()


def test_widgets_show_the_view_after_other_pages_and_other_writers(monkeypatch):
    monkeypatch.undo()
    app = AppTest.from_function(pages).run()
    app.slider(key="sigma").set_value(0.8)
    app.slider(key="size").set_value(7).run()
    assert app.session_state["view"].view.sigma == 0.8
    app.session_state["wanted_page"] = "two"
    app.run()
    assert not app.slider
    app.session_state["wanted_page"] = "one"
    app.run()
    assert (app.slider(key="sigma").value, app.slider(key="size").value) == (0.8, 7)
    app.button[0].click().run()
    assert app.slider(key="sigma").value == 1.5
    app.slider(key="sigma").set_value(1.0).run()
    assert (app.slider(key="sigma").value, app.session_state["view"].view.sigma) == (1.0, 1.0)
    assert not app.exception
