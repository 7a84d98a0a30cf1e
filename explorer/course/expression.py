"""Expressions of lessons: arithmetic and comparisons over facts, parsed into a checked tree and never run as Python.

`answers == 4 and off(turn(1), 30) < 2` compares facts about the view on screen. Two forms take an expression of their
own: `at("x=shape.disc", length(27))` has its value in another view, and `count(200, best > 90)` counts in how many of
200 draws of the noise it is true.
"""

import ast
import inspect
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from tsa._base import InputError

MAX_CHARACTERS = 400
MAX_NODES = 150
MAX_DRAWS = 500
_MAX_DEPTH = 20

_BINARY: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
}  # fmt: skip
_COMPARED: Mapping[type, Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq,
    ast.NotEq: operator.ne, ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,
}  # fmt: skip
_FUNCTIONS: Mapping[str, Callable[..., float]] = {
    "abs": abs, "min": min, "max": max, "sqrt": lambda a: float(max(a, 0.0) ** 0.5),
    "off": lambda a, b: abs((a - b + 180) % 360 - 180),
}  # fmt: skip
_ARGUMENTS = {"abs": (1, 1), "min": (2, 9), "max": (2, 9), "sqrt": (1, 1), "off": (2, 2)}


class LessonError(InputError):
    """A lesson that cannot be used."""


class Facts(Protocol):
    """What can be said of a view: each public property is a name, each public method a function of numbers."""

    def other(self, link: str) -> "Facts":
        """The facts of the view that differs from this one by the parameters of a link."""

    def drawn(self, number: int) -> "Facts":
        """The facts of the same view with the noise drawn anew, for the draws 0, 1, 2, …"""


_FORMS = ("at", "count")  # they take an expression
_RESERVED = frozenset({"other", "drawn", "scene"})


def fact_names(kind: type) -> dict[str, str]:
    """The facts of a class, name → what it is, functions with their arguments."""
    found = {}
    for name in dir(kind):
        value = inspect.getattr_static(kind, name)
        if name.startswith("_") or name in _RESERVED or not (callable(value) or hasattr(value, "__get__")):
            continue
        if callable(value):
            name += "(" + ", ".join(list(inspect.signature(value).parameters)[1:]) + ")"
        found[name] = (inspect.getdoc(value) or "").splitlines()[0]
    return found


@dataclass(frozen=True)
class Expression:
    """A text that was checked against the facts of one kind of view."""

    text: str
    tree: ast.expr

    def value(self, facts: Facts) -> Any:
        """Its value for these facts."""
        try:
            return _value(self.tree, facts)
        except (TypeError, ValueError, ZeroDivisionError, IndexError, OverflowError, InputError) as error:
            raise LessonError(f"The expression “{self.text}” has no value here: {error}.".replace("..", ".")) from error

    def holds(self, facts: Facts) -> bool:
        """Whether it is true for these facts."""
        found = self.value(facts)
        if not isinstance(found, bool):
            found_is = type(found).__name__
            raise LessonError(f"A check is true or false; “{self.text}” is a {found_is}. Compare it with something.")
        return found


def parse(text: object, kind: type, cheap: bool = True, check_link: Callable[[str], None] | None = None) -> Expression:
    """The expression that a text means, with the facts of this class; `cheap` ones draw no noise.

    `check_link` raises an error for a link of `at` that cannot be used.
    """
    if not isinstance(text, str) or len(text) > MAX_CHARACTERS:
        raise LessonError(f"An expression is a text of at most {MAX_CHARACTERS} characters.")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise LessonError(f"The expression “{text}” cannot be read.") from None
    if sum(1 for _ in ast.walk(tree)) > MAX_NODES:
        raise LessonError(f"The expression “{text[:60]} …” is too long.")
    _check(tree, text, kind, cheap, check_link or (lambda link: None), 0)
    return Expression(text.strip(), tree)


