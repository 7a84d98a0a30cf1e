"""Inspect a model: a report, refinement, and comparison with another one; bundled or anybody's own."""

import json
from typing import Any

import numpy as np
import streamlit as st

from explorer import compute, figures, store
from explorer.library import Entry
from tsa.errors import TSAError
from tsa.exports import table_csv
from tsa.inspection import Inspection
from tsa.model import Subgroup
from tsa.opening import Reading
from tsa.sheet import by_weight, filter_sheet
from tsa.weights import describe

_LONGEST = 20_000  # characters of provenance that are shown
_MOST_WEIGHTS = 30  # in the line of weights
_MOST_SHOWN = 80  # filters side by side


def page() -> None:
    """Choose, read the report, refine, compare."""
    menu, opener = st.columns([1, 1], gap="medium")
    with opener:
        _open()
    with menu:
        entry = choose_model("model_menu")
        terms = describe(entry.model.weights).split(" + ")
        more = f" + … ({len(terms)} weights in all)" if len(terms) > _MOST_WEIGHTS else ""
        line = " + ".join(terms[:_MOST_WEIGHTS])
        st.markdown(f"`{line}`{more}", help="How many subspaces (n x) have which weight.")
        for note in filter(None, [entry.note, _defect(entry)]):
            st.info(note)
    report, refine, compare, origin = st.tabs(["Report", "Refine", "Compare", "Provenance"])
    inspection = _inspect(entry, report)
    with report:
        _report(entry, inspection)
    with refine:
        _refine(entry, inspection)
    with compare:
        _compare(entry)
    with origin:
        _provenance(entry)
    store.finish()


def choose_model(key: str) -> Entry:
    """A menu of all models, on whatever page; the chosen one is used on all of them."""
    entry = store.entry()
    store.set_menu(key, entry.name)
    st.selectbox("Model", store.model_names(), key=key, on_change=store.follow_menu, args=(key,))
    return entry


def _open() -> None:
    file = st.file_uploader(
        "Open a model file", type=["npz", "npy"], key="model_upload",
        help="Ours (.npz), or a bare W (D × 2J) from other code as .npy or .npz; what it does not say is found out.",
    )  # fmt: skip
    if file is None:
        return
    shape, group = (f"{what}_of_{file.file_id}" for what in ("shape", "group"))
    reading = Reading(store.choice(shape, None), store.choice(group, None))
    trouble = store.open_model(file, _progress("Reading the filters"), reading=reading)
    place = st.container()
    if trouble is not None and trouble.can_be_projected and st.button("Use the nearest orthonormal filters instead"):
        trouble = store.open_model(file, _progress("Projecting the filters"), project=True, reading=reading)
        if trouble is None:
            st.rerun()
    if trouble is not None:
        place.error(trouble.sentence)
    if store.shows_upload():
        with st.popover("Read it otherwise"):
            pixels = store.entry().model.dimension
            st.selectbox(
                "Patches", [None, *_shapes(pixels)], format_func=_shape_in_words, key=shape,
                help=f"How the {pixels} numbers of a filter are laid out.",
            )  # fmt: skip
            st.selectbox("Group", [None, "rotation", "shift"], format_func=lambda g: g or "found out", key=group)


