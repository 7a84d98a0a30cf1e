"""The component of the motion page: a picture behind a window, the posterior over its shift, and its waves."""

from explorer.components import component
from tsa.stage import BROWSER

_mount = component(__name__, BROWSER / "motion")


def motion(data: bytes) -> None:
    """Show what `session.view.data_for("motion", …)` has prepared; the body is a packed motion scene."""
    _mount(key="motion", data=data, default={"message": None}, on_message_change=lambda: None, height="content")
