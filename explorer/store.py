"""What this visitor has chosen, kept in st.session_state and in the link; `hands` keeps what they have drawn.

No third module touches st.session_state.
"""

import hashlib
import itertools
import math
import re
import time
import uuid
from dataclasses import replace
from operator import eq
from typing import Any, NamedTuple, TypeVar

import numpy as np
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from explorer import compute, hands, state
from explorer.hands import sent
from explorer.library import LAB_MODEL, Entry, open_entry
from explorer.state import Source, ViewState
from tsa import files
from tsa.errors import NotOrthonormalError, TSAError
from tsa.opening import AS_FOUND, Reading
from tsa.progress import Report

T = TypeVar("T")
FIRST = {"x": "square", "y": "triangle"}  # the shapes the two patches start with
DIGIT = 10  # the digit to begin with
COPY, OTHER = "Turned copy of x", "Another picture"
_MOST_SWEEPS = 4  # that the stage is trusted to keep
_MOST_OWN = 7  # models of their own a visitor keeps, besides the newest


def begin(page: str) -> None:
    """Before a page is drawn: follow the link if it is a new one.

    Menus lead to a page without saying more: then everything stays, and what it was is what the bare address of that
    page means from now on, when somebody comes back to it. At first it means that everything is as at first.
    """
    asked = dict(st.query_params)
    bare = st.session_state.setdefault("bare", {})
    if page != st.session_state.get("page", page) and not asked:
        bare[page] = state.encode(view())
    elif "link" not in st.session_state or asked != st.session_state["link"]:
        asked = asked or bare.get(page, {})
        _follow(asked)
    if page != st.session_state.get("page"):  # whose widgets are other ones, even if they are called the same
        st.session_state["drawn"] = set()
        st.session_state.pop("drawing", None)
    st.session_state["link"], st.session_state["page"] = asked, page


def kept(key: str) -> str:
    """The key of a widget that is about to be drawn, and which remembers.

    Streamlit forgets a widget that was not drawn for a while; and what is set long before a widget is drawn, the
    browser is not told. So it is set again just before it comes back to the page.
    """
    drawing = st.session_state.setdefault("drawing", set())  # in this run, and in one that was cut short
    if key in _kept() and key not in drawing and key not in st.session_state.setdefault("drawn", set()):
        st.session_state[key] = _kept()[key]
    drawing.add(key)
    return key


def finish() -> None:
    """After a page is drawn: note what its widgets are set to, and put it in the link.

    Not while a pen is down: the next stroke should not wait for the address bar.
    """
    drawn = st.session_state["drawn"] = st.session_state.pop("drawing", set())
    _kept().update({key: st.session_state[key] for key in drawn if key in st.session_state})
    if hands.moving():
        return
    link = state.encode(view())
    if link != st.session_state.get("link"):
        st.session_state["link"] = link
        st.query_params.from_dict(link)


def view() -> ViewState:
    """Everything that is chosen, as one value."""
    times, prior = observations()
    log, circle = stage_view()
    copy = choice("second", COPY) == COPY
    strength = 0.0 if times else choice("strength", 0.0)
    return ViewState(
        x=_source("x"), y=None if copy else _source("y"), angle=angle(), noise=choice("pixel_noise", 0.0),
        sigma=choice("sigma", 0.5), strength=strength, centre=choice("centre", 0) if strength else 0,
        observations=times, prior=prior, model="" if _model_name() == compute.default_model() else _model_name(),
        log=log, circle=circle, filter=st.session_state.get("filter"), orbit=orbit(), hide=hidden(),
    )  # fmt: skip


def _source(patch: str) -> Source:
    kind = choice(f"source_{patch}", "Shapes")
    if kind == "Digits":
        return state.Digit(choice(f"gallery_digit_{patch}", DIGIT))
    if kind == "Draw":
        return state.Pixels.of(hands.drawing(patch).picture)
    found = hands.photo(patch) if kind == "Upload" else None
    if found is not None:
        return state.Pixels.of(found.cut, photo=True)
    return state.Shape("F" if kind == "Upload" else choice(f"gallery_shape_{patch}", FIRST[patch]))


