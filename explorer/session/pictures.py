"""The pictures of both patches as they are being edited: galleries, drawings, photos with a crop circle.

An editor keeps what each kind of picture was last set to. The view gets finished pictures only, as a `Source`; a
picture that another writer puts into the view, such as a link, is taken into the editor.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray
from streamlit.runtime.uploaded_file_manager import UploadedFile

from explorer.session import view
from explorer.state import (
    DRAWING_PIXELS,
    PHOTO_PIXELS,
    Digit,
    EditMessage,
    Pixels,
    Shape,
    Source,
    read_circle,
    read_drawing,
)
from tsa.pictures import CropCircle, PictureError, crop, open_picture

Picture = NDArray[np.float64]
KINDS = ("Shapes", "Draw", "Digits", "Upload")
COPY, OTHER = "x, turned", "Another picture"  # what y can be
DIGIT_KINDS = ("Digits", "Draw", "Upload")  # where digits are recognised
PATCHES = ("x", "y")
_FIRST_SHAPES = {"x": "square", "y": "triangle"}
_FIRST_DIGIT_INDEX = 10  # in the gallery of digits
_BEFORE_UPLOAD = Shape("F")
_GALLERIES = {"shape": "Shapes", "digit": "Digits"}  # field of the editor → kind of picture


@dataclass(frozen=True, eq=False)
class Drawing:
    """A drawing. `obey` grows when another writer than the pad replaces it; `done` is False while the pen is down."""

    pixels: Pixels = field(default_factory=lambda: Pixels(bytes(DRAWING_PIXELS * DRAWING_PIXELS)))
    obey: int = 1
    sequence: int = 0  # of the last message of the pad
    done: bool = True


@dataclass(frozen=True, eq=False)
class Photo:
    """A photo as bytes (height, width) and the circle on it; `obey`, `sequence` and `done` as for a drawing."""

    grey: NDArray[np.uint8]
    name: str  # a hash of its pixels
    circle: CropCircle = field(default_factory=CropCircle)
    obey: int = 1
    sequence: int = 0
    done: bool = True

    @property
    def picture(self) -> Picture:
        """The grey values in 0…1."""
        return self.grey / 255

    @cached_property
    def cropped(self) -> Pixels:
        """The square around the circle."""
        return Pixels.of(crop(self.picture, self.circle, PHOTO_PIXELS), photo=True)


@dataclass(frozen=True, eq=False)
class Editor:
    """What is chosen for one patch, and what each kind of picture was last set to."""

    written: Source  # the picture last written to the view
    shape: str
    kind: str = "Shapes"
    digit: int = _FIRST_DIGIT_INDEX
    drawing: Drawing = field(default_factory=Drawing)
    photo: Photo | None = None
    upload: tuple[str, str] = ("", "")  # id of the last file, and the error if it cannot be used

    @property
    def source(self) -> Source:
        """The picture as it is now, finished or not."""
        if self.kind == "Digits":
            return Digit(self.digit)
        if self.kind == "Draw":
            return self.drawing.pixels
        if self.kind == "Upload":
            return _BEFORE_UPLOAD if self.photo is None else self.photo.cropped
        return Shape(self.shape)

    @property
    def edited(self) -> Drawing | Photo | None:
        """What can be edited with the pointer, if the chosen kind can."""
        return {"Draw": self.drawing, "Upload": self.photo}.get(self.kind)

    @property
    def done(self) -> bool:
        """Whether the picture is finished: no pen is down, no circle held."""
        return self.edited is None or self.edited.done

    @property
    def sequence(self) -> int:
        """The number of the last message that the picture shows."""
        return 0 if self.edited is None else self.edited.sequence

    def showing(self, source: Source) -> "Editor":
        """The editor with a picture that another writer chose."""
        editor = replace(self, written=source)
        if isinstance(source, Shape):
            return replace(editor, kind="Shapes", shape=source.name)
        if isinstance(source, Digit):
            return replace(editor, kind="Digits", digit=source.index)
        if source.photo:
            name = hashlib.sha256(source.values).hexdigest()[:16]
            grey = np.frombuffer(source.values, np.uint8).reshape(source.side, source.side)
            return replace(editor.with_photo(grey, name), kind="Upload")
        return replace(editor, kind="Draw", drawing=Drawing(source, obey=self.drawing.obey + 1))

    def with_photo(self, grey: NDArray[np.uint8], name: str) -> "Editor":
        """The editor with another photo, and its circle around all of it."""
        return replace(self, photo=Photo(grey, name, obey=1 if self.photo is None else self.photo.obey + 1))


def editor(patch: str) -> Editor:
    """The editor of patch "x" or "y", which shows what the view has."""
    stored: Editor | None = st.session_state.setdefault("pictures", {}).get(patch)
    if stored is None:
        first = Shape(_FIRST_SHAPES[patch])
        stored = Editor(first, first.name)
    source = getattr(view.current(), patch)
    if source is not None and source != stored.written:
        st.session_state["pictures"][patch] = stored = stored.showing(source)
    return stored


def source(patch: str) -> Source:
    """The picture of a patch as it is now, finished or not."""
    return editor(patch).source


def digit_source(patch: str) -> Source:
    """The picture of a patch where digits are recognised: in the place of a shape, the digit last chosen.

    The view keeps the shape until the visitor chooses a picture there.
    """
    stored = editor(patch)
    return Digit(stored.digit) if isinstance(stored.source, Shape) else stored.source


def listen() -> None:
    """Read the messages of pads, crop circles and uploaders on the page; called before the view is read."""
    for patch in PATCHES:
        _take_drawing(patch)
        _take_upload(patch)
        _take_circle(patch)


def _keep(patch: str, **fields: Any) -> None:
    """Change the editor of a patch, and the view if the picture is finished and in use."""
    new = replace(editor(patch), **fields)
    to_view = new.done and (patch == "x" or view.current().y is not None)
    if to_view:
        new = replace(new, written=new.source)
    st.session_state["pictures"][patch] = new
    if to_view:
        view.change(_writer(patch), **{patch: new.source})


def _writer(patch: str) -> str:
    """The name under which all controls of an editor change the view: they do not obey each other's changes."""
    return f"editor_{patch}"


