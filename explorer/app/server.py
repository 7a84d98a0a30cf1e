"""The server around the script: its settings, its routes, what stands before them, and what it does when it starts.

`tsa-explorer` runs it, and so does `streamlit run deploy/streamlit_app.py` on a host that starts it in this way.
"""

import asyncio
import gc
import os
import socket
import webbrowser
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from starlette.middleware import Middleware
from streamlit.runtime import get_instance
from threadpoolctl import threadpool_limits

from explorer import docs, live
from explorer.app.guard import Guard
from explorer.app.hosts import Hosts
from explorer.app.index import Index
from explorer.app.memory import bound_free_memory, tidy
from explorer.app.page_messages import ignore_wrong_messages
from explorer.app.proxy import Proxied
from explorer.app.throttled_log import ThrottledLog
from explorer.app.uploads import bound_uploads

HOSTS_VARIABLE = "TSA_EXPLORER_ALLOWED_HOSTS"  # names, with commas between them
# Streamlit's settings, besides the address; deploy/.streamlit/config.toml has the same.
CONFIG: dict[str, Any] = {
    "server.enableAgentApi": False,
    "server.headless": True,  # without advice for developers on the console; we open the browser ourselves
    "server.fileWatcherType": "none",
    "runner.postScriptGC": False,  # Python collects often enough by itself
    # Above this size (bytes) Streamlit refers to an earlier equal message instead of sending it again; after an
    # interrupted run the browser may not have it and shows an error. Our components report what they hold.
    "global.minCachedMessageSize": 1e9,
    "server.maxUploadSize": 65,  # MB: the largest model file; pictures have a lower limit
    "server.maxMessageSize": 64,  # MB in a frame of a socket
    "server.maxWidgetStateSize": 2,  # MB that a page may send for a run
    "client.allowedOrigins": [],  # no page that frames this one may control it
    "browser.gatherUsageStats": False,
    "client.toolbarMode": "minimal",
    "client.showErrorDetails": "none",  # they are in the log, with names of files
    "theme.light.primaryColor": "#475569",
    "theme.light.backgroundColor": "#f8f7f3",  # behind the white cards
    "theme.light.secondaryBackgroundColor": "#ffffff",
    "theme.dark.primaryColor": "#94a3b8",
    "theme.dark.backgroundColor": "#141413",
    "theme.dark.secondaryBackgroundColor": "#1d1d1b",
}


def parts(hosts: Hosts, address: str | None = None, base_path: str = "", behind_proxy: bool = False) -> dict[str, Any]:
    """What `st.App` needs besides the script. The browser is opened at `address`; the others say how it is reached."""
    # One BLAS thread: our products are small, and the threads of several visitors would wait for each other. Set while
    # there is no other thread: looking up loaded libraries while another thread loads one can lock up both.
    threadpool_limits(1)
    bound_free_memory()
    log = ThrottledLog()
    proxied = [Middleware(Proxied, base_path, behind_proxy)] if base_path or behind_proxy else []
    return {
        "lifespan": partial(_lifespan, address=address, log=log),
        "routes": [*live.ROUTES, *docs.ROUTES],
        "middleware": [*proxied, Middleware(Guard, hosts, log), Middleware(Index)],
    }


def hosted_parts() -> dict[str, Any]:
    """The same for a host that runs `streamlit run`; its environment says under which names visitors reach it."""
    names = os.environ.get(HOSTS_VARIABLE, "").split(",")
    return parts(Hosts.of("127.0.0.1", [name.strip() for name in names]))


@asynccontextmanager
async def _lifespan(app: Any, address: str | None, log: ThrottledLog) -> AsyncIterator[None]:
    """Load what the first visitor needs, exempt it from garbage collection, and open the browser."""
    from explorer.session import caches, motion  # needs a running server, or Streamlit's caches print warnings

    ignore_wrong_messages(get_instance(), log)
    bound_uploads(get_instance())
    caches.warm()
    motion.warm()
    _disable_nagle()  # before gc.freeze(): frozen objects are not listed by gc.get_objects
    gc.collect()
    gc.freeze()
    if address is not None:
        asyncio.get_running_loop().call_later(0.5, webbrowser.open, address)
    tidying = asyncio.create_task(tidy(get_instance(), caches.forget))
    yield
    tidying.cancel()


def _disable_nagle() -> None:
    """Set TCP_NODELAY on the listening sockets, from which connections inherit it: saves 40 ms per burst."""
    for one in gc.get_objects():
        if isinstance(one, socket.socket) and _listens(one):
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def _listens(one: socket.socket) -> bool:
    return (
        one.fileno() >= 0
        and one.family in (socket.AF_INET, socket.AF_INET6)
        and bool(one.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN))
    )
