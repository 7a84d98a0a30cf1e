"""The filters of a model, sorted by weight, and one of them taken apart (figure 3 of the paper)."""

import io

import streamlit as st

from explorer import compute, store
from explorer.components.sheet import sheet
from explorer.views.model import choose_model
from explorer.views.picture import current
from tsa.sheet import filter_sheet, filter_sheet_svg


@st.fragment
def page() -> None:
    """A menu of models, the sheet, and the sheet to take away."""
    menu, note, png, svg = st.columns([3, 2, 1, 1], vertical_alignment="bottom")
    with menu:
        entry = choose_model("filters_model")
    note.caption(entry.note)

    def picture() -> bytes:
        buffer = io.BytesIO()
        filter_sheet(entry.model, entry.shape).save(buffer, "PNG")
        return buffer.getvalue()

    png.download_button(
        "Sheet as PNG", picture, f"{entry.name}.png", "image/png", on_click="ignore", width="stretch"
    )  # fmt: skip
    svg.download_button(
        "Sheet as SVG", lambda: filter_sheet_svg(entry.model, entry.shape), f"{entry.name}.svg", "image/svg+xml",
        on_click="ignore", width="stretch",
    )  # fmt: skip
    sigma, angle = store.choice("sigma", 0.5), store.angle()
    sheet(compute.filters(entry, current("x").picture, store.chosen_filter(), sigma, angle))
    store.finish()
