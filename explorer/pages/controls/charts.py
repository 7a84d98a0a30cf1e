"""Plotly figures of reports on models: equivariance, purity, training curve. No Streamlit here."""

from typing import Any

import numpy as np
import plotly.graph_objects as go

from tsa._base import Array
from tsa.analysis import Inspection
from tsa.groups import CyclicShift, ImageRotation
from tsa.registration import Calibration

_LAYOUT = {"margin": {"l": 10, "r": 10, "t": 36, "b": 10}, "height": 300, "legend": {"orientation": "h", "y": -0.3}}


# Okabe and Ito's colours, which colour-blind readers can tell apart.
_BLUE, _ORANGE, _GREEN = "#0072B2", "#D55E00", "#009E73"


def equivariance(inspection: Inspection) -> go.Figure:
    """The equivariance error against s, the model's own share apart from the interpolation's."""
    errors, action = inspection.equivariance, inspection.action
    turns, figure = errors.angles / (2 * np.pi), go.Figure()
    s: Any
    if isinstance(action, ImageRotation):
        s, name = 360 * turns, "s in degrees"
        figure.update_xaxes(dtick=45)
    elif not isinstance(action, CyclicShift):
        s, name = np.arange(len(turns)), "elements of the group, one after the other"
    elif action.parameters == 1:
        s, name = np.rint(turns * action.shape[0]), "s in samples"
    else:
        s, name = [f"{down:.0f}, {right:.0f}" for down, right in turns * action.shape], "s in pixels down, right"
        figure.update_xaxes(type="category", nticks=7, tickangle=0)
    for title, values, colour, dash in (
        ("model’s share", errors.model, _BLUE, "solid"),
        ("interpolation’s share", errors.interpolation, _ORANGE, "dash"),
        ("total", errors.total, _GREEN, "dot"),
    ):
        line = {"color": colour, "dash": dash, "width": 2.5}
        figure.add_scatter(x=s, y=values, name=title, line=line, hovertemplate="%{y:.3g}")
    data = "30 digits of MNIST" if isinstance(action, ImageRotation) else "white noise"
    figure.update_layout(title=f"Equivariance error on {data}", hovermode="x unified", **_LAYOUT)
    figure.update_xaxes(title=name)
    small = {"tickformat": ".0e", "exponentformat": "e"} if errors.total.max() < 1e-3 else {}
    figure.update_yaxes(title="‖z(s·x) − e^{iωs}z(x)‖ / ‖z(x)‖", rangemode="tozero", **small)
    return figure


def purity(inspection: Inspection) -> go.Figure:
    """Purity and its ceiling for every subspace, by |ω|."""
    weights, score = inspection.model.irreps, inspection.recovery
    size, names = np.linalg.norm(weights.values, axis=1), [str(weight) for weight in weights]
    figure = go.Figure()
    figure.add_scatter(
        x=size, y=score.ceiling, mode="markers", name="highest possible", marker={"symbol": "line-ew-open", "size": 12,
        "color": _ORANGE}, hovertemplate="%{y:.3f}",
    )  # fmt: skip
    figure.add_scatter(
        x=size, y=score.purity, mode="markers", name="purity", marker={"size": 7, "color": _BLUE}, text=names,
        hovertemplate="weight %{text}: %{y:.3f}",
    )  # fmt: skip
    figure.update_layout(title="Purity of each subspace (of the filters)", **_LAYOUT)
    figure.update_xaxes(title="size |ω| of the weight")
    figure.update_yaxes(title="purity", range=[min(0.0, float(score.purity.min())), 1.03])
    return figure


def reliability(found: Calibration) -> go.Figure:
    """Coverage of credible sets against their probability; the diagonal is a calibrated posterior."""
    figure = go.Figure()
    grey = {"color": "rgba(128,128,128,0.8)", "dash": "dot", "width": 1.5}
    figure.add_scatter(x=[0, 100], y=[0, 100], mode="lines", name="calibrated", line=grey, hoverinfo="skip")
    styles = ((_GREEN, "dot", "square"), (_ORANGE, "dash", "diamond"), (_BLUE, "solid", "circle"))
    for letter, row, (colour, dash, symbol) in zip("abc", found.rows, styles, strict=True):
        figure.add_scatter(
            x=100 * row.levels, y=100 * row.coverage, mode="lines+markers", name=f"{letter}  {row.name}",
            line={"color": colour, "dash": dash, "width": 2.5}, marker={"symbol": symbol, "size": 7},
            error_y={"array": 100 * row.standard_error, "thickness": 1, "width": 0}, hovertemplate="%{y:.0f} %",
        )  # fmt: skip
    figure.update_layout(title="Coverage of credible sets", **(_LAYOUT | {"height": 440}))
    figure.update_layout(legend={"orientation": "v", "x": 0, "y": -0.22, "yanchor": "top"})
    figure.update_xaxes(title="probability of the set, %", range=[0, 101], dtick=20)
    figure.update_yaxes(title="pairs whose true turn is in it, %", range=[0, 103], dtick=20)
    return figure


def curve(points: list[tuple[float, float]]) -> go.Figure:
    """Mean log evidence while training: as it was, and smoothed."""
    pairs, evidence = np.array(points).reshape(-1, 2).T
    figure = go.Figure()
    thin = slice(None, None, max(1, len(pairs) // 800))
    colour = "rgba(0,114,178,0.3)"
    smooth = _smooth(evidence)
    if not np.array_equal(smooth, evidence):
        figure.add_scatter(x=pairs[thin], y=evidence[thin], name="one batch", line={"color": colour, "width": 1})
    figure.add_scatter(x=pairs[thin], y=smooth[thin], name="smoothed", line={"color": _BLUE, "width": 2.5})
    figure.update_layout(title="Evidence during training (white noise)", **_LAYOUT)
    figure.update_xaxes(title="pairs seen")
    figure.update_yaxes(title="mean log p(y | x), nats")
    return figure


def _smooth(values: Array) -> Array:
    width = max(1, len(values) // 50)
    padded = np.pad(values, (width // 2, width - 1 - width // 2), mode="edge")
    return np.convolve(padded, np.full(width, 1 / width), "valid")
