"""What a page may tell Streamlit: wrong messages are ignored, before they reach the script or what is on screen."""

from collections.abc import Mapping
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime import Runtime
from streamlit.runtime.state.common import WidgetMetadata, unpack_widget_state_value

from explorer import limits
from explorer.app.throttled_log import ThrottledLog

# Not among them: what clears the caches of all visitors, asks about git, or switches what belongs to developers.
_KINDS = ("rerun_script", "stop_script", "app_heartbeat", "file_urls_request", "backend_operation_request")
_OPERATIONS = ("deferred_file", "dataframe_chunk")  # of the server for a page; others install or configure
_NUMBERS = {"int_value", "double_value"}  # which pages do not tell apart
_MAX_FILES = 20  # in one request for places to upload to


def ignore_wrong_messages(runtime: Runtime, log: ThrottledLog) -> None:
    """Let the runtime of this server handle only messages that a page of ours can have sent.

    Streamlit would answer the value of a widget that is not of its type with an exception in place of the page. Taken
    out of its message is the value of a widget that this session has not been shown, whose type is not known yet (after
    a restart of the server the address says what a page shows); and a choice that is none of the options of a widget,
    which may have changed in the meantime.
    """
    handle = runtime.handle_backmsg

    def handle_if_right(session_id: str, msg: BackMsg, **rest: Any) -> None:
        trouble = _trouble(runtime, session_id, msg)
        if trouble:
            return log.warn("Ignored a message of a page", trouble)
        info = runtime._session_mgr.get_active_session_info(session_id)
        refusal = _refusal(session_id, msg)
        if refusal is not None and info is not None:
            log.warn("Refused a visitor", "who has reached a limit")
            return info.session._enqueue_forward_msg(refusal)
        known = _known_widgets(runtime, session_id)
        sent = msg.rerun_script.widget_states.widgets
        for i in reversed(range(len(sent))):
            if not _may_have(known.get(sent[i].id), sent[i]):
                del sent[i]
        handle(session_id, msg, **rest)

    runtime.handle_backmsg = handle_if_right  # type: ignore[method-assign]


def _trouble(runtime: Runtime, session_id: str, msg: BackMsg) -> str:
    """What is wrong with a message, or nothing."""
    kind = msg.WhichOneof("type")
    if kind not in _KINDS:
        return f"it is of the kind {kind}"
    if kind == "file_urls_request" and len(msg.file_urls_request.file_names) > _MAX_FILES:
        return f"it asks to upload more than {_MAX_FILES} files"
    if kind == "backend_operation_request":
        operation = msg.backend_operation_request.WhichOneof("payload")
        return "" if operation in _OPERATIONS else f"it asks for the operation {operation}"
    known = _known_widgets(runtime, session_id)
    for state in msg.rerun_script.widget_states.widgets:
        widget = known.get(state.id)
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


def _refusal(session_id: str, msg: BackMsg) -> ForwardMsg | None:
    """The answer to a visitor who wants to upload or download more than the server does for one; None if it does."""
    answer = ForwardMsg()
    try:
        if msg.WhichOneof("type") == "file_urls_request":
            answer.file_urls_response.response_id = msg.file_urls_request.request_id
            for _ in msg.file_urls_request.file_names:
                limits.spend(session_id, "uploads")
        elif msg.backend_operation_request.WhichOneof("payload") == "deferred_file":
            answer.backend_operation_response.request_id = msg.backend_operation_request.request_id
            limits.spend(session_id, "downloads")
    except limits.LimitError as error:
        if answer.WhichOneof("type") == "file_urls_response":
            answer.file_urls_response.error_msg = str(error)
        else:
            answer.backend_operation_response.error_msg = str(error)
        return answer
    return None


def _known_widgets(runtime: Runtime, session_id: str) -> Mapping[str, WidgetMetadata[Any]]:
    """The widgets that a session has been shown, by id."""
    info = runtime._session_mgr.get_active_session_info(session_id)
    return {} if info is None else info.session.session_state._new_widget_state.widget_metadata


def _may_have(widget: WidgetMetadata[Any] | None, state: WidgetState) -> bool:
    """Whether the widget is known, and the value one of its options, if it has any. None of ours can be emptied."""
    if widget is None or widget.formatted_options is None:
        return widget is not None
    given = state.WhichOneof("value")
    if given == "string_array_value":
        chosen = list(state.string_array_value.data)
        return bool(chosen) and set(chosen) <= set(widget.formatted_options)
    return given != "string_value" or state.string_value in widget.formatted_options
