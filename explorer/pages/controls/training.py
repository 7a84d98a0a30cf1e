"""Choosing what to learn from: white noise, one's own pictures or one's own pairs; a known group or an unknown one."""

from dataclasses import dataclass

import numpy as np
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from explorer.session import caches, view
from explorer.training import EXAMPLES, KINDS, DiscoveryRequest, requested_run
from tsa._base import Array, TSAError
from tsa.learning import TrainingRun, patches_digest
from tsa.pictures import EXTENSIONS

_NOISE, _PICTURES, _PAIRS = "white noise", "own pictures", "own pairs"
_UNKNOWN = "unknown"
_SHOWN_PAIRS = caches.SHOWN_PAIRS
# Default, least and largest number of samples, or of pixels along a side.
_PATCH_SIZES = {"rotation": (16, 4, 32), "shift in 1-D": (32, 4, 256), "shift in 2-D": (8, 3, 32)}


@dataclass(frozen=True, eq=False)
class Wanted:
    """A training or a search, some pairs (n, D) like those it learns from, and what is said of them.

    `patches` are those to train on, None for white noise; `moved` is what happens to each: turned or shifted.
    """

    request: TrainingRun | DiscoveryRequest
    x: Array
    y: Array
    name: str  # of these pairs
    caption: str
    moved: str
    patches: Array | None = None

    @property
    def searches(self) -> bool:
        """Whether the group is unknown."""
        return isinstance(self.request, DiscoveryRequest)


def choose_training() -> Wanted | None:
    """The controls, and what they describe; None if it is not possible, or files are missing."""
    source = st.pills("Learn from", [_NOISE, _PICTURES, _PAIRS], required=True, **view.setting("train_source", _NOISE))
    try:
        if source == _PAIRS:
            return _own_pairs()
        kinds = [kind for kind in KINDS if source == _NOISE or kind != "shift in 1-D"]
        kind = st.pills(
            "Group", [*kinds, _UNKNOWN], required=True, help="An unknown group is found from the pairs alone.",
            **view.setting(f"train_kind{'' if source == _NOISE else '_of_pictures'}", "rotation"),
        )  # fmt: skip
        files = _pictures() if source == _PICTURES else None
        if files is not None and not files:
            return None
        if kind == _UNKNOWN:
            return _example() if files is None else _search(caches.turned_pictures(_key(files), files), "turned")
        return _training(kind, files)
    except TSAError as error:
        st.error(str(error))
        return None


def _pictures() -> list[UploadedFile]:
    files = st.file_uploader("Pictures", type=EXTENSIONS, accept_multiple_files=True, key="train_pictures")
    if not files:
        st.caption("PNG, JPEG, WebP, BMP or GIF. They stay on this server, and are forgotten with the training.")
    return files


def _key(files: list[UploadedFile]) -> tuple[str, ...]:
    return tuple(file.file_id for file in files)


def _own_pairs() -> Wanted | None:
    files = st.file_uploader(
        "Pairs", type=["npz", "npy", "gif"], accept_multiple_files=True, key="train_pairs_of_files",
        help="One .npz with arrays X and Y (n, D), or X.npy and Y.npy, or moving GIFs whose frames make pairs.",
    )  # fmt: skip
    if not files:
        st.caption(
            "Rows of X, and the same rows moved in Y: one .npz with both, or X.npy and Y.npy; or moving GIFs. About D² "
            "pairs are needed for D numbers."
        )
        return None
    size, lag = 8, 1
    if all(file.name.lower().endswith(".gif") for file in files):
        size = st.slider("Pixels along a side", 3, 12, **view.setting("train_frame_size", 8))
        lag = st.slider(
            "Frames apart, at most", 1, 10, **view.setting("train_lag", 1), help="Pairs are frames of one film."
        )
    return _search(caches.uploaded_pairs(_key(files), size, lag, files), "moved")


def _example() -> Wanted:
    name = st.selectbox("Pairs", list(EXAMPLES), **view.setting("train_example", next(iter(EXAMPLES))))
    st.caption("The search gets the pairs only. It is not told what moved them.")
    return _search(caches.example_pairs(name), "moved")


def _search(request: DiscoveryRequest, moved: str) -> Wanted:
    few = slice(_SHOWN_PAIRS)
    x, y = request.x[few], request.y[few]
    return Wanted(request, x, y, patches_digest(x), f"the first of {len(request.x):,} pairs", moved)


def _training(kind: str, files: list[UploadedFile] | None) -> Wanted | None:
    default, least, largest = _PATCH_SIZES[kind]
    samples = "Samples" if kind == "shift in 1-D" else "Pixels along a side"
    size = st.slider(samples, least, largest, **view.setting(f"train_size_{kind}", default))
    room = requested_run(kind, size, 1).action.support.size // 2
    subspaces = st.slider(
        "Subspaces", 1, room, **view.setting(f"train_subspaces_{kind}_{size}", min(50, room)),
        help="Number of filter pairs to learn, at most half the number of pixels.",
    )  # fmt: skip
    pairs = st.select_slider(
        "Training pairs", [2_000, 10_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_000_000],
        format_func=lambda n: f"{n:,}", **view.setting("train_pairs", 100_000),
    )  # fmt: skip
    with st.expander("More settings"):
        rate = st.number_input("Learning rate α₀", 0.001, 100.0, format="%.3f", **view.setting("train_rate", 0.25))
        noise = st.number_input(
            "Model noise σ",
            0.01,
            100.0,
            **view.setting("train_noise", 1.0),
            help="Standard deviation of the pixel noise that the model assumes.",
        )
        seed = st.number_input("Seed", 0, 2**31 - 1, **view.setting("train_seed", 0))
        refined = st.checkbox(
            "Refine at the end", **view.setting("train_refined", False),
            help="Split the learned subspaces into irreducible ones, each with one weight.",
        )  # fmt: skip
    patches = None if files is None else caches.white_patches(_key(files), size, int(seed), files)
    digest = "" if patches is None else patches_digest(patches)
    wanted = requested_run(
        kind, size, subspaces, int(pairs), float(rate), float(noise), int(seed), refined, pictures=digest
    )
    moved = "turned" if wanted.group == "rotation" else "shifted"
    name, what = f"{wanted.group} {wanted.shape} {wanted.seed}", "white noise"
    if patches is None:
        x, y = caches.training_pairs(wanted.group, wanted.shape, wanted.seed)
    else:
        name, what = f"{name} {digest}", "patches of your pictures, whitened"
        x, y, _ = wanted.action.pairs(_SHOWN_PAIRS, wanted.seed, patches)
    return Wanted(wanted, np.asarray(x), np.asarray(y), name, f"{what}, and the same patch {moved}", moved, patches)
