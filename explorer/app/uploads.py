"""Uploaded files, which wait in memory until a page reads them: so many bytes of one visitor, and of all together."""

from typing import Any

from starlette.exceptions import HTTPException
from streamlit.runtime import Runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from explorer import limits

_MAX_SESSION_BYTES = 260 * 2**20  # four of the largest files
_MAX_BYTES = 1024 * 2**20


def bound_uploads(runtime: Runtime, max_session_bytes: int = _MAX_SESSION_BYTES, max_bytes: int = _MAX_BYTES) -> None:
    """Have the runtime forget the oldest files of a visitor who uploads too much, then of those who have most.

    Pages keep what they have read of a file. A control whose file was forgotten is empty in the next run. Files that
    come without a page asking where to put them are counted too.
    """
    manager: Any = runtime.uploaded_file_mgr
    if not isinstance(manager, MemoryUploadedFileManager):
        return
    add = manager.add_file

    def add_file(session_id: str, file: UploadedFileRec) -> None:
        try:
            limits.spend(("file", session_id), "uploads")
        except limits.LimitError as error:
            raise HTTPException(429, str(error)) from error
        add(session_id, file)
        while _bytes_of(manager, session_id) > max_session_bytes and _drop_oldest(manager, session_id):
            pass
        while sum(_bytes_of(manager, one) for one in list(manager.file_storage)) > max_bytes:
            largest = max(list(manager.file_storage), key=lambda one: _bytes_of(manager, one))
            if not _drop_oldest(manager, largest):
                return

    manager.add_file = add_file  # type: ignore[method-assign]


def _bytes_of(manager: MemoryUploadedFileManager, session_id: str) -> int:
    return sum(len(file.data) for file in list(manager.file_storage.get(session_id, {}).values()))


def _drop_oldest(manager: MemoryUploadedFileManager, session_id: str) -> bool:
    """Forget the file that was uploaded first; whether there was one."""
    first = next(iter(list(manager.file_storage.get(session_id, {}))), None)
    if first is None:
        return False
    manager.remove_file(session_id, first)
    return True
