"""Behind a proxy: the path at which it has this server, and the name under which visitors reach it.

The pages themselves need neither: all their addresses are relative to where they were opened.
"""

import re

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

_BASE_PATH = re.compile(r"(/[A-Za-z0-9._~-]+)*")
_REAL_NAME = "x-forwarded-host"


def base_path(given: str) -> str | None:
    """A path of the command line with a slash before and none after it, empty for the root; None if it is none."""
    path = "/" + given.strip("/") if given.strip("/") else ""
    return path if _BASE_PATH.fullmatch(path) and not {".", ".."} & set(path.split("/")) else None


class Proxied:
    """Middleware before all others: takes the base path off, and the visitors' name for this server from the proxy.

    The name is believed only if `behind_proxy`: then nobody but the proxy may reach this server.
    """

    def __init__(self, app: ASGIApp, base_path: str, behind_proxy: bool) -> None:
        self.app, self.base_path, self.behind_proxy = app, base_path, behind_proxy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, as ASGI requires."""
        if scope["type"] not in ("http", "websocket"):
            return await self.app(scope, receive, send)
        scope = {**scope, "headers": list(scope["headers"])}
        names = Headers(scope=scope).getlist(_REAL_NAME)
        if self.behind_proxy and len(names) == 1:
            MutableHeaders(scope=scope)["host"] = names[0]
        path: str = scope["path"]
        if path == self.base_path != "" and scope["type"] == "http":
            query = f"?{scope['query_string'].decode('latin-1')}" if scope["query_string"] else ""
            return await RedirectResponse(f"{path.rpartition('/')[2]}/{query}")(scope, receive, send)
        if not path.startswith(f"{self.base_path}/"):
            return await self._not_here(scope, receive, send)
        scope["path"] = path.removeprefix(self.base_path)
        scope["raw_path"] = scope.get("raw_path", b"").removeprefix(self.base_path.encode())
        await self.app(scope, receive, send)

    async def _not_here(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            return await PlainTextResponse("Not found", 404)(scope, receive, send)
        await receive()  # the request to connect, which is answered by closing
        await send({"type": "websocket.close", "code": 1008})
