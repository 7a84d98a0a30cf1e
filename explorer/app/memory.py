"""Memory of the server: pages that are gone are forgotten, and what they took goes back to the operating system."""

import asyncio
import ctypes
import gc
import platform
from collections.abc import Callable
from typing import Any

from streamlit.runtime import Runtime

_TIDY_SECONDS = 15.0
_ARENAS, _LARGE_BYTES, _KEPT_BYTES = 1, 4 * 2**20, 16 * 2**20
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8  # names in malloc.h


def bound_free_memory() -> None:
    """Have glibc keep little of what is freed; other systems are left as they are.

    By default each thread takes from an arena of its own, and Streamlit starts a thread for every run of the script: of
    320 MB after a class of ten, 170 were free but kept. One arena costs no time, as threads hold Python's lock whenever
    they allocate. Blocks above 4 MiB go back at once; without a fixed size, malloc raises it to 32 MiB by itself.
    """
    if (libc := _glibc()) is not None:
        libc.mallopt(_M_ARENA_MAX, _ARENAS)
        libc.mallopt(_M_MMAP_THRESHOLD, _LARGE_BYTES)
        libc.mallopt(_M_TRIM_THRESHOLD, _KEPT_BYTES)


async def tidy(runtime: Runtime, forget: Callable[[], None], pause: float = _TIDY_SECONDS) -> None:
    """End sessions whose page has left too long ago to come back; call `forget` when the last of all has ended.

    Streamlit keeps ended ones until another page leaves. Runs until it is cancelled.
    """
    anybody = False
    while True:
        await asyncio.sleep(pause)
        end_expired_sessions(runtime)
        before, anybody = anybody, runtime._session_mgr.num_sessions() > 0
        if before and not anybody:
            forget()
        if before:
            gc.collect()  # milliseconds: what was there before the first visitor is exempt
            await asyncio.to_thread(give_back)


def end_expired_sessions(runtime: Runtime) -> None:
    """End sessions whose page left more than `server.disconnectedSessionTTL` seconds ago, and drop their uploads."""
    storage: Any = getattr(runtime._session_mgr, "_session_storage", None)
    expire = getattr(getattr(storage, "_cache", None), "expire", None)
    if expire is not None:
        for _, ended in expire() or ():
            ended.session.shutdown()


def give_back() -> None:
    """Return free memory to the operating system, where that takes asking."""
    if (libc := _glibc()) is not None:
        libc.malloc_trim(0)


def _glibc() -> Any:
    return ctypes.CDLL(None) if platform.libc_ver()[0] == "glibc" else None
