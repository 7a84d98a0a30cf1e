"""The lesson page without a browser: every step opens with its view, and questions are checked on what is shown."""

from dataclasses import replace
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from explorer.course import lessons
from explorer.session import view
from explorer.state import LESSON_STEPS, decode_link
from tests.shared.apps import opened, unframe, unpack


def by_link(link):
    """The lesson page, opened by a link."""

    def script():
        from explorer.pages import lesson
        from explorer.session import run

        run.begin("lesson")
        lesson.page()

    app = AppTest.from_function(script, default_timeout=60)
    for name, value in parse_qsl(link):
        app.query_params[name] = value
    return app.run()


def sent(app, component="lesson"):
    found = [one for one in app.get("bidi_component") if one.proto.component_name == f"tsa_{component}"]
    header, packed = unframe(found[0].proto.bytes)
    return header, unpack(packed)[0] if packed else None


def says(app, sequence=1, **fields):
    """As the component does: it was pressed."""
    current = app.session_state["view"]
    chosen = {"lesson": current.view.lesson, "step": current.view.step} | fields
    message = {"session": current.session, "obeyed": 10**6, "sequence": sequence, **chosen}
    app.session_state["lesson"] = {"message": message}
    return app.run()


def test_without_a_lesson_there_is_the_list():
    app = opened("lesson")
    assert not app.exception
    header, packed = sent(app)
    assert (packed["kind"], len(packed["lessons"])) == ("course", 12)
    assert header["fields"] == {"lesson": "", "step": 1}


def test_an_unknown_lesson_leads_to_the_list():
    app = by_link("lesson=no-such-one&step=3")
    assert not app.exception
    assert sent(app)[1]["kind"] == "course"


SLOW = [pytest.param(one, id=one.name, marks=[pytest.mark.slow] * (i > 1)) for i, one in enumerate(lessons())]


@pytest.mark.parametrize("lesson", SLOW)
def test_each_step_opens_with_its_view(lesson):
    app = by_link(f"lesson={lesson.name}")
    for number in range(1, 1 + len(LESSON_STEPS)):
        if number > 1:
            app = says(app, number, step=number)
        assert not app.exception
        shown = app.session_state["view"].view
        wanted = lesson.steps[number - 1].view
        assert replace(shown, lesson="", step=1) == wanted
        header = sent(app)[0]
        assert header["fields"] == {"lesson": lesson.name, "step": number}
        assert header.get("verdict") == (None if number < 4 else False)


@pytest.mark.parametrize("lesson", [one for one in lessons() if one.page in ("lab", "dft", "orbits")][1:3])
def test_right_answers_pass_on_the_page_and_wrong_ones_fail(lesson):
    app = by_link(f"lesson={lesson.name}&step=4")
    for trial in lesson.trials:
        answer = lesson.subject(lesson.steps[-1].view).with_link(trial.link).view
        stored = app.session_state["view"]
        app.session_state["view"] = replace(stored, view=replace(answer, lesson=lesson.name, step=4))
        app.run()
        assert sent(app)[0]["verdict"] is trial.passes, trial.link


def test_a_link_with_a_view_is_shown_as_it_is():
    app = by_link("lesson=turning&step=4&x=shape.N&angle=77&circle=22")
    shown = app.session_state["view"].view
    assert (shown.x.name, shown.angle) == ("N", 77)
    app = says(app, 1, step=3)
    assert app.session_state["view"].view.x.name == "F"


def test_pressing_check_is_heard_and_changes_nothing():
    app = by_link("lesson=turning&step=4")
    before = app.session_state["view"].view
    app = says(app, 7)
    header = sent(app)[0]
    assert header["verdict"] is False
    assert app.session_state["view"].view == before


def test_the_dial_moves_and_the_question_is_answered():
    app = by_link("lesson=turning&step=4")
    stored = app.session_state["view"]
    fields = {
        "angle": 60,
        "log": False,
        "circle": 22,
        "tried": None,
        "without": [],
        "predict": False,
        "describe": False,
    }
    app.session_state["stage"] = {"message": {"session": stored.session, "obeyed": 10**6, "sequence": 1, **fields}}
    app.run()
    assert app.session_state["view"].view.angle == 60
    assert sent(app)[0]["verdict"] is True


def test_lesson_and_step_are_in_the_link():
    view_of = decode_link({"lesson": "waves", "step": "3"})
    assert (view_of.lesson, view_of.step) == ("waves", 3)
    assert decode_link({"lesson": "../x", "step": "9"}) == decode_link({})


@pytest.mark.parametrize("page", ["home", "dft"])
def test_home_and_the_dft_open(page):
    assert not opened(page).exception


def test_the_dft_takes_a_drawn_signal():
    app = opened("dft")
    session = app.session_state["view"].session
    good = {"session": session, "obeyed": 10**6, "sequence": 1, "signal": [9, 0, 0, 0, 0, 0, 0, 0] * 2, "shifted": 5}
    app.session_state["dft"] = {"message": good}
    app.run()
    assert app.query_params["by"] == "5"
    assert sent(app, "dft")[1]["answers"][5] == "Shifted by 5 or 13: 2 shifts fit equally well."
    for wrong in (
        {"signal": [10] * 16},
        {"signal": [1] * 15},
        {"signal": "0" * 16},
        {"shifted": 16},
        {"shifted": True},
    ):
        app.session_state["dft"] = {"message": good | wrong | {"sequence": 2}}
        app.run()
        assert app.session_state["view"].view.shifted == 5


def test_numbers_of_the_dft_are_those_of_numpy():
    from explorer.components.teaching.dft import pack_dft

    for signal in ((0, 0, 1, 5, 9, 5, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0), (7, 2, 9, 4, 0, 1, 8, 3, 6, 5, 9, 0, 2, 7, 1, 4)):
        _, arrays = unpack(pack_dft(signal))
        ours, theirs = (arrays[name].reshape(16, 7, 2) for name in ("ours", "theirs"))
        assert abs(ours[..., 0] - theirs[..., 0]).max() < 1e-4
        assert abs((ours[..., 1] - theirs[..., 1] + 180) % 360 - 180)[ours[..., 0] > 1e-3].max() < 0.01


def test_a_writer_is_remembered(monkeypatch):
    import streamlit as st

    monkeypatch.setattr(st, "session_state", {})
    assert view.writer("angle") == ""
    view.change("one", angle=1)
    view.change("two", lesson="waves")
    assert (view.writer("angle"), view.writer("angle", "lesson")) == ("one", "two")
    assert view.opens("a")
    assert not view.opens("a")
