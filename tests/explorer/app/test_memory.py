"""Pages that are gone are forgotten: their sessions end, and the last one takes along what was computed for them."""

import asyncio
import platform

import pytest
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.session_manager import SessionInfo
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager

from explorer.app import memory


class Session:
    """A session that notes its end."""

    ended = 0

    def __init__(self, name):
        self.id = name

    def shutdown(self):
        self.ended += 1


class Runtime:
    """A runtime whose pages have all left just now; their sessions may be taken up again for a tenth of a second."""

    def __init__(self, *sessions, seconds=0.1):
        storage = MemorySessionStorage(ttl_seconds=seconds)
        self._session_mgr = WebsocketSessionManager(storage, None, None, None)
        for session in sessions:
            storage.save(SessionInfo(client=None, session=session, script_run_count=1))


def run_for(seconds, runtime, forget):
    """Tidy for so long, or until something was forgotten."""

    async def run():
        forgotten = asyncio.Event()

        def forget_once():
            forget()
            forgotten.set()

        tidying = asyncio.create_task(memory.tidy(runtime, forget_once, pause=0.02))
        waiting = asyncio.create_task(forgotten.wait())
        await asyncio.wait([tidying, waiting], timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        if tidying.done():
            tidying.result()  # it ends with an error only
        tidying.cancel()
        waiting.cancel()

    asyncio.run(run())


def test_sessions_end_when_their_page_cannot_come_back_and_the_last_one_clears_up():
    sessions, forgotten = [Session("a"), Session("b")], []
    run_for(60, Runtime(*sessions), lambda: forgotten.append([one.ended for one in sessions]))
    assert forgotten == [[1, 1]]


def test_while_a_page_may_come_back_nothing_is_forgotten():
    session, forgotten = Session("a"), []
    run_for(0.3, Runtime(session, seconds=60), lambda: forgotten.append(1))
    assert (session.ended, forgotten) == (0, [])


def test_without_visitors_there_is_nothing_to_do(monkeypatch):
    monkeypatch.setattr(memory, "give_back", pytest.fail)
    run_for(0.1, Runtime(), pytest.fail)


@pytest.mark.parametrize("libc", [platform.libc_ver(), ("", ""), ("musl", "1.2")])
def test_memory_is_given_back_where_the_system_takes_it(monkeypatch, libc):
    monkeypatch.setattr(platform, "libc_ver", lambda: libc)
    assert (memory._glibc() is not None) is (libc[0] == "glibc")
    memory.give_back()