def _take_drawing(patch: str) -> None:
    key, drawing = f"pad_{patch}", editor(patch).drawing
    found = read_drawing(view.sent(key, "message"))
    if found is not None and _is_current(found[1], drawing):
        picture, message = found
        view.note_message(key, message.sequence)
        _keep(patch, drawing=Drawing(Pixels.of(picture), drawing.obey, message.sequence, message.done))
    elif not drawing.done and not on_page(key, drawing):  # the pad has left with its pen down
        _keep(patch, drawing=replace(drawing, done=True))


def _take_circle(patch: str) -> None:
    key, photo = f"crop_{patch}", editor(patch).photo
    if photo is None:
        return
    found = read_circle(view.sent(key, "message"))
    if found is not None and found[1] == photo.name and _is_current(found[2], photo):
        circle, _, message = found
        view.note_message(key, message.sequence)
        _keep(patch, photo=replace(photo, circle=circle, sequence=message.sequence, done=message.done))
    elif not photo.done and not on_page(key, photo):
        _keep(patch, photo=replace(photo, done=True))


def _is_current(message: EditMessage, edited: Drawing | Photo) -> bool:
    """Whether a message belongs to the drawing or photo being edited, and has not been read before."""
    same = message.session == view.session() and message.obeyed >= edited.obey
    return same and message.sequence > edited.sequence


def on_page(component: str, edited: Drawing | Photo) -> bool:
    """Whether the component has sent the stored picture itself, so that it need not be sent back."""
    return edited.sequence > 0 and view.last_message(component) == edited.sequence


def _take_upload(patch: str) -> None:
    """Open the file that the uploader of this patch holds, once; an error is kept in `Editor.upload`."""
    file = st.session_state.get(f"upload_{patch}")
    if not isinstance(file, UploadedFile):  # none, or one that the server has lost meanwhile
        return
    old = editor(patch)
    if file.file_id == old.upload[0]:
        return
    new, trouble = old, ""
    try:
        grey = np.rint(255 * open_picture(file.getvalue())).astype(np.uint8)
        new = old.with_photo(grey, hashlib.sha256(grey).hexdigest()[:16])
    except PictureError as error:
        trouble = str(error)
    _keep(patch, photo=new.photo, upload=(file.file_id, trouble))


def kind_widget(patch: str, kinds: Sequence[str] = KINDS) -> dict[str, Any]:
    """Arguments of the control that chooses one of these kinds of picture; it shows digits if the kind is another."""
    kind = editor(patch).kind
    return _editor_widget(patch, f"source_{patch}", "kind", kind if kind in kinds else "Digits")


def gallery_widget(patch: str, name: str) -> dict[str, Any]:
    """Arguments of the gallery of shapes (`name` "shape") or digits ("digit")."""
    return _editor_widget(patch, f"gallery_{name}_{patch}", name, getattr(editor(patch), name))


def _editor_widget(patch: str, key: str, name: str, value: object) -> dict[str, Any]:
    def write(chosen: object) -> None:
        kind = _GALLERIES.get(name)  # a digit may be chosen while the editor still has the shape of the lab
        _keep(patch, **{name: chosen}, **({} if kind is None else {"kind": kind}))

    return view.bound(key, value, write, view.obey(_writer(patch), patch))


def second_widget() -> dict[str, Any]:
    """Arguments of the control that chooses whether y is a copy of x or a picture of its own."""

    def write(value: str) -> None:
        view.change("second", y=None if value == COPY else editor("y").source)

    return view.bound("second", COPY if view.current().y is None else OTHER, write, view.obey("second", "y"))


def moved(patch: str) -> Callable[[object], Source | None]:
    """How a message of the pad or the crop circle changes this patch; the function does not use the session."""
    photo = editor(patch).photo if editor(patch).kind == "Upload" else None

    def read(message: object) -> Source | None:
        if photo is None:
            drawing = read_drawing(message)
            return None if drawing is None else Pixels.of(drawing[0])
        circle = read_circle(message)
        return None if circle is None else replace(photo, circle=circle[0]).cropped

    return read
