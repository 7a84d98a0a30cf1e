"""The DFT as a TSA model: draw a signal on a ring, shift it, and see its Fourier coefficients as arrows on circles."""

from functools import partial

import streamlit as st

from explorer.components.teaching.dft import dft, pack_dft
from explorer.session import run, view
from explorer.state import digest_of


@st.fragment
def page() -> None:
    """The page is one component in a fragment, which reruns when a signal has been drawn."""
    run.listen()
    show_dft()
    run.finish()


def show_dft() -> None:
    """The component."""
    signal = view.current().signal
    dft(view.data_for("dft", digest_of(signal), partial(pack_dft, signal)))