def _follow(link: dict[str, str]) -> None:
    """Choose everything as a link says."""
    wanted = state.decode(link)
    for patch, source in (("x", wanted.x), ("y", wanted.y)):
        if source is not None:
            _set_source(patch, source)
    _set("second", COPY if wanted.y is None else OTHER)
    _set("pixel_noise", wanted.noise)
    _set("sigma", wanted.sigma)
    _set("strength", wanted.strength)
    _set("centre", wanted.centre)
    st.session_state["observations"] = (wanted.observations, wanted.prior)
    own = link.get("model") in _own_models()  # which no link can carry, but this visitor's links may name
    choose_model(link["model"] if own else wanted.model or compute.default_model())
    if not own and link.get("model", wanted.model) != wanted.model:
        st.session_state["notice"] = f"This link was made with another model ({link['model'][:60]}), which is not here."
    st.session_state["filter"], st.session_state["orbit_weights"] = wanted.filter, wanted.orbit
    st.session_state["hide"] = wanted.hide
    st.session_state["angle"], st.session_state["stage_view"] = wanted.angle, (wanted.log, wanted.circle)
    _command(wanted.angle, wanted.log, wanted.circle)
    _outdate(("sheet", "chosen"), ("orbit", "weights"))


def _outdate(*said: tuple[str, str]) -> None:
    """What components have said so far under these names does not count any more."""
    st.session_state["old"] = st.session_state.get("old", {}) | {name: sent(*name) for name in said}


def notice() -> str:
    """What the visitor should be told, once."""
    return st.session_state.pop("notice", "")


def _set_source(patch: str, source: Source) -> None:
    if isinstance(source, state.Shape):
        _set(f"source_{patch}", "Shapes")
        _set(f"gallery_shape_{patch}", source.name)
    elif isinstance(source, state.Digit):
        _set(f"source_{patch}", "Digits")
        _set(f"gallery_digit_{patch}", source.index)
    elif source.photo:
        name = hashlib.sha256(source.values).hexdigest()[:16]
        hands.set_photo(patch, np.frombuffer(source.values, np.uint8).reshape(source.side, source.side), name)
        _set(f"source_{patch}", "Upload")
    else:
        hands.set_drawing(patch, source.picture)
        _set(f"source_{patch}", "Draw")


def _set(key: str, value: object) -> None:
    st.session_state[key] = _kept()[key] = value


def _kept() -> dict[Any, Any]:
    return st.session_state.setdefault("kept", {})


def hidden() -> frozenset[str]:
    """Controls that the link leaves out."""
    return st.session_state.get("hide", frozenset())


def orbit() -> tuple[str, str]:
    """The weights on the page of orbits."""
    return st.session_state.get("orbit_weights", ViewState().orbit)


def set_orbit(weights: tuple[str, str]) -> None:
    """Remember the weights of the page of orbits, unless a link has brought newer ones."""
    if sent("orbit", "weights") != st.session_state.get("old", {}).get(("orbit", "weights"), ()):
        st.session_state["orbit_weights"] = weights


def angle() -> int:
    """Degrees at which a dial was last let go, on whatever page."""
    for component in ("stage", "recognise", "orbit"):
        value = _said(component, "angle").get("angle")
        if type(value) is int:
            st.session_state["angle"] = value % 360
    return st.session_state.get("angle", ViewState().angle)


def stage_view() -> tuple[bool, int | None]:
    """Whether the strip is on a logarithmic scale, and which circle was chosen."""
    said = _said("stage", "view")
    if said:
        circle = said.get("circle")
        circle = circle if type(circle) is int and 0 <= circle < 10_000 else None
        st.session_state["stage_view"] = (said.get("log") is True, circle)
    return st.session_state.get("stage_view", (False, None))


