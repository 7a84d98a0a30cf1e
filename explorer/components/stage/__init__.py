"""The stage: dial, waves and posterior in one component, which is sent the sweep over all angles at once; and pins."""

from html import escape
from urllib.parse import urlencode

from explorer.components import component
from explorer.state import SCENARIOS, Scenario, Shape, Source, encode_link
from tsa.pictures import gallery, shapes
from tsa.stage import BROWSER, data_url

_ICON_PIXELS = 52


def _chip(scenario: Scenario) -> str:
    """A link to a scenario, with small pictures of x and, if it is another picture, y."""
    icons = [_icon(source) for source in (scenario.view.x, scenario.view.y) if source is not None]
    address, content = escape("?" + urlencode(encode_link(scenario.view))), "".join(icons) + escape(scenario.label)
    return f'<a class="start" href="{address}" data-scenario="{scenario.name}">{content}</a>'


def _icon(source: Source) -> str:
    picture = shapes.draw(source.name) if isinstance(source, Shape) else gallery()[0][getattr(source, "index", 0)]
    return f'<img src="{data_url(picture, _ICON_PIXELS)}" alt="">'


_mount_comparison = component(f"{__name__}.compare", BROWSER / "compare")
_mount = component(__name__, BROWSER / "lab", "".join(map(_chip, SCENARIOS)))


def stage(data: bytes) -> None:
    """Show what `session.view.data_for("stage", …)` has prepared; the body is a packed sweep."""
    _mount(key="stage", data=data, default={"message": None}, on_message_change=lambda: None, height="content")


def comparison(data: bytes) -> None:
    """Show what `session.view.data_for("compare", …)` has prepared; the body is a packed comparison."""
    _mount_comparison(
        key="compare", data=data, default={"message": None}, on_message_change=lambda: None, height="content"
    )
