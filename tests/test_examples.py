"""Every public name has an example in its docstring, and every example prints what it says."""

import doctest
import importlib
import inspect
import pkgutil

import numpy as np
import pytest

import tsa
from tests.shared.public import public_things

MODULES = ["tsa", *sorted(found.name for found in pkgutil.walk_packages(tsa.__path__, "tsa."))]
MODULES = [name for name in MODULES if not name.endswith("__main__")]


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
