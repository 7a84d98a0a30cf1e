"""For a host that starts apps by `streamlit run`: the whole server of `tsa-explorer`, live line and checks included.

TSA_EXPLORER_ALLOWED_HOSTS in its environment says under which names visitors reach it (with commas between them).
"""

import streamlit as st

from explorer.app import SCRIPT, hosted_parts

app = st.App(SCRIPT, **hosted_parts())
