"""Navigation only."""

import streamlit as st

from explorer.views import lab

st.set_page_config(page_title="TSA Explorer", page_icon=":material/rotate_right:", layout="wide")
st.html("<style>.stMainBlockContainer { padding-top: 3.2rem; padding-bottom: 1rem; }</style>")
st.navigation([st.Page(lab.page, title="Lab", icon=":material/science:", default=True)], position="top").run()
