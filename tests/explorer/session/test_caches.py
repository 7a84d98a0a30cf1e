"""What all visitors share: equal for equal questions, and forgotten when the last one has left."""

import numpy as np

from explorer.session import caches
from explorer.state import open_as
from tests.shared.apps import unpack
from tests.shared.model_files import npy

KEY = ("inspection", "a")


def test_equal_filters_under_two_names_have_two_titles():
    """Two visitors may upload the same file: neither sees the name that the other gave it."""
    data = npy(np.linalg.qr(np.random.default_rng(0).normal(size=(64, 20)))[0])
    picture = caches.shape_picture("square")
    for name in ("theirs", "mine"):
        header, _ = unpack(caches.filters(open_as(name, data), picture, 0.5, 30))
        assert header["words"]["titles"]["weight"].startswith(f"{name}: 10 filter pairs")


def test_what_was_computed_for_visitors_is_forgotten():
    made = caches.shape_picture("square")
    caches.training_pairs("rotation", (8, 8), 1)
    caches._reports().get(KEY, lambda: 1)
    caches.forget()
    assert caches._reports().get(KEY, lambda: 2) == 2
    np.testing.assert_array_equal(caches.shape_picture("square"), made)
