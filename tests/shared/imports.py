"""The import graph of packages, read with `ast`: nothing is imported."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path


@dataclass(frozen=True)
class Module:
    """One Python file. `name` is dotted; a folder's `__init__.py` has the name of the folder."""

    name: str
    path: Path

    @property
    def is_folder(self) -> bool:
        return self.path.name == "__init__.py"

    @property
    def folder(self) -> str:
        return self.name if self.is_folder else self.name.rpartition(".")[0]

    @property
    def unit(self) -> str:
        return ".".join(self.name.split(".")[:2])

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.path.read_text(encoding="utf-8"))

    @cached_property
    def imports(self) -> list[tuple[str, str | None]]:
        """Every import statement of the file, at any depth: `import a.b` is (a.b, None), `from a import b` (a, b)."""
        found: list[tuple[str, str | None]] = []
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                found += [(alias.name, None) for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                folders = self.folder.split(".")
                parents = folders[: len(folders) + 1 - node.level] if node.level else []
                base = ".".join([*parents, node.module or ""]).strip(".")
                found += [(base, alias.name) for alias in node.names]
        return found

    @cached_property
    def definitions(self) -> set[str]:
        """The public names of functions, classes and values that the file makes itself."""
        found = set[str]()
        for node in self.tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                found.add(node.name)
            elif isinstance(node, ast.Assign):
                found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        return {name for name in found if not name.startswith("_")}

    @cached_property
    def names(self) -> set[str]:
        """The public names a file defines, or imports from its own folder."""
        imports = [
            node
            for node in self.tree.body
            if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith(f"{self.name}.")
        ]
        found = {alias.asname or alias.name for node in imports for alias in node.names}
        return self.definitions | {name for name in found if not name.startswith("_")}

    @property
    def stands_alone(self) -> bool:
        """Whether an `__init__.py` is the only Python file of its folder: a module with other files beside it."""
        return len(list(self.path.parent.glob("*.py"))) == 1

    @cached_property
    def exports(self) -> set[str]:
        """The strings of `__all__`; all public names of a file that stands alone and has none."""
        for node in self.tree.body:
            if isinstance(node, ast.Assign) and any(
                isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets
            ):
                return set(ast.literal_eval(node.value))
        return self.names if self.stands_alone else set()


class House:
    """The Python modules of the packages below `root`, by dotted name."""

    def __init__(self, root: Path, packages: tuple[str, ...] = ("tsa", "explorer")) -> None:
        self.root, self.packages, self.modules = root, packages, dict[str, Module]()
        for path in sorted(path for package in packages for path in (root / package).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            self.modules[name] = Module(name, path)

    def target(self, base: str, name: str | None) -> Module | None:
        """The module of ours that an import reads: the submodule, if `name` is one and not a name defined inside it."""
        folder = self.modules.get(base)
        if folder and any(inner == name and source != base for source, inner in folder.imports):
            return folder
        return self.modules.get(f"{base}.{name}") or folder

    def edges(self) -> Iterator[tuple[Module, Module, str, str | None]]:
        """(importer, imported, base, name) for every import between our modules."""
        for module in self.modules.values():
            for base, name in module.imports:
                if base.partition(".")[0] not in self.packages:
                    continue
                target = self.target(base, name)
                assert target is not None, f"{module.name} imports {base}, which does not exist"
                yield module, target, base, name
