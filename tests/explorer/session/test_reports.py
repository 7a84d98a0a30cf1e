"""Results that all visitors share are computed once, in the thread of a page or in one of their own."""

import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest

from explorer.limits import LimitError
from explorer.pages.controls import progress
from explorer.session import caches, reports
from explorer.session.reports import AbandonedError, Reports, Task
from tests.shared.apps import opened

KEY = ("inspection", "a")


def test_of_two_visitors_the_second_waits_for_the_first():
    reports, begun, go_on, calls = Reports(), threading.Event(), threading.Event(), []

    def work():
        calls.append(1)
        begun.set()
        assert go_on.wait(10)
        return object()

    with ThreadPoolExecutor(2) as visitors:
        first = visitors.submit(reports.get, KEY, work)
        assert begun.wait(10)
        second = visitors.submit(reports.get, KEY, work)
        assert reports.get(("inspection", "b"), lambda: "another") == "another"  # other models need not wait
        assert not second.done()
        go_on.set()
        assert first.result(10) is second.result(10)
    assert len(calls) == 1


def test_who_leaves_before_the_result_is_there_is_replaced():
    reports = Reports()
    with pytest.raises(KeyboardInterrupt):
        reports.get(KEY, lambda: (_ for _ in ()).throw(KeyboardInterrupt))
    assert reports.get(KEY, lambda: 7) == 7


def test_the_oldest_results_are_dropped():
    reports = Reports(limit=2)
    for name in "abc":
        reports.get(("inspection", name), lambda name=name: name)
    assert reports.get(("inspection", "c"), lambda: "again") == "c"
    assert reports.get(("inspection", "a"), lambda: "again") == "again"


def test_large_results_are_dropped_sooner_and_the_newest_stays():
    reports = Reports(max_bytes=20_000)
    for name in "abc":
        reports.get(("refined", name), lambda: np.zeros(1000))
    assert isinstance(reports.get(("refined", "b"), lambda: "again"), np.ndarray)
    assert reports.get(("refined", "a"), lambda: "again") == "again"
    reports.get(("refined", "huge"), lambda: np.zeros(10_000))
    assert isinstance(reports.get(("refined", "huge"), lambda: "again"), np.ndarray)


class Work:
    """Work that lasts until it is told to go on, and the number of times it was begun."""

    def __init__(self):
        self.begun, self.go_on, self.calls = threading.Event(), threading.Event(), 0

    def __call__(self, on_progress):
        self.calls += 1
        on_progress(0.25)
        self.begun.set()
        assert self.go_on.wait(10)
        on_progress(0.75)
        return object()


def test_a_task_is_computed_once_beside_the_pages_that_look_at_it():
    kept, work, counted = Reports(), Work(), []
    first = kept.begin(KEY, work, partial(counted.append, 1))
    assert work.begun.wait(10)
    second = kept.begin(KEY, work, partial(counted.append, 2))
    assert (first.look(), first.wait(0)) == (0.25, False)
    work.go_on.set()
    assert first.wait(10)
    assert second.wait(10)
    assert first.result() is second.result()
    known = kept.begin(KEY, work, partial(counted.append, 3))
    assert known.wait(0)
    assert known.result() is first.result() is kept.get(KEY, list)
    assert (work.calls, counted) == (1, [1])


def test_what_a_task_raises_is_raised_where_its_result_is_asked_for():
    kept = Reports()
    task = kept.begin(KEY, lambda progress: [][0], list)
    assert task.wait(10)
    with pytest.raises(IndexError):
        task.result()
    again = kept.begin(KEY, lambda progress: 7, list)
    assert again.wait(10)
    assert again.result() == 7


def test_who_has_reached_a_limit_starts_nothing():
    kept, work = Reports(), Work()

    def refuse():
        raise LimitError("no more")

    with pytest.raises(LimitError):
        kept.begin(KEY, work, refuse)
    assert work.calls == 0


def test_a_task_ends_when_nobody_looks_at_it_any_more():
    seconds = 0.0
    task = Task(lambda: seconds)
    for seconds in (10.0, 20.0, 30.0):
        task.progress(seconds / 100)
        assert task.look() == seconds / 100
    seconds = 30.1 + reports._ABANDONED_SECONDS
    with pytest.raises(AbandonedError):
        task.progress(0.5)


def test_two_tasks_are_computed_at_once_and_the_third_waits():
    kept, works = Reports(), [Work() for _ in range(3)]
    tasks = [kept.begin(("inspection", str(i)), work, list) for i, work in enumerate(works)]
    while sum(work.begun.is_set() for work in works) < 2:
        pass
    waiting = next(work for work in works if not work.begun.is_set())
    assert not waiting.begun.wait(0.2)
    for work in works:
        work.go_on.set()
    assert all(task.wait(10) for task in tasks)
    assert waiting.calls == 1


@pytest.mark.parametrize(
    ("page", "kept", "text", "result"),
    [("model", "_reports", "Inspecting", "table"), ("recognise", "_searches", "Turning", "recognise")],
)
def test_a_page_shows_how_far_a_task_is_and_then_its_result(page, kept, text, result, monkeypatch):
    fresh, may_begin = Reports(), threading.Event()
    begin = fresh.begin
    monkeypatch.setattr(caches, kept, lambda: fresh)
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr(
        fresh, "begin", lambda key, work, allow: begin(key, lambda p: may_begin.wait(60) and work(p), allow)
    )
    app = opened(page)
    (bar,) = app.get("progress")
    assert bar.proto.text.startswith(text)
    assert result not in drawn(app)
    (task,) = fresh._tasks.values()
    may_begin.set()
    assert task.wait(60)
    app.run()
    assert not app.exception
    assert not app.get("progress")
    assert result in drawn(app)


def drawn(app):
    """The kinds of the elements of a page, and the names of its components."""
    components = {one.proto.component_name.removeprefix("tsa_") for one in app.get("bidi_component")}
    return components | {one.type for one in app.main}
