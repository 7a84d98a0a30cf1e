"""Orbits: how two weights make a path on the torus, and what that means for the group (the paper's figure 1)."""

import streamlit as st

from explorer import store
from explorer.components.orbit import orbit


@st.fragment
def page() -> None:
    """The whole page is one component; only this reruns when its weights are let go."""
    store.set_orbit(orbit(store.command("orbit")[0], *store.orbit()))
    store.finish()
