"""The crop circle: a photo with a circle to move and resize, which tells where it is while it moves."""

from explorer.components import component, stamp
from tsa.pictures import Circle

_mount = component(__name__, "instance.js", "mailbox.js", "crop.js")


def crop(hand: str, acknowledged: int, name: str, photo: str | None, circle: Circle) -> None:
    """Mount the photo called `name` of patch `hand`; the last place answered was number `acknowledged`.

    Its pixels (`photo`, a data address) only need to come with the first message.
    """
    data = {
        "hand": hand, "ack": acknowledged, "name": name, "photo": photo,
        "circle": [circle.x, circle.y, circle.radius],
    }  # fmt: skip
    _mount(key=f"crop_{hand}", data=data, on_circle_change=lambda: None, height="content")


def decode(message: object) -> tuple[Circle, str, int, bool] | None:
    """The circle in a message from the browser, the name of its photo, its number, whether it was let go.

    None if it is not what our component sends.
    """
    stamped = stamp(message)
    if stamped is None:
        return None
    assert isinstance(message, dict)
    place, name = message.get("circle"), message.get("name")
    if not isinstance(place, list) or len(place) != 3 or not isinstance(name, str) or len(name) > 100:
        return None
    if not all(isinstance(c, int | float) and 0 <= c <= 1 for c in place):  # nan is neither
        return None
    return Circle(*map(float, place)), name, *stamped
