"""Links to hand out: a page, a start, what it leaves out, and how it opens."""

import html
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from explorer.state.link import encode_link
from explorer.state.scenarios import SCENARIOS
from explorer.state.view import ViewState

LAB, MOTION = "", "motion"  # addresses of pages below the root of the app
SHARED_PAGES = {
    LAB: "Lab", MOTION: "Motion", "film": "Film", "filters": "Filters", "recognise": "Recognise", "orbits": "Orbits",
    "dft": "DFT", "lesson": "Lessons",
}  # fmt: skip
CAN_LEAVE_OUT = {
    LAB: {
        "x": "Picture x", "y": "Picture y", "noise": "Pixel noise", "sigma": "Expected noise σ",
        "observe": "Observe again", "prior": "Prior", "model": "Model", "symmetry": "Symmetry of x", "save": "Save",
        "scenes": "Scenes to start with", "tools": "Buttons on top", "pins": "Pin and Compare",
        "player": "Play", "try": "Try an answer", "waves": "Waves",
    },
    MOTION: {
        "x": "Picture", "noise": "Pixel noise", "sigma": "Expected noise σ", "observe": "Observe again",
        "prior": "Prior", "model": "Model", "save": "Save", "window": "Size of the window",
    },
}  # fmt: skip
BESIDE_STAGE = frozenset({"x", "y", "noise", "sigma", "observe", "prior", "model", "symmetry", "save", "window"})
NOW = "now"  # the start that is the present view; the others are names of scenarios
FORMS = ("page", "window", "embedded")
_FRAME_PIXELS = 800  # height of the frame around an embedded page


@dataclass(frozen=True)
class Shared:
    """What is handed out. `start` is `NOW` or the name of a scenario; `form` is one of `FORMS`."""

    page: str = LAB
    start: str = NOW
    leave_out: frozenset[str] = frozenset()
    form: str = "page"
    describe: bool = False

    def view(self, now: ViewState) -> ViewState:
        """The view that the link opens, the present one being `now`."""
        scenario = next((one for one in SCENARIOS if one.name == self.start and self.page == LAB), None)
        start = now.effective if scenario is None else scenario.view
        described = self.describe and self.page == LAB
        window = self.form == "window" and self.page == LAB and not start.comparing
        hide = frozenset(choices(self.page, self.form)) & self.leave_out
        return replace(start, hide=hide, describe=described, presenting=window)

    def address(self, root: str, now: ViewState, embedded: bool | None = None) -> str:
        """The link, below the root of the app, which ends with a slash; by default embedded if the form says so."""
        view = self.view(now)
        parameters = encode_link(view)
        if self.page == LAB:  # without parameters it would be the address of the first visit, which opens Home
            parameters = {"angle": str(view.angle)} | parameters
        if self.form == "embedded" if embedded is None else embedded:
            parameters["embed"] = "true"
        return f"{root}{self.page}{'?' if parameters else ''}{urlencode(parameters, safe='*,')}"

    def frame(self, root: str, now: ViewState) -> str:
        """HTML that shows the page inside another one; only embedded pages may stand in a frame."""
        address = html.escape(self.address(root, now, embedded=True))
        title = html.escape(f"TSA Explorer: {SHARED_PAGES[self.page]}")
        size = f'width="100%" height="{_FRAME_PIXELS}"'
        return f'<iframe src="{address}" {size} style="border: 0" title="{title}" allow="fullscreen"></iframe>'


def choices(page: str, form: str) -> dict[str, str]:
    """What a link to this page can leave out, and its name on screen; embedded pages have no controls at the side."""
    found = CAN_LEAVE_OUT.get(page, {})
    return {name: label for name, label in found.items() if form != "embedded" or name not in BESIDE_STAGE}
