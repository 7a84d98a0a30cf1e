"""The Streamlit app: draw a patch, turn it, and see the posterior over the group. `tsa` does not import it."""

import tsa  # noqa: F401  # before streamlit: Ctrl-C is prepared for, see `tsa._base.loading`
