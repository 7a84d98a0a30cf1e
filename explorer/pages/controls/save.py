"""Files to download from the lab; each is made when its button is pressed."""

import json
from collections.abc import Callable, Sequence
from typing import Literal

import streamlit as st

from explorer import state
from explorer.session import models, pins
from explorer.session import view as session_view
from explorer.state import STAGE_PARTS, NamedModel, Shape, Source, ViewState
from tsa import files
from tsa.stage import (
    Scene,
    compare_csv,
    compare_json,
    compare_page,
    compare_png,
    compare_svg,
    exports,
    stage_page,
)

Maker = Callable[[], str | bytes]


def save(get_scene: Callable[[], tuple[Scene, NamedModel, ViewState]]) -> None:
    """A popover with a button for each file; `get_scene` is called when it is open."""
    _menu(lambda: _files(*get_scene()), "stretch")


def save_comparison(shown: Sequence[pins.Pinned]) -> None:
    """The same for the pins."""
    _menu(lambda: _comparison_files(shown), "content")


def _menu(
    get_files: Callable[[], dict[str, dict[str, tuple[str, Maker]]]], width: Literal["stretch", "content"]
) -> None:
    popover = st.popover("Save", width=width, on_change="rerun", key="save_menu")
    if not popover.open:
        return
    with popover:
        for title, group in get_files().items():
            st.markdown(f"**{title}**")
            for label, (name, make) in group.items():
                st.download_button(label, make, name, on_click="ignore", width="stretch", key=f"save {name}")


def _comparison_files(shown: Sequence[pins.Pinned]) -> dict[str, dict[str, tuple[str, Maker]]]:
    now, theme = session_view.current(), st.context.theme.type or "light"
    scenes, labels = [pin.scene for pin in shown], [pin.label for pin in shown]
    return {
        "The comparison": {
            "A page that works offline (HTML)": ("compare.html", lambda: _comparison_page(shown, now)),
            "Picture (PNG)": ("compare.png", lambda: compare_png(scenes, labels, theme, now.log)),
            "Drawing (SVG)": ("compare.svg", lambda: compare_svg(scenes, labels, theme, now.log)),
        },
        "The numbers": {
            "Posteriors (CSV)": ("posteriors.csv", lambda: compare_csv(scenes)),
            "Summaries (JSON)": ("compare.json", lambda: compare_json(scenes, labels)),
        },
        "This view": {"Everything chosen (JSON)": ("view.json", lambda: _chosen(now.effective))},
    }


def _files(scene: Scene, named: NamedModel, view: ViewState) -> dict[str, dict[str, tuple[str, Maker]]]:
    swept, theme = scene.sweep(whole=False), st.context.theme.type or "light"
    return {
        "The stage": {
            "A page that works offline (HTML)": ("stage.html", lambda: _page(scene, named, view)),
            "Picture (PNG)": ("stage.png", lambda: exports.picture_png(scene, theme, view.log)),
            "Drawing (SVG)": ("stage.svg", lambda: exports.picture_svg(scene, theme, view.log)),
            "Turning (WebP)": ("turn.webp", lambda: exports.turning(scene, "webp", theme)),
            "Turning (GIF)": ("turn.gif", lambda: exports.turning(scene, "gif", theme)),
        },
        "The numbers": {
            "Posterior (CSV)": ("posterior.csv", lambda: exports.posterior_csv(scene)),
            "Subspaces (CSV)": ("subspaces.csv", lambda: exports.subspaces_csv(scene)),
            "Summary (JSON)": ("summary.json", lambda: exports.summary_json(scene)),
            "Python that gives these numbers": ("posterior.py", lambda: snippet(scene, named, view)),
        },
        "The patches": {
            "x as the model sees it (PNG)": ("x.png", lambda: exports.patch_png(swept.x, scene.size)),
            "x as the model sees it (NPY)": ("x.npy", lambda: exports.patch_npy(swept.x)),
            "y as the model sees it (PNG)": ("y.png", lambda: exports.patch_png(swept.y[0], scene.size)),
            "y as the model sees it (NPY)": ("y.npy", lambda: exports.patch_npy(swept.y[0])),
        },
        "This view": {
            "Everything chosen (JSON)": ("view.json", lambda: _chosen(view)),
        },
    }


def _chosen(view: ViewState) -> str:
    return json.dumps(state.encode_link(view), indent=1)


def _left_out(view: ViewState) -> list[str]:
    """The parts that an offline page leaves out, too."""
    return [part for part in STAGE_PARTS if part in view.hide]


def offline_page(wanted: ViewState) -> str:
    """The page that works offline with the stage of a view, or with its pins if it compares them."""
    if wanted.comparing and wanted.pins:
        return _comparison_page(pins.shown(), wanted)
    named = models.for_lab(wanted.model)
    return _page(pins.scene_of(wanted, named), named, wanted)


def _comparison_page(shown: Sequence[pins.Pinned], view: ViewState) -> str:
    about = f"Models: {', '.join(dict.fromkeys(pin.named.name for pin in shown))}."
    scenes, labels = [pin.scene for pin in shown], [pin.label for pin in shown]
    return compare_page(scenes, labels, about, view.log, _left_out(view), view.describe)


def _page(scene: Scene, named: NamedModel, view: ViewState) -> str:
    about = f"Model: {named.name}, {named.model.subspaces} subspaces, noise σ = {scene.model.noise:g}."
    return stage_page(
        scene, about=about, log=view.log, circle=view.circle, hide=_left_out(view), describe=view.describe
    )


def snippet(scene: Scene, named: NamedModel, view: ViewState) -> str:
    """Python that computes the posterior of a scene; shapes without a notch and bundled models are given by name."""
    model = named.name if named.name in files.bundled() else f"{named.name}.npz"  # downloaded from the model page
    x = None if view.notch else _expression(view.x)
    return exports.snippet(scene, model, x, None if view.y is None else _expression(view.y))


def _expression(source: Source) -> str | None:
    return f"tsa.shapes.draw({source.name!r}, 128)" if isinstance(source, Shape) else None
