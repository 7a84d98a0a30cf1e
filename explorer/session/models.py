"""Models of this visitor: which one is chosen, and those they have uploaded, trained or refined."""

import itertools
import re
import uuid
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from explorer.session import caches, view
from explorer.session.kept import Kept
from explorer.state import LAB_MODEL, MAX_LAB_SIDE_PIXELS, NamedModel, open_any_as, open_as
from tsa import files
from tsa._base import NotOrthonormalError, ProgressCallback, TSAError
from tsa.files import NO_HINTS, Hints

_MAX_OWN_MODELS = 8  # models that a visitor keeps
_MAX_NAME_CHARACTERS = 60  # of an uploaded file


class Trouble(NamedTuple):
    """Why a model file cannot be used, and whether its filters could be made orthonormal."""

    sentence: str
    can_be_projected: bool


@dataclass
class OwnModels:
    """Models by name; names of refined models by the digest of the original; the last upload and its result."""

    by_name: dict[str, NamedModel] = field(default_factory=dict)
    refined: dict[str, str] = field(default_factory=dict)
    uploaded: str = ""  # name of the model that was uploaded last
    # File id and options of the upload that was opened last, and the error if it could not be used.
    opened: tuple[Any, Trouble | None] = (None, None)
    ticket: str = ""  # with which a reloaded tab finds the models again; empty before there are any
    recalled: bool = False  # whether the tab has said what its ticket was before


def _own() -> OwnModels:
    return st.session_state.setdefault("models", OwnModels())


def ticket() -> str:
    """The ticket that the tab keeps for the visitor's own models; empty if there are none."""
    return _own().ticket


def listen() -> None:
    """Take back the models from before the tab was reloaded, when the tab shows its ticket."""
    own, before = _own(), view.sent("ticket", "before")
    if own.recalled or not isinstance(before, str):
        return
    own.recalled = True
    kept = caches.kept_models().get(before) if re.fullmatch("[0-9a-f]{32}", before) else None
    if kept is None:
        return
    own.by_name = {**kept.models, **own.by_name}
    own.refined = {**kept.refined, **own.refined}
    own.ticket = own.ticket or before
    _keep()


def recalled() -> bool:
    """Whether the tab has said which models it had before it was reloaded."""
    return _own().recalled


def _keep() -> None:
    """Have the server keep the visitor's own models for a reload."""
    own = _own()
    own.ticket = own.ticket or uuid.uuid4().hex
    caches.kept_models().put(own.ticket, Kept(dict(own.by_name), dict(own.refined)))


def touch() -> None:
    """Tell the server that the visitor is here: models of absent ones are dropped after a while."""
    if (own := _own()).ticket and caches.kept_models().get(own.ticket) is None:
        _keep()


def own_names() -> list[str]:
    """Names of the visitor's own models."""
    return list(_own().by_name)


def names() -> list[str]:
    """All models this visitor can use: the default, the bundled ones, and their own."""
    return list(dict.fromkeys([caches.default_model(), *files.bundled(), *own_names()]))


def chosen() -> NamedModel:
    """The model that is used on all pages."""
    return named(view.current().model or caches.default_model())


def for_lab(name: str | None = None) -> NamedModel:
    """The model of this name, by default the chosen one, if it rotates pictures, or else one that does."""
    wanted = chosen() if name is None else named(name or caches.default_model())
    return wanted if wanted.turns else caches.shared_model(LAB_MODEL)


def replaced_notice(pages: str = "The lab needs") -> str:
    """Why pages that turn pictures do not show the chosen model, in one sentence; empty if they do.

    `pages` are those pages and their verb: "The lab needs", "Lab and Recognise need".
    """
    wanted, shown = chosen(), for_lab()
    if wanted is shown:
        return ""
    need = f"patches of at most {MAX_LAB_SIDE_PIXELS} pixels a side" if wanted.rotates else "a rotation model"
    they = "it shows" if pages.endswith("s") else "they show"
    return f"{pages} {need}; {they} {shown.name} instead of {wanted.name}."


