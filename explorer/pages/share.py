"""Share: a link to hand out, as text, as HTML for another page, as a QR code, or a page in one file; with a preview."""

from urllib.parse import urlsplit

import streamlit as st

from explorer.live import current_class
from explorer.pages.controls import offline_page
from explorer.session import run, view
from explorer.state import FORMS, NOW, SCENARIOS, SHARED_PAGES, Shared, choices, qr_svg

_FORMS = {
    "page": "A page of the app, with its menu",
    "window": "The dial and the answer on the whole window",
    "embedded": "Embedded in another page: no menu, no controls beside the stage",
}
_MAX_QR_CHARACTERS = 1000  # a longer link makes a code too fine for a camera
_PREVIEW_PIXELS = 820  # height of the preview before it is reduced


@st.fragment
def page() -> None:
    """Choices on the left; the preview and what to hand out on the right."""
    run.listen()
    options, results = st.columns([2, 5], gap="large")
    with options.container(key="share_options"):
        shared = _choose()
    with results:
        _show(shared)
    run.finish()


def _choose() -> Shared:
    st.subheader("A link to hand out", anchor=False)
    where = st.selectbox("Page", list(SHARED_PAGES), format_func=SHARED_PAGES.__getitem__, **view.setting("to", ""))
    is_lab = where == ""
    start, form, describe = NOW, "page", False
    if is_lab:
        starts = {NOW: "As the lab is now"} | {one.name: one.label for one in SCENARIOS}
        start = st.selectbox("Start", list(starts), format_func=starts.__getitem__, **view.setting("start", NOW))
    comparing = is_lab and start == NOW and view.current().comparing
    forms = [form for form in FORMS if form != "window" or (is_lab and not comparing)]
    form = st.radio("Opens as", forms, format_func=_FORMS.__getitem__, **view.setting(f"form {len(forms)}", "page"))
    can = choices(where, form)
    left_out = set()
    if can:
        st.markdown("**Leave out**")
    half = -(-len(can) // 2)
    for column, names in zip(st.columns(2) if can else [], (list(can)[:half], list(can)[half:]), strict=False):
        for name in names:
            if column.checkbox(can[name], **view.setting(f"without {name}", name in view.current().hide)):
                left_out.add(name)
    if is_lab:
        describe = st.checkbox(
            "Describe the picture in words", **view.setting("described", view.current().describe),
            help="Shows the text that a screen reader gets beside the picture.",
        )  # fmt: skip
    return Shared(where, start, frozenset(left_out), form, describe)


def _show(shared: Shared) -> None:
    now, root = view.current(), _root()
    link = shared.address(root, now)
    with st.container(key="share_preview"):
        st.iframe(shared.address(_own_root(), now), height=_PREVIEW_PIXELS, alt="Preview of what the link opens")
    text, code = st.columns([3, 1], gap="medium")
    with text:
        st.markdown("**Link**")
        st.code(link, language=None, wrap_lines=True)
        st.markdown("**HTML, to embed it in another page**")
        st.code(shared.frame(root, now), language=None, wrap_lines=True)
        if shared.page == "":
            st.download_button(
                "A page in one file, without a server (HTML)", lambda: offline_page(shared.view(now)), "stage.html",
                on_click="ignore", key="share file",
                help="Opens in any browser, without a network, and leaves out the same parts of the stage.",
            )  # fmt: skip
    with code:
        if len(link) <= _MAX_QR_CHARACTERS:
            st.html(f'<div class="qr" role="img" aria-label="QR code of the link">{qr_svg(link)}</div>')
        else:
            st.caption(f"The link has {len(link):,} characters, too many for a QR code that a camera can read.")
        if current_class() is None and urlsplit(root).hostname in ("localhost", "127.0.0.1", "::1"):
            st.caption(
                "This link opens on this computer only. Start the app with `tsa-explorer --class` for a link that "
                "others in your network can open."
            )


def _root() -> str:
    """The address of the app, for others in the network if this is a class."""
    if (room := current_class()) is not None and room.addresses:
        return f"{room.addresses[0].rstrip('/')}/"
    return _own_root()


def _own_root() -> str:
    return run.root() or "http://localhost/"
