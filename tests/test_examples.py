"""Every public name has an example in its docstring, and every example prints what it says."""

import doctest
import importlib
import inspect
import pkgutil
from collections.abc import Iterator

import numpy as np
import pytest

import tsa

MODULES = sorted(
    module.name for module in pkgutil.walk_packages(tsa.__path__, "tsa.") if not module.name.endswith("__main__")
)


def public_things() -> Iterator[tuple[str, object]]:
    """Each public function, class and method of `tsa`, by its dotted name."""
    for name in tsa.__all__:
        thing = getattr(tsa, name)
        members = vars(thing).items() if inspect.isclass(thing) or inspect.ismodule(thing) else ()
        if callable(thing):
            yield name, thing
        for member, value in members:
            owned = inspect.isclass(thing) or getattr(value, "__module__", "") == thing.__name__
            if owned and not member.startswith("_") and inspect.isfunction(value):
                yield f"{name}.{member}", value


@pytest.mark.parametrize("name", MODULES)
def test_examples_print_what_they_say(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # an example may write a file
    module = importlib.import_module(name)
    told = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for test in doctest.DocTestFinder(exclude_empty=True).find(module, extraglobs={"np": np, "tsa": tsa}):
        runner.run(test, out=told.append)
    assert not runner.failures, "".join(told)


def test_every_public_name_has_an_example():
    without = [name for name, thing in public_things() if ">>>" not in (inspect.getdoc(thing) or "")]
    assert not without
