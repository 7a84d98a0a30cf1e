"""Orbits: how two weights make a path on the torus, and what that means for the group (the paper's figure 1)."""

import streamlit as st

from explorer import store
from explorer.components.orbit import orbit
from explorer.views.picture import current


@st.fragment
def page() -> None:
    """The whole page is one component; only this reruns when its weights or the turn are let go."""
    number, angle, *_ = store.command("orbit")
    store.set_orbit(orbit(number, angle, current("x").picture, *store.orbit()))
    store.finish()
