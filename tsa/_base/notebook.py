"""A model on one line, and some of its filters as small pictures, for notebooks."""

import math
from base64 import b64encode
from html import escape
from io import BytesIO
from typing import Any

import numpy as np
from PIL import Image

from tsa._base.checks import Array

_SHOWN = 12  # filters
_SIDE = 48  # pixels of a picture
_MAX_LETTERS = 60  # of the weights
_MAX_FILTER_NUMBERS = 2**22  # of a model whose filters are drawn; larger ones may not be in memory yet


def model_line(model: Any) -> str:
    """What `repr` says of a model: its size, its subspaces, its weights, σ."""
    side = math.isqrt(model.dimension)
    size = f"{side}×{side} pixels" if side > 1 and side**2 == model.dimension else f"{model.dimension} samples"
    lines = int(np.count_nonzero(model.lines))
    counts = [(model.subspaces - lines, "plane"), (lines, "line")]
    facts = [size, " and ".join(f"{n} {word}{'s' * (n != 1)}" for n, word in counts if n)]
    if hasattr(model, "irreps"):
        weights = str(model.irreps)
        facts.append(f"weights {weights if len(weights) <= _MAX_LETTERS else weights[: _MAX_LETTERS - 1] + '…'}")
    return f"<{type(model).__name__}: {', '.join([*facts, f'σ = {model.noise:.3g}'])}>"


def _pictures(model: Any) -> str:
    """The real parts of the first filters by weight: pictures if patches are square, else curves."""
    if model.dimension * model.subspaces > _MAX_FILTER_NUMBERS:
        return ""
    order = model.irreps.order() if hasattr(model, "irreps") else np.arange(model.subspaces)
    filters = model.filters[:, order[:_SHOWN]].real.T
    side = math.isqrt(model.dimension)
    draw = _image if side > 1 and side**2 == model.dimension else _curve
    return "".join(draw(one / max(np.abs(one).max(), 1e-12)) for one in filters)


def model_html(model: Any) -> str:
    """The line and the pictures."""
    return f"<div><code>{escape(model_line(model))}</code><br>{_pictures(model)}</div>"


def _image(values: Array) -> str:
    side = math.isqrt(values.size)
    grey = np.rint(127.5 * (1 + values)).astype(np.uint8).reshape(side, side)
    with BytesIO() as buffer:
        Image.fromarray(grey).save(buffer, "PNG", optimize=True)
        data = b64encode(buffer.getvalue()).decode()
    style = "margin:2px;image-rendering:pixelated"
    return f'<img width="{_SIDE}" height="{_SIDE}" style="{style}" alt="a filter" src="data:image/png;base64,{data}">'


def _curve(values: Array) -> str:
    across = np.linspace(1, 2 * _SIDE - 1, values.size)
    down = _SIDE / 2 * (1 - 0.94 * values)
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(across, down, strict=True))
    return (
        f'<svg width="{2 * _SIDE}" height="{_SIDE}" style="margin:2px" role="img" aria-label="a filter">'
        f'<polyline points="{points}" fill="none" stroke="currentColor" stroke-width="1.5"/></svg>'
    )
