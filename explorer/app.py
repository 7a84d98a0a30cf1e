"""Navigation; for now the single page that says what is coming."""

import streamlit as st

st.set_page_config(page_title="TSA Explorer", page_icon=":material/rotate_right:")
st.title("TSA Explorer")
st.write(
    "The lab is not built yet. Soon you will draw a patch here, turn it, and watch the whole posterior over the "
    "turn. The mathematics underneath is ready: `import tsa`."
)
