"""A visitor without a browser: the messages of a page, right ones and odd ones, over a real socket."""

import itertools
import json
import re
from pathlib import Path

from streamlit.proto.WidgetStates_pb2 import WidgetState

import explorer
from explorer import tools
from explorer.state import FIELDS

ROOT = str(Path(explorer.__file__).parents[1]).encode()
LEAK = re.compile(rb'Traceback|site-packages|line \d+, in |File ["&\\]|' + re.escape(ROOT))
SECONDS = 60.0  # to wait for an answer, on a machine that does other things
_SESSION = re.compile(rb'"session": ?"([0-9a-f]{8})"')


class Visitor(tools.Visitor):
    """A page without a browser that holds every message of the server to say nothing about its files."""

    def __init__(self, server):
        super().__init__(server, SECONDS)
        self.ids = set()
        self.session = ""  # what components send back

    def drain(self, seconds=1.0):
        """Hear everything until nothing comes for a while; how many messages that were."""
        for count in itertools.count():
            try:
                message = self.receive(seconds)
            except TimeoutError:
                return count
            exception = message.delta.new_element.exception
            assert not exception.message, exception.message

    def receive(self, seconds):
        message = super().receive(seconds)
        data = message.SerializeToString()
        assert leaks(data) == []
        self.ids.update(widget_ids(data))
        if found := _SESSION.search(data):
            self.session = found[1].decode()
        return message

    @property
    def widgets(self):
        return sorted(self.ids)


def widget_ids(data):
    """Names of widgets in a message: each stands after a byte that holds its length."""
    starts = [match.start() for match in re.finditer(rb"\$\$ID-[0-9a-f]{32}-", data)]
    return [data[at : at + data[at - 1]].decode() for at in starts]


def leaks(data):
    """What a message says that visitors need not know, with what stands around it."""
    return [data[max(0, match.start() - 60) : match.end() + 60] for match in LEAK.finditer(data)]


def odd_text(rng):
    odd = ["", "square", "Shapes", "rotation-16", "../x", "\x00", "ॐ" * 50, "9" * 5000, "<b>", "nan", "None", "[]"]
    return rng.choice(odd)


def odd_number(rng):
    return rng.choice([0, 1, -1, 2**31, -(2**53), 0.5, 1e308, -1e308, float("nan"), float("inf"), rng.random()])


_NAMES = [
    "message", "session", "obeyed", "sequence", "angle", "circle", "pixels", "done", "log", "without", "ticket",
    "before", "lost", "missing", "actions", *itertools.chain(*FIELDS.values()),
]  # fmt: skip


_ACTIONS = ["pin", "compare", "stage", "open x", "remove x", "start noise", "start x", "", " "]


def odd_json(rng, depth=0):
    kind = rng.randrange(8 if depth < 3 else 5)
    if kind < 5:
        return [None, True, odd_text(rng), odd_number(rng), rng.randrange(400)][kind]
    if kind == 5:
        return [odd_json(rng, depth + 1) for _ in range(rng.randrange(4))]
    return {rng.choice(_NAMES): odd_json(rng, depth + 1) for _ in range(rng.randrange(5))}


def odd_state(rng, widget):
    """A value that no widget of a page need have: of any type."""
    state = WidgetState(id=widget)
    kind = rng.randrange(12)
    if kind == 0:
        state.trigger_value = True
    elif kind == 1:
        state.bool_value = rng.random() < 0.5
    elif kind == 2:
        state.double_value = odd_number(rng)
    elif kind == 3:
        state.int_value = rng.choice([0, -1, 2**62, rng.randrange(100)])
    elif kind == 4:
        state.string_value = odd_text(rng)
    elif kind == 5:
        state.double_array_value.data.extend(odd_number(rng) for _ in range(rng.randrange(4)))
    elif kind == 6:
        state.int_array_value.data.extend(rng.choice([0, -1, 99, 2**62]) for _ in range(rng.randrange(4)))
    elif kind == 7:
        state.string_array_value.data.extend(odd_text(rng) for _ in range(rng.randrange(4)))
    elif kind == 8:
        state.json_value = rng.choice(["{", "[" * 5000, odd_text(rng), json.dumps(odd_json(rng))])
    elif kind == 9:
        state.bytes_value = rng.randbytes(rng.randrange(50))
    elif kind == 10:
        state.json_trigger_value = rng.choice(["", json.dumps(odd_json(rng))])
    else:
        state.file_uploader_state_value.uploaded_file_info.add(file_id=odd_text(rng)[:20], name="x.png")
    return state


def likely_state(rng, widget, visitor):
    """A value of the type of this widget, most often one that it can have; disabled buttons are pressed too."""
    kind, shown = visitor.elements.get(widget, ("", None))
    state = WidgetState(id=widget)
    if kind in ("button", "download_button"):
        state.trigger_value = True
    elif kind == "checkbox":
        state.bool_value = rng.random() < 0.5
    elif kind == "number_input":
        state.double_value = rng.choice([shown.min, shown.max, rng.uniform(shown.min, shown.max), odd_number(rng)])
    elif kind == "slider" and shown.options:
        state.string_array_value.data.append(rng.choice(shown.options))
    elif kind == "slider":
        state.double_array_value.data.append(rng.choice([shown.min, shown.max, rng.uniform(shown.min, shown.max)]))
    elif kind == "button_group":
        state.string_array_value.data.append(rng.choice(shown.options).content)
    elif kind in ("selectbox", "radio"):
        state.string_value = rng.choice(shown.options)
    elif kind == "file_uploader":
        ending = rng.choice(shown.type or [".png"])
        for _ in range(rng.randrange(3)):  # which were never uploaded
            state.file_uploader_state_value.uploaded_file_info.add(
                file_id=odd_text(rng)[:20], name=f"{odd_text(rng)[:20]}{ending}"
            )
    elif kind == "bidi_component":
        state.json_value = json.dumps(likely_message(rng, visitor.session))
    else:
        return odd_state(rng, widget)
    return state


def likely_message(rng, session):
    """What a component may send: a message of this session with some of its fields, most of them odd."""
    message = {
        "session": session,
        "obeyed": rng.choice([1, 2**30]),
        "sequence": rng.randrange(1, 2**30),
        "done": rng.random() < 0.5,
    }
    right = {
        "angle": rng.randrange(360), "log": True, "circle": rng.choice([0, 3, 9_999, [0.5, 0.5, 0.2]]), "tried": None,
        "without": [1, 2], "predict": False, "describe": False, "orbit": ["1", "2"],
        "filter": rng.choice([None, 0, 9_999]),
        "actions": rng.choice([[], [[rng.randrange(2**30), rng.choice(_ACTIONS)] for _ in range(3)], odd_json(rng)]),
        "world": "face", "shift": [1.5, -3], "window": 5, "window_at": [0, 0], "tried_shift": None, "on_torus": True,
        "lesson": rng.choice(["", "filters", "no-such"]), "step": rng.randrange(12), "signal": [0] * 16, "shifted": 3,
        "frame": rng.randrange(400), "pixels": "A" * 3072, "name": "x",
    }  # fmt: skip
    message |= right
    for _ in range(rng.randrange(3)):
        message[rng.choice(_NAMES)] = odd_json(rng)
    tickets = {"before": rng.choice(["0" * 32, odd_json(rng)]), "lost": odd_json(rng)}
    return {"message": message, **(tickets if rng.random() < 0.3 else {})}
