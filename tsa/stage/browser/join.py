"""ES modules joined into one script: Streamlit's components and the offline page each take a single text.

Each module becomes a function that is called once and returns its exports, so equal names in two modules do not
collide. It understands the forms that our scripts use, each at the start of a line: `import { a, b as c } from
"./file.js";` and `export` before a function, a class or a constant. Any other import or export is an error.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from tsa._base import TSAError

BROWSER = Path(__file__).parent
_IMPORT = re.compile(r'^import \{([^}]*)\} from "([^"]*)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (default )?((?:async )?function\b ?\*?|class|const) ?(\w*)", re.MULTILINE)
_NOT_UNDERSTOOD = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


class JoinError(TSAError):
    """Modules that cannot be joined: a file or a name is missing, imports form a cycle, a form is not understood."""


def join(entry: Path, roots: Sequence[Path]) -> str:
    """One script from a module and all that it imports; its constant `main` is the default export of `entry`.

    Only files below one of the folders `roots` can be imported, by relative paths.
    """
    joined: dict[Path, str] = {}  # script of each module; imported modules stand before the modules that import them
    entry = entry.resolve()
    _add(entry, [root.resolve() for root in roots], joined, ())
    if "default" not in _exports(entry):
        raise JoinError(f"{entry}: the entry has no default export.")
    return "".join(joined.values()) + f"const main = {_variable(entry, joined)}.default;\n"


def _add(path: Path, roots: Sequence[Path], joined: dict[Path, str], importers: tuple[Path, ...]) -> None:
    """Add a module after the modules it imports; `importers` is the chain of imports that led to it."""
    if path in joined:
        return
    if path in importers:
        cycle = " → ".join(module.name for module in (*importers[importers.index(path) :], path))
        raise JoinError(f"{path}: the imports form a cycle, {cycle}.")
    source = path.read_text(encoding="utf-8")
    for _, target in _IMPORT.findall(source):
        _add(_resolved(path, target, roots), roots, joined, (*importers, path))

    def destructured(found: re.Match[str]) -> str:
        imported = _resolved(path, found[2], roots)
        names = [name.strip() for name in found[1].split(",") if name.strip()]
        missing = {name.split(" as ")[0] for name in names} - _exports(imported).keys()
        if missing:
            raise JoinError(f'{path}: "{found[2]}" does not export {", ".join(sorted(missing))}.')
        return f"const {{ {', '.join(names).replace(' as ', ': ')} }} = {_variable(imported, joined)};"

    body = _EXPORT.sub(lambda found: f"{found[2]} {found[3] or '_default'}", _IMPORT.sub(destructured, source))
    if unknown := _NOT_UNDERSTOOD.search(body):
        raise JoinError(f"{path}: cannot join {unknown[0]!r}.")
    exports = ", ".join(f"{name}: {inside}" for name, inside in _exports(path).items())
    joined[path] = f"const module{len(joined)} = (() => {{\n{body}\nreturn {{ {exports} }};\n}})();\n"


def _exports(path: Path) -> dict[str, str]:
    """Exported name → name inside the module."""
    found = _EXPORT.findall(path.read_text(encoding="utf-8"))
    return {"default" if default else name: name or "_default" for default, _, name in found}


def _variable(path: Path, joined: dict[Path, str]) -> str:
    return f"module{list(joined).index(path)}"


def _resolved(importer: Path, target: str, roots: Sequence[Path]) -> Path:
    path = (importer.parent / target).resolve()
    if not target.startswith("."):
        raise JoinError(f'{importer}: import from "{target}": not a relative path.')
    if not any(path.is_relative_to(root) for root in roots):
        raise JoinError(f'{importer}: import from "{target}": outside {", ".join(map(str, roots))}.')
    if not path.is_file():
        raise JoinError(f'{importer}: import from "{target}": no such file.')
    return path
