"""Pins on the page of the lab, without a browser: what a message does, and what the components are sent."""

import json

from explorer.state import ViewState, pin_of
from tests.shared.apps import opened, unframe, unpack

FIELDS = {
    "stage": {
        "angle": 50, "log": False, "circle": None, "tried": None, "without": [], "predict": False, "describe": False,
    },
    "compare": {"angle": 50, "log": True},
}  # fmt: skip


def act(app, component, action, number):
    """What the component sends when one of its buttons is pressed."""
    stored = app.session_state["view"]
    message = {"session": stored.session, "obeyed": stored.revision, "sequence": number}
    message["actions"] = [[number, action]]
    app.session_state[component] = {"message": message | FIELDS[component]}
    app.run()
    assert not app.exception


def sent(app, component):
    (found,) = (one.proto for one in app.get("bidi_component") if one.proto.component_name == f"tsa_{component}")
    return unframe(found.bytes)


def test_pinned_compared_shown_removed():
    app = opened("lab")
    assert sent(app, "stage")[0]["pins"] == {"count": 0, "most": 4, "number": 0}
    act(app, "stage", "pin", 1)
    assert sent(app, "stage")[0]["pins"] == {"count": 1, "most": 4, "number": 1}
    app.slider(key="sigma").set_value(1.0).run()
    assert sent(app, "stage")[0]["pins"] == {"count": 1, "most": 4, "number": 0}
    act(app, "stage", "pin", 2)
    assert app.query_params["pins"] == "x*shape.square**x*shape.square*sigma*1.0"
    act(app, "stage", "compare", 3)
    header, body = sent(app, "compare")
    packed, arrays = unpack(body)
    assert (header["fields"]["angle"], packed["labels"]) == (50, ["σ = 0.5", "σ = 1"])
    assert [unpack(arrays[f"pin{i}"].tobytes())[0]["sigma"] for i in (0, 1)] == [0.5, 1.0]
    assert packed["certainties"][arrays["certainty"][50]].startswith("Pin 1 is more certain than pin 2")
    assert not [one for one in app.get("bidi_component") if one.proto.component_name == "tsa_stage"]
    act(app, "compare", "remove " + header["names"][0], 4)
    second = sent(app, "compare")[0]["names"]
    assert second == header["names"][1:]
    act(app, "compare", "open " + second[0], 5)
    view = app.session_state["view"].view
    assert (view.sigma, view.angle, view.log, view.comparing) == (1.0, 50, True, False)
    assert view.pins == (pin_of(ViewState(sigma=1.0)),)
    assert sent(app, "stage")[0]["pins"]["number"] == 1


def test_a_comparison_that_is_known_is_not_sent_again():
    app = opened("lab")
    act(app, "stage", "pin", 1)
    act(app, "stage", "compare", 2)
    header, body = sent(app, "compare")
    assert body
    act(app, "compare", "", 3)
    again, nothing = sent(app, "compare")
    assert (again["digest"], nothing) == (header["digest"], b"")


def test_the_saves_of_a_comparison_are_made():
    app = opened("lab")
    act(app, "stage", "pin", 1)
    act(app, "stage", "compare", 2)
    app.session_state["save_menu"] = True
    app.run()
    assert not app.exception
    assert "Posteriors (CSV)" in [one.label for one in app.get("download_button")]


def test_a_message_with_an_odd_action_changes_nothing():
    app = opened("lab")
    for number, action in enumerate(("pin x" * 50, "open", "remove 0", ["pin"], None, 7), 1):
        act(app, "stage", action, number)
        assert app.session_state["view"].view.pins == ()
    assert json.loads(json.dumps(sent(app, "stage")[0]["pins"]))["count"] == 0
