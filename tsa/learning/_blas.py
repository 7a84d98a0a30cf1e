"""One BLAS thread while training computes.

The products of a training step are small: one thread is faster, leaves the other cores to the thread that makes the
pairs, and gives the same bits on any number of cores.
"""

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController


def one_blas_thread() -> AbstractContextManager[Any]:
    """Limit the BLAS of the whole process to one thread within a `with` block; afterwards it is as before."""
    return _libraries().limit(limits=1, user_api="blas")


@cache
def _libraries() -> ThreadpoolController:
    """The loaded libraries, looked up once: doing so while another thread loads one can lock up both."""
    return ThreadpoolController()
