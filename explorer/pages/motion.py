"""Motion: a picture moves behind a window. How far? The posterior over all shifts, and the aperture problem."""

import base64
import json
import zlib
from collections.abc import Callable, Set
from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st

from explorer import live
from explorer.components.live_line import live_line
from explorer.components.motion import motion
from explorer.pages.controls import choose
from explorer.session import caches, pictures, run, view
from explorer.session import motion as shown_motion
from explorer.state import (
    CONTROLS,
    MAX_LOOKS,
    NOISES,
    OWN_WORLD,
    PRESETS,
    SIGMAS,
    SLOWS,
    encode_link,
    fourier_side,
    preset_of,
    read_motion,
)
from tsa._base import InputError
from tsa.pictures import PERIODIC_PICTURES
from tsa.stage import (
    MotionScene,
    motion_animation,
    motion_csv,
    motion_json,
    motion_page,
    motion_png,
    motion_snippet,
    motion_svg,
    pack_motion,
    words,
)


@st.fragment
def page() -> None:
    """Controls on the left, the component on the right, as one fragment, which reruns when something is let go."""
    run.listen()
    hide = set(CONTROLS) if st.context.is_embedded else view.current().hide
    shown = shown_motion.shown()
    if hide >= {"x", "noise", "sigma", "prior", "model", "observe", "save", "window"}:
        show_motion(shown, hide)
    else:
        controls, main = st.columns([1, 5], gap="small")
        with main:
            show_motion(shown, hide)
        with controls:
            _controls(shown, hide)
    live_line(view.visitor())
    run.finish()


def show_motion(shown: shown_motion.ShownMotion, hide: Set[str]) -> None:
    """The component, and answers for it while a hand drags."""
    if shown.trouble:
        st.warning(shown.trouble)
    chosen, model = view.current(), shown_motion.model()
    source = pictures.source("x") if chosen.world == OWN_WORLD else None
    drawn = pictures.moved("x")

    def answer(patch: str, message: object) -> bytes | None:
        """The answer while a hand drags, or draws the picture; what cannot be shown leaves everything as it was."""
        try:
            if patch == "motion":
                fields = read_motion(message)
                if fields is None:
                    return None
                moved = replace(chosen, **fields)
                own = source if moved.world == OWN_WORLD else None
                return pack_motion(shown_motion.scene_of(moved, model, own), whole=False)
            drawing = drawn(message) if patch == "x" else None
            return None if drawing is None else pack_motion(shown_motion.scene_of(chosen, model, drawing), whole=False)
        except InputError:
            return pack_motion(shown.scene, whole=False)

    live.prepare(view.visitor(), view.revision(), answer)
    # The answer over the live line at once; the page follows with other pictures and other sizes of the window.
    if view.is_new("motion", shown.digest):
        live.push(view.visitor(), view.revision(), partial(pack_motion, shown.scene, whole=False))
    make = partial(caches.packed_motion, shown.digest, shown.scene)
    extra = {"sized": "window" not in hide}
    motion(view.data_for("motion", shown.digest, make, pictures.editor("x").sequence, extra=extra))


def _controls(shown: shown_motion.ShownMotion, hide: Set[str]) -> None:
    # Two containers: on a narrow screen the component stands between them.
    with st.container(key="controls_motion"):
        if "x" not in hide:
            choose_world()
    with st.container(key="controls_rest"):
        _settings(shown, hide)


def _settings(shown: shown_motion.ShownMotion, hide: Set[str]) -> None:
    scene = shown.scene
    if "noise" not in hide:
        st.slider(
            "Pixel noise on y", *NOISES[:2], step=NOISES[2], help=words.motion.HELP["noise"],
            **view.widget("shift_noise", "shift_noise"),
        )  # fmt: skip
    if "sigma" not in hide:
        st.slider(
            "Expected noise σ", *SIGMAS[:2], step=SIGMAS[2], help=words.motion.HELP["sigma"],
            **view.widget("shift_sigma", "shift_sigma"),
        )  # fmt: skip
    if "prior" not in hide:
        st.slider(
            "Prior for slow motion, px", *SLOWS[:2], step=SLOWS[2], help=words.motion.HELP["slow"],
            **view.widget("slow", "slow"),
        )  # fmt: skip
    if "observe" not in hide:
        _looks()
    if "model" not in hide:
        _model()
    if "save" not in hide:
        _save(scene)


