"""The stage as one HTML file that needs nothing else, and as an object that a notebook shows."""

import base64
import html
import math
import zlib
from collections.abc import Collection, Mapping
from os import PathLike
from pathlib import Path
from string import Template

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import InputError, write_atomically
from tsa.files import load
from tsa.model import Subgroup
from tsa.pictures import picture, rotate
from tsa.stage.browser.join import BROWSER, join
from tsa.stage.exports import picture_png
from tsa.stage.packing import framed
from tsa.stage.scene import Scene

_EXPLAINED = (
    "Two patches, x and y: by how much was one turned to get the other? The petals around the dial are the whole "
    "answer, the <em>posterior</em> over the turn s: every angle that explains the pair, and how well. Each small "
    "circle is one subspace of a learned model; turning the picture by s turns a subspace of weight ω by ωs. Hue is "
    "angle, length is certainty. Drag the dial, use the wheel or the arrow keys, press space to play."
)


def stage_page(
    scene: Scene,
    title: str = "TSA: the posterior over a turn",
    about: str = "",
    log: bool = False,
    circle: int | None = None,
    hide: Collection[str] = (),
    describe: bool = False,
) -> str:
    """A self-contained page that turns, plays and explains without a server or a network.

    It opens on a linear or logarithmic scale, and with subspace `circle` selected (by default the one with the largest
    concentration). `hide` names parts that it leaves out: "tools", "player", "try" or "waves"; with `describe` the text
    for screen readers stands beside the picture.
    """
    fields = {"angle": scene.angle, "log": log, "circle": circle, "describe": describe}
    script, extra = BROWSER / "lab" / "stage.js", {"hide": sorted(hide)}
    return offline_page(title, _EXPLAINED, about, "lab/stage", script, fields, scene.packed(), extra)


def offline_page(
    title: str,
    explained: str,
    about: str,
    files: str,
    script: Path,
    fields: Mapping[str, object],
    body: bytes,
    extra: Mapping[str, object] | None = None,
) -> str:
    """One HTML file with a component in it: `files`.html and `files`.css of `browser`, and its script.

    `fields` are those of the view that it shows, `body` the bytes that it would be sent, `extra` more of the header.
    `explained` is HTML.
    """
    header = {"session": "offline", "revision": 1, "sequence": 0, "digest": "", "whole": True, "obey": 1}
    data = framed({**header, "fields": fields, **(extra or {})}, body)
    return Template(_text("page.html")).substitute(
        title=html.escape(title),
        explained=explained,
        about=html.escape(about),
        html=_text(f"{files}.html"),
        css=_text("shared/card.css") + _text(f"{files}.css"),
        js=join(script, [BROWSER]),
        data=base64.b64encode(zlib.compress(data, 9)).decode(),
    )


def _text(name: str) -> str:
    return (BROWSER / name).read_text(encoding="utf-8")


class StageView:
    """A scene as a notebook shows it: the whole stage, inline, in a frame of its own."""

    def __init__(self, scene: Scene, height: int = 900) -> None:
        self.scene, self.height = scene, height

    def _repr_html_(self) -> str:
        page = html.escape(stage_page(self.scene), quote=True)
        return f'<iframe srcdoc="{page}" width="100%" height="{self.height}" style="border:0"></iframe>'

    def _repr_png_(self) -> bytes:
        """The picture that is shown where pages are not, as in a printed notebook."""
        return picture_png(self.scene)

    def save(self, path: str | Path) -> None:
        """Write the page to a file."""
        write_atomically(path, stage_page(self.scene))


def show(
    x: str | PathLike[str] | ArrayLike,
    y: str | PathLike[str] | ArrayLike | None = None,
    *,
    angle: float | None = None,
    model: Subgroup | str = "rotation-16-refined",
    noise: float = 0.5,
    pixel_noise: float = 0.0,
) -> StageView:
    """The stage of a pair, to be shown in a notebook or saved: pictures are arrays, image files or names of shapes.

    Without y it is x turned by `angle` (30) degrees; with y, y is turned by `angle` (0). `noise` is the model's σ. The
    dial has whole degrees: by a fraction of one the second picture itself is turned.

    >>> stage = tsa.show("square", angle=22.7)
    >>> stage._repr_html_()[:7]
    '<iframe'
    """
    learned = load(model) if isinstance(model, str) else model
    if not isinstance(learned, Subgroup):
        raise InputError("The stage needs a model with weights; tsa.estimate_weights finds them.")
    turn = (30.0 if y is None else 0.0) if angle is None else float(angle)
    if not math.isfinite(turn):
        raise InputError(f"The angle is a number of degrees; got {angle!r}.")
    degrees = math.floor(turn)
    first, other = picture(x), None if y is None else picture(y)
    if turn != degrees:
        other = np.clip(rotate(first if other is None else other, math.radians(turn - degrees)), 0, 1)
    return StageView(Scene(learned.with_noise(noise), first, other, degrees % 360, pixel_noise))
