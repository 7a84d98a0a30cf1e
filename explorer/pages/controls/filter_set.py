"""The report on a set of filters that are not orthonormal, above that on the model made from it."""

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from explorer.session import caches
from explorer.state import NamedModel
from tsa.analysis import FilterReport
from tsa.stage import table_csv


def show_set(named: NamedModel) -> None:
    """What is known of each filter, of all together, of what they span, and what the model made from them costs."""
    made = named.made
    assert made is not None
    report = made.report
    st.markdown(f"**All {len(report.purity)} filters of the file**, which need not be orthonormal:")
    numbers, span = st.columns([1, 1], gap="medium")
    numbers.table(
        [{"quantity": name, "value": value if isinstance(value, str) else f"{value:.4g}", "meaning": meaning}
         for name, (value, meaning) in report.summary().items()],
        hide_index=True, border="horizontal",
    )  # fmt: skip
    if report.cells:
        span.plotly_chart(_span_map(report), key="span_map", config={"displayModeBar": False})
        span.caption("How much of each irreducible the set spans with pure filters of that weight.")
    rows = report.table()
    with st.expander("Every filter"):
        st.dataframe(rows, hide_index=True, width="stretch")
    st.download_button(
        "Filters (.csv)",
        lambda: table_csv(rows[0], (row.values() for row in rows)),
        f"{named.name}-filters.csv",
        on_click="ignore",
    )
    st.markdown(f"**The model made from them**, which all other pages use: {made.summary()}")
    if st.button("Measure what the model costs", key="measure_cost"):
        for sentence in caches.cost(named).sentences():
            st.markdown(f"- {sentence}")


def _span_map(report: FilterReport) -> go.Figure:
    """Weights across, orders up; or both frequencies of a shift of pictures."""
    cells = report.cells
    if report.action.parameters == 2:
        h, w = report.action.lattice_shape
        grid = np.full((h, w), np.nan)
        for cell in cells:
            weight = np.atleast_1d(cell.weight)
            for sign in (1, -1):
                y, x = (sign * weight + [h // 2, w // 2]) % [h, w]
                grid[y, x] = cell.held
        across, down = np.arange(w) - w // 2, np.arange(h) - h // 2
        titles = ("ω₂, periods across", "ω₁, periods down")
    else:
        weights = sorted({int(np.ravel(cell.weight)[0]) for cell in cells})
        across, down = np.array(weights), np.arange(1 + max(cell.order for cell in cells))
        grid = np.full((len(down), len(weights)), np.nan)
        for cell in cells:
            grid[cell.order, weights.index(int(np.ravel(cell.weight)[0]))] = cell.held
        titles = ("weight ω", "radial order" if len(down) > 1 else "order")
    figure = go.Figure(go.Heatmap(
        z=grid, x=across, y=down, zmin=0, zmax=1, xgap=1, ygap=1, colorscale="Greys", colorbar={"title": "spanned"},
        hovertemplate=f"{titles[0]} %{{x}}, {titles[1]} %{{y}}: %{{z:.0%}}<extra></extra>",
    ))  # fmt: skip
    figure.update_layout(
        title="Map of what is spanned", xaxis_title=titles[0], yaxis_title=titles[1], height=420,
        margin={"l": 50, "r": 10, "t": 40, "b": 45},
    )  # fmt: skip
    return figure