def command(component: str) -> tuple[int, int, bool, int | None]:
    """A number, an angle, the scale and a circle: when the number is new to a component, it shows itself so.

    A component that is new on the page gets a new one; as far as that is the stage, it has no sweeps yet either.
    """
    now = angle(), *stage_view()
    if component not in st.session_state:
        _command(*now)
        st.session_state["sweeps"] = []
    return st.session_state["command"]


def known_sweeps() -> list[str]:
    """Digests of the last sweeps sent to the stage, which keeps them; not the one that, it says, it never got."""
    return [digest for digest in _sweeps() if digest != _said("stage", "angle").get("missing")]


def note_sweep(digest: str) -> None:
    """A sweep is on its way to the stage."""
    others = [one for one in _sweeps() if one != digest]
    st.session_state["sweeps"] = [*others[1 - _MOST_SWEEPS :], digest]


def _sweeps() -> list[str]:
    return st.session_state.get("sweeps", [])


def _command(angle: int, log: bool, circle: int | None) -> None:
    st.session_state["command"] = (st.session_state.get("command", (0,))[0] + 1, angle, log, circle)


def _said(component: str, name: str) -> dict[str, Any]:
    """What a component said in answer to the last command; what it said before is out of date."""
    said = sent(component, name)
    current = isinstance(said, dict) and said.get("number") == st.session_state.get("command", (0,))[0]
    return said if current else {}


def model_names() -> list[str]:
    """All models this visitor can use: the default, the bundled ones, and their own."""
    return list(dict.fromkeys([compute.default_model(), *files.bundled(), *_own_models()]))


def entry(name: str | None = None) -> Entry:
    """The model of this name, or the one that was chosen."""
    name = name or _model_name()
    if name not in model_names():  # whatever a browser says: files are opened for nobody by name
        name = compute.default_model()
    return _own_models().get(name) or compute.entry(name)


def _model_name() -> str:
    return st.session_state.get("chosen_model", compute.default_model())


def lab_entry() -> Entry:
    """The chosen model if it rotates pictures, or else one that does."""
    return entry() if entry().turns else compute.entry(LAB_MODEL)


def choose_model(name: str) -> None:
    """Use this model on all pages; a filter chosen in another one means nothing in it."""
    if name != _model_name():
        st.session_state["filter"] = None
        _outdate(("sheet", "chosen"))
    st.session_state["chosen_model"] = name


def set_menu(key: str, name: str) -> None:
    """Let the menu of this key, which is about to be drawn, show this model."""
    st.session_state[key] = name


def follow_menu(key: str) -> None:
    """Use the model that the menu of this key shows."""
    choose_model(st.session_state[key])


def add_model(model: Entry, choose: bool = True) -> Entry:
    """Add a model of the visitor's own, under a name that no other one has, and use it if wanted."""
    own = _own_models()
    model = replace(model, name=_free_name(model))
    spare = [name for name in own if name not in (_model_name(), model.name)]
    dropped = spare[: max(0, len(own) - _MOST_OWN)]
    st.session_state["own_models"] = {name: own[name] for name in own if name not in dropped} | {model.name: model}
    if choose:
        choose_model(model.name)
    return model


def _free_name(model: Entry) -> str:
    """Its name, or that with a number if it means another model already."""
    names = (f"{model.name} ({number})" if number > 1 else model.name for number in itertools.count(1))
    taken = {name: one.digest for name, one in _own_models().items()} | dict.fromkeys(files.bundled(), "")
    return next(name for name in names if taken.get(name, model.digest) == model.digest)


def refined() -> Entry | None:
    """What the chosen model was refined to, if it was."""
    return _own_models().get(st.session_state.get("refined", {}).get(entry().digest))


def add_refined(model: Entry) -> None:
    """What the chosen model was refined to."""
    names = st.session_state.setdefault("refined", {})
    names[entry().digest] = add_model(model, choose=False).name


class Trouble(NamedTuple):
    """Why a model file cannot be used, and whether its filters could be made orthonormal."""

    sentence: str
    can_be_projected: bool


