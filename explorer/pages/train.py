"""Train a model and watch its filters; the same training as `tsa train`, in a process of its own."""

import streamlit as st

from explorer.components.training import TrainingDisplay, show_training
from explorer.session import caches, models, run, training, view
from explorer.state import open_as
from explorer.training import KINDS, FilterSnapshot, Job, State, Status, requested_run
from tsa._base import TSAError
from tsa.learning import TrainingRun
from tsa.stage import filter_bytes

# Default, least and largest number of samples, or of pixels along a side.
_PATCH_SIZES = {"rotation": (16, 4, 32), "shift in 1-D": (32, 4, 256), "shift in 2-D": (8, 3, 32)}
_UPDATE_SECONDS = 0.8  # between two updates of the page while a model is trained


def page() -> None:
    """Settings on the left, the training on the right."""
    settings, main = st.columns([1, 3], gap="medium")
    caches.jobs().prepare()
    job, pending = _mine()
    with settings.container(key="controls_train"):
        wanted = _settings(job)
    run.finish()
    with main:
        st.fragment(_progress, run_every=_UPDATE_SECONDS if job or pending else None)(wanted)


def _mine() -> tuple[Job | None, bool]:
    """The training of this visitor, and whether one from before the tab was reloaded may still be handed over."""
    pending = caches.jobs().hand_over(training.earlier_visitor(), view.visitor())
    return caches.jobs().of(view.visitor()), pending


def _settings(job: Job | None) -> TrainingRun | None:
    """The controls, and the training they describe; None if it is not possible."""
    kind = st.segmented_control("Group", list(KINDS), required=True, **view.setting("train_kind", "rotation"))
    default, least, largest = _PATCH_SIZES[kind]
    samples = "Samples" if kind == "shift in 1-D" else "Pixels along a side"
    size = st.slider(samples, least, largest, **view.setting(f"train_size_{kind}", default))
    try:
        room = requested_run(kind, size, 1).action.support.size // 2
    except TSAError as error:
        st.error(str(error))
        return None
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
    busy = job is not None and job.status().state in (State.WAITING, State.RUNNING, State.PAUSED)
    try:
        wanted = requested_run(kind, size, subspaces, int(pairs), float(rate), float(noise), int(seed), refined)
    except TSAError as error:
        st.error(str(error))
        return None
    if st.button("Start over" if busy else "Start", type="primary", width="stretch"):
        caches.jobs().submit(wanted, view.visitor())
        st.rerun()
    if busy:
        st.caption("Starting over discards the current training.")
    return wanted


def _progress(wanted: TrainingRun | None) -> None:
    job, pending = _mine()
    status = None if job is None else job.status()
    if training.is_new("training", (status and status.state, pending, models.chosen().name)):
        st.rerun()  # the controls beside it, or the link, have changed too
    with st.container():
        if job is not None and status is not None:
            st.progress(status.fraction, status.sentence)
            _controls(job, status)
    shown = _training(job, status) if job is not None and status is not None else _first_pairs(wanted)
    known = training.known_snapshots(shown.name, [snapshot.pairs for snapshot in shown.snapshots])
    show_training(shown, known, view.visitor(), "" if pending else training.earlier_visitor())
    if job is None and wanted is not None:
        st.markdown(
            f"The training is not told by how much each patch was {_moved(wanted)}. From such pairs alone it learns "
            "pairs of filters that transform among themselves: irreducible representations of the group. "
            "Press **Start**."
        )


def _first_pairs(wanted: TrainingRun | None) -> TrainingDisplay:
    """The first pairs that the training will see, in the place of its filters."""
    if wanted is None:
        return TrainingDisplay("nothing", "No training pairs", "", [], (1, 1))
    x, y = caches.training_pairs(wanted.group, wanted.shape, wanted.seed)
    pairs = FilterSnapshot(0, filter_bytes(x.T + 1j * y.T))
    name, caption = f"{wanted.group} {wanted.shape} {wanted.seed}", f"white noise, and the same patch {_moved(wanted)}"
    return TrainingDisplay(name, "Pairs to learn from", caption, [pairs], wanted.shape)


def _moved(wanted: TrainingRun) -> str:
    return "turned" if wanted.group == "rotation" else "shifted"


def _training(job: Job, status: Status) -> TrainingDisplay:
    speed = f" · {status.pairs_per_second:,.0f} pairs/s" if status.pairs_per_second else ""
    weights = "" if status.weights is None else ", each pair above its weight"
    shown, count = len(status.snapshots[0].pictures) if status.snapshots else 0, job.run.n_subspaces
    part = f" · the first {shown} of {count} filter pairs" if 0 < shown < count else ""
    return TrainingDisplay(
        name=f"training {job.number}",
        title=f"The filters as they are now{weights}",
        caption=f"{status.pairs:,} of {job.run.n_pairs:,} pairs{speed}{part}",
        snapshots=status.snapshots,
        shape=job.run.shape,
        curve=status.curve,
        total=job.run.n_pairs,
        weights=status.weights,
        refined=job.run.refined and status.weights is not None,
        resting=status.state not in (State.WAITING, State.RUNNING),
    )


def _controls(job: Job, status: Status) -> None:
    state, has_model, name = status.state, status.has_model, _name(job.run, status.pairs)
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
    used = models.chosen().name
    if has_model and used.partition(" (")[0] == name:  # a number follows if another model has the same name
        st.success(f"{models.use_in_words()} It survives a reload of this tab.")


def _use(job: Job, name: str) -> None:
    models.add(open_as(name, job.result()))


def _name(run: TrainingRun, pairs: int) -> str:
    """A name for the model: group, size, and the settings that differ from the usual ones."""
    seen = f"{pairs / 1e6:g}M" if pairs >= 1e6 else f"{pairs / 1e3:g}k" if pairs >= 1e3 else f"{pairs}"
    parts = [f"my {run.group} {'x'.join(map(str, run.shape))}", f"{run.n_subspaces} planes", f"{seen} pairs"]
    usual = TrainingRun(run.group, run.shape, run.n_subspaces)
    for label, field in (("rate", "learning_rate"), ("noise", "noise"), ("seed", "seed")):
        if getattr(run, field) != getattr(usual, field):
            parts.append(f"{label} {getattr(run, field):.10g}")
    return ", ".join([*parts, *["refined"] * run.refined])