def choose_world() -> None:
    """The picture that moves, and experiments to start with."""
    names = [*PERIODIC_PICTURES, OWN_WORLD]
    bound = view.bound(
        "gallery_world", view.current().world,
        lambda name: view.change("gallery_world", world=name, tried_shift=None), view.obey("gallery_world", "world"),
    )  # fmt: skip
    st.pills("Picture", names, format_func=caches.world_icon, required=True, wrap=True, **bound)
    if view.current().world == OWN_WORLD:
        choose("x", "Your own picture")
    preset = preset_of(view.current())
    texts = {one.name: one for one in PRESETS}

    def start(name: str | None) -> None:
        if name is not None:
            view.change("preset", **texts[name].fields)

    obey = view.obey("preset", *PRESETS[0].fields)
    st.selectbox(
        "Perception", list(texts), index=None, placeholder="Choose an experiment",
        **view.bound("preset", preset.name if preset else None, start, obey),
    )  # fmt: skip
    if preset:
        st.caption(preset.text)


def _looks() -> None:
    looks = view.current().looks
    again, forget = st.columns([3, 2], gap="small")
    again.button(
        "Observe again", on_click=lambda: view.change("looks", looks=min(MAX_LOOKS, looks + 1)), width="stretch",
        disabled=looks >= MAX_LOOKS, help=words.motion.HELP["looks"],
    )  # fmt: skip
    forget.button(
        f"Forget {looks - 1}" if looks > 1 else "Forget", on_click=lambda: view.change("looks", looks=1),
        width="stretch", disabled=looks == 1, help="Returns to the first look.",
    )  # fmt: skip


def _model() -> None:
    def write(name: str) -> None:
        view.change("shift_model", **shown_motion.fitted(name))

    names, obey = shown_motion.model_names(), view.obey("shift_model", "shift_model")
    bound = view.bound("shift_model", shown_motion.model_name(), write, obey)
    st.selectbox("Model", names, format_func=_model_label, help=words.motion.HELP["model"], **bound)


def _model_label(name: str) -> str:
    side = fourier_side(name)
    return f"Fourier {side} × {side}, exact" if side else name


def _save(scene: MotionScene) -> None:
    popover = st.popover("Save", width="stretch", on_change="rerun", key="save_motion")
    if not popover.open:
        return
    theme = st.context.theme.type or "light"
    files: dict[str, dict[str, tuple[str, Callable[[], str | bytes]]]] = {
        "The page": {
            "A page that works offline (HTML)": ("motion.html", lambda: motion_page(scene, _about(scene))),
            "Picture (PNG)": ("motion.png", lambda: motion_png(scene, theme)),
            "Drawing (SVG)": ("motion.svg", lambda: motion_svg(scene, theme)),
            "Window opening (WebP)": ("window.webp", lambda: motion_animation(scene, "webp", theme)),
            "Window opening (GIF)": ("window.gif", lambda: motion_animation(scene, "gif", theme)),
        },
        "The numbers": {
            "Posterior (CSV)": ("posterior.csv", lambda: motion_csv(scene)),
            "Summary (JSON)": ("summary.json", lambda: motion_json(scene)),
            "Python that gives these numbers": ("motion.py", lambda: _snippet(scene)),
        },
        "This view": {"Everything chosen (JSON)": ("view.json", lambda: json.dumps(link, indent=1))},
    }
    link = encode_link(view.current().effective)
    with popover:
        for title, group in files.items():
            st.markdown(f"**{title}**")
            for label, (name, make) in group.items():
                st.download_button(label, make, name, on_click="ignore", width="stretch", key=f"save {name}")


def _about(scene: MotionScene) -> str:
    return (
        f"Model: {_model_label(shown_motion.model_name())}; expected noise σ = {scene.sigma:g}, pixel noise on y "
        f"{scene.pixel_noise:g}."
    )


def _snippet(scene: MotionScene) -> str:
    chosen, name = view.current(), shown_motion.model_name()
    side = fourier_side(name)
    model = f"tsa.fourier_model(({side}, {side}))" if side else f"tsa.load({name!r})"
    if chosen.world != OWN_WORLD:
        return motion_snippet(scene, f"draw_periodic({chosen.world!r}, {scene.side})", model)
    packed = base64.b64encode(zlib.compress(np.asarray(scene.x, np.float64).tobytes(), 9)).decode()
    literal = f"np.frombuffer(zlib.decompress(base64.b64decode({packed!r}))).reshape({scene.x.shape})"
    return "import base64, zlib\n" + motion_snippet(scene, literal, model)
