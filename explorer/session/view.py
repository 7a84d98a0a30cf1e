"""The stored view of a visitor and its revision; how widgets and components show and change it.

Everything that changes the view calls `change`, under a name of its own: widgets, components, links. See PROTOCOL.md.
"""

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from explorer.state import FIELDS, ViewState, after_action, read_view
from tsa.stage import framed

T = TypeVar("T")
_FIRST_REVISION = 1  # a component that is new on a page has obeyed 0
_MAX_HELD_DIGESTS = 4  # of which a component is expected to keep the bytes; the scripts keep 8


@dataclass(frozen=True)
class Stored:
    """The view, the number of its last change, and for each field the revision and the writer that changed it."""

    view: ViewState = field(default_factory=ViewState)
    revision: int = _FIRST_REVISION
    changed: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    session: str = field(default_factory=lambda: uuid.uuid4().hex[:8])  # revisions of two sessions are not comparable


@dataclass(frozen=True)
class Mounted:
    """A component on the page: the last message taken in, the digests it holds (newest last), the last one sent."""

    sequence: int = 0
    held: tuple[str, ...] = ()
    sent: str = ""


def current() -> ViewState:
    """The stored view."""
    return _stored().view


def revision() -> int:
    """The number of the last change of the view."""
    return _stored().revision


def session() -> str:
    """A random name of this session. Components send it back, so that messages of an earlier session are recognised."""
    return _stored().session


def change(writer: str, **fields: object) -> None:
    """Set fields of the view; nothing happens if none of them differs."""
    stored = _stored()
    new = {name: value for name, value in fields.items() if getattr(stored.view, name) != value}
    if new:
        number = stored.revision + 1
        changed = {**stored.changed, **dict.fromkeys(new, (number, writer))}
        view = replace(stored.view, **new)  # type: ignore[arg-type]  # callers name fields of the view
        st.session_state["view"] = replace(stored, view=view, revision=number, changed=changed)


def obey(reader: str, *fields: str) -> int:
    """The revision of the last change of these fields by another writer than `reader`."""
    changes = (_stored().changed.get(name, (_FIRST_REVISION, "")) for name in fields)
    return max([number for number, writer in changes if writer != reader], default=_FIRST_REVISION)


def writer(*fields: str) -> str:
    """Who changed one of these fields last; empty if they are as at first."""
    return max((_stored().changed[name] for name in fields if name in _stored().changed), default=(0, ""))[1]


def opens(thing: object) -> bool:
    """Whether this differs from what was given in the last call on this page."""
    before = st.session_state.get("opened")
    st.session_state["opened"] = thing
    return before != thing


def _stored() -> Stored:
    return st.session_state.setdefault("view", Stored())


def widget(key: str, name: str) -> dict[str, Any]:
    """Arguments of a widget with this key that shows the field `name` of the view and changes it."""

    def write(value: object) -> None:
        change(key, **{name: value})

    return bound(key, getattr(current(), name), write, obey(key, name))


def setting(key: str, default: T) -> dict[str, Any]:
    """Arguments of a widget whose value is remembered for this visitor but is no part of the view."""
    settings = st.session_state.setdefault("settings", {})

    def write(value: object) -> None:
        settings[key] = value

    return bound(key, settings.get(key, default), write)


def preset(**settings: object) -> None:
    """Set what widgets of `setting` show when they are next new on a page."""
    st.session_state.setdefault("settings", {}).update(settings)


def bound(key: str, value: T, write: Callable[[T], None], newest: int = _FIRST_REVISION) -> dict[str, Any]:
    """Arguments of a widget that is about to be drawn: it shows `value`, and calls `write` when a person changes it.

    The widget is set only if it is new on the page, or if revision `newest`, the last change by another writer, is new
    to it: setting a slider in every run would pull it back while it is being dragged.
    """
    widgets = _widgets()
    widgets.note_drawn()
    if key not in st.session_state or widgets.obeyed(key) < newest:
        st.session_state[key] = value
    widgets.pending = (key, newest)
    return {"key": key, "on_change": lambda: write(st.session_state[key])}


