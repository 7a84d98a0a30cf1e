"""The site under /help of the app. It has no scripts; its pictures are drawn when they are first asked for."""

import mimetypes

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from explorer.docs.site import content


async def _file(request: Request) -> Response:
    path = request.path_params["path"] or "index.html"
    found = await run_in_threadpool(content, path)
    if found is None:
        return PlainTextResponse("Not found", 404)
    kind = mimetypes.guess_type(path)[0] or "application/octet-stream"
    return Response(found, media_type=kind, headers={"Cache-Control": "no-cache"})


async def _start(_: Request) -> Response:
    """With a slash at the end, from which the addresses on the page start; relative, so that any prefix stays."""
    return RedirectResponse("help/")


ROUTES = [Route("/help", _start), Route("/help/{path:path}", _file)]
