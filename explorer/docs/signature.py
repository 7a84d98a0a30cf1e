"""Signatures as they stand in the source: `ArrayLike` stays one word, which it is not to `inspect.signature`."""

import ast
import dataclasses
import inspect
import textwrap
from typing import Any


def signature_of(thing: Any) -> tuple[list[str], str]:
    """The parameters of a function or class, without self, and ` -> …`; types and defaults as they were written."""
    if not inspect.isclass(thing):
        return _function(inspect.unwrap(thing))
    own = vars(thing).get("__init__")
    if inspect.isfunction(own) and own.__code__.co_filename != "<string>":
        return _function(own)[0], ""
    fields = thing._fields if hasattr(thing, "_fields") else _fields(thing)
    written = _written(thing)
    return [written[name] for name in fields if name in written], ""


def _function(function: Any) -> tuple[list[str], str]:
    node = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(node, ast.FunctionDef)
    every = [*node.args.posonlyargs, *node.args.args]
    defaults = [None] * (len(every) - len(node.args.defaults)) + list(node.args.defaults)
    parts = [_parameter(a, d) for a, d in zip(every, defaults, strict=True) if a.arg not in ("self", "cls")]
    if node.args.vararg:
        parts.append(f"*{_parameter(node.args.vararg)}")
    elif node.args.kwonlyargs:
        parts.append("*")
    parts += [_parameter(a, d) for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)]
    if node.args.kwarg:
        parts.append(f"**{_parameter(node.args.kwarg)}")
    return parts, f" -> {_plain(node.returns)}" if node.returns else ""


def _parameter(argument: ast.arg, default: ast.expr | None = None) -> str:
    kind = f": {_plain(argument.annotation)}" if argument.annotation else ""
    return f"{argument.arg}{kind}" + (f" = {ast.unparse(default)}" if default else "")


def _plain(annotation: ast.expr) -> str:
    return ast.unparse(annotation).strip("'")


def _fields(thing: Any) -> list[str]:
    return [field.name for field in dataclasses.fields(thing) if field.init] if dataclasses.is_dataclass(thing) else []


def _written(thing: Any) -> dict[str, str]:
    """The fields of a class and of those it is made from, as they were written."""
    found: dict[str, str] = {}
    for base in reversed([base for base in thing.__mro__ if base.__module__.startswith("tsa")]):
        node = ast.parse(textwrap.dedent(inspect.getsource(base))).body[0]
        assert isinstance(node, ast.ClassDef)
        for line in node.body:
            if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
                default = f" = {ast.unparse(line.value)}" if line.value else ""
                found[line.target.id] = f"{line.target.id}: {_plain(line.annotation)}{default}"
    return found
