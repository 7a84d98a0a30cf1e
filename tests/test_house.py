"""The order of the folders, held on the import graph of `tsa` and `explorer`.

Each rule is a function from a `House` to the violations it finds; each has a tiny tree of files that breaks it.
"""

import ast
import doctest
from collections.abc import Callable, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.shared.imports import House

# Bottom to top. A unit (a folder or module right below `tsa` or `explorer`) imports units before it only.
ORDER = [
    ["tsa._base"], ["tsa.density"], ["tsa.model"], ["tsa.groups"], ["tsa.pictures"], ["tsa.analysis"], ["tsa.files"],
    ["tsa.registration"], ["tsa.learning", "tsa.recognition"], ["tsa.stage"], ["tsa"], ["tsa.experiments"], ["tsa.cli"],
    ["tsa.__main__"], ["explorer"], ["explorer.state"], ["explorer.course"], ["explorer.docs"],
    ["explorer.training"], ["explorer.live"], ["explorer.limits"],
    ["explorer.components"], ["explorer.session"], ["explorer.pages"], ["explorer.app"], ["explorer.tools"],
    ["explorer.__main__"],
]  # fmt: skip
RANK = {unit: rank for rank, units in enumerate(ORDER) for unit in units}
MAX_LINES = 400
MAX_ENTRIES = 15
MAX_DOCSTRING_LINES = 3
MAX_MANUAL_LINES = 40


def no_folder_imports_one_above_it(house: House) -> Iterator[str]:
    for module in house.modules.values():
        if module.unit not in RANK:
            yield f"{module.unit} has no place in the order"
    for module, target, _, _ in house.edges():
        if module.unit != target.unit and RANK.get(target.unit, 0) >= RANK.get(module.unit, len(ORDER)):
            yield f"{module.name} imports {target.name}"


def other_folders_are_imported_through_their_init(house: House) -> Iterator[str]:
    for module, target, base, name in house.edges():
        if f"{module.folder}.".startswith(f"{target.folder}."):  # the same folder, or one around it
            if target.name == module.folder and module.path.stem != "__main__":
                yield f"{module.name} imports its own folder {target.name} instead of a module"
        elif name is None or f"{base}.{name}" == target.name:
            exporter = house.modules.get(target.name.rpartition(".")[0])
            exported = exporter is not None and target.name.rpartition(".")[2] in exporter.exports
            if not target.is_folder and target.unit != target.name and not exported:
                yield f"{module.name} imports the module {target.name}"
        elif not target.is_folder and target.unit != target.name:
            yield f"{module.name} imports {name} from the module {target.name}"
        elif target.is_folder and name not in target.exports:
            yield f"{module.name} imports {name}, which {target.name} does not export"


def private_modules_serve_their_own_folder(house: House) -> Iterator[str]:
    for module, target, _, _ in house.edges():
        private = target.path.stem.startswith("_") and not target.path.stem.startswith("__")
        if private and not f"{module.folder}.".startswith(f"{target.folder}."):
            yield f"{module.name} imports {target.name}"


def drawings_are_imported_by_the_stage_alone(house: House) -> Iterator[str]:
    for module, target, _, _ in house.edges():
        if target.name.startswith("tsa.stage.draw") and module.unit != "tsa.stage":
            yield f"{module.name} imports {target.name}"


def tsa_knows_neither_the_app_nor_its_libraries(house: House) -> Iterator[str]:
    for module in house.modules.values():
        for base, _ in module.imports:
            if module.name.startswith("tsa") and base.partition(".")[0] in ("explorer", "streamlit", "plotly"):
                yield f"{module.name} imports {base}"


def there_is_no_cycle(house: House) -> Iterator[str]:
    graph: dict[str, set[str]] = {name: set() for name in house.modules}
    for module, target, _, _ in house.edges():
        graph[module.name].add(target.name)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        cycle = error.args[1][:0:-1]
        start = cycle.index(min(cycle))
        yield " → ".join([*cycle[start:], *cycle[: start + 1]])


def every_init_says_what_it_exports(house: House) -> Iterator[str]:
    """A docstring of at most three lines, and an `__all__` of all that it defines or imports from its folder.

    The docstring of `tsa` is what `help(tsa)` shows, and may be longer.
    Where it has code of its own, what that imports from the folder need not be exported.
    """
    for module in house.modules.values():
        if not module.is_folder:
            continue
        lines = (ast.get_docstring(module.tree) or "").splitlines()
        if not 1 <= len(lines) <= (MAX_MANUAL_LINES if module.name == "tsa" else MAX_DOCSTRING_LINES):
            yield f"the docstring of {module.name} has {len(lines)} lines"
        missing = module.names ^ module.exports
        if module.definitions:
            missing -= module.names - module.definitions
        if missing:
            yield f"__all__ of {module.name} does not agree with its names: {', '.join(sorted(missing))}"


