"""The stage: dial, posterior and subspaces in one component, which is sent the sweep over all angles at once."""

from explorer.components import component
from tsa.stage import BROWSER

_mount = component(__name__, BROWSER / "lab")


def stage(data: bytes) -> None:
    """Show what `session.view.data_for("stage", …)` has prepared; the body is a packed sweep."""
    _mount(key="stage", data=data, default={"message": None}, on_message_change=lambda: None, height="content")