@dataclass
class _Widgets:
    """The revision that each widget obeys, in the last run, and in this one or one that was interrupted."""

    before: dict[str, int] = field(default_factory=dict)
    drawn: dict[str, int] = field(default_factory=dict)
    pending: tuple[str, int] | None = None  # about to be drawn; a run may end before it is

    def obeyed(self, key: str) -> int:
        return max(self.before.get(key, 0), self.drawn.get(key, 0))

    def note_drawn(self) -> None:
        if self.pending is not None:
            self.drawn[self.pending[0]] = self.pending[1]
        self.pending = None


def _widgets() -> _Widgets:
    return st.session_state.setdefault("widgets", _Widgets())


def choice(key: str, default: T) -> T:
    """The value of a widget that belongs to one page only, or the default if it is not there."""
    return st.session_state.get(key, default)


def leave_page() -> None:
    """Forget the widgets and components of a page before another is drawn, which may use the same keys.

    Its uploads too, which would stay in memory with the session: what was read of them is kept where it is used.
    """
    for name in ("widgets", "mounted", "opened"):
        st.session_state.pop(name, None)
    run = get_script_run_ctx()
    if run is not None:
        run.uploaded_file_mgr.remove_session_files(run.session_id)


def end_of_page() -> None:
    """Note that all widgets of the page have been drawn: any other widget is new when it appears."""
    widgets = _widgets()
    widgets.note_drawn()
    widgets.before, widgets.drawn = widgets.drawn, {}


def listen() -> None:
    """Read the messages of the components on the page; called before the view is read."""
    for name in FIELDS:
        message = read_view(name, sent(name, "message"))
        if message is None or message.session != session() or message.sequence == _mounted(name).sequence:
            continue
        heard = _mounted(name).sequence
        for number, action in message.actions:
            if heard < number < message.sequence:
                change("action", **after_action(current(), action))
        if message.obeyed >= obey(name, *FIELDS[name]):
            change(name, **message.fields)
        for number, action in message.actions:
            if number == message.sequence:
                change("action", **after_action(current(), action))
        # Last: a run that another one cuts short has taken in nothing, and the next one takes in all.
        _note(name, sequence=message.sequence, held=tuple(d for d in _mounted(name).held if d != message.missing))


def sent(component: str, name: str) -> Any:
    """The last value that a component has sent under this name, if it is on the page; anything a browser may send."""
    state = st.session_state.get(component)
    return dict(state).get(name) if state else None


def is_new(component: str, digest: str) -> bool:
    """Whether the digest differs from the one last sent to the component."""
    return _mounted(component).sent != digest


def data_for(
    component: str,
    digest: str,
    make: Callable[[], bytes],
    sequence: int = 0,
    whole: bool = True,
    extra: Mapping[str, object] | None = None,
) -> bytes:
    """What a component is sent in this run: revision, digest, its fields of the view, and bytes unless it holds them.

    `make` gives the bytes that belong to the digest. `sequence` is that of the last edit that they show. Bytes that
    are not `whole` are shown, but not kept. `extra` is added to the header.
    """
    if component not in st.session_state:  # new on the page
        _note(component, held=())
    held = _mounted(component).held
    names = FIELDS[component]
    header = {
        "session": session(),
        "revision": revision(),
        "sequence": sequence,
        "heard": last_message(component),
        "digest": digest,
        "whole": whole,
        "obey": obey(component, *names),
        "fields": {name: getattr(current(), name) for name in names},
        **(extra or {}),
    }
    known = digest in held
    if whole:
        held = (*(one for one in held if one != digest), digest)[-_MAX_HELD_DIGESTS:]
    _note(component, held=held, sent=digest)
    return framed(header, b"" if known else make())


def last_message(component: str) -> int:
    """The sequence number of the last message taken in from this component since it came onto the page, or 0."""
    return _mounted(component).sequence if component in st.session_state else 0


def note_message(component: str, sequence: int) -> None:
    """Note the sequence number of a message that was read."""
    _note(component, sequence=sequence)


def _mounted(component: str) -> Mounted:
    return st.session_state.get("mounted", {}).get(component, Mounted())


def _note(component: str, **fields: Any) -> None:
    mounted = st.session_state.setdefault("mounted", {})
    mounted[component] = replace(_mounted(component), **fields)


def visitor() -> str:
    """A random name of this visitor: their ticket for the live line, and the owner of their training."""
    return st.session_state.setdefault("visitor", uuid.uuid4().hex)
