"""Train a model and watch its filters emerge; the same run as `tsa train`, in a process of its own."""

import streamlit as st

from explorer import compute, library, store
from explorer.components.film import film
from explorer.jobs import KINDS, Job, State, recipe_from
from tsa.errors import TSAError
from tsa.recipes import Recipe

_SIZES = {"rotation": (16, 4, 32), "shift in 1-D": (32, 4, 256), "shift in 2-D": (8, 3, 32)}  # default, least, largest
_EVERY = 0.6  # seconds between two looks at a training


def page() -> None:
    """Settings on the left, the training on the right."""
    settings, view = st.columns([1, 3], gap="medium")
    compute.jobs().prepare()
    job = compute.jobs().of(store.visitor())
    with settings.container(key="controls_train"):
        recipe = _settings(job)
    store.finish()
    with view:
        if job is not None:
            _watch()
        elif recipe is not None:
            _invitation(recipe)


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


def _invitation(recipe: Recipe) -> None:
    """What the training will see, shown as its filters will be."""
    moved = "turned" if recipe.group == "rotation" else "shifted"
    x, y = compute.training_pairs(recipe.group, recipe.shape, recipe.seed)
    film("Nothing but pairs", f"white noise, and the same {moved}", x.T + 1j * y.T, recipe.shape)
    st.markdown(
        f"Nobody says by how much each patch was {moved}. From such pairs alone, filters emerge that turn into each "
        "other: the irreducible representations of the group. Press **Start** and watch."
    )


@st.fragment(run_every=_EVERY)
def _watch() -> None:
    job = compute.jobs().of(store.visitor())
    status = None if job is None else job.status()
    if store.is_new("training", None if status is None else status.state):
        st.rerun()  # what can be done beside it is something else now
    if job is None or status is None:
        return
    st.progress(status.fraction, status.sentence)
    _controls(job, status.state, status.has_model)
    speed = f" · {status.pairs_per_second:,.0f} pairs/s" if status.pairs_per_second else ""
    caption = f"{status.pairs:,} of {job.recipe.n_pairs:,} pairs{speed}"
    if status.filters is not None:
        film("The filters as they are now", caption, status.filters, job.recipe.shape, status.curve, job.recipe.n_pairs)


def _controls(job: Job, state: State, has_model: bool) -> None:
    go, stop, drop, use, save = st.columns(5)
    if state in (State.PAUSED, State.STOPPED, State.FAILED):
        go.button("Continue", on_click=job.resume, width="stretch", key="go_on")
    else:
        running = state in (State.WAITING, State.RUNNING)
        go.button("Pause", on_click=job.pause, width="stretch", disabled=not running, key="pause")
    under_way = state in (State.WAITING, State.RUNNING, State.PAUSED, State.FAILED)
    stop.button("Stop here", on_click=job.stop, width="stretch", disabled=not under_way, key="stop")
    drop.button("Discard", on_click=job.discard, width="stretch", key="drop")
    use.button(
        "Use on all pages", on_click=_use, args=(job,), width="stretch", disabled=not has_model, key="use",
        type="primary" if has_model else "secondary",
    )  # fmt: skip
    name = f"{_name(job.recipe)}.npz"
    if has_model:
        save.download_button("Download", job.download, name, on_click="ignore", width="stretch", key="save")
    if has_model and store.entry().name == _name(job.recipe):
        st.success(f"**{store.entry().name}** is now used in the lab and on all other pages.")


def _use(job: Job) -> None:
    store.add_model(library.entry(_name(job.recipe), job.result()))


def _name(recipe: Recipe) -> str:
    shape = "x".join(map(str, recipe.shape))
    return f"my {recipe.group} {shape}, {recipe.n_subspaces} planes, seed {recipe.seed}"
