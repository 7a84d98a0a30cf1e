"""The filters of a model, sorted by weight, and one of them in detail (figure 3 of the paper)."""

import io

import streamlit as st

from explorer.components.filters import filters
from explorer.pages.controls import choose_model
from explorer.session import caches, pictures, run, view
from explorer.state import digest_of
from tsa.stage import filters_image, filters_svg


@st.fragment
def page() -> None:
    """The menu of models, downloads of all filters as one picture, and the component with the filters."""
    run.listen()
    row = st.container(horizontal=True, vertical_alignment="bottom", key="above_filters")
    with row.container(width=480):
        named = choose_model("filters_model")
    row.caption(named.note, width="stretch")

    def filters_png() -> bytes:
        buffer = io.BytesIO()
        filters_image(named.model, named.shape).save(buffer, "PNG")
        return buffer.getvalue()

    row.download_button("Filters as PNG", filters_png, f"{named.name}.png", "image/png", on_click="ignore")
    row.download_button(
        "Filters as SVG", lambda: filters_svg(named.model, named.shape), f"{named.name}.svg", "image/svg+xml",
        on_click="ignore",
    )  # fmt: skip
    chosen, picture = view.current(), caches.picture(pictures.source("x"))
    digest = digest_of(named.name, named.digest, picture, chosen.sigma, chosen.angle)
    packed = caches.filters(named, picture, chosen.sigma, chosen.angle)
    filters(view.data_for("filters", digest, lambda: packed))
    run.finish()