def lines_of_examples(text: str) -> int:
    examples = doctest.DocTestParser().get_examples(text)
    return sum(len((example.source + example.want).splitlines()) for example in examples)


def folders_and_files_are_small(house: House) -> Iterator[str]:
    for package in house.packages:
        for path in [house.root / package, *(house.root / package).rglob("*")]:
            where = path.relative_to(house.root)
            if "__pycache__" in where.parts:
                continue
            if path.is_dir():
                entries = [entry for entry in path.iterdir() if entry.name not in ("__pycache__", "py.typed")]
                if len(entries) > MAX_ENTRIES:
                    yield f"{where} has {len(entries)} entries"
            elif path.suffix in (".py", ".js"):
                text = path.read_text(encoding="utf-8")
                lines = len(text.splitlines()) - (lines_of_examples(text) if path.suffix == ".py" else 0)
                if lines > MAX_LINES:
                    yield f"{where} has {lines} lines"


RULES: list[Callable[[House], Iterator[str]]] = [
    no_folder_imports_one_above_it,
    other_folders_are_imported_through_their_init,
    private_modules_serve_their_own_folder,
    drawings_are_imported_by_the_stage_alone,
    tsa_knows_neither_the_app_nor_its_libraries,
    there_is_no_cycle,
    every_init_says_what_it_exports,
    folders_and_files_are_small,
]


@cache
def project() -> House:
    return House(Path(__file__).parents[1])


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_house_is_in_order(rule):
    assert sorted(set(rule(project()))) == []


def test_the_graph_is_the_real_one():
    """The reader of imports finds known edges, at the top of a file and inside functions."""
    edges = {(module.name, target.name) for module, target, _, _ in project().edges()}
    assert ("tsa", "tsa.model") in edges
    assert ("tsa.model.subgroup", "tsa.density") in edges
    assert len(edges) > 300


SOUND = {
    "tsa/__init__.py": '"""All."""\nfrom tsa.model import Subgroup\n__all__ = ["Subgroup"]\n',
    "tsa/_base/__init__.py": '"""Checks."""\nfrom tsa._base import checks\n__all__ = ["checks"]\n',
    "tsa/_base/checks.py": "import numpy as np\n",
    "tsa/model/__init__.py": '"""Models."""\nfrom tsa.model.subgroup import Subgroup\n__all__ = ["Subgroup"]\n',
    "tsa/model/_shared.py": "from tsa._base import checks\n",
    "tsa/model/subgroup.py": "from tsa.model._shared import evidence\nclass Subgroup: ...\n",
    "tsa/recognition/__init__.py": '"""Distances."""\n',
    "tsa/recognition/metric.py": "from tsa.model import Subgroup\n",
    "tsa/stage/__init__.py": '"""Stage."""\nfrom tsa.stage.page import show\n__all__ = ["show"]\n',
    "tsa/stage/page.py": "from tsa.stage.draw import dial\ndef show(): ...\n",
    "tsa/stage/draw/__init__.py": '"""Drawings."""\nfrom tsa.stage.draw.dial import dial\n__all__ = ["dial"]\n',
    "tsa/stage/draw/dial.py": "def dial(): ...\n",
    "explorer/__init__.py": '"""The app."""\n',
    "explorer/state/__init__.py": '"""State."""\nfrom explorer.state.view import View\n__all__ = ["View"]\n',
    "explorer/state/view.py": "from tsa.model import Subgroup\n",
    "explorer/app.py": "import streamlit\nfrom explorer.state import View\n",
}


def house_of(folder: Path, files: dict[str, str]) -> House:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return House(folder)


def test_a_sound_tree_breaks_no_rule(tmp_path):
    house = house_of(tmp_path, SOUND)
    assert {rule.__name__: list(rule(house)) for rule in RULES} == {rule.__name__: [] for rule in RULES}


