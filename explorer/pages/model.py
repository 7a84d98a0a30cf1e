"""Inspect a model, bundled or uploaded: a report, refinement, and comparison with another model."""

import json
from typing import Any

import numpy as np
import streamlit as st

from explorer.limits import LimitError
from explorer.pages.controls import awaited, charts, choose_model, progress_bar, show_set
from explorer.session import caches, models, run, view
from explorer.state import NamedModel
from tsa._base import TSAError
from tsa.analysis import FilterReport, Inspection
from tsa.files import SUFFIXES, Hints
from tsa.stage import table_csv

_MAX_PROVENANCE_CHARACTERS = 20_000
_MAX_WEIGHTS = 30  # printed below the menu
_MAX_FILTERS = 80  # in a picture of filters
_COVERAGE_NOTE = (
    "The σ of the model covers the worst that it meets on photographs, so that sets of clean digits (a) are too wide. "
    "The paper expects noise in y alone; with noise in both (b) its sets are too narrow. `tsa.register` (c) expects "
    "noise in both and finds σ from each pair."
)
_MAX_CHANNELS = 4  # in the menu of channels
_CHART = {"displayModeBar": False}  # on a touch screen its buttons would cover the title


def page() -> None:
    """The menu and the uploader, then a tab each for report, refinement, comparison and provenance."""
    menu, opener = st.columns([1, 1], gap="medium")
    with opener:
        _open()
    with menu:
        named = choose_model("model_menu")
        terms = str(named.model.irreps).split(" + ")
        more = f" + … ({len(terms)} weights in all)" if len(terms) > _MAX_WEIGHTS else ""
        line = " + ".join(terms[:_MAX_WEIGHTS])
        st.markdown(f"`{line}`{more}", help="n x ω: n subspaces have weight ω.")
        for note in filter(None, [named.note, _defect(named)]):
            st.info(note)
    try:
        _tabs(named)
    except LimitError as error:
        st.error(str(error))
    run.finish()


def _tabs(named: NamedModel) -> None:
    report, refine, compare, origin = st.tabs(["Report", "Refine", "Compare", "Provenance"])
    if named.made is not None:
        with report:
            show_set(named)
    inspection = awaited(caches.inspection(named), "Inspecting", report)
    if inspection is None:
        refine.empty()
    else:
        with report.container():
            _report(named, inspection)
            coverage = st.container()
        with refine.container():
            _refine(named, inspection)
    with compare:
        _compare(named)
    with origin:
        _provenance(named)
    if inspection is not None and named.turns:
        _coverage(named, coverage)


def _open() -> None:
    file = st.file_uploader(
        "Open a model file", type=list(SUFFIXES), key="model_upload",
        help="A model file of this program (.npz), or filters of any other: a matrix or kernels as .npy, .npz, MATLAB "
        ".mat, .safetensors or a PyTorch checkpoint. Group, patch shape and weights are estimated from the filters if "
        "the file does not contain them. Nothing in a file is run.",
    )  # fmt: skip
    if file is None:
        return
    shape, group, array, channel = (f"{what}_of_{file.file_id}" for what in ("shape", "group", "array", "channel"))
    hints = Hints(view.choice(shape, None), view.choice(group, None))
    wanted = view.choice(array, None), view.choice(channel, None)
    trouble = models.open_upload(file, progress_bar("Reading the filters"), False, hints, *wanted)
    place = st.container()
    whole = models.chosen().report if models.shows_upload() else None
    can_be_projected = trouble.can_be_projected if trouble else whole is not None and _fits(whole)
    if can_be_projected and st.button("Use the nearest orthonormal filters instead"):
        trouble = models.open_upload(file, progress_bar("Projecting the filters"), project=True, hints=hints)
        if trouble is None:
            st.rerun()
    if trouble is not None:
        place.error(trouble.sentence)
    if models.shows_upload():
        with st.popover("Open with other settings"):
            pixels = models.chosen().model.dimension
            st.selectbox(
                "Patches", [None, *_shapes(pixels)], format_func=_shape_in_words, key=shape,
                help=f"How the {pixels} numbers of a filter are arranged.",
            )  # fmt: skip
            st.selectbox("Group", [None, "rotation", "shift"], format_func=lambda g: g or "estimated", key=group)
            if len(models.chosen().arrays) > 1:
                names = {text.rpartition(" ")[0]: text for text in models.chosen().arrays}
                st.selectbox(
                    "Array", [None, *names], format_func=lambda name: names.get(name, "the likeliest"), key=array,
                    help="Which array of the file holds the filters.",
                )  # fmt: skip
            if any(text.count("×") == 3 for text in models.chosen().arrays):
                st.selectbox(
                    "Channels", [None, "each", *range(_MAX_CHANNELS)], key=channel,
                    format_func=lambda one: {None: "their mean", "each": "each of them"}.get(one, f"number {one}"),
                    help="Of kernels (n, channels, h, w).",
                )  # fmt: skip


