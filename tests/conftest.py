"""What all tests share."""

import sys

import pytest
from hypothesis import settings

# Property tests are about truth, not about time: a busy machine must not fail them.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


@pytest.fixture(autouse=True)
def same_main():
    """AppTest leaves its script behind as `__main__`, and processes started later would run it."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main
