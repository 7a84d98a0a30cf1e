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


def test_large_results_are_dropped_sooner_and_the_newest_stays():
    reports = Reports(max_bytes=20_000)
    for name in "abc":
        reports.get(("refined", name), lambda: np.zeros(1000))
    assert isinstance(reports.get(("refined", "b"), lambda: "again"), np.ndarray)
    assert reports.get(("refined", "a"), lambda: "again") == "again"
    reports.get(("refined", "huge"), lambda: np.zeros(10_000))
    assert isinstance(reports.get(("refined", "huge"), lambda: "again"), np.ndarray)


def test_what_was_computed_for_visitors_is_forgotten():
    made = caches.shape_picture("square")
    caches.training_pairs("rotation", (8, 8), 1)
    caches._reports().get(KEY, lambda: 1)
    caches.forget()
    assert caches._reports().get(KEY, lambda: 2) == 2
    np.testing.assert_array_equal(caches.shape_picture("square"), made)
