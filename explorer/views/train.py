"""Train a model and watch its filters emerge; the same run as `tsa train`, in a process of its own."""

import streamlit as st

from explorer import compute, library, store
from explorer.components.film import Reel, film
from explorer.film import Frame
from explorer.jobs import KINDS, Job, State, Status, recipe_from
from tsa.errors import TSAError
from tsa.recipes import Recipe
from tsa.stage.blob import filter_bytes

_SIZES = {"rotation": (16, 4, 32), "shift in 1-D": (32, 4, 256), "shift in 2-D": (8, 3, 32)}  # default, least, largest
_EVERY = 0.8  # seconds between two looks at a training


def page() -> None:
    """Settings on the left, the training on the right."""
    settings, view = st.columns([1, 3], gap="medium")
    compute.jobs().prepare()
    job, pending = _mine()
    with settings.container(key="controls_train"):
        recipe = _settings(job)
    store.finish()
    with view:
        st.fragment(_view, run_every=_EVERY if job or pending else None)(recipe)


def _mine() -> tuple[Job | None, bool]:
    """The training of this visitor, and whether there may be one in a moment, from before the tab was reloaded."""
    pending = compute.jobs().hand_over(store.before(), store.visitor())
    return compute.jobs().of(store.visitor()), pending


def _settings(job: Job | None) -> Recipe | None:
    """The controls; what they are set to, if that can be trained."""
    kind = st.segmented_control("Group", list(KINDS), default="rotation", required=True, key=store.kept("train_kind"))
    default, least, largest = _SIZES[kind]
    samples = "Samples" if kind == "shift in 1-D" else "Pixels along a side"
    size = st.slider(samples, least, largest, default, key=store.kept(f"train_size_{kind}"))
    try:
        room = recipe_from(kind, size, 1).action.support.size // 2
    except TSAError as error:
        st.error(str(error))
        return None
    subspaces = st.slider(
        "Subspaces", 1, room, min(50, room), key=store.kept(f"train_subspaces_{kind}_{size}"),
        help="Pairs of filters; as many as fit is half the pixels.",
    )  # fmt: skip
    pairs = st.select_slider(
        "Training pairs", [2_000, 10_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_000_000], 100_000,
        format_func=lambda n: f"{n:,}", key=store.kept("train_pairs"),
    )  # fmt: skip
    with st.expander("More settings"):
        rate = st.number_input("Learning rate α₀", 0.001, 100.0, 0.25, key=store.kept("train_rate"), format="%.3f")
        noise = st.number_input("Model noise σ", 0.01, 100.0, 1.0, key=store.kept("train_noise"))
        seed = st.number_input("Seed", 0, 2**31 - 1, 0, key=store.kept("train_seed"))
        refined = st.checkbox(
            "Refine at the end", key=store.kept("train_refined"), help="One weight for each subspace."
        )
    busy = job is not None and job.status().state in (State.WAITING, State.RUNNING, State.PAUSED)
    try:
        recipe = recipe_from(kind, size, subspaces, int(pairs), float(rate), float(noise), int(seed), refined)
    except TSAError as error:
        st.error(str(error))
        return None
    if st.button("Start anew" if busy else "Start", type="primary", width="stretch"):
        compute.jobs().submit(recipe, store.visitor())
        st.rerun()
    if busy:
        st.caption("Starting anew discards the training that is under way.")
    return recipe


def _view(recipe: Recipe | None) -> None:
    job, pending = _mine()
    status = None if job is None else job.status()
    if store.is_new("training", (status and status.state, pending, store.entry().name)):
        st.rerun()  # what can be done beside it is something else now, or the link
    with st.container():
        if job is not None and status is not None:
            st.progress(status.fraction, status.sentence)
            _controls(job, status)
    reel = _training(job, status) if job is not None and status is not None else _invitation(recipe)
    known = store.known_frames(reel.name, [frame.pairs for frame in reel.frames])
    film(reel, known, store.visitor(), "" if pending else store.before())
    if job is None and recipe is not None:
        st.markdown(
            f"Nobody says by how much each patch was {_moved(recipe)}. From such pairs alone, filters emerge that "
            "turn into each other: the irreducible representations of the group. Press **Start** and watch."
        )


