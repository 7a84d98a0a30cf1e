"""The reference: every public name of `tsa`, with its signature, docstring, example and errors."""

import ast
import functools
import html
import inspect
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import tsa
from explorer.docs.markup import Names, docstring_html
from explorer.docs.signature import signature_of

# Title of a page and the folders of `tsa` whose public names it explains, in the order of the data flow.
CHAPTERS = {
    "models": ("Models", "tsa.model"),
    "densities": ("Densities", "tsa.density"),
    "groups": ("Group actions", "tsa.groups"),
    "learning": ("Learning and discovery", "tsa.learning"),
    "analysis": ("Weights, irreducibility, comparison", "tsa.analysis"),
    "registration": ("Two noisy pictures", "tsa.registration"),
    "recognition": ("Distances, neighbours, invariants", "tsa.recognition"),
    "pictures": ("Pictures and data", "tsa.pictures"),
    "files": ("Model files and filters", "tsa.files"),
    "stage": ("Notebook and pages", "tsa.stage"),
    "errors": ("Errors", "tsa._base"),
}
_MAX_DEPTH = 6  # calls that are followed from a public function to the errors it can raise


@dataclass(frozen=True)
class Entry:
    """A public name: `tsa.load`, `tsa.Subgroup`, or `tsa.groups.CyclicShift`; without the leading `tsa.` as `name`."""

    name: str
    thing: Any

    @property
    def summary(self) -> str:
        """The first sentence of the docstring, on one line."""
        first = (inspect.getdoc(self.thing) or "").split("\n\n")[0]
        return " ".join(first.split())

    def members(self) -> Iterator[tuple[str, Any]]:
        """Public methods and properties, those of base classes in `tsa` too, in the order of their definition."""
        seen = set()
        bases = [base for base in self.thing.__mro__ if base.__module__.startswith("tsa")]
        for base in bases:
            for name, value in vars(base).items():
                made = value.__func__ if isinstance(value, classmethod | staticmethod) else value
                described = inspect.isfunction(made) or isinstance(value, property | functools.cached_property)
                if not name.startswith("_") and name not in seen and described and inspect.getdoc(made):
                    seen.add(name)
                    yield name, made


@functools.cache
def entries() -> dict[str, tuple[Entry, ...]]:
    """The public names of each chapter, sorted as people look for them."""
    chapters: dict[str, list[Entry]] = {chapter: [] for chapter in CHAPTERS}
    for name in tsa.__all__:
        thing = getattr(tsa, name)
        if isinstance(thing, ModuleType):
            own = getattr(thing, "__all__", None) or [n for n, v in vars(thing).items() if _defined_in(thing, n, v)]
            found = [Entry(f"{name}.{part}", getattr(thing, part)) for part in own]
        else:
            found = [Entry(name, thing)]
        for entry in found:
            if callable(entry.thing) and inspect.getdoc(entry.thing):
                chapters[_chapter(getattr(thing, "__module__", getattr(thing, "__name__", "")))].append(entry)
    return {chapter: tuple(sorted(found, key=lambda e: e.name.lower())) for chapter, found in chapters.items()}


@functools.cache
def addresses() -> dict[str, str]:
    """Where each public name and each of its methods stands on the site."""
    places = {}
    for chapter, found in entries().items():
        for entry in found:
            places[entry.name] = f"{chapter}.html#{entry.name}"
            for name, _ in entry.members() if inspect.isclass(entry.thing) else ():
                places[f"{entry.name}.{name}"] = f"{chapter}.html#{entry.name}.{name}"
    return places


def chapter_html(chapter: str) -> str:
    """The page of a chapter."""
    title, folder = CHAPTERS[chapter]
    about = docstring_html(inspect.getdoc(__import__(folder, fromlist=["_"])) or "", Names(addresses()))
    return f"<h1>{html.escape(title)}</h1>\n{about}" + "".join(map(_entry_html, entries()[chapter]))


