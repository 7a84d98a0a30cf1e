"""Navigation only."""

import streamlit as st

from explorer.views import lab
from tsa.files import assets

# A file of our own: Streamlit fetches `:material/…:` icons of the page from the network.
st.set_page_config(page_title="TSA Explorer", page_icon=str(assets("") / "icon.png"), layout="wide")
st.html("<style>.stMainBlockContainer { padding: 3.4rem 2rem 1rem; max-width: 1700px; }</style>")
st.navigation([st.Page(lab.page, title="Lab", default=True)], position="top").run()