def _shapes(pixels: int) -> list[tuple[int, ...]]:
    """The shapes a patch of so many pixels can have."""
    return [(pixels,), *((h, pixels // h) for h in range(2, pixels // 2 + 1) if pixels % h == 0)]


def _shape_in_words(shape: tuple[int, ...] | None) -> str:
    if shape is None:
        return "found out"
    return f"{shape[0]} samples in a row" if len(shape) == 1 else f"{shape[0]} × {shape[1]} pixels"


def _progress(text: str, place: Any = st) -> Any:
    """A bar that appears with the first report and goes with the last."""
    bar: Any = None

    def report(fraction: float) -> None:
        nonlocal bar
        if fraction >= 1:
            if bar is not None:
                bar.empty()
            bar = None
            return
        bar = bar or place.progress(0.0)
        bar.progress(min(1.0, fraction), f"{text}: {100 * fraction:.0f} %")

    return report


def _defect(entry: Entry) -> str:
    if entry.file.defect < 1e-3:
        return ""
    return f"As they were in the file, its filters departed from orthonormal by up to {entry.file.defect:.2g}."


def _inspect(entry: Entry, place: Any) -> Inspection:
    return compute.inspection(entry, _progress("Inspecting", place))


def _report(entry: Entry, inspection: Inspection) -> None:
    numbers, charts = st.columns([1, 1], gap="medium")
    numbers.table(_summary(inspection), hide_index=True, border="horizontal")
    config = {"displaylogo": False}
    charts.plotly_chart(figures.equivariance(inspection), key="equivariance", config=config)
    charts.plotly_chart(figures.purity(inspection), key="purity", config=config)
    with st.expander("Every subspace"):
        st.dataframe(inspection.table(), hide_index=True, width="stretch")
    file, table, everything = st.columns(3)
    file.download_button("Model (.npz)", lambda: entry.data, f"{entry.name}.npz", on_click="ignore", width="stretch")
    table.download_button(
        "Subspaces (.csv)", lambda: _csv(inspection.table()), f"{entry.name}.csv", on_click="ignore", width="stretch"
    )
    everything.download_button(
        "Report (.json)", lambda: _json(entry, inspection), f"{entry.name}.json", on_click="ignore", width="stretch"
    )


def _summary(inspection: Inspection, all_of_it: bool = False) -> list[dict[str, str]]:
    return [
        {"quantity": name, "value": _short(value), "meaning": meaning}
        for name, (value, meaning) in inspection.summary().items()
        if all_of_it or name != "weights"  # which stand above
    ]


def _short(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.4g}".replace("-", "−")


def _csv(rows: list[dict[str, object]]) -> str:
    return table_csv(rows[0], (row.values() for row in rows))


def _json(entry: Entry, inspection: Inspection) -> str:
    errors = inspection.equivariance
    report = {
        "name": entry.name,
        "group": repr(entry.action),
        "summary": {name: value for name, (value, _) in inspection.summary().items()},
        "subspaces": inspection.table(),
        "equivariance": {name: np.asarray(getattr(errors, name)).tolist() for name in vars(errors)},
        "provenance": entry.file.about,
    }
    return json.dumps(report, indent=1)


def _refine(entry: Entry, inspection: Inspection) -> None:
    st.markdown(
        "Refinement takes every learned subspace apart into irreducibles of the group: one weight each, planes for "
        "weights that turn, single filters for weight 0."
    )
    refined = store.refined()
    if st.button("Refine", type="primary", disabled=refined is not None):
        try:
            store.add_refined(compute.refined(entry, f"{entry.name} (refined)", _progress("Refining")))
        except TSAError as error:
            st.error(str(error))
            return
        st.rerun()
    if refined is None:
        return
    after = compute.inspection(refined, _progress("Inspecting the refined model"))
    rows = zip(_summary(inspection, all_of_it=True), _summary(after, all_of_it=True), strict=False)
    st.table(
        [{"quantity": a["quantity"], "before": a["value"], "after": b["value"], "meaning": a["meaning"]}
         for a, b in rows],
        hide_index=True, border="horizontal",
    )  # fmt: skip
    st.button("Use the refined model on all pages", on_click=store.choose_model, args=(refined.name,))
    for column, (title, side) in zip(st.columns(2), (("Before", entry), ("After", refined)), strict=True):
        column.markdown(f"**{title}**: {side.model.subspaces} subspaces, by |ω|")
        order = by_weight(side.model.weights)[:_MOST_SHOWN]
        _sheet(column, side, order, f"The filters of {side.name}, slowest first.")


def _sheet(place: Any, entry: Entry, order: Any, seen: str) -> None:
    """Some filters of a model, in this order."""
    model = entry.model
    some = Subgroup(model.filters[:, order], model.weights[order], model.noise)
    place.image(filter_sheet(some, entry.shape, columns=4, tile=56, order=np.arange(len(order))), alt=seen)


def _compare(entry: Entry) -> None:
    others = [name for name in store.model_names() if name != entry.name]
    other = store.entry(st.selectbox("with", others, key="compare_with"))
    try:
        comparison = compute.comparison(entry, other)
    except TSAError as error:
        st.info(str(error))
        return
    (st.success if comparison.same else st.warning)(comparison.verdict)
    rows = comparison.table()
    st.caption(
        "Affinity is the cosine of the largest angle between the two spaces of a weight: 1 if they are the same. "
        "Agreement also counts which way round their planes turn."
    )
    st.dataframe(rows, hide_index=True, width="stretch", height=min(400, 38 + 35 * len(rows)))
    st.download_button("Comparison (.csv)", lambda: _csv(rows), "comparison.csv", on_click="ignore")
    matches = comparison.matches
    st.markdown(
        f"**{len(matches)} subspaces, matched by weight**: {entry.name} on the left, {other.name} on the right."
    )
    sides = [(entry, [m.first for m in matches]), (other, [m.second for m in matches])]
    for column, (side, order) in zip(st.columns(2), sides, strict=True):
        if order:
            _sheet(column, side, order, f"The filters of {side.name}, in the order in which they match.")


def _provenance(entry: Entry) -> None:
    if entry.curve:
        st.plotly_chart(figures.curve(entry.curve), key="curve", config={"displaylogo": False})
    about = {name: value for name, value in entry.file.about.items() if name != "curve"}
    if not about:
        st.info("This file does not say where it comes from.")
    elif len(json.dumps(about)) > _LONGEST:
        st.info("What this file says about itself is too long to be shown; the report (.json) has all of it.")
    else:
        st.json(about, expanded=2)
