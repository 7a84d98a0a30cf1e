"""Home: what this is and for whom, three doors, and a dial that can be turned at once."""

import streamlit as st

from explorer.components.live_line import live_line
from explorer.components.teaching.classroom import join_card
from explorer.components.teaching.home import doors
from explorer.course import lessons
from explorer.live import current_class
from explorer.pages import lab
from explorer.session import run, view


@st.fragment
def page() -> None:
    """Words and doors on the left, the dial of the lab on the right."""
    run.listen()
    text, live = st.columns([1, 1], gap="large")
    with text.container(key="home_doors"):
        doors(len(lessons()))
        if (room := current_class()) is not None:
            join_card(room.addresses)
    with live.container(key="home_dial"):
        lab.show_stage(in_lesson=True, alone=True)
    live_line(view.visitor())
    run.finish()
