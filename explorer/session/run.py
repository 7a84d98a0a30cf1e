"""Begin and end of a run of the script: read the address and messages of components, write the address."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from urllib.parse import urljoin

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from explorer.live import current_class
from explorer.session import caches, models, pictures, view
from explorer.state import decode_link, encode_link

_MAX_NAME_CHARACTERS = 60  # of a model's name in a notice


@dataclass(frozen=True)
class Address:
    """The page, the parameters last read or written, and what the address of each page means without parameters."""

    page: str
    link: Mapping[str, str]
    bare: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


def begin(page: str, recalls: bool = False) -> None:
    """Called before a page is drawn. Parameters that differ from the last link written are decoded into the view.

    Without parameters on a new page (the menu was used) the view stays, and is remembered as the meaning of this page's
    bare address, for Back. Until then a bare address means the default view.

    `recalls` says that the tab will report its ticket: a model that is not known yet may be one from before a reload.
    """
    listen()
    models.touch()
    parameters: Mapping[str, str] = dict(st.query_params)
    before: Address | None = st.session_state.get("address")
    bare = {} if before is None else before.bare
    if before is not None and page != before.page:
        view.leave_page()
    if before is not None and page != before.page and not parameters:
        bare = {**bare, page: encode_link(view.current().effective)}
    elif before is None or parameters != before.link:
        parameters = parameters or bare.get(page, {})
        _follow(parameters, recalls)
    st.session_state["address"] = Address(page, parameters, bare)


def listen() -> None:
    """Read the messages of the components on the page; called before the view is read, in fragments too."""
    view.listen()
    models.listen()
    _settle_awaited()
    pictures.listen()


def finish() -> None:
    """Called after a page is drawn: write the view to the address; a class sees it if this page is the teacher's."""
    view.end_of_page()
    address: Address | None = st.session_state.get("address")
    link = encode_link(view.current().effective)
    if awaits_model():
        link["model"] = st.session_state["awaited"]
    if address is None or link != address.link:
        st.session_state["address"] = replace(address, link=link) if address else Address("", link)
        st.query_params.from_dict(link)
    if (room := current_class()) is not None:
        room.show(view.visitor(), address.page if address else "", link)


def link_says_more_than(*names: str) -> bool:
    """Whether the address that was read or written last has other parameters than these."""
    address: Address | None = st.session_state.get("address")
    return address is not None and bool(set(address.link) - set(names))


def root() -> str:
    """The address under which this visitor has the app, with a slash at its end, wherever a proxy put it.

    Without a browser, as in a test, it is empty. `st.context.url` is not of use: it takes a path of the proxy that ends
    like the name of a page for that page.
    """
    run = get_script_run_ctx()
    info = None if run is None else run.context_info
    return urljoin(info.url, ".") if info is not None and info.url else ""


def notice() -> str:
    """A notice to be shown to the visitor once; empty if there is none."""
    return st.session_state.pop("notice", "")


def awaits_model() -> bool:
    """Whether the link names a model that is not known, until the tab has said which models it had."""
    return bool(st.session_state.get("awaited"))


def _settle_awaited() -> None:
    """Use the model that the link names if the tab had it before it was reloaded, or else say that it is missing."""
    if not awaits_model() or not models.recalled():
        return
    name = st.session_state.pop("awaited")
    if name in models.own_names():
        view.change("link", model=name)
    else:
        _note_missing(name)


def _note_missing(name: str) -> None:
    st.session_state["notice"] = (
        f"This link uses a model that is not available here ({name[:_MAX_NAME_CHARACTERS]}). You see the default model."
    )


def _follow(link: Mapping[str, str], recalls: bool = False) -> None:
    """Change the view to that of a link."""
    wanted = decode_link(link)
    name = link.get("model", "")
    if name in models.own_names():  # which `decode_link` does not accept
        wanted = replace(wanted, model=name)
    elif name != wanted.model:
        if recalls and not models.recalled():
            st.session_state["awaited"] = name
        else:
            _note_missing(name)
    if wanted.model == caches.default_model():
        wanted = replace(wanted, model="")
    view.change("link", **{one.name: getattr(wanted, one.name) for one in fields(wanted)})
