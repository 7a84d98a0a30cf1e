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
from tsa.sheet import filter_sheet
from tsa.weights import describe

_LONGEST = 20_000  # characters of provenance that are shown


def page() -> None:
    """Choose, read the report, refine, compare."""
    menu, opener = st.columns([1, 1], gap="medium")
    with opener:
        _open()
    with menu:
        entry = choose_model("model_menu")
        st.markdown(f"`{describe(entry.model.weights)}`", help="How many subspaces (n x) have which weight.")
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
        help="Ours (.npz), or a bare W (D × 2J) from other code as .npy or .npz; missing weights are estimated.",
    )  # fmt: skip
    if file is None:
        return
    name, data = file.name, file.getvalue()
    trouble = store.open_model(name, data, _progress("Reading the filters"))
    if trouble is None:
        return
    st.error(trouble.sentence)
    if trouble.can_be_projected and st.button("Use the nearest orthonormal filters instead"):
        again = store.open_model(name, data, _progress("Projecting the filters"), project=True)
        if again is None:
            st.rerun()
        else:
            st.error(again.sentence)


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
    numbers.dataframe(_summary(inspection), hide_index=True, width="stretch", height="content")
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


def _summary(inspection: Inspection) -> list[dict[str, str]]:
    return [
        {"quantity": name, "value": _short(value), "meaning": meaning}
        for name, (value, meaning) in inspection.summary().items()
        if name != "weights"  # which stand above
    ]


def _short(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.4g}"


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
    name = f"{entry.name} (refined)"
    if st.button("Refine", type="primary", disabled=name in store.model_names()):
        try:
            refined = compute.refined(entry, name, _progress("Refining"))
        except TSAError as error:
            st.error(str(error))
            return
        store.add_model(refined, choose=False)
        st.rerun()
    if name in store.model_names():
        after = compute.inspection(store.entry(name), _progress("Inspecting the refined model"))
        rows = zip(_summary(inspection), _summary(after), strict=False)
        st.dataframe(
            [{"quantity": a["quantity"], "before": a["value"], "after": b["value"], "meaning": a["meaning"]}
             for a, b in rows],
            hide_index=True, width="stretch",
        )  # fmt: skip
        st.button("Use the refined model on all pages", on_click=store.choose_model, args=(name,))


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
    st.dataframe(rows, hide_index=True, width="stretch", height=min(400, 38 + 35 * len(rows)))
    st.download_button("Comparison (.csv)", lambda: _csv(rows), "comparison.csv", on_click="ignore")
    matches = comparison.matches
    st.markdown(
        f"**{len(matches)} subspaces, matched by weight**: {entry.name} on the left, {other.name} on the right."
    )
    sides = [(entry, [m.first for m in matches]), (other, [m.second for m in matches])]
    for column, (side, order) in zip(st.columns(2), sides, strict=True):
        if order:
            matched = Subgroup(side.model.filters[:, order], side.model.weights[order], side.model.noise)
            seen = f"The filters of {side.name}, in the order in which they match."
            column.image(filter_sheet(matched, side.shape, columns=4, tile=56), alt=seen)


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
