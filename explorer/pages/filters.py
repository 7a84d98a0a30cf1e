"""The filters of a model, sorted by weight, and one of them in detail (figure 3 of the paper)."""

import io

import streamlit as st

from explorer.components.filters import filters
from explorer.pages.controls import choose_model
from explorer.session import caches, models, pictures, run, view
from explorer.state import NamedModel, digest_of
from tsa.stage import filters_image, filters_svg


@st.fragment
def page() -> None:
    """The menu of models, downloads of all filters as one picture, and the component with the filters."""
    run.listen()
    row = st.container(horizontal=True, vertical_alignment="bottom", key="above_filters")
    with row.container(width=480):
        named = choose_model("filters_model")
    with row.container(width=260):
        other = _other(named)
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
    digest = digest_of(
        named.name, named.digest, picture, chosen.sigma, chosen.angle, other and (other.name, other.digest)
    )
    packed = caches.filters(named, picture, chosen.sigma, chosen.angle, other)
    filters(view.data_for("filters", digest, lambda: packed))
    run.finish()


def _other(named: NamedModel) -> NamedModel | None:
    """A menu of models under the same group, whose nearest filters are shown beside those of the chosen one."""
    alike = [name for name in models.names() if name != named.name and _acts_alike(models.named(name), named)]
    choice = st.selectbox(
        "Nearest filters of", [None, *alike], format_func=lambda name: name or "no other model", key="filters_other"
    )
    return models.named(choice) if choice in alike else None


def _acts_alike(one: NamedModel, other: NamedModel) -> bool:
    return repr(one.action) == repr(other.action)
