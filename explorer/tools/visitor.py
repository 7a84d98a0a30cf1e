"""A page without a browser: Streamlit's messages over a real socket, for the benchmark of load and for tests."""

import json
import struct
import time
from typing import Any, Self
from urllib.parse import urljoin

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.sync.client import connect
from websockets.typing import Origin

STREAM = "/_stcore/stream"
_ENDED_BY_ITSELF = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)


class Visitor:
    """A page that is open, as the server sees it: it sends what widgets say, and keeps the elements that were drawn."""

    def __init__(self, server: str, patience: float = 60.0, headers: dict[str, str] | None = None) -> None:
        self.server = server
        self.patience = patience  # seconds to wait for the end of a run
        self.elements: dict[str, tuple[str, Any]] = {}  # kind and content of each widget and component by its id
        self.upload_session = ""
        self._fragments: dict[str, str] = {}  # in which each of them stands
        self._page = ""  # name of the page that is open
        self._connection = connect(
            server.replace("http", "ws", 1) + STREAM,
            origin=origin_of(server),
            additional_headers=headers,
            max_size=None,
        )

    def __enter__(self) -> Self:
        self.line = self._connection.__enter__()
        return self

    def __exit__(self, *failure: Any) -> None:
        self._connection.__exit__(*failure)

    def send(self, *widgets: WidgetState, query: str = "", page: str | None = None) -> None:
        """Ask for a run with these values of widgets: of the fragment that holds the first, or of the whole page.

        `page` is the name of another page, "" for the first; None stays on the one that is open.
        """
        message = BackMsg()
        run = message.rerun_script
        self._page = self._page if page is None else page
        run.query_string, run.page_name, run.context_info.url = query, self._page, self.server
        run.widget_states.widgets.extend(widgets)
        run.fragment_id = self._fragments.get(widgets[0].id, "") if widgets and page is None else ""
        self.line.send(message.SerializeToString())

    def hear(self) -> list[ForwardMsg]:
        """The messages of the next run that ends by itself."""
        run: list[ForwardMsg] = []
        deadline = time.monotonic() + self.patience
        while time.monotonic() < deadline:
            message = self.receive(self.patience)
            run = [] if message.WhichOneof("type") == "new_session" else [*run, message]
            if message.WhichOneof("type") == "script_finished" and message.script_finished in _ENDED_BY_ITSELF:
                return run
        raise TimeoutError

    def receive(self, seconds: float) -> ForwardMsg:
        """The next message of the server; a TimeoutError if there is none for so long."""
        data = self.line.recv(timeout=seconds)
        assert isinstance(data, bytes)
        message = ForwardMsg.FromString(data)
        if message.WhichOneof("type") == "new_session":
            self.upload_session = message.new_session.initialize.session_id
        element = message.delta.new_element
        kind = element.WhichOneof("type")
        if kind and getattr(shown := getattr(element, kind), "id", ""):
            self.elements[shown.id] = (kind, shown)
            self._fragments[shown.id] = message.delta.fragment_id
        return message

    def id_of(self, key: str) -> str:
        """The id of the widget or component that was drawn last with this key."""
        return next(one for one in reversed(self.elements) if one.endswith(f"-{key}"))

    def state(self, key: str) -> WidgetState:
        """A value for the widget with this key, to be filled in."""
        return WidgetState(id=self.id_of(key))

    def data_of(self, key: str) -> Any:
        """The data of the component with this key: of bytes, the header that `tsa.stage.framed` puts before them."""
        _, shown = self.elements[self.id_of(key)]
        if shown.WhichOneof("data") == "bytes":
            (length,) = struct.unpack_from("<I", shown.bytes)
            return json.loads(shown.bytes[4 : 4 + length])
        return json.loads(shown.json)

    def message(self, key: str, content: dict[str, Any]) -> WidgetState:
        """What the component with this key sends: a message with this content."""
        state = self.state(key)
        state.json_value = json.dumps({"message": content})
        return state


def origin_of(address: str) -> Origin:
    """What a browser says about where a page comes from: its address without the path."""
    return Origin(urljoin(address, "/").rstrip("/"))


def exceptions(run: list[ForwardMsg]) -> list[str]:
    """The error boxes that a run has drawn."""
    elements = [message.delta.new_element for message in run]
    return [element.exception.message for element in elements if element.WhichOneof("type") == "exception"]
