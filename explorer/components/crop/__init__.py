"""The crop circle: a photo with a circle to move and resize, which sends its position while it moves."""

from explorer.components import component
from tsa.pictures import CropCircle

_mount = component(__name__)


def crop(
    patch: str, session: str, obey: int, acknowledged: int, name: str, photo: str | None, circle: CropCircle
) -> None:
    """Mount the photo called `name`, with a circle on it that is placed if `obey` is new to the component.

    `acknowledged` is the number of the last message read. `photo` is a `data:` address of the pixels, or None if the
    component has them already.
    """
    data = {
        "patch": patch, "session": session, "obey": obey, "acknowledged": acknowledged, "name": name, "photo": photo,
        "circle": [circle.x, circle.y, circle.radius],
    }  # fmt: skip
    _mount(key=f"crop_{patch}", data=data, default={"message": None}, on_message_change=lambda: None, height="content")
