"""Work on a Dask cluster: the exact nearest-neighbour search, by blocks of queries, and other tasks one by one.

Anyone who can reach a Dask scheduler can run code on its workers, and their answers are unpickled here: connect only to
a cluster that you trust to run any code on this machine. The address must be given; no cluster is discovered.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from threadpoolctl import threadpool_limits

from tsa._base import Array, ClusterError, ProgressCallback, checks
from tsa.model import Subgroup, Torus
from tsa.recognition.metric import Metric
from tsa.recognition.neighbours import Neighbours, blocks

if TYPE_CHECKING:
    from distributed import Client


T = TypeVar("T")
_PACKAGE = "tsa-explorer"
_TIMEOUT_SECONDS = 5.0  # to wait for a scheduler, and for its first worker


@contextmanager
def connect(scheduler: str) -> Iterator[Callable[..., tuple[Array, Array]]]:
    """`tsa.nearest` as the cluster at this address (tcp://host:port) does it.

    >>> import distributed
    >>> local = distributed.LocalCluster(n_workers=1, processes=False, protocol="tcp", dashboard_address=None)
    >>> with local, tsa.cluster.connect(local.scheduler_address) as nearest:
    ...     nearest(np.eye(8), np.eye(8)[:1], k=1)[0]
    array([[0]])
    """
    with _connected(scheduler) as client:
        yield partial(nearest, client)


@contextmanager
def connect_map(scheduler: str) -> Iterator[Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]]:
    """`map` as the cluster at this address does it: a task for each item, the results in order.

    >>> import distributed
    >>> local = distributed.LocalCluster(n_workers=1, processes=False, protocol="tcp", dashboard_address=None)
    >>> with local, tsa.cluster.connect_map(local.scheduler_address) as mapped:
    ...     list(mapped(abs, [-1, 2]))
    [1, 2]
    """
    with _connected(scheduler) as client:
        yield partial(map_tasks, client)


def map_tasks(client: "Client", function: Callable[[Any], T], items: Iterable[Any]) -> Iterator[T]:
    """The results of a function for each item, on the cluster of a `distributed.Client`, in order.

    >>> import distributed
    >>> with distributed.Client(n_workers=1, processes=False, dashboard_address=None) as client:
    ...     list(tsa.cluster.map_tasks(client, abs, [-1, 2]))
    [1, 2]
    """
    import dask
    from distributed import CancelledError, KilledWorker

    try:
        # The data are part of the tasks: scattered data are lost with their worker, a task is run again.
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
            futures = [client.submit(_on_one_thread, function, item, pure=False) for item in items]
        for future in futures:
            yield future.result()
    except (CancelledError, OSError) as error:
        raise ClusterError("The scheduler was lost before the work was done; once it is back, start again.") from error
    except KilledWorker as error:
        raise ClusterError("Several workers died on one task; have they enough memory?") from error


@contextmanager
def _connected(scheduler: str) -> Iterator["Client"]:
    try:
        from distributed import Client
    except ImportError as error:
        raise ClusterError(f"A cluster needs Dask, which is not installed: pip install '{_PACKAGE}[dask]'.") from error
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # the ClusterError below reports it
    try:
        with ThreadPoolExecutor(1) as other_thread:  # in a notebook this thread already runs an event loop
            other_thread.submit(asyncio.run, _check_connection(scheduler)).result()
        client = Client(scheduler, timeout=_TIMEOUT_SECONDS, set_as_default=False)
    except (OSError, TypeError, ValueError) as error:
        raise ClusterError(
            f"No Dask scheduler answers at {scheduler!r}; give tcp://host:port, or tls:// if Dask is set up for it."
        ) from error
    with client:
        _check_workers(client, scheduler)
        yield client


async def _check_connection(scheduler: str) -> None:
    """Connect within the timeout: `Client` would wait forever for a listener that is no scheduler (a dashboard)."""
    from distributed import Security, connect

    security = Security().get_connection_args("client")
    comm = await asyncio.wait_for(connect(scheduler, timeout=_TIMEOUT_SECONDS, **security), _TIMEOUT_SECONDS)
    await comm.close()


def _check_workers(client: "Client", scheduler: str) -> None:
    """An error unless there is a worker and all have this version; without it their first task would fail."""
    try:
        client.wait_for_workers(1, _TIMEOUT_SECONDS)
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
    on_progress: ProgressCallback | None = None,
) -> tuple[Array, Array]:
    """`tsa.nearest` on the cluster of a `distributed.Client`: the same indices and distances.

    Where all machines round alike the distances are the same to the last bit, as from one BLAS thread of this one.
    A worker holds the prepared training patches, and for each of its threads one block of queries.

    >>> import distributed
    >>> with distributed.Client(n_workers=1, processes=False, dashboard_address=None) as client:
    ...     tsa.cluster.nearest(client, np.eye(8), np.eye(8)[:1])[0]
    array([[0]])
    """
    import dask
    from distributed import CancelledError, KilledWorker, as_completed

    train, queries = checks.rows(train, "train"), checks.rows(queries, "queries")
    answers = {}
    try:
        # The patches are part of the tasks, not scattered: scattered data are lost with their worker, a task is rerun.
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
            search = client.submit(_on_one_thread, Neighbours, train, metric, pure=False)
            futures = [
                client.submit(_on_one_thread, Neighbours.query, search, queries[block], k, pure=False)
                for block in blocks(len(train), len(queries))
            ]
        for future in as_completed(futures, loop=client.loop):
            answers[future] = future.result()
            if on_progress is not None:
                on_progress(len(answers) / len(futures))
    except (CancelledError, OSError) as error:
        raise ClusterError(
            "The scheduler was lost before the search was done; once it is back, start again."
        ) from error
    except KilledWorker as error:
        raise ClusterError(
            f"Several workers died on one block; has each memory for {len(train):,} training patches, prepared?"
        ) from error
    index, distance = (np.concatenate(parts) for parts in zip(*map(answers.__getitem__, futures), strict=True))
    return index, distance


def _on_one_thread(function: Callable[..., T], *arguments: object) -> T:
    """Call a function with one BLAS thread: Dask already runs as many tasks at once as a worker has threads."""
    with threadpool_limits(1, "blas"):
        return function(*arguments)
