"""The symmetry of the picture x, and a notch that breaks it."""

from functools import partial

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from explorer.components.symmetry import symmetry
from explorer.session import caches, models, view
from explorer.state import digest_of


def symmetry_panel(picture: NDArray[np.float64]) -> None:
    """The symmetry of a picture, notch included, under the model of the lab, and the slider of the notch."""
    named, sigma = models.for_lab(), view.current().sigma
    digest = digest_of("symmetry", named.digest, sigma, picture)
    st.markdown("**Symmetry of x**")
    symmetry(view.data_for("symmetry", digest, partial(caches.symmetry, digest, caches.model(named, sigma), picture)))
    st.slider(
        "Break it: notch", 0.0, 1.0, step=0.05, format="percent", **view.widget("notch", "notch"),
        help="A slot from the top of x towards its centre. It makes x differ from its turned copies, little by little.",
    )  # fmt: skip
