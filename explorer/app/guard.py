"""What comes in from the network: requests of strangers are refused, frames that are no messages end the connection."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from google.protobuf.message import DecodeError
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from explorer.app.headers import security_headers
from explorer.app.hosts import Hosts, is_same_place
from explorer.app.throttled_log import ThrottledLog

SCRIPT = Path(__file__).with_name("script.py")
_PATH, _START = str(SCRIPT).encode(), 4096  # what is looked for in the first bytes of a message
_STREAM = "/_stcore/stream"  # the socket of Streamlit
_NOT_SERVED = ("/_stcore/metrics", "/_stcore/agent")  # for whoever runs a server, not for its visitors
_POLICY_VIOLATION, _UNSUPPORTED_DATA = 1008, 1003  # WebSocket close codes
_REFUSED = "This server does not answer requests from elsewhere. `tsa-explorer --allowed-host NAME` gives it a name."


class Guard:
    """Middleware around the whole app: checks `Host` and `Origin` of every request, and adds headers to every answer.

    A page sends the name that it was opened under as `Host`, and where it comes from as `Origin`. Every WebSocket must
    come from a page of this server; so must other requests that say where they come from.
    """

    def __init__(self, app: ASGIApp, hosts: Hosts, log: ThrottledLog) -> None:
        self.app, self.hosts, self.log = app, hosts, log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, as ASGI requires."""
        if scope["type"] not in ("http", "websocket"):
            return await self.app(scope, receive, send)
        headers = Headers(scope=scope)
        host, origins = headers.get("host"), headers.getlist("origin")
        ours = len(headers.getlist("host")) == 1 and self.hosts.admit(host)
        from_ours = len(origins) == 1 and is_same_place(origins[0], host)
        if not ours or (not from_ours and (origins or scope["type"] == "websocket")):
            self.log.warn("Refused a request from elsewhere", f"Host {host!r}, Origin {', '.join(origins)!r}")
            return await self._refuse(scope, receive, send)
        if scope["type"] == "websocket":
            checked = _Frames(receive, send, self.log) if scope["path"].endswith(_STREAM) else None
            return await self.app(scope, *((checked.receive, checked.send) if checked else (receive, send)))
        answer = PlainTextResponse("Not found", 404) if scope["path"].startswith(_NOT_SERVED) else self.app
        await answer(scope, receive, _with_headers(send, list(security_headers(host or "", _query(scope)))))

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            return await PlainTextResponse(_REFUSED, 403)(scope, receive, _with_headers(send, []))
        await receive()  # the request to connect, which is answered by closing
        await send({"type": "websocket.close", "code": _POLICY_VIOLATION})


class _Frames:
    """The frames of a socket of Streamlit. One that is no message closes the connection, with one line in the log."""

    def __init__(self, receive: Receive, send: Send, log: ThrottledLog) -> None:
        self._receive, self._send, self._log = receive, send, log
        self._closed = False

    async def receive(self) -> Message:
        message = await self._receive()
        if message["type"] == "websocket.receive" and not _is_message(message.get("bytes")):
            self._log.warn("Closed a connection", "it sent something else than messages of a page")
            await self.send({"type": "websocket.close", "code": _UNSUPPORTED_DATA})
            return {"type": "websocket.disconnect", "code": _UNSUPPORTED_DATA}
        return message

    async def send(self, message: Message) -> None:
        if self._closed:
            raise OSError("This connection was closed.")  # what ASGI servers raise
        self._closed = message["type"] == "websocket.close"
        if _PATH in message.get("bytes", b"")[:_START]:
            message = {**message, "bytes": _without_path(message["bytes"])}
        await self._send(message)


def _is_message(data: bytes | None) -> bool:
    try:
        return data is not None and BackMsg.FromString(data).WhichOneof("type") is not None
    except DecodeError:
        return False


def _without_path(data: bytes) -> bytes:
    """The first message of a run, in which Streamlit says where on this machine the script is; pages need not know."""
    message = ForwardMsg.FromString(data)
    message.new_session.main_script_path = SCRIPT.name
    return message.SerializeToString()


def _query(scope: Scope) -> str:
    query: bytes = scope["query_string"]
    return query.decode("latin-1")


def _with_headers(send: Send, headers: list[tuple[bytes, bytes]]) -> Callable[[Any], Awaitable[None]]:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message["headers"], *headers]}
        await send(message)

    return send_with_headers
