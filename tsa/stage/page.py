"""The stage as one HTML file that needs nothing else, and as an object that a notebook shows."""

import base64
import html
import struct
import zlib
from os import PathLike
from pathlib import Path
from string import Template

from numpy.typing import ArrayLike

from tsa.errors import InputError
from tsa.files import load
from tsa.model import Subgroup
from tsa.pictures import picture
from tsa.scene import Scene
from tsa.stage import FILES, SCRIPTS


def stage_page(
    scene: Scene,
    title: str = "TSA: the posterior over a turn",
    about: str = "",
    log: bool = False,
    circle: int | None = None,
) -> str:
    """A self-contained page that turns, plays and explains without a server or a network.

    It opens on a linear or logarithmic scale, and with the circle of this number chosen (else the loudest).
    """
    # As in the explorer: a command (number 1, the angle, the scale, a circle), room for a time and a digest, the sweep.
    data = struct.pack("<IIii16x", 1, scene.angle, log, -1 if circle is None else circle) + scene.blob()
    text = {
        name: (FILES / name).read_text(encoding="utf-8")
        for name in ("page.html", "stage.html", "stage.css", "card.css", *SCRIPTS)
    }
    script = "".join(text[name] for name in SCRIPTS).replace("export default function", "function stage")
    return Template(text["page.html"]).substitute(
        title=html.escape(title),
        about=html.escape(about),
        html=text["stage.html"],
        css=text["card.css"] + text["stage.css"],
        js=script,
        data=base64.b64encode(zlib.compress(data, 9)).decode(),
    )


class StageView:
    """A scene as a notebook shows it: the whole stage, inline, in a frame of its own."""

    def __init__(self, scene: Scene, height: int = 900) -> None:
        self.scene, self.height = scene, height

    def _repr_html_(self) -> str:
        page = html.escape(stage_page(self.scene), quote=True)
        return f'<iframe srcdoc="{page}" width="100%" height="{self.height}" style="border:0"></iframe>'

    def save(self, path: str | Path) -> None:
        """Write the page to a file."""
        Path(path).write_text(stage_page(self.scene), encoding="utf-8")


def show(
    x: str | PathLike[str] | ArrayLike,
    y: str | PathLike[str] | ArrayLike | None = None,
    *,
    angle: int | None = None,
    model: Subgroup | str = "rotation-16-refined",
    noise: float = 0.5,
    pixel_noise: float = 0.0,
) -> StageView:
    """The stage of a pair, to be shown in a notebook or saved: pictures are arrays, image files or names of shapes.

    Without y it is x turned by `angle` (30) degrees; with y, y is turned by `angle` (0). `noise` is the model's σ.
    """
    learned = load(model) if isinstance(model, str) else model
    if not isinstance(learned, Subgroup):
        raise InputError("The stage needs a model with weights; tsa.estimate_weights finds them.")
    turned = (30 if y is None else 0) if angle is None else int(angle) % 360
    other = None if y is None else picture(y)
    chosen = Subgroup(learned.filters, learned.weights, noise)
    return StageView(Scene(chosen, picture(x), other, turned, pixel_noise))
