"""The state of one visitor (view, own models, pictures being edited), and the caches that all visitors share.

The only folder that uses `st.session_state` and Streamlit's caches.
"""

from explorer.session import caches, film, models, motion, pictures, pins, reports, run, training, view

__all__ = [
    "caches",
    "film",
    "models",
    "motion",
    "pictures",
    "pins",
    "reports",
    "run",
    "training",
    "view",
]
