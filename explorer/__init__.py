"""The Streamlit app: draw a patch, turn it, and see the posterior over the group. `tsa` does not import it."""
