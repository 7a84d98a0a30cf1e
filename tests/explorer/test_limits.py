"""What the server does for one visitor: trainings, reports, uploads and downloads are counted, memory is bounded."""

import pytest
from starlette.exceptions import HTTPException
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from explorer import limits
from explorer.app import ThrottledLog, bound_uploads, ignore_wrong_messages
from explorer.limits import MOST, LimitError, Limits
from explorer.session import caches, reports
from tests.shared.apps import opened


@pytest.fixture
def few(monkeypatch):
    """A server that does two of each for a visitor."""
    monkeypatch.setattr(limits, "_limits", Limits())
    monkeypatch.setattr(limits, "MOST", dict.fromkeys(MOST, 2))


def test_each_visitor_has_so_many_of_each_in_ten_minutes():
    now = 0.0
    counted = Limits(lambda: now)
    for _ in range(MOST["trainings"]):
        counted.spend("a", "trainings")
        now += 1
    with pytest.raises(LimitError, match=r"at most 30 trainings .* in 10 minutes. Please try again in 10 minutes"):
        counted.spend("a", "trainings")
    counted.spend("a", "reports")
    counted.spend("b", "trainings")
    now = 570
    with pytest.raises(LimitError, match="in 1 minute;"):
        counted.spend("a", "trainings")
    now = 600
    counted.spend("a", "trainings")  # the first is ten minutes ago
    with pytest.raises(LimitError):
        counted.spend("a", "trainings")


def test_visitors_without_end_take_bounded_memory():
    counted = Limits()
    for number in range(5000):
        counted.spend(number, "uploads")
    assert len(counted._times) == 2000


class Server:
    """A runtime with one session, which notes what reaches it and what it is told."""

    def __init__(self):
        self.reached, self.told = [], []
        self._session_mgr = self.session = self.session_state = self._new_widget_state = self
        self.widget_metadata = {}
        self.uploaded_file_mgr = MemoryUploadedFileManager("/upload")

    def get_active_session_info(self, session_id):
        return self

    def _enqueue_forward_msg(self, message):
        self.told.append(message)

    def handle_backmsg(self, session_id, message):
        self.reached.append(message.WhichOneof("type"))


def test_downloads_and_uploads_beyond_the_limit_are_answered_with_a_sentence(few):
    server = Server()
    ignore_wrong_messages(server, ThrottledLog(lambda line: None))
    for number in range(4):
        message = BackMsg()
        message.backend_operation_request.request_id = str(number)
        message.backend_operation_request.deferred_file.file_id = "f"
        server.handle_backmsg("s", message)
        message = BackMsg()
        message.file_urls_request.request_id = str(number)
        message.file_urls_request.file_names.append("a.png")
        server.handle_backmsg("s", message)
    assert server.reached == 2 * ["backend_operation_request", "file_urls_request"]
    downloads = [answer.backend_operation_response for answer in server.told[::2]]
    uploads = [answer.file_urls_response for answer in server.told[1::2]]
    assert [(one.request_id, "at most 2 downloads" in one.error_msg) for one in downloads] == [("2", True), ("3", True)]
    assert [(one.response_id, "at most 2 uploads" in one.error_msg) for one in uploads] == [("2", True), ("3", True)]


def test_operations_that_install_something_are_ignored():
    server = Server()
    ignore_wrong_messages(server, ThrottledLog(lambda line: None))
    message = BackMsg()
    message.backend_operation_request.install_skills.SetInParent()
    server.handle_backmsg("s", message)
    assert server.reached == []


def test_uploads_that_no_control_refers_to_do_not_fill_the_memory():
    server = Server()
    bound_uploads(server, max_session_bytes=1000, max_bytes=2500)
    kept = server.uploaded_file_mgr
    for session in ("a", "b", "c"):
        for number in range(30):
            kept.add_file(session, UploadedFileRec(str(number), "x.png", "image/png", bytes(300)))
    held = {session: list(files) for session, files in kept.file_storage.items()}
    assert held["c"] == ["27", "28", "29"]  # the newest
    assert sum(map(len, held.values())) * 300 <= 2500
    assert kept._total_bytes == sum(map(len, held.values())) * 300
    kept.add_file("d", UploadedFileRec("large", "x.png", "image/png", bytes(1001)))
    assert list(kept.file_storage["d"]) == []


def test_files_beyond_the_limit_are_refused(few):
    server = Server()
    bound_uploads(server)
    for number in range(2):
        server.uploaded_file_mgr.add_file("a", UploadedFileRec(str(number), "x", "", b""))
    with pytest.raises(HTTPException) as refused:
        server.uploaded_file_mgr.add_file("a", UploadedFileRec("2", "x", "", b""))
    assert refused.value.status_code == 429
    assert "at most 2 uploads" in refused.value.detail


def test_the_model_page_says_when_there_are_no_more_reports(few, monkeypatch):
    none_yet = reports.Reports()  # those that other tests have asked for are kept, and would not count
    monkeypatch.setattr(caches, "_reports", lambda: none_yet)
    page = opened("model")
    for name in ("rotation-16", "shift-32", "shift-16x16", "rotation-28"):
        page.selectbox(key="model_menu").set_value(name).run()
        assert not page.exception
    assert [error.value for error in page.error if "at most 2 reports" in error.value]


def test_the_train_page_says_when_there_are_no_more_trainings(few, monkeypatch):
    page = opened("train")
    started = []
    monkeypatch.setattr("explorer.training.Jobs.submit", lambda *request: started.append(request))
    for _ in range(3):
        next(button for button in page.button if button.label in ("Start", "Start over")).click().run()
        assert not page.exception
    assert len(started) == 2
    assert any("at most 2 trainings" in error.value for error in page.error)
