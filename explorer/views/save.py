"""What can be taken away from the lab; each file is made when it is asked for."""

import json
from collections.abc import Callable

import streamlit as st

from explorer import state
from explorer.library import Entry
from explorer.state import Shape, Source, ViewState
from tsa import exports, files
from tsa.scene import Scene
from tsa.stage.page import stage_page

Maker = Callable[[], str | bytes]


def save(ask: Callable[[], tuple[Scene, Entry, ViewState]]) -> None:
    """A popover with a button for each file; what is shown is asked for when it is opened."""
    popover = st.popover("Save", width="stretch", on_change="rerun", key="save_menu")
    if not popover.open:
        return
    with popover:
        for title, group in _files(*ask()).items():
            st.markdown(f"**{title}**")
            for label, (name, make) in group.items():
                st.download_button(label, make, name, on_click="ignore", width="stretch", key=f"save {name}")


def _files(scene: Scene, entry: Entry, view: ViewState) -> dict[str, dict[str, tuple[str, Maker]]]:
    seen, theme = scene.sweep(whole=False), st.context.theme.type or "light"
    return {
        "The stage": {
            "A page that works offline (HTML)": ("stage.html", lambda: _page(scene, entry, view)),
            "Picture (PNG)": ("stage.png", lambda: exports.picture_png(scene, theme, view.log)),
            "Drawing (SVG)": ("stage.svg", lambda: exports.picture_svg(scene, theme, view.log)),
            "Turning (WebP)": ("turn.webp", lambda: exports.turning(scene, "webp", theme)),
            "Turning (GIF)": ("turn.gif", lambda: exports.turning(scene, "gif", theme)),
        },
        "The numbers": {
            "Posterior (CSV)": ("posterior.csv", lambda: exports.posterior_csv(scene)),
            "Subspaces (CSV)": ("subspaces.csv", lambda: exports.subspaces_csv(scene)),
            "Summary (JSON)": ("summary.json", lambda: exports.summary_json(scene)),
            "Python that gives these numbers": ("posterior.py", lambda: snippet(scene, entry, view)),
        },
        "The patches": {
            "x as the model sees it (PNG)": ("x.png", lambda: exports.patch_png(seen.x, scene.size)),
            "x as the model sees it (NPY)": ("x.npy", lambda: exports.patch_npy(seen.x)),
            "y as the model sees it (PNG)": ("y.png", lambda: exports.patch_png(seen.y[0], scene.size)),
            "y as the model sees it (NPY)": ("y.npy", lambda: exports.patch_npy(seen.y[0])),
        },
        "This view": {
            "Everything chosen (JSON)": ("view.json", lambda: json.dumps(state.encode(view), indent=1)),
        },
    }


def _page(scene: Scene, entry: Entry, view: ViewState) -> str:
    about = f"Model: {entry.name}, {entry.model.subspaces} subspaces, noise σ = {scene.model.noise:g}."
    return stage_page(scene, about=about, log=view.log, circle=view.circle)


def snippet(scene: Scene, entry: Entry, view: ViewState) -> str:
    """The Python of a scene, shapes by name and the model as one would load it."""
    model = entry.name if entry.name in files.bundled() else f"{entry.name}.npz"  # which the page of models gives
    return exports.snippet(scene, model, _expression(view.x), None if view.y is None else _expression(view.y))


def _expression(source: Source) -> str | None:
    return f"tsa.shapes.draw({source.name!r}, 128)" if isinstance(source, Shape) else None