def open_model(
    file: UploadedFile, report: Report, project: bool = False, reading: Reading = AS_FOUND
) -> Trouble | None:
    """Take in a model file and use it; nothing changes if it cannot be used. The same upload is opened once."""
    this = (file.file_id, project, reading)
    last, trouble = st.session_state.get("opened_model", (None, None))
    if last == this or (last == (file.file_id, True, reading) and trouble is None):
        return trouble
    stem = "".join(c for c in file.name.rsplit(".", 1)[0][:60] if c.isprintable()) or "model"
    try:
        opened = open_entry(stem, file.getvalue(), project, report, reading)
        if last is not None and last[0] == file.file_id:  # read otherwise before
            _own_models().pop(st.session_state.get("uploaded_model", ""), None)
        st.session_state["uploaded_model"] = add_model(opened).name
        trouble = None
    except TSAError as error:
        off = error.__cause__
        if isinstance(off, NotOrthonormalError):
            sentence = f"These filters are not orthonormal: WᵀW departs from the identity by up to {off.defect:.2g}."
            trouble = Trouble(sentence, True)
        else:
            trouble = Trouble(str(error), False)
    st.session_state["opened_model"] = (this, trouble)
    return trouble


def shows_upload() -> bool:
    """Whether the chosen model is the one that was uploaded last."""
    return _model_name() == st.session_state.get("uploaded_model")


def _own_models() -> dict[str, Entry]:
    return st.session_state.get("own_models", {})


def chosen_filter() -> int | None:
    """The filter that was chosen when the sheet came onto the page, if any; afterwards the sheet knows better."""
    value = sent("sheet", "chosen")
    if value is None or value == st.session_state.get("old", {}).get(("sheet", "chosen")):
        st.session_state["filter_at_start"] = st.session_state.get("filter")
    elif isinstance(value, int) and value >= 0:
        st.session_state["filter"] = value
    return st.session_state.get("filter_at_start")


def choice(key: str, default: T) -> T:
    """What a widget of this key is set to, or would be."""
    return st.session_state.get(key, _kept().get(key, default))


def is_new(what: str, value: object) -> bool:
    """Whether this is not what it was the last time somebody asked."""
    before = st.session_state.get(f"last_{what}", value)
    st.session_state[f"last_{what}"] = value
    return before != value


def since(scene: str) -> tuple[float, bool]:
    """When the scene of this fingerprint became what the stage shows, in seconds, and whether that is now."""
    last, moment = st.session_state.get("scene", (None, 0.0))
    if new := scene != last:
        moment = max(time.time(), math.nextafter(moment, math.inf))  # clocks are put back now and then
        st.session_state["scene"] = (scene, moment)
    return moment, new


def visitor() -> str:
    """A name for this visitor that nobody else has."""
    return st.session_state.setdefault("visitor", uuid.uuid4().hex)


def before() -> str:
    """The name this visitor had before the tab was reloaded, as the film reports it; empty if there is none."""
    said = sent("film", "before")
    return said if isinstance(said, str) and re.fullmatch("[0-9a-f]{32}", said) else ""


def known_frames(film: str, frames: list[int]) -> int:
    """How many of these frames the film on the page has; it is about to get the others, and says when it lost some."""
    lost = is_new("lost", sent("film", "lost"))
    last, had = st.session_state.get("film_sent", ("", []))
    st.session_state["film_sent"] = (film, frames)
    if lost or last != film or "film" not in st.session_state:
        return 0
    return sum(1 for _ in itertools.takewhile(bool, map(eq, had, frames)))


def observations() -> tuple[int, tuple[complex, ...]]:
    """How often this visitor observed again, and the prior that came of it."""
    return st.session_state.get("observations", (0, ()))


def observe_again(posterior: tuple[complex, ...]) -> None:
    """Yesterday's posterior becomes today's prior."""
    st.session_state["observations"] = (observations()[0] + 1, posterior)


def forget() -> None:
    """Back to knowing nothing."""
    st.session_state.pop("observations", None)
