"""One training at a time, on a clock that tests set."""

from contextlib import closing

import pytest

from explorer.training import Jobs


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def jobs(clock):
    with closing(Jobs(limit=1, clock=clock)) as jobs:
        yield jobs
