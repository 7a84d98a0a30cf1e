"""A motion scene as one HTML file that needs nothing else: its window can be opened and closed, its torus turned."""

from tsa.stage.browser import BROWSER, offline_page
from tsa.stage.motion import MotionScene
from tsa.stage.motion_output.animation import widening
from tsa.stage.motion_output.packing import pack_motion
from tsa.stage.packing import framed

_SIZES = 28  # of the window for which answers are stored
_EXPLAINED = (
    "A picture moved behind a round window. How far? The map is the whole answer, the <em>posterior</em> over the "
    "shift: every motion that explains what is seen, and how well. Hue is the direction of motion, the outline holds "
    "95 % of the probability. Each disc in the frequency plane is one wave of the picture: its hue is the turn that it "
    "asks for, its size how certain it is. Drag the rim of the window, or the slider below it."
)


def motion_page(scene: MotionScene, about: str = "") -> str:
    """A self-contained page that needs no server or network: the scene, with its window at `_SIZES` sizes."""
    wider = widening(scene, _SIZES)
    packs = [pack_motion(scene), *(pack_motion(one, whole=False) for one in wider)]
    stored = {"sizes": [one.window for one in wider], "bytes": [len(one) for one in packs]}
    fields = {
        "world": "", "shift": scene.motion, "window": scene.window, "window_at": scene.window_at, "tried_shift": None,
        "on_torus": False,
    }  # fmt: skip
    return offline_page(
        "TSA: the posterior over a motion", _EXPLAINED, about, "motion/motion", BROWSER / "motion" / "offline.js",
        fields, framed(stored, b"".join(packs)),
    )  # fmt: skip
