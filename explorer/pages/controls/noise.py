"""The noise of the lab: on the pixels, the σ that is expected and where, and the σ that would fit the pair."""

from collections.abc import Set
from typing import Any

import numpy as np
import streamlit as st

from explorer.session import view
from explorer.state import SIGMA
from tsa.stage import ALPHA, Scene, read_sweep

_Y_ONLY, _BOTH = "y only", "x and y"
_FITS = 1.25  # ratio of two σ that fit alike


def noise_controls(hide: Set[str], scene: Scene) -> None:
    """Sliders and the switch; `hide` says which of them a link leaves out, `scene` is what the lab shows."""
    where = "x and y" if view.current().both else "y"
    if "noise" not in hide:
        st.slider(
            f"Pixel noise on {where}", 0.0, 1.0, step=0.05, **view.widget("pixel_noise", "noise"),
            help=f"Standard deviation of Gaussian noise added to every pixel of {where}, where black is 0 and white "
            "is 1.",
        )  # fmt: skip
    if "sigma" in hide:
        return
    least, most, step = SIGMA
    st.slider(
        "Expected noise σ", least, most, step=step, **view.widget("sigma", "sigma"),
        help=f"Standard deviation of the noise that the model expects on every pixel of {where}. The smaller it is, "
        "the more a difference between x and y counts, and the sharper the posterior.",
    )  # fmt: skip
    if (fitting := fitting_sigma(scene)) is not None:
        st.button(
            f"Use σ = {fitting:g}, which fits", width="stretch", key="fitting_sigma",
            on_click=view.change, args=("fitting_sigma",), kwargs={"sigma": fitting},
            help="The noise that the best turn leaves over. With a larger σ the answer is less certain than it could "
            "be, with a smaller one surer than it should be.",
        )  # fmt: skip
    st.segmented_control(
        "Noise is in", [_Y_ONLY, _BOTH], required=True, **_where_widget(),
        help="The paper expects noise in y alone. Two photographs are both noisy: with “x and y”, x gets pixel noise "
        "too and the model expects it there. What x has in each weight is then unknown, and estimated from the pair: "
        "quiet weights count less. `tsa.register` averages over what is not known, and finds σ itself.",
    )  # fmt: skip


def _where_widget() -> dict[str, Any]:
    def write(value: str) -> None:
        view.change("noise_in", both=value == _BOTH)

    return view.bound("noise_in", _BOTH if view.current().both else _Y_ONLY, write, view.obey("noise_in", "both"))


def fitting_sigma(scene: Scene) -> float | None:
    """The σ on the slider that fits a pair; None if the one that is set fits as well, or if no turn explains the pair.

    It is what the best turn leaves over, as the sentence on the stage about the fit has it.
    """
    swept = scene.sweep(whole=False)
    read = read_sweep(swept.model, swept, swept.prior)
    if max(read.p[0], read.p_own[0]) < ALPHA or read.flat[0].startswith("blank"):
        return None
    least, most, step = SIGMA
    fitting = float(np.clip(round(float(read.sigma_pair[0]) / step) * step, least, most))
    differs = abs(np.log(fitting / swept.sigma)) > np.log(_FITS)
    return round(fitting, 6) if differs else None
