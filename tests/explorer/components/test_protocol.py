"""The browser's side of PROTOCOL.md, run by Node: what a component adopts, shows, keeps and reports."""

import base64
import json
import os
import shutil
import subprocess

import numpy as np
import pytest

from explorer.components import SCRIPT_FOLDERS
from explorer.state import read_drawing, read_view
from tsa.stage import BROWSER, framed, join, pack_arrays

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
FOLLOWER = BROWSER / "shared" / "follower.js"
MAILBOX = SCRIPT_FOLDERS[1] / "shared" / "mailbox.js"

# A window, a component that notes what happens to it, and the data that Python would send.
FOLLOW = """
const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
export default function (steps) {
  const log = [];
  const adopt = ({ angle }) => log.push(["adopt", angle]);
  const self = follower({ adopt, show: ({ name }) => log.push(["show", name]) });
  self.post = (message) => log.push(["post", message]);
  for (const [step, value] of steps) {
    if (step === "receive") self.receive(bytes(value));
    if (step === "send") self.send(value);
    if (step === "act") self.send({}, value);
    if (step === "offer") log.push(["offered", self.offer(...value, { name: "early" })]);
  }
  return log;
}
"""
EDIT = """
export default function (steps) {
  const log = [];
  const box = mailbox({ dataset: {} }, () => ({ pixels: "" }));
  window.addEventListener("tsa-ask", (event) => {
    log.push(["ask", event.detail.message.sequence]);
    event.preventDefault();
  });
  for (const [step, value] of steps) {
    if (step === "receive") log.push(["adopts", box.receive(value, (message) => log.push(["post", message]))]);
    if (step === "report") box.report(value);
    if (step === "lost") window.dispatchEvent(new Event("tsa-lost"));
    if (step === "answer") window.dispatchEvent(new CustomEvent("tsa-answer", { detail: { ...value, bytes: [1] } }));
  }
  return log;
}
"""

REST = {
    "log": False,
    "circle": None,
    "tried": None,
    "without": [],
    "predict": False,
    "describe": False,
}  # fields of the stage


@pytest.fixture
def run(tmp_path):
    """Give steps to a script that imports a name from a module of ours; what it has noted."""

    def run(module, name, script, steps):
        path = os.path.relpath(module, tmp_path)
        entry = tmp_path / "entry.js"
        entry.write_text(f'import {{ {name} }} from "./{path}";\n{script}', encoding="utf-8")
        setting = "globalThis.window = new EventTarget();\n"
        joined = join(entry, [*SCRIPT_FOLDERS, tmp_path])
        call = f"console.log(JSON.stringify(main({json.dumps(steps)})));"
        command = ["node", "--input-type=module", "--eval", setting + joined + call]
        return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    return run


def sent(revision, digest, *, obey=1, angle=30, sequence=0, heard=0, session="s", body=True, whole=True):
    header = {"session": session, "revision": revision, "sequence": sequence, "digest": digest, "whole": whole,
              "heard": heard, "obey": obey, "fields": {"angle": angle, **REST}}  # fmt: skip
    packed = pack_arrays({"name": digest}, {"a": np.zeros(3, np.uint8)}) if body else b""
    return ["receive", base64.b64encode(framed(header, packed)).decode()]


def follow(run, *steps):
    return run(FOLLOWER, "follower", FOLLOW, steps)


def test_fields_are_adopted_when_another_writer_has_changed_them(run):
    log = follow(run, sent(1, "a"), ["send", {"angle": 50}], sent(2, "a", angle=50, body=False), sent(3, "a", obey=3))
    assert [step for step in log if step[0] == "adopt"] == [["adopt", 30], ["adopt", 30]]


def test_a_message_is_what_python_reads(run):
    log = follow(run, sent(4, "a", obey=3), ["send", {"angle": 50}], ["send", {"log": True, "circle": 7}])
    first, second = (read_view("stage", value) for kind, value in log if kind == "post")
    assert (first.session, first.obeyed, first.missing) == ("s", 3, "")
    assert first.fields == {"angle": 50, **REST, "without": ()}
    assert second.fields == {"angle": 50, **REST, "without": (), "log": True, "circle": 7}
    assert second.sequence > first.sequence


