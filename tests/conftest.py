"""What all tests share."""

import sys

import pytest
from hypothesis import settings
from threadpoolctl import threadpool_limits

# Property tests are about truth, not about time: a busy machine must not fail them.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


@pytest.fixture(autouse=True, scope="session")
def one_blas_thread():
    """As in the app and in training: a second thread mostly waits, and takes the time of whatever else runs.

    A test about threads sets its own number, for this process only.
    """
    with threadpool_limits(1, "blas"):
        yield


@pytest.fixture(autouse=True)
def same_main():
    """AppTest leaves its script behind as `__main__`, and processes started later would run it."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main
