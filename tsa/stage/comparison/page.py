"""A comparison as one HTML file that needs nothing else."""

from collections.abc import Collection, Sequence

from tsa.stage.browser import BROWSER, offline_page
from tsa.stage.comparison.compared import Compared, pack_comparison
from tsa.stage.scene import Scene

_EXPLAINED = (
    "The same question for several pairs of patches, models or noises: by how much was x turned to become y? The "
    "petals around each dial are the answer, the <em>posterior</em> over the turn. One dial turns all of them: drag "
    "any, or use the arrow keys; space plays. Below, the posteriors stand over one axis."
)


def compare_page(
    scenes: Sequence[Scene],
    labels: Sequence[str],
    about: str = "",
    log: bool = False,
    hide: Collection[str] = (),
    describe: bool = False,
) -> str:
    """A self-contained page with up to four scenes, all at the angle of the first; see `stage_page`."""
    body = pack_comparison([Compared.of(scene) for scene in scenes], labels)
    fields = {"angle": scenes[0].angle, "log": log}
    script, extra = BROWSER / "compare" / "compare.js", {"hide": sorted(hide), "describe": describe}
    return offline_page("TSA: posteriors compared", _EXPLAINED, about, "compare/compare", script, fields, body, extra)