def _check(node: ast.expr, text: str, kind: type, cheap: bool, check_link: Callable[[str], None], depth: int) -> None:
    def within(*nodes: ast.expr) -> None:
        for one in nodes:
            _check(one, text, kind, cheap, check_link, depth + 1)

    trouble = ""
    if depth > _MAX_DEPTH:
        trouble = "is nested too deeply"
    elif isinstance(node, ast.Constant):
        if type(node.value) not in (int, float, str, bool):
            trouble = f"contains {node.value!r}"
    elif isinstance(node, ast.Name):
        if not _is_fact(kind, node.id, called=False):
            trouble = f"uses “{node.id}”, which is no fact of this page"
    elif isinstance(node, ast.BoolOp):
        within(*node.values)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Not):
        within(node.operand)
    elif isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        within(node.left, node.right)
    elif isinstance(node, ast.Compare) and all(type(op) in _COMPARED for op in node.ops):
        within(node.left, *node.comparators)
    elif isinstance(node, ast.Tuple):
        within(*node.elts)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        trouble = _trouble_of_call(node.func.id, node.args, kind, cheap, check_link)
        within(*(node.args[1:] if node.func.id in _FORMS else node.args))
    else:
        trouble = "has a part that expressions do not have"
    if trouble:
        raise LessonError(f"The expression “{text}” {trouble}.")


def _trouble_of_call(
    name: str, arguments: list[ast.expr], kind: type, cheap: bool, check_link: Callable[[str], None]
) -> str:
    count = len(arguments)
    if name in _FORMS:
        first = arguments[0].value if arguments and isinstance(arguments[0], ast.Constant) else None
        if count != 2 or type(first) is not (str if name == "at" else int):
            return f"has a wrong “{name}”: it takes a {'link' if name == 'at' else 'number'} and an expression"
        if name == "at":
            check_link(str(first))
        elif cheap:
            return "draws noise many times, which takes too long in a check"
        elif not isinstance(first, int) or not 0 < first <= MAX_DRAWS:
            return f"draws more than {MAX_DRAWS} times"
        return ""
    if name in _FUNCTIONS:
        low, high = _ARGUMENTS[name]
    elif _is_fact(kind, name, called=True):
        low = high = len(inspect.signature(inspect.getattr_static(kind, name)).parameters) - 1
    else:
        return f"uses “{name}(…)”, which is no fact of this page"
    return "" if low <= count <= high else f"gives {count} arguments to “{name}”"


def _is_fact(kind: type, name: str, called: bool) -> bool:
    if name.startswith("_") or name in _RESERVED:
        return False
    value = inspect.getattr_static(kind, name, None)
    return value is not None and callable(value) == called


def _value(node: ast.expr, facts: Facts) -> Any:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return getattr(facts, name)
        case ast.Tuple(elts=parts):
            return tuple(_value(one, facts) for one in parts)
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return not _value(inner, facts)
        case ast.UnaryOp(operand=inner):
            return -_value(inner, facts)
        case ast.BinOp(left=left, op=op, right=right):
            return _BINARY[type(op)](_value(left, facts), _value(right, facts))
        case ast.BoolOp(op=ast.And(), values=parts):
            return all(_value(one, facts) for one in parts)
        case ast.BoolOp(values=parts):
            return any(_value(one, facts) for one in parts)
        case ast.Compare(left=left, ops=ops, comparators=rights):
            values = [_value(left, facts), *(_value(one, facts) for one in rights)]
            return all(bool(_COMPARED[type(op)](a, b)) for op, a, b in zip(ops, values[:-1], values[1:], strict=True))
        case ast.Call(func=ast.Name(id="at"), args=[ast.Constant(value=link), inner]):
            return _value(inner, facts.other(str(link)))
        case ast.Call(func=ast.Name(id="count"), args=[ast.Constant(value=int(number)), inner]):
            return sum(bool(_value(inner, facts.drawn(i))) for i in range(number))
        case ast.Call(func=ast.Name(id=name), args=arguments):
            values = [_value(one, facts) for one in arguments]
            return _FUNCTIONS[name](*values) if name in _FUNCTIONS else getattr(facts, name)(*values)
    raise LessonError("This expression was not checked.")
