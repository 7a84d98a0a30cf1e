"""Train a model and watch its filters, or look for the group behind pairs; in a process of its own.

What is learned is what `tsa train` and `tsa discover` write.
"""

import streamlit as st

from explorer import limits
from explorer.components.training import TrainingDisplay, show_training
from explorer.pages.controls import Wanted, choose_training
from explorer.session import caches, models, run, training, view
from explorer.session import motion as shown_motion
from explorer.state import open_as
from explorer.training import DiscoveryJob, FilterSnapshot, Job, State, Status, TrainingJob
from tsa._base import TSAError
from tsa.learning import TrainingRun
from tsa.stage import filter_bytes, words

_UPDATE_SECONDS = 0.8  # between two updates of the page while a job runs


def page() -> None:
    """Settings on the left, the training on the right."""
    settings, main = st.columns([1, 3], gap="medium")
    caches.jobs().prepare()
    job, pending = _mine()
    with settings.container(key="controls_train"):
        wanted = choose_training()
        _start(job, wanted)
    run.finish()
    with main:
        st.fragment(_progress, run_every=_UPDATE_SECONDS if job or pending else None)(wanted)


def _mine() -> tuple[Job | None, bool]:
    """The training of this visitor, and whether one from before the tab was reloaded may still be handed over."""
    pending = caches.jobs().hand_over(training.earlier_visitor(), view.visitor())
    return caches.jobs().of(view.visitor()), pending


def _start(job: Job | None, wanted: Wanted | None) -> None:
    busy = job is not None and job.status().state in (State.WAITING, State.RUNNING, State.PAUSED)
    label = "Start over" if busy else "Start"
    if st.button(label, type="primary", width="stretch", disabled=wanted is None) and wanted is not None:
        try:
            limits.spend(view.visitor(), "trainings")
        except TSAError as error:
            st.error(str(error))
            return
        caches.jobs().submit(wanted.request, view.visitor(), wanted.patches)
        st.rerun()
    if busy:
        st.caption("Starting over discards the current training.")


def _progress(wanted: Wanted | None) -> None:
    job, pending = _mine()
    status = None if job is None else job.status()
    if training.is_new("training", (status and status.state, pending, models.chosen().name)):
        st.rerun()  # the controls beside it, or the link, have changed too
    with st.container():
        if job is not None and status is not None:
            st.progress(status.fraction, _short(status.sentence))
            _controls(job, status)
    shown = _first_pairs(wanted) if job is None or status is None else _shown(job, status)
    known = training.known_snapshots(shown.name, [snapshot.pairs for snapshot in shown.snapshots])
    show_training(shown, known, view.visitor(), "" if pending else training.earlier_visitor())
    if status is not None and status.report:
        with st.expander("The report"):
            st.text(status.report)
    if job is None and wanted is not None:
        st.markdown(words.training.before_search() if wanted.searches else words.training.before(wanted.moved))


def _short(sentence: str) -> str:
    """The result of a search can be long; the bar has one line, and the whole result stands below it."""
    for rest in (", with weights", ":"):
        if sentence.startswith(("This is", "No group found")) and rest in sentence:
            return sentence.partition(rest)[0] + "."
    return sentence


def _first_pairs(wanted: Wanted | None) -> TrainingDisplay:
    """Pairs like those that will be learned from, in the place of the filters."""
    if wanted is None:
        return TrainingDisplay("nothing", "No training pairs", "", [], (1, 1))
    pairs = FilterSnapshot(0, filter_bytes(wanted.x.T + 1j * wanted.y.T))
    return TrainingDisplay(wanted.name, "Pairs to learn from", wanted.caption, [pairs], wanted.request.shape)


def _shown(job: Job, status: Status) -> TrainingDisplay:
    return _search(job, status) if isinstance(job, DiscoveryJob) else _training(job, status)


def _search(job: DiscoveryJob, status: Status) -> TrainingDisplay:
    pairs, numbers = job.request.x.shape
    return TrainingDisplay(
        name=f"training {job.number}",
        title=words.training.PLANES if status.weights is None else words.training.PLANES_OF_GROUP,
        caption=f"{pairs:,} pairs of {numbers} numbers",
        snapshots=status.snapshots,
        shape=job.request.shape,
        weights=status.weights,
        refined=status.weights is not None,
        relations=job.relations,
        resting=status.state not in (State.WAITING, State.RUNNING),
    )


def _training(job: Job, status: Status) -> TrainingDisplay:
    assert isinstance(job, TrainingJob)
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
    state, has_model, name = status.state, status.has_model, _name_of(job, status)
    row = st.container(horizontal=True)
    if state in (State.PAUSED, State.STOPPED, State.FAILED):
        row.button("Continue", on_click=_resume, args=(job,), width="stretch", key="go_on")
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
    if isinstance(job, DiscoveryJob) and state is State.FINISHED:
        (st.success if has_model else st.warning)(status.sentence)
    used = models.chosen().name
    if has_model and used.partition(" (")[0] == name:  # a number follows if another model has the same name
        motion = " Motion opens with it too." if used == shown_motion.model_name() else ""
        st.success(f"{models.use_in_words()}{motion} It survives a reload of this tab.")


def _resume(job: Job) -> None:
    try:
        limits.spend(view.visitor(), "trainings")
    except TSAError as error:
        st.toast(str(error))
        return
    job.resume()


def _use(job: Job, name: str) -> None:
    try:
        model = models.add(open_as(name, job.result()))
    except TSAError as error:  # the job was discarded or continued in the meantime, or a browser pressed without asking
        st.toast(str(error))
        return
    if model.name in shown_motion.model_names():
        view.change("model", **shown_motion.fitted(model.name))


def _name_of(job: Job, status: Status) -> str:
    if isinstance(job, DiscoveryJob):
        return f"my group of {job.request.name}"
    assert isinstance(job, TrainingJob)
    return _name(job.run, status.pairs)


def _name(run: TrainingRun, pairs: int) -> str:
    """A name for the model: group, size, and the settings that differ from the usual ones."""
    seen = f"{pairs / 1e6:g}M" if pairs >= 1e6 else f"{pairs / 1e3:g}k" if pairs >= 1e3 else f"{pairs}"
    parts = [f"my {run.group} {'x'.join(map(str, run.shape))}", f"{run.n_subspaces} planes", f"{seen} pairs"]
    usual = TrainingRun(run.group, run.shape, run.n_subspaces)
    for label, field in (("rate", "learning_rate"), ("noise", "noise"), ("seed", "seed")):
        if getattr(run, field) != getattr(usual, field):
            parts.append(f"{label} {getattr(run, field):.10g}")
    return ", ".join([*parts, *["my pictures"] * bool(run.pictures), *["refined"] * run.refined])
