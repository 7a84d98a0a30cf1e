"""The script of every run: style, navigation, then the chosen page."""

from pathlib import Path

import streamlit as st

from explorer.components.teaching.classroom import classroom_sign
from explorer.components.ticket import keep_ticket
from explorer.live import current_class
from explorer.pages import dft, film, filters, home, lab, lesson, model, motion, orbits, recognise, share, train
from explorer.session import models, run, view
from tsa._base import assets

# A file of our own: Streamlit fetches `:material/…:` icons of the page from the network.
icon = str(assets("") / "icon.png")
st.set_page_config(page_title="TSA Explorer", page_icon=icon, layout="wide")
if not st.context.is_embedded:
    st.logo(icon, size="large")
style = Path(__file__).with_name("app.css").read_text(encoding="utf-8")
st.html(f"<style>{style}</style>")
pages = [
    st.Page(home.page, title="Home", url_path="home"),
    st.Page(lesson.page, title="Lessons", url_path="lesson"),
    st.Page(lab.page, title="Lab", default=True),
    st.Page(motion.page, title="Motion", url_path="motion"),
    st.Page(film.page, title="Film", url_path="film"),
    st.Page(filters.page, title="Filters", url_path="filters"),
    st.Page(recognise.page, title="Recognise", url_path="recognise"),
    st.Page(model.page, title="Model", url_path="model"),
    st.Page(train.page, title="Train", url_path="train"),
    st.Page(orbits.page, title="Orbits", url_path="orbits"),
    st.Page(dft.page, title="DFT", url_path="dft"),
    st.Page(share.page, title="Share", url_path="share"),
]
if root := run.root():  # the manual, which this server has beside the pages; Streamlit wants its whole address
    pages.append(st.Page(f"{root}help/", title="Help"))
page = st.navigation(pages, position="hidden" if st.context.is_embedded else "top")
if (room := current_class()) is not None and not st.context.is_embedded:
    classroom_sign(room.addresses, view.visitor())
run.begin(page.url_path, recalls=True)
if notice := run.notice():
    st.toast(notice)
page.run()
keep_ticket(models.ticket(), run.awaits_model())  # last: the page may have added the first model
