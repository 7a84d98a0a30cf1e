"""What a page may tell Streamlit: wrong messages are ignored, before they reach the script or what is on screen."""

from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime import Runtime
from streamlit.runtime.state.common import unpack_widget_state_value

from explorer.app.throttled_log import ThrottledLog

# Not among them: what clears the caches of all visitors, asks about git, or switches what belongs to developers.
_KINDS = ("rerun_script", "stop_script", "app_heartbeat", "file_urls_request", "backend_operation_request")
_NUMBERS = {"int_value", "double_value"}  # which pages do not tell apart
_MAX_FILES = 20  # in one request for places to upload to


def ignore_wrong_messages(runtime: Runtime, log: ThrottledLog) -> None:
    """Let the runtime of this server handle only messages that a page of ours can have sent.

    Streamlit would answer the value of a widget that is not of its type, or is none of its options, with an exception
    in place of the page.
    """
    handle = runtime.handle_backmsg

    def handle_if_right(session_id: str, msg: BackMsg, **rest: Any) -> None:
        trouble = _trouble(runtime, session_id, msg)
        if trouble:
            return log.warn("Ignored a message of a page", trouble)
        handle(session_id, msg, **rest)

    runtime.handle_backmsg = handle_if_right  # type: ignore[method-assign]


def _trouble(runtime: Runtime, session_id: str, msg: BackMsg) -> str:
    """What is wrong with a message, or nothing."""
    kind = msg.WhichOneof("type")
    if kind not in _KINDS:
        return f"it is of the kind {kind}"
    if kind == "file_urls_request" and len(msg.file_urls_request.file_names) > _MAX_FILES:
        return f"it asks to upload more than {_MAX_FILES} files"
    info = runtime._session_mgr.get_active_session_info(session_id)
    if kind != "rerun_script" or info is None:
        return ""
    known = info.session.session_state._new_widget_state.widget_metadata
    for state in msg.rerun_script.widget_states.widgets:
        widget = known.get(state.id)  # None in the first message of a page that the server has not drawn yet
        given = state.WhichOneof("value")
        if widget is None or given is None:
            continue
        if given != widget.value_type and not {given, widget.value_type} <= _NUMBERS:
            return f"a widget has a value of the type {given}"
        try:
            widget.deserializer(unpack_widget_state_value(state))
        except Exception:  # deserialisers are Streamlit's, and raise whatever they meet
            return "a widget has a value that it cannot have"
    return ""