BROKEN: list[tuple[Callable[[House], Iterator[str]], str, str, str]] = [
    (
        no_folder_imports_one_above_it,
        "tsa/model/up.py",
        "from tsa.stage import show\n",
        "tsa.model.up imports tsa.stage",
    ),
    (
        no_folder_imports_one_above_it,
        "tsa/model/late.py",
        "def f():\n    from tsa.stage import show\n",
        "tsa.model.late imports tsa.stage",
    ),
    (
        no_folder_imports_one_above_it,
        "tsa/learning/side.py",
        "import tsa.recognition\n",
        "tsa.learning.side imports tsa.recognition",
    ),
    (no_folder_imports_one_above_it, "tsa/model/all.py", "import tsa\n", "tsa.model.all imports tsa"),
    (
        no_folder_imports_one_above_it,
        "explorer/state/up.py",
        "import explorer.app\n",
        "explorer.state.up imports explorer.app",
    ),
    (no_folder_imports_one_above_it, "tsa/utils/__init__.py", '"""?"""\n', "tsa.utils has no place in the order"),
    (
        other_folders_are_imported_through_their_init,
        "tsa/recognition/deep.py",
        "from tsa.model.subgroup import Subgroup\n",
        "tsa.recognition.deep imports Subgroup from the module tsa.model.subgroup",
    ),
    (
        other_folders_are_imported_through_their_init,
        "tsa/recognition/deep.py",
        "from tsa.model import subgroup\n",
        "tsa.recognition.deep imports the module tsa.model.subgroup",
    ),
    (
        other_folders_are_imported_through_their_init,
        "tsa/recognition/secret.py",
        "from tsa.model import hidden\n",
        "tsa.recognition.secret imports hidden, which tsa.model does not export",
    ),
    (
        other_folders_are_imported_through_their_init,
        "tsa/model/own.py",
        "from tsa.model import Subgroup\n",
        "tsa.model.own imports its own folder tsa.model instead of a module",
    ),
    (
        private_modules_serve_their_own_folder,
        "tsa/recognition/private.py",
        "from tsa.model._shared import evidence\n",
        "tsa.recognition.private imports tsa.model._shared",
    ),
    (
        drawings_are_imported_by_the_stage_alone,
        "tsa/cli/__init__.py",
        '"""Commands."""\nfrom tsa.stage.draw import dial\n',
        "tsa.cli imports tsa.stage.draw",
    ),
    (
        tsa_knows_neither_the_app_nor_its_libraries,
        "tsa/stage/page.py",
        "import explorer.state\n",
        "tsa.stage.page imports explorer.state",
    ),
    (
        tsa_knows_neither_the_app_nor_its_libraries,
        "tsa/stage/page.py",
        "def f():\n    import plotly.graph_objects\n",
        "tsa.stage.page imports plotly.graph_objects",
    ),
    (
        there_is_no_cycle,
        "tsa/model/_shared.py",
        "from .subgroup import Subgroup\n",
        "tsa.model._shared → tsa.model.subgroup → tsa.model._shared",
    ),
    (
        every_init_says_what_it_exports,
        "tsa/model/__init__.py",
        '"""Models."""\nfrom tsa.model.subgroup import Subgroup\n__all__ = []\n',
        "__all__ of tsa.model does not agree with its names: Subgroup",
    ),
    (
        every_init_says_what_it_exports,
        "tsa/model/__init__.py",
        '"""Models."""\ndef helper(): ...\n__all__ = ["helper", "gone"]\n',
        "__all__ of tsa.model does not agree with its names: gone",
    ),
    (
        every_init_says_what_it_exports,
        "tsa/model/__init__.py",
        '"""Models."""\nfrom tsa.model.subgroup import Subgroup\ndef helper(): ...\n__all__ = ["Subgroup"]\n',
        "__all__ of tsa.model does not agree with its names: helper",
    ),
    (
        every_init_says_what_it_exports,
        "tsa/model/__init__.py",
        '"""One\n\ntwo\nthree."""\n',
        "the docstring of tsa.model has 4 lines",
    ),
    (every_init_says_what_it_exports, "tsa/model/__init__.py", "", "the docstring of tsa.model has 0 lines"),
    (folders_and_files_are_small, "tsa/stage/long.js", "//\n" * 401, "tsa/stage/long.js has 401 lines"),
    (folders_and_files_are_small, "tsa/model/long.py", "#\n" * 401, "tsa/model/long.py has 401 lines"),
]


@pytest.mark.parametrize(("rule", "path", "text", "violation"), BROKEN)
def test_a_broken_rule_is_caught(tmp_path, rule, path, text, violation):
    assert violation in list(rule(house_of(tmp_path, SOUND | {path: text})))


def test_a_crowded_folder_is_caught(tmp_path):
    house = house_of(tmp_path, SOUND | {f"tsa/recognition/m{i}.py": "" for i in range(14)})
    assert list(folders_and_files_are_small(house)) == ["tsa/recognition has 16 entries"]


def imports_of_test_modules(house: House) -> list[str]:
    """Test modules import shared helpers, never each other: a test that moves must not break another."""
    return [
        f"{module.name} imports {target.name}"
        for module, target, _, _ in house.edges()
        if target.name.rpartition(".")[2].startswith(("test_", "conftest"))
    ]


def test_no_test_imports_another_test():
    assert imports_of_test_modules(House(Path(__file__).parents[1], ("tests",))) == []


def test_a_test_that_imports_another_is_caught(tmp_path):
    house_of(
        tmp_path, {"tests/test_a.py": "from tests.test_b import helper\n", "tests/test_b.py": "def helper(): ...\n"}
    )
    assert imports_of_test_modules(House(tmp_path, ("tests",))) == ["tests.test_a imports tests.test_b"]
