"""Orbits: the path that two weights make on the torus, and what follows for the group (figure 1 of the paper)."""

from functools import partial

import streamlit as st

from explorer.components.orbits import orbits, pack_orbits
from explorer.session import caches, pictures, run, view
from explorer.state import digest_of


@st.fragment
def page() -> None:
    """The page is one component in a fragment, which reruns when a slider is released."""
    run.listen()
    picture = caches.picture(pictures.source("x"))
    orbits(view.data_for("orbits", digest_of(picture), partial(pack_orbits, picture)))
    run.finish()
