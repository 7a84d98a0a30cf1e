"""Messages of the training component: which snapshots it has, and the ticket from before a reload."""

import itertools
import re
from operator import eq

import streamlit as st

from explorer.session import view


def earlier_visitor() -> str:
    """The ticket this visitor had before the tab was reloaded, as the component reports it; empty if there is none."""
    ticket = view.sent("training", "before")
    return ticket if isinstance(ticket, str) and re.fullmatch("[0-9a-f]{32}", ticket) else ""


def known_snapshots(name: str, pairs: list[int]) -> int:
    """How many of the snapshots of training `name`, taken after these numbers of pairs, the component has.

    It is about to be sent the others, which then count as known. The component reports another value of `lost` each
    time that snapshots are missing.
    """
    lost = is_new("lost", view.sent("training", "lost"))
    last, had = st.session_state.get("snapshots_sent", ("", []))
    st.session_state["snapshots_sent"] = (name, pairs)
    if lost or last != name or "training" not in st.session_state:
        return 0
    return sum(1 for _ in itertools.takewhile(bool, map(eq, had, pairs)))


def is_new(name: str, value: object) -> bool:
    """Whether the value called `name` differs from that of the previous call; False in the first call."""
    before = st.session_state.get(f"last_{name}", value)
    st.session_state[f"last_{name}"] = value
    return before != value