def index_html() -> str:
    """All public names with a line each, by chapter."""
    parts = ["<h1>Reference</h1>", docstring_html(inspect.getdoc(tsa) or "", Names(addresses()))]
    for chapter, (title, _) in CHAPTERS.items():
        rows = "".join(
            f'<tr><td><a href="{chapter}.html#{entry.name}"><code>{entry.name}</code></a></td>'
            f"<td>{_inline(entry.summary)}</td></tr>"
            for entry in entries()[chapter]
        )
        parts.append(f'<h2 id="{chapter}">{html.escape(title)}</h2><table class="names">{rows}</table>')
    return "\n".join(parts)


def _entry_html(entry: Entry) -> str:
    thing, names = entry.thing, Names(addresses(), entry.name)
    parts = [f'<section class="entry"><h2 id="{entry.name}">{entry.name}</h2>', _signature(f"tsa.{entry.name}", thing)]
    parts.append(docstring_html(inspect.getdoc(thing) or "", names))
    parts.append(_raised(thing))
    for name, member in entry.members() if inspect.isclass(thing) else ():
        full = f"{entry.name}.{name}"
        parts.append(f'<section class="member"><h3 id="{full}">.{name}</h3>')
        parts.append(_signature(f".{name}", member) if inspect.isfunction(member) else "")
        parts.append(docstring_html(inspect.getdoc(member) or "", names))
        parts.append(_raised(member) + "</section>")
    return "".join(parts) + "</section>\n"


def _inline(text: str) -> str:
    return docstring_html(text, Names(addresses())).strip().removeprefix("<p>").removesuffix("</p>")


def _signature(name: str, thing: Any) -> str:
    parts, returned = signature_of(thing)
    whole = f"{name}({', '.join(parts)}){returned}"
    if len(whole) > 90 and parts:
        whole = f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + f"){returned}"
    return f'<pre class="signature" tabindex="0"><code>{html.escape(whole)}</code></pre>'


def _raised(thing: Any) -> str:
    found = sorted(errors_of(thing))
    if not found:
        return ""
    links = ", ".join(f'<a href="errors.html#{name}"><code>{name}</code></a>' for name in found)
    return f'<p class="raises">Raises {links}</p>'


def errors_of(thing: Any) -> frozenset[str]:
    """The errors of this package that its own code, or a function it calls by name, raises."""
    if inspect.isclass(thing):
        parts = (vars(thing).get(name) for name in ("__init__", "__post_init__"))
        return frozenset().union(*(_errors(part, 0) for part in parts if inspect.isfunction(part)))
    if isinstance(thing, property):
        thing = thing.fget
    if isinstance(thing, functools.cached_property):
        thing = thing.func
    return _errors(thing, 0)


@functools.cache
def _errors(function: Callable[..., Any], depth: int) -> frozenset[str]:
    function = inspect.unwrap(function)
    ours = inspect.isfunction(function) and function.__module__.startswith("tsa")
    if depth > _MAX_DEPTH or not ours or function.__code__.co_filename == "<string>":  # made by dataclass
        return frozenset()
    found: set[str] = set()
    for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function)))):
        named = node.func if isinstance(node, ast.Call) else None
        thing = _resolved(named, function.__globals__)
        if inspect.isclass(thing) and issubclass(thing, tsa.TSAError):
            found.add(next(base.__name__ for base in thing.__mro__ if base.__name__ in tsa.__all__))
        elif inspect.isclass(thing) and thing.__module__.startswith("tsa"):
            for name in ("__init__", "__post_init__"):
                if inspect.isfunction(part := vars(thing).get(name)):
                    found |= _errors(part, depth + 1)
        elif inspect.isfunction(thing):
            found |= _errors(thing, depth + 1)
    return frozenset(found)


def _resolved(node: ast.expr | None, names: dict[str, Any]) -> Any:
    """What a name, or a name in a module, means; None if it is anything else."""
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.Attribute):
        owner = _resolved(node.value, names)
        return getattr(owner, node.attr, None) if isinstance(owner, ModuleType) else None
    return None


def _chapter(module: str) -> str:
    return next(name for name, (_, folder) in CHAPTERS.items() if f"{module}.".startswith(f"{folder}."))


def _defined_in(module: ModuleType, name: str, value: Any) -> bool:
    return not name.startswith("_") and getattr(value, "__module__", "") == module.__name__ and callable(value)
