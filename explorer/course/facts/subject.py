"""What facts are about: a view, with what a lesson brings; and what the facts of all pages share."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from explorer.course.expression import LessonError
from explorer.state import Digit, NamedModel, Shape, Source, ViewState, decode_link, encode_link, open_named
from tsa._base import Array
from tsa.pictures import gallery, shapes

LEAST_MASS = 0.01  # of an answer that counts
_SHAPE_PIXELS = 128  # along a side of a drawn shape, as in the lab
TRAINING = ("pairs", "rate", "seed")  # settings of a training in the link of a trial


class HiddenPairs(NamedTuple):
    """Pairs of lists of four numbers, moved in two hidden planes: they turn `turns` times as fast as a hidden angle."""

    turns: tuple[int, int]
    size: int
    noise: float
    seed: int


_opened = cache(open_named)


@dataclass(frozen=True)
class Subject:
    """What the facts are about: a view, what else the lesson brings, and where models come from."""

    view: ViewState = field(default_factory=ViewState)
    pairs: HiddenPairs | None = None
    training: Mapping[str, str] = field(default_factory=dict)  # of a trial of a lesson about training
    open_model: Callable[[str], NamedModel] = _opened

    def with_link(self, link: str) -> "Subject":
        """The same with the parameters of a link changed; what comes before a ? names a page."""
        parameters = dict(parse_qsl(link.rpartition("?")[2], keep_blank_values=True))
        training = {name: parameters.pop(name) for name in TRAINING if name in parameters}
        changed = decode_link(encode_link(self.view) | parameters)
        return replace(self, view=replace(changed, model=changed.model or self.view.model), training=training)


def picture_of(source: Source) -> Array:
    """The square grey picture of a source, in 0…1."""
    if isinstance(source, Shape):
        return _shape(source.name)
    return gallery()[0][source.index] if isinstance(source, Digit) else source.picture


@cache
def _shape(name: str) -> Array:
    return shapes.draw(name, _SHAPE_PIXELS)


@dataclass(frozen=True, eq=False)
class About:
    """Facts about a subject; where names are the same for all pages."""

    _subject: Subject

    def other(self, link: str) -> Any:
        """The facts of another view."""
        return type(self)(self._subject.with_link(link))

    def drawn(self, number: int) -> Any:
        """The facts of the same view with the noise drawn anew."""
        raise LessonError(f"There is no noise to draw on this page (draw {number}).")

    @property
    def _view(self) -> ViewState:
        return self._subject.view