def _fits(report: FilterReport) -> bool:
    """Whether the filters, two columns for each complex one, could be made orthonormal."""
    return int(np.sum(2 - report.real)) <= report.action.dimension


def _shapes(pixels: int) -> list[tuple[int, ...]]:
    """The shapes of a patch with this number of pixels: in a row, or any rectangle."""
    return [(pixels,), *((h, pixels // h) for h in range(2, pixels // 2 + 1) if pixels % h == 0)]


def _shape_in_words(shape: tuple[int, ...] | None) -> str:
    if shape is None:
        return "estimated"
    return f"{shape[0]} samples in a row" if len(shape) == 1 else f"{shape[0]} × {shape[1]} pixels"


def _defect(named: NamedModel) -> str:
    if named.file.defect < 1e-3:
        return ""
    return f"The filters in the file departed from orthonormal by up to {named.file.defect:.2g}."


def _report(named: NamedModel, inspection: Inspection) -> None:
    st.markdown(models.use_in_words())
    order = named.model.irreps.order()
    count = f"The first {_MAX_FILTERS} of {len(order)}" if len(order) > _MAX_FILTERS else f"All {len(order)}"
    description = f"The filters of {named.name}, in ascending order of |ω|."
    place = st.container(key="report_filters")
    _show_filters(place, named, order[:_MAX_FILTERS], description, columns=14)
    st.caption(
        f"{count} subspaces in ascending order of |ω|: below the weight, the real and the imaginary part of the filter."
    )
    numbers, plots = st.columns([1, 1], gap="medium")
    numbers.table(_summary(inspection), hide_index=True, border="horizontal")
    plots.plotly_chart(charts.equivariance(inspection), key="equivariance", config=_CHART)
    plots.plotly_chart(charts.purity(inspection), key="purity", config=_CHART)
    with st.expander("Every subspace"):
        st.dataframe(inspection.table(), hide_index=True, width="stretch")
    file, table, everything = st.columns(3)
    file.download_button("Model (.npz)", lambda: named.data, f"{named.name}.npz", on_click="ignore", width="stretch")
    table.download_button(
        "Subspaces (.csv)",
        lambda: rows_to_csv(inspection.table()),
        f"{named.name}.csv",
        on_click="ignore",
        width="stretch",
    )
    everything.download_button(
        "Report (.json)",
        lambda: report_json(named, inspection),
        f"{named.name}.json",
        on_click="ignore",
        width="stretch",
    )


def _coverage(named: NamedModel, place: Any) -> None:
    """Measured on request: it takes as long as the rest of the report."""
    with place:
        st.markdown("**How often credible sets hold the true turn**")
        if not st.toggle("Measure it (some seconds)", **view.setting("measure_coverage", False)):
            return
    try:
        found = caches.coverage(named, progress_bar("Measuring", place))
    except TSAError as error:
        place.info(str(error))
        return
    with place:
        numbers, plot = st.columns([1, 1], gap="medium")
        numbers.container(key="coverage_table").table(found.table(), hide_index=True, border="horizontal")
        numbers.caption(
            f"Measured on {found.data}. The sets of a calibrated posterior hold the truth as often as they say; the "
            f"bars are one standard error. {_COVERAGE_NOTE}"
        )
        plot.plotly_chart(charts.reliability(found), key="reliability", config=_CHART)


def _summary(inspection: Inspection, with_weights: bool = False) -> list[dict[str, str]]:
    data = inspection.data()
    return [
        {"quantity": name, "value": _short(value), "measured on": data[name], "meaning": meaning}
        for name, (value, meaning) in inspection.summary().items()
        if with_weights or name != "weights"  # which are printed below the menu
    ]


def _short(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.4g}".replace("-", "−")


def rows_to_csv(rows: list[dict[str, object]]) -> str:
    """Rows that share their keys as a CSV table."""
    return table_csv(rows[0], (row.values() for row in rows))


def report_json(named: NamedModel, inspection: Inspection) -> str:
    """The whole report on a model as JSON."""
    errors = inspection.equivariance
    report = {
        "name": named.name,
        "group": repr(named.action),
        "summary": {name: value for name, (value, _) in inspection.summary().items()},
        "subspaces": inspection.table(),
        "equivariance": {name: np.asarray(getattr(errors, name)).tolist() for name in vars(errors)},
        "provenance": named.file.about,
    }
    return json.dumps(report, indent=1)


def _refine(named: NamedModel, inspection: Inspection) -> None:
    st.markdown(
        "Refinement splits the learned subspaces into irreducible ones, each with one weight: planes for non-zero "
        "weights, single filters for weight 0. The model itself does not change; you get a second one."
    )
    refined = models.refined()
    if st.button("Refine", type="primary", disabled=refined is not None):
        try:
            models.add_refined(caches.refined(named, f"{named.name} (refined)", progress_bar("Refining")))
        except TSAError as error:
            st.error(str(error))
            return
        st.rerun()
    if refined is None:
        return
    after = awaited(caches.inspection(refined), "Inspecting the refined model")
    if after is None:
        return
    rows = zip(_summary(inspection, with_weights=True), _summary(after, with_weights=True), strict=False)
    st.table(
        [{"quantity": a["quantity"], "before": a["value"], "after": b["value"], "measured on": a["measured on"],
          "meaning": a["meaning"]} for a, b in rows],
        hide_index=True, border="horizontal",
    )  # fmt: skip
    st.button("Use the refined model on all pages", on_click=models.choose, args=(refined.name,))
    for column, (title, side) in zip(st.columns(2), (("Before", named), ("After", refined)), strict=True):
        column.markdown(f"**{title}**: {side.model.subspaces} subspaces, in ascending order of |ω|")
        order = side.model.irreps.order()[:_MAX_FILTERS]
        _show_filters(column, side, order, f"The filters of {side.name}, in ascending order of |ω|.")


def _show_filters(place: Any, named: NamedModel, order: Any, description: str, columns: int = 4) -> None:
    """A picture of some filters of a model, in this order."""
    dark = st.context.theme.type == "dark"
    # With its pixels in its address: Streamlit deletes the files of a run when the next one ends, so that a tab that
    # is being reloaded may ask for a picture that is gone.
    place.image(caches.filters_picture(named, np.asarray(order), columns, dark), alt=description)


def _compare(named: NamedModel) -> None:
    others = [name for name in models.names() if name != named.name]
    other = models.named(st.selectbox("Compare with", others, key="compare_with"))
    try:
        comparison = caches.comparison(named, other)
    except TSAError as error:
        st.info(str(error))
        return
    (st.success if comparison.same else st.warning)(comparison.verdict)
    rows = comparison.table()
    st.caption(
        "One row per weight, the largest differences first. Affinity is the cosine of the largest angle between the "
        "spaces that the two models have for a weight; it is 1 if they are equal. Agreement also compares the "
        "direction in which their planes turn."
    )
    st.dataframe(rows, hide_index=True, width="stretch", height=min(400, 38 + 35 * len(rows)))
    st.download_button("Comparison (.csv)", lambda: rows_to_csv(rows), "comparison.csv", on_click="ignore")
    matches = sorted(comparison.matches, key=lambda match: match.affinity)
    shown = matches[:_MAX_FILTERS]
    first = f"the {len(shown)} that differ most of " if len(shown) < len(matches) else ""
    st.markdown(
        f"**Pairs of subspaces with the same weight** ({first}{len(matches)}), the most different first: {named.name} "
        f"on the left, {other.name} on the right."
    )
    sides = [(named, [m.first for m in shown]), (other, [m.second for m in shown])]
    for column, (side, order) in zip(st.columns(2), sides, strict=True):
        if order:
            _show_filters(column, side, order, f"The filters of {side.name}, the most different first.")


def _provenance(named: NamedModel) -> None:
    if named.curve:
        st.plotly_chart(charts.curve(named.curve), key="curve", config=_CHART)
    about = {name: value for name, value in named.file.about.items() if name != "curve"}
    if not about:
        st.info("This file does not say how the model was made.")
    elif len(json.dumps(about)) > _MAX_PROVENANCE_CHARACTERS:
        st.info("The provenance in this file is too long to show here. Download the report (.json) to read it.")
    else:
        st.json(about, expanded=2)
