"""A progress bar for long computations."""

from typing import Any

import streamlit as st


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
