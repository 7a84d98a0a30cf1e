"""What `tsa` offers: the public names, which documentation and examples have to cover."""

import inspect
from collections.abc import Iterator

import tsa


def public_things() -> Iterator[tuple[str, object]]:
    """Each public function, class and method of `tsa`, by its dotted name."""
    for name in tsa.__all__:
        thing = getattr(tsa, name)
        members = vars(thing).items() if inspect.isclass(thing) or inspect.ismodule(thing) else ()
        if callable(thing):
            yield name, thing
        for member, value in members:
            listed = member in getattr(thing, "__all__", ())
            owned = inspect.isclass(thing) or listed or getattr(value, "__module__", "") == thing.__name__
            if owned and inspect.isclass(value) and listed:
                yield f"{name}.{member}", value
            if owned and not member.startswith("_") and inspect.isfunction(value):
                yield f"{name}.{member}", value
