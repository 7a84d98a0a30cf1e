"""Kinds of messages that reach Streamlit; values of widgets are tested against a running server, in `test_door.py`."""

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg

from explorer.app import ThrottledLog, ignore_wrong_messages


class Runtime:
    """Notes what reaches it, and has no sessions."""

    def __init__(self):
        self.reached = []
        self._session_mgr = self

    def get_active_session_info(self, session_id):
        return None

    def handle_backmsg(self, session_id, msg, client=None):
        self.reached.append((session_id, msg.WhichOneof("type"), client))


def reaches(message):
    runtime, lines = Runtime(), []
    ignore_wrong_messages(runtime, ThrottledLog(lines.append))
    runtime.handle_backmsg("s", message, client="c")
    assert bool(lines) is not bool(runtime.reached)  # what is ignored is logged
    return runtime.reached


@pytest.mark.parametrize("kind", ["clear_cache", "load_git_info", "set_run_on_save", "debug_shutdown_runtime"])
def test_what_belongs_to_developers_is_ignored(kind):
    assert reaches(BackMsg(**{kind: True})) == []


@pytest.mark.parametrize("kind", ["stop_script", "app_heartbeat"])
def test_what_pages_send_is_passed_on(kind):
    assert reaches(BackMsg(**{kind: True})) == [("s", kind, "c")]


def test_a_page_asks_to_upload_few_files_at_once():
    message = BackMsg()
    message.file_urls_request.file_names.append("a.png")
    assert reaches(message)
    message.file_urls_request.file_names.extend(["a.png"] * 100)
    assert not reaches(message)


def test_a_message_without_a_kind_is_ignored():
    assert reaches(BackMsg()) == []