def use_in_words() -> str:
    """Which pages use the chosen model."""
    if chosen().turns:
        return f"**{chosen().name}** is now used on the pages Lab, Filters and Recognise."
    return f"**{chosen().name}** is now used on the page Filters. {replaced_notice('Lab and Recognise need')}"


def named(name: str) -> NamedModel:
    """The model of this name; the default one for a name that is not in the menu, which never opens a file."""
    if name not in names():
        name = caches.default_model()
    return _own().by_name.get(name) or caches.shared_model(name)


def choose(name: str, writer: str = "model") -> None:
    """Use this model on all pages. The choice of a filter is reset: its number belongs to the model before."""
    if name != (view.current().model or caches.default_model()):
        view.change(writer, model="" if name == caches.default_model() else name, filter=None)


def menu(key: str, shown: NamedModel) -> dict[str, Any]:
    """Arguments of a menu that shows this model and chooses another."""
    return view.bound(key, shown.name, lambda name: choose(name, key), view.obey(key, "model"))


def add(model: NamedModel, use: bool = True) -> NamedModel:
    """Add a model of the visitor's own, under a name that no other one has, and use it if wanted.

    The oldest ones that are not in use are dropped if there are too many.
    """
    own = _own()
    model = replace(model, name=_free_name(model))
    spare = [name for name in own.by_name if name not in (view.current().model, model.name)]
    for name in spare[: max(0, len(own.by_name) + 1 - _MAX_OWN_MODELS)]:
        del own.by_name[name]
    own.by_name[model.name] = model
    _keep()
    if use:
        choose(model.name)
    return model


def _free_name(model: NamedModel) -> str:
    """Its name, or that with a number if it is the name of another model already."""
    candidates = (f"{model.name} ({number})" if number > 1 else model.name for number in itertools.count(1))
    taken = {name: one.digest for name, one in _own().by_name.items()} | dict.fromkeys(files.bundled(), "")
    return next(name for name in candidates if taken.get(name, model.digest) == model.digest)


def refined() -> NamedModel | None:
    """The refined version of the chosen model, if there is one."""
    own = _own()
    return own.by_name.get(own.refined.get(chosen().digest, ""))


def add_refined(model: NamedModel) -> None:
    """Keep the refined version of the chosen model."""
    _own().refined[chosen().digest] = add(model, use=False).name
    _keep()


def open_upload(
    file: UploadedFile,
    on_progress: ProgressCallback,
    project: bool = False,
    hints: Hints = NO_HINTS,
    array: str | None = None,
    channel: int | str | None = None,
) -> Trouble | None:
    """Open an uploaded model file and use it; nothing changes if it cannot be used. The same upload is opened once.

    Filters that are not orthonormal are used as a set, unless `project` asks for the nearest ones that are.
    """
    own = _own()
    this = (file.file_id, project, hints, array, channel)
    last, trouble = own.opened
    if last == this or (last == (file.file_id, True, hints, array, channel) and trouble is None):
        return trouble
    stem = file.name.rsplit(".", 1)[0][:_MAX_NAME_CHARACTERS]
    stem = "".join(c for c in stem if c.isprintable()) or "model"
    try:
        data = file.getvalue()
        if project:
            opened = open_as(stem, data, project, on_progress, hints)
        else:
            opened = open_any_as(stem, data, on_progress, hints, array, channel)
        if last is not None and last[0] == file.file_id:  # with other hints: replace the first
            own.by_name.pop(own.uploaded, None)
        own.uploaded = add(opened).name
        trouble = None
    except TSAError as error:
        cause = error.__cause__
        if isinstance(cause, NotOrthonormalError):
            sentence = f"These filters are not orthonormal: WᵀW departs from the identity by up to {cause.defect:.2g}."
            trouble = Trouble(sentence, True)
        else:
            trouble = Trouble(str(error), False)
    own.opened = (this, trouble)
    return trouble


def shows_upload() -> bool:
    """Whether the chosen model is the one that was uploaded last."""
    return view.current().model == _own().uploaded != ""
