"""The menu of models."""

import streamlit as st

from explorer.session import models
from explorer.state import NamedModel


def choose_model(key: str) -> NamedModel:
    """A menu of all models; the chosen one is used on all pages."""
    named = models.chosen()
    st.selectbox("Model", models.names(), **models.menu(key, named))
    return named
