"""The pictures of the site, drawn by `tsa` when they are asked for, as in the app and by the commands."""

import html
from collections.abc import Callable
from dataclasses import dataclass

from tsa.experiments import orbits, posteriors
from tsa.files import load
from tsa.model import Subgroup, fourier_model
from tsa.pictures import draw, draw_periodic
from tsa.stage import MotionScene, Scene, exports, filters_svg, motion_svg


@dataclass(frozen=True)
class Drawing:
    """A picture: what it shows, what makes it (a shell command or Python), and its SVG in a theme."""

    title: str
    caption: str
    made_by: str
    svg: Callable[[str], str]
    has_dark: bool = True  # otherwise it is a figure on white paper

    @property
    def themes(self) -> tuple[str, ...]:
        """The themes it is drawn in."""
        return ("light", "dark") if self.has_dark else ("light",)


def _lab(shape: str, angle: int, pixel_noise: float = 0.0) -> Callable[[str], str]:
    def svg(theme: str) -> str:
        model = load("rotation-16-refined").with_noise(0.5)
        assert isinstance(model, Subgroup)
        return exports.picture_svg(Scene(model, draw(shape), angle=angle, pixel_noise=pixel_noise), theme)

    return svg


def _motion(picture: str, window: float) -> Callable[[str], str]:
    def svg(theme: str) -> str:
        return motion_svg(MotionScene(fourier_model((48, 48)), draw_periodic(picture, 48), window=window), theme)

    return svg


def _filters(_: str) -> str:
    model = load("rotation-16-refined")
    assert isinstance(model, Subgroup)
    return filters_svg(model, (16, 16))


DRAWINGS = {
    "square": Drawing(
        "A square has four answers",
        "The picture sits in a dial, and the posterior over the turn grows out of its rim: the area of a petal is its "
        "probability. On the right the waves of the weights, and their sum, the log posterior.",
        "tsa posterior square --angle 30 --out square.svg",
        _lab("square", 30),
    ),
    "letter": Drawing(
        "A letter F has one",
        "Nothing maps an F to itself but the turn by 0°: all weights agree at one angle.",
        "tsa posterior F --angle 70 --out F.svg",
        _lab("F", 70),
    ),
    "noise": Drawing(
        "A pinwheel under noise",
        "Noise makes the petals wide: the posterior says how much is known.",
        "tsa posterior pinwheel --angle 40 --pixel-noise 1 --out pinwheel.svg",
        _lab("pinwheel", 40, 1.0),
    ),
    "motion": Drawing(
        "The aperture problem",
        "A bar behind a round window: only the motion across it can be seen, so the posterior over shifts is a line.",
        "tsa.fourier_model((48, 48)).posterior(x, y, seen=window)  # the page Motion of the app",
        _motion("bar", 24.0),
    ),
    "filters": Drawing(
        "Filters learned from pairs",
        "Cosine and sine of each plane, by weight. Nobody told the model that pictures were turned.",
        "tsa reproduce filters --model rotation-16-refined --out filters.png",
        _filters,
        has_dark=False,
    ),
    "orbits": Drawing(
        "Orbits on the torus",
        "Two phases as the picture turns. With integer weights the path closes; with 1 and √2 it never does.",
        "tsa reproduce all --quick",
        lambda _: orbits.section().figures[0].svg,
        has_dark=False,
    ),
    "posteriors": Drawing(
        "Three pairs, three kinds of answer",
        "A picture, the same turned and noisy, and the posterior over the turn: two answers for a bar, three for a "
        "triangle, one for an F.",
        "tsa reproduce all --quick",
        lambda _: posteriors.section().figures[0].svg,
        has_dark=False,
    ),
}


def figure_html(name: str) -> str:
    """A drawing with its caption, in the theme of the reader."""
    drawing = DRAWINGS[name]
    dark = f'<source srcset="pictures/{name}-dark.svg" media="(prefers-color-scheme: dark)">' * drawing.has_dark
    paper = "" if drawing.has_dark else ' class="paper"'
    image = f'<img src="pictures/{name}-light.svg" alt="{html.escape(drawing.title)}"{paper} loading="lazy">'
    return f"<figure><picture>{dark}{image}</picture><figcaption>{html.escape(drawing.caption)}</figcaption></figure>"


def gallery_html() -> str:
    """All drawings, each with what makes it."""
    parts = ["<h1>Gallery</h1><p>Everything here is drawn by <code>tsa</code>, from numbers that it computes.</p>"]
    for name, drawing in DRAWINGS.items():
        parts.append(f'<h2 id="{name}">{html.escape(drawing.title)}</h2>{figure_html(name)}')
        parts.append(f'<pre tabindex="0"><code>{html.escape(drawing.made_by)}</code></pre>')
    return "\n".join(parts)
