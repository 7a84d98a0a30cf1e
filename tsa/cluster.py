"""The same search on many machines: the blocks of queries one machine takes in turn, spread over a Dask cluster.

Whoever can reach a Dask scheduler can run code on its workers, and what they answer is unpickled here: connect only to
a cluster you would run any program on. Nothing here looks for one; it is at the address the user gives.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from threadpoolctl import threadpool_limits

from tsa import checks
from tsa.checks import Array
from tsa.distances import Metric
from tsa.errors import ClusterError
from tsa.model import Subgroup, Torus
from tsa.neighbours import Neighbours, blocks
from tsa.progress import Report

if TYPE_CHECKING:
    from distributed import Client

T = TypeVar("T")
_PACKAGE = "tsa-explorer"
_PATIENCE = 5.0  # seconds to wait for a scheduler, and for its first worker


@contextmanager
def connect(scheduler: str) -> Iterator[Callable[..., tuple[Array, Array]]]:
    """`tsa.nearest` as the cluster at this address (tcp://host:port) does it."""
    try:
        from distributed import Client
    except ImportError as error:
        raise ClusterError(f"A cluster needs Dask, which is not here: pip install '{_PACKAGE}[dask]'.") from error
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # what it would log, a ClusterError says
    try:
        with ThreadPoolExecutor(1) as aside:  # in a notebook this thread has its event loop already
            aside.submit(asyncio.run, _greet(scheduler)).result()
        client = Client(scheduler, timeout=_PATIENCE, set_as_default=False)
    except (OSError, TypeError, ValueError) as error:
        raise ClusterError(
            f"No Dask scheduler answers at {scheduler!r}; give tcp://host:port, or tls:// if Dask is set up for it."
        ) from error
    with client:
        _check_workers(client, scheduler)
        yield partial(nearest, client)


async def _greet(scheduler: str) -> None:
    """Shake hands in time: `Client` would wait forever for a listener that is no scheduler, a dashboard say."""
    from distributed import Security, connect

    security = Security().get_connection_args("client")
    comm = await asyncio.wait_for(connect(scheduler, timeout=_PATIENCE, **security), _PATIENCE)
    await comm.close()


def _check_workers(client: "Client", scheduler: str) -> None:
    """There is a worker, and all run our version; one without this package would die of its first task."""
    try:
        client.wait_for_workers(1, _PATIENCE)
        there = {client.run_on_scheduler(version, _PACKAGE), *client.run(version, _PACKAGE).values()}
    except TimeoutError as error:
        raise ClusterError(f"The scheduler has no workers; start some with: dask worker {scheduler}") from error
    except PackageNotFoundError:
        there = {"none"}
    if there != {version(_PACKAGE)}:
        found = " and ".join(sorted(there))
        raise ClusterError(f"The cluster has {_PACKAGE} {found}; install {version(_PACKAGE)}, as here, on all of it.")


def nearest(
    client: "Client",
    train: ArrayLike,
    queries: ArrayLike,
    metric: Metric | Torus | Subgroup | str = "euclidean",
    k: int = 1,
    report: Report | None = None,
) -> tuple[Array, Array]:
    """`tsa.nearest` on the cluster of a `distributed.Client`: the same indices and distances.

    Where all machines round alike the distances are the same to the last bit, as from one BLAS thread of this one.
    A worker holds the training patches, made ready, and for each of its threads one block of queries.
    """
    import dask
    from distributed import CancelledError, KilledWorker, as_completed

    train, queries = checks.rows(train, "train"), checks.rows(queries, "queries")
    answers = {}
    try:
        # The patches are part of the tasks, not scattered: what was scattered is lost with its worker, a task is not.
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
            search = client.submit(_on_one_thread, Neighbours, train, metric, pure=False)
            futures = [
                client.submit(_on_one_thread, Neighbours.query, search, queries[block], k, pure=False)
                for block in blocks(len(train), len(queries))
            ]
        for future in as_completed(futures, loop=client.loop):
            answers[future] = future.result()
            if report is not None:
                report(len(answers) / len(futures))
    except (CancelledError, OSError) as error:
        raise ClusterError(
            "The scheduler was lost before the search was done; once it is back, start again."
        ) from error
    except KilledWorker as error:
        raise ClusterError(
            f"Worker after worker died of one block: has each memory for {len(train):,} training patches, made ready?"
        ) from error
    index, distance = (np.concatenate(parts) for parts in zip(*map(answers.__getitem__, futures), strict=True))
    return index, distance


def _on_one_thread(function: Callable[..., T], *arguments: object) -> T:
    """Dask gives a worker as many tasks at once as it has threads; BLAS must not multiply them."""
    with threadpool_limits(1, "blas"):
        return function(*arguments)