def test_an_action_goes_along_with_later_messages_until_python_has_heard_of_it(run):
    log = follow(run, sent(1, "a"), ["act", "pin"], ["send", {"angle": 50}], sent(1, "a"), ["act", "compare"],
                 sent(2, "a", heard=2), ["send", {"log": True}], sent(1, "a", session="t"), ["send", {}])  # fmt: skip
    actions = [read_view("stage", value).actions for kind, value in log if kind == "post"]
    pin, compare = (1, "pin"), (3, "compare")
    assert actions == [(pin,), (pin,), (pin, compare), (compare,), ()]


def test_bytes_that_are_held_need_not_come_again_and_lost_ones_are_reported(run):
    log = follow(run, sent(1, "a"), sent(2, "b"), sent(3, "a", body=False), sent(4, "c", body=False), sent(5, "c"))
    assert [value for kind, value in log if kind == "show"] == ["a", "b", "a", "c"]
    (message,) = (value for kind, value in log if kind == "post")
    assert read_view("stage", message).missing == "c"


def test_bytes_at_one_angle_are_shown_and_not_kept(run):
    log = follow(run, sent(1, "a", whole=False), sent(1, "a", body=False))
    assert [kind for kind, _ in log] == ["adopt", "show", "post"]


def test_nothing_older_than_what_is_shown_is_shown(run):
    log = follow(
        run, sent(1, "a"), ["offer", [3, -1]], sent(2, "b"), sent(3, "c"), ["offer", [3, -1]], ["offer", [3, 5]],
        ["offer", [3, 4]], ["offer", [2, 9]], sent(3, "d", sequence=6), sent(4, "e"),
    )  # fmt: skip
    assert [value for kind, value in log if kind == "show"] == ["a", "early", "c", "early", "d", "e"]
    assert [value for kind, value in log if kind == "offered"] == [True, False, True, False, False]


def test_what_was_overtaken_is_kept_for_later(run):
    log = follow(run, sent(1, "a"), ["offer", [3, -1]], sent(2, "b"), sent(3, "c"), sent(4, "b", body=False))
    assert [value for kind, value in log if kind == "show"] == ["a", "early", "c", "b"]


def test_a_server_that_has_started_anew_is_followed(run):
    log = follow(run, sent(57, "a", obey=40, angle=200), sent(1, "b", session="t", angle=100))
    assert log == [["adopt", 200], ["show", "a"], ["adopt", 100], ["show", "b"]]


def edit(run, *steps):
    return run(MAILBOX, "mailbox", EDIT, steps)


def told(obey=1, acknowledged=0, session="s"):
    return ["receive", {"patch": "x", "session": session, "obey": obey, "acknowledged": acknowledged}]


def test_one_message_at_a_time_and_the_last_one_at_once(run):
    log = edit(run, told(), ["report", False], ["report", False], ["report", False], ["report", True])
    assert [kind for kind, _ in log] == ["adopts", "ask", "post"]
    message = log[-1][1]
    assert (message["session"], message["obeyed"], message["done"]) == ("s", 1, True)
    assert read_drawing({**message, "pixels": base64.b64encode(bytes(48 * 48)).decode()}) is not None


def test_an_editor_adopts_what_others_drew_and_not_what_it_drew_itself(run):
    log = edit(run, told(), ["report", True], told(acknowledged=1), told(obey=2), told(session="t"))
    assert [value for kind, value in log if kind == "adopts"] == [True, False, True, True]


def test_a_message_goes_through_streamlit_if_the_line_is_lost_or_nobody_shows_the_answer(run):
    log = edit(run, told(), ["report", False], ["lost", None], told(acknowledged=1), ["report", False],
               ["answer", {"patch": "y", "sequence": 2}], ["answer", {"patch": "x", "sequence": 1}],
               ["answer", {"patch": "x", "sequence": 2}])  # fmt: skip
    assert [(kind, value["sequence"]) for kind, value in log if kind == "post"] == [("post", 1), ("post", 2)]
