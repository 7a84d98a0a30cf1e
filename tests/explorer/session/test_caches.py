"""Results that all visitors share are computed once."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from explorer.session import caches
from explorer.session.caches import Reports
from explorer.state import open_as
from tests.shared.apps import unpack
from tests.shared.model_files import npy

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


def test_equal_filters_under_two_names_have_two_titles():
    """Two visitors may upload the same file: neither sees the name that the other gave it."""
    data = npy(np.linalg.qr(np.random.default_rng(0).normal(size=(64, 20)))[0])
    picture = caches.shape_picture("square")
    for name in ("theirs", "mine"):
        header, _ = unpack(caches.filters(open_as(name, data), picture, 0.5, 30))
        assert header["words"]["titles"]["weight"].startswith(f"{name}: 10 filter pairs")
