"""A progress bar for long computations, in this run of a page or beside it."""

from typing import Any, TypeVar

import streamlit as st

from explorer.session import reports

T = TypeVar("T")
PATIENCE_SECONDS = 0.5  # that a run waits for a task, before it goes on without
_UPDATE_SECONDS = 0.5  # between two looks at a task


def awaited(task: reports.Task[T], text: str, place: Any = st) -> T | None:
    """The result of a task; None if it takes long: then a bar is shown at this place, and the page runs again later.

    The bar takes the place of what the run before drew there first. Streamlit would leave that on the page until the
    end of this run: what depends on the result belongs in a container.
    """
    if task.wait(PATIENCE_SECONDS):
        return task.result()
    with place.empty():
        st.fragment(_watch, run_every=_UPDATE_SECONDS)(task, text)
    return None


def _watch(task: reports.Task[Any], text: str) -> None:
    if task.wait(0):
        st.rerun()
    fraction = task.look()
    st.progress(min(1.0, fraction), f"{text}: {100 * fraction:.0f} %")


def progress_bar(text: str, place: Any = st) -> Any:
    """A callback for the progress, from 0 to 1; the bar appears at the first call and disappears at 1."""
    bar: Any = None

    def report(fraction: float) -> None:
        nonlocal bar
        if fraction >= 1:
            if bar is not None:
                bar.empty()
            bar = None
            return
        bar = bar or place.progress(0.0)
        bar.progress(min(1.0, fraction), f"{text}: {100 * fraction:.0f} %")

    return report