def _invitation(recipe: Recipe | None) -> Reel:
    """What the training will see, shown as its filters will be."""
    if recipe is None:
        return Reel("nothing", "Nothing to learn from", "", [], (1, 1))
    x, y = compute.training_pairs(recipe.group, recipe.shape, recipe.seed)
    pairs = Frame(0, filter_bytes(x.T + 1j * y.T))
    caption = f"white noise, and the same {_moved(recipe)}"
    return Reel(f"{recipe.group} {recipe.shape} {recipe.seed}", "Nothing but pairs", caption, [pairs], recipe.shape)


def _moved(recipe: Recipe) -> str:
    return "turned" if recipe.group == "rotation" else "shifted"


def _training(job: Job, status: Status) -> Reel:
    speed = f" · {status.pairs_per_second:,.0f} pairs/s" if status.pairs_per_second else ""
    weights = "" if status.weights is None else ", each pair above its weight"
    shown, count = len(status.film[0].pictures) if status.film else 0, job.recipe.n_subspaces
    part = f" · the first {shown} of {count} filter pairs" if 0 < shown < count else ""
    return Reel(
        name=f"training {job.number}",
        title=f"The filters as they are now{weights}",
        caption=f"{status.pairs:,} of {job.recipe.n_pairs:,} pairs{speed}{part}",
        frames=status.film,
        shape=job.recipe.shape,
        curve=status.curve,
        total=job.recipe.n_pairs,
        weights=status.weights,
        refined=job.recipe.refined and status.weights is not None,
        resting=status.state not in (State.WAITING, State.RUNNING),
    )


def _controls(job: Job, status: Status) -> None:
    state, has_model, name = status.state, status.has_model, _name(job.recipe, status.pairs)
    row = st.container(horizontal=True)
    if state in (State.PAUSED, State.STOPPED, State.FAILED):
        row.button("Continue", on_click=job.resume, width="stretch", key="go_on")
    else:
        running = state in (State.WAITING, State.RUNNING)
        row.button("Pause", on_click=job.pause, width="stretch", disabled=not running, key="pause")
    under_way = state in (State.WAITING, State.RUNNING, State.PAUSED, State.FAILED)
    row.button("Stop here", on_click=job.stop, width="stretch", disabled=not under_way, key="stop")
    row.button("Discard", on_click=job.discard, width="stretch", key="drop")
    row.button(
        "Use on all pages", on_click=_use, args=(job, name), width="stretch", disabled=not has_model, key="use",
        type="primary" if has_model else "secondary",
    )  # fmt: skip
    if has_model:
        row.download_button("Download", job.download, f"{name}.npz", on_click="ignore", width="stretch", key="save")
    used = store.entry().name
    if has_model and used.partition(" (")[0] == name:  # a number may tell it from another of the same settings
        st.success(f"**{used}** is now used in the lab and on all other pages.")


def _use(job: Job, name: str) -> None:
    store.add_model(library.entry(name, job.result()))


def _name(recipe: Recipe, pairs: int) -> str:
    """What makes it another model than those one would train beside it."""
    seen = f"{pairs / 1e6:g}M" if pairs >= 1e6 else f"{pairs / 1e3:g}k" if pairs >= 1e3 else f"{pairs}"
    parts = [f"my {recipe.group} {'x'.join(map(str, recipe.shape))}", f"{recipe.n_subspaces} planes", f"{seen} pairs"]
    usual = Recipe(recipe.group, recipe.shape, recipe.n_subspaces)
    for label, field in (("rate", "learning_rate"), ("noise", "noise"), ("seed", "seed")):
        if getattr(recipe, field) != getattr(usual, field):
            parts.append(f"{label} {getattr(recipe, field):.10g}")
    return ", ".join([*parts, *["refined"] * recipe.refined])
