"""Reads the folder of a lesson: `lesson.toml` and pictures. The folder is not trusted.

Sizes are checked before anything is read, and what is not understood is refused with one sentence.
"""

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

import numpy as np
from PIL import Image

from explorer.course.expression import MAX_CHARACTERS, LessonError, parse
from explorer.course.facts import FACTS, TRAINING, HiddenPairs
from explorer.course.lesson import Choice, Claim, Lesson, Step, Term, Trial
from explorer.course.text import checked_text
from explorer.state import (
    CONTROLS,
    LESSON_STEPS,
    PHOTO_PIXELS,
    Pixels,
    ViewState,
    decode_link,
    encode_link,
    unreadable,
)
from tsa.pictures import PictureError, open_picture

_MAX_FILES = 16
_MAX_LESSON_BYTES = 64 * 1024
_MAX_PICTURE_BYTES = 512 * 1024
_MAX_PICTURES = 8
_MAX_TEXT = 2000  # characters of a step
_MAX_LINE = 400  # of a title, a choice, a reply, a meaning
_MAX_ITEMS = 20  # claims, terms, trials
_NAME = re.compile(r"[a-z][a-z0-9-]{0,39}")
_PICTURE_NAME = re.compile(r"[a-z][a-z0-9-]{0,39}\.png")
_KEYS = {
    "lesson": {"title", "idea", "page", "minutes", "terms", *LESSON_STEPS, "claims", "trials", "next", "pairs"},
    "step": {"text", "open", "controls"},
    "predict": {"text", "open", "controls", "choices"},
    "question": {"text", "open", "controls", "check", "right", "hint"},
    "choice": {"text", "reply", "right"},
    "term": {"name", "meaning", "step"},
    "claim": {"text", "values", "open"},
    "trials": {"pass", "fail"},
    "pairs": {"turns", "count", "noise", "seed"},
}


def read_lesson(folder: str | os.PathLike[str]) -> Lesson:
    """The lesson in a folder; a `LessonError` says in one sentence why there is none."""
    folder = Path(folder)
    try:
        return _read(folder)
    except LessonError as error:
        raise LessonError(f"{folder.name}: {_one_line(str(error))}") from error
    except (OSError, UnicodeError) as error:
        raise LessonError(f"{folder.name}: a file cannot be read ({type(error).__name__}).") from error


def _one_line(sentence: str) -> str:
    """A sentence that quotes what a lesson holds, without its line breaks, and not too long."""
    text = " ".join("".join(c if c.isprintable() else " " for c in sentence).split())
    return text if len(text) <= _MAX_LINE else f"{text[:_MAX_LINE]} …"


def read_course(folder: str | os.PathLike[str]) -> list[Lesson]:
    """The lessons in the folders of a folder, in the order of `course.toml`, or by name without that file."""
    folder = Path(folder)
    listed = folder / "course.toml"
    if listed.is_file():
        order = _toml(listed).get("lessons")
        if not isinstance(order, list) or not all(isinstance(one, str) and _NAME.fullmatch(one) for one in order):
            raise LessonError("course.toml lists the names of lessons: lessons = ['first', 'second'].")
        if len(order) > 100:
            raise LessonError("course.toml lists more than 100 lessons.")
        return [read_lesson(folder / name) for name in order]
    if not folder.is_dir():
        raise LessonError(f"{folder.name} is not a folder.")
    return [read_lesson(one) for one in sorted(folder.iterdir())[:100] if (one / "lesson.toml").is_file()]


def _read(folder: Path) -> Lesson:
    if not _NAME.fullmatch(folder.name):
        raise LessonError("the name of a lesson's folder has lower-case letters, digits and hyphens only.")
    pictures = _pictures(folder)
    data = _toml(folder / "lesson.toml")
    _known(data, "lesson", "the lesson")
    page = data.get("page", "lab")
    if not isinstance(page, str) or page not in FACTS:  # a list has no place among the keys of a dictionary
        raise LessonError(f"there is no page {page!r} for lessons; there are {', '.join(FACTS)}.")
    terms = tuple(_term(one) for one in _list(data, "terms"))
    steps: list[Step] = []
    for name in LESSON_STEPS:
        steps.append(_step(_table(data, name), name, page, pictures, steps))
    question = data["question"]
    check = parse(question.get("check"), FACTS[page], True, lambda link: _check_link(link, page, pictures))
    choices = tuple(_choice(one) for one in _list(data["predict"], "choices"))
    if len(choices) < 2 or sum(one.right for one in choices) != 1:
        raise LessonError("predict needs two choices or more, of which one is right.")
    trials = _table(data, "trials")
    _known(trials, "trials", "trials")
    lesson = Lesson(
        folder.name,
        checked_text(data.get("title"), "title", 90),
        checked_text(data.get("idea"), "idea", _MAX_LINE),
        page,
        _whole(data.get("minutes", 6), "minutes", 1, 90),
        tuple(steps),
        choices,
        terms,
        check,
        checked_text(question.get("right"), "question.right", _MAX_LINE),
        checked_text(question.get("hint"), "question.hint", _MAX_LINE),
        tuple(_claim(one, page, pictures, steps[0]) for one in _list(data, "claims")),
        tuple(
            Trial(_filled(link, page, pictures), kind == "pass")
            for kind in ("pass", "fail")
            for link in _list(trials, kind)
        ),
        checked_text(data["next"], "next", _MAX_LINE) if "next" in data else "",
        _pairs(data["pairs"]) if "pairs" in data else None,
        pictures,
    )
    kinds = [trial.passes for trial in lesson.trials]
    if kinds.count(True) < 1 or kinds.count(False) < 2:
        raise LessonError("trials needs one answer or more that passes, and two or more that fail.")
    return lesson


def _toml(path: Path) -> dict[str, Any]:
    if path.is_symlink() or not path.is_file():
        raise LessonError(f"the file {path.name} is missing.")
    if path.stat().st_size > _MAX_LESSON_BYTES:
        raise LessonError(f"{path.name} is larger than {_MAX_LESSON_BYTES >> 10} kB.")
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise LessonError(f"{path.name} is not TOML: {error}.") from None


def _pictures(folder: Path) -> dict[str, str]:
    """The pictures of a lesson: name → source in a link. Sizes are checked before a file is read."""
    if folder.is_symlink() or not folder.is_dir():
        raise LessonError("there is no such folder.")
    found: dict[str, str] = {}
    files = sorted(folder.iterdir())[: _MAX_FILES + 1]
    if len(files) > _MAX_FILES:
        raise LessonError(f"the folder has more than {_MAX_FILES} files.")
    for path in files:
        if path.name == "lesson.toml":
            continue
        if path.is_symlink() or not path.is_file() or not _PICTURE_NAME.fullmatch(path.name):
            raise LessonError(f"a lesson has lesson.toml and pictures name.png; {path.name[:60]!r} is neither.")
        if path.stat().st_size > _MAX_PICTURE_BYTES:
            size = path.stat().st_size / 2**20
            limit = _MAX_PICTURE_BYTES >> 10
            raise LessonError(f"the picture {path.name} has {size:.1f} MB; pictures up to {limit} kB are read.")
        if len(found) == _MAX_PICTURES:
            raise LessonError(f"the folder has more than {_MAX_PICTURES} pictures.")
        found[path.stem] = _source(path)
    return found


def _source(path: Path) -> str:
    try:
        grey = open_picture(path.read_bytes())
    except PictureError as error:
        raise LessonError(f"the picture {path.name} cannot be used: {error}") from error
    if grey.shape[0] != grey.shape[1]:
        raise LessonError(f"the picture {path.name} is not square.")
    small = Image.fromarray(grey.astype(np.float32)).resize((PHOTO_PIXELS, PHOTO_PIXELS), Image.Resampling.BOX)
    pixels = Pixels.of(np.clip(np.asarray(small, np.float64), 0, 1), photo=True)
    return encode_link(ViewState(x=pixels))["x"]


def _known(table: Mapping[str, Any], kind: str, where: str) -> None:
    unknown = sorted(set(table) - _KEYS[kind])
    if unknown:
        raise LessonError(f"{where} has no field {unknown[0][:40]!r}; fields are {', '.join(sorted(_KEYS[kind]))}.")


def _table(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = data.get(name)
    if not isinstance(value, dict):
        raise LessonError(f"the table [{name}] is missing.")
    return value


def _list(data: Mapping[str, Any], name: str) -> Sequence[Any]:
    value = data.get(name, [])
    if not isinstance(value, list) or len(value) > _MAX_ITEMS:
        raise LessonError(f"{name} is a list of at most {_MAX_ITEMS} items.")
    return value


def _whole(value: object, what: str, least: int, most: int) -> int:
    if type(value) is not int or not least <= value <= most:
        raise LessonError(f"{what} is a whole number from {least} to {most}.")
    return value


def _step(table: Mapping[str, Any], name: str, page: str, pictures: Mapping[str, str], before: Sequence[Step]) -> Step:
    _known(table, name if name in _KEYS else "step", f"[{name}]")
    text = checked_text(table.get("text"), f"{name}.text", _MAX_TEXT)
    controls = table.get("controls", [])
    if not isinstance(controls, list) or not all(isinstance(one, str) and one in CONTROLS for one in controls):
        raise LessonError(f"{name}.controls lists some of {', '.join(CONTROLS)}.")
    if "open" in table:
        link = _filled(table["open"], page, pictures)
    elif before:
        link = before[-1].link.replace("&predict=1", "").replace("predict=1", "")
    else:
        raise LessonError(f"[{name}] needs a view to open with: open = 'x=shape.F'.")
    return Step(text, link, decode_link(dict(parse_qsl(link))), frozenset(controls))


def _filled(link: object, page: str, pictures: Mapping[str, str]) -> str:
    """The query string of a link, checked, with `picture.name` replaced by that picture."""
    if not isinstance(link, str) or len(link) > MAX_CHARACTERS:
        raise LessonError(f"a link is a text of at most {MAX_CHARACTERS} characters.")
    before, found, query = link.rpartition("?")
    if found and before.strip("/") != page:
        raise LessonError(f"the link “{link[:60]}” opens another page than {page}.")
    try:
        parameters = dict(parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query)))
    except ValueError:
        raise LessonError(f"the link “{link[:60]}” cannot be read.") from None
    for name in ("x", "y"):
        kind, _, picture = parameters.get(name, "").partition(".")
        if kind == "picture":
            if picture not in pictures:
                raise LessonError(f"the link “{link[:60]}” names the picture {picture[:40]}.png, which is missing.")
            parameters[name] = pictures[picture]
    settings = {name: value for name, value in parameters.items() if not (page == "train" and name in TRAINING)}
    if wrong := unreadable(settings):
        raise LessonError(f"the link “{link[:60]}” has a view that does not exist: {wrong[0][:40]}.")
    return urlencode(parameters)


def _check_link(link: str, page: str, pictures: Mapping[str, str]) -> None:
    _filled(link, page, pictures)


def _choice(table: object) -> Choice:
    if not isinstance(table, dict):
        raise LessonError("a choice has text, reply and, if it is the right one, right = true.")
    _known(table, "choice", "a choice")
    right = table.get("right", False)
    if not isinstance(right, bool):
        raise LessonError("right of a choice is true or false.")
    text = checked_text(table.get("text"), "the text of a choice", _MAX_LINE)
    return Choice(text, checked_text(table.get("reply"), "the reply to a choice", _MAX_LINE), right)


def _term(table: object) -> Term:
    if not isinstance(table, dict):
        raise LessonError("a term has a name and a meaning.")
    _known(table, "term", "a term")
    step = table.get("step", LESSON_STEPS[0])
    if step not in LESSON_STEPS:
        raise LessonError(f"the step of a term is one of {', '.join(LESSON_STEPS)}.")
    name = checked_text(table.get("name"), "the name of a term", 60)
    meaning = checked_text(table.get("meaning"), f"the meaning of {name}", _MAX_LINE)
    return Term(name, meaning, LESSON_STEPS.index(step) + 1)


def _claim(table: object, page: str, pictures: Mapping[str, str], first: Step) -> Claim:
    if not isinstance(table, dict):
        raise LessonError("a claim has a text and values.")
    _known(table, "claim", "a claim")
    text = checked_text(table.get("text"), "the text of a claim", _MAX_LINE)
    link = _filled(table["open"], page, pictures) if "open" in table else first.link
    values = [
        parse(one, FACTS[page], False, lambda link: _check_link(link, page, pictures)) for one in _list(table, "values")
    ]
    if len(values) != len(_fields(text)):
        raise LessonError(f"the claim “{text[:60]}” has {len(_fields(text))} places for {len(values)} values.")
    return Claim(text, tuple(values), decode_link(dict(parse_qsl(link))))


def _fields(template: str) -> list[str]:
    """The places of a template: {} or {:.2f}; nothing else may stand in braces."""
    places = re.findall(r"\{(:[,.\d]*[fd%]?)?\}", template)
    if template.count("{") != len(places) or template.count("}") != len(places):
        raise LessonError(f"the claim “{template[:60]}” has braces that are no place for a value.")
    return places


def _pairs(table: object) -> HiddenPairs:
    if not isinstance(table, dict):
        raise LessonError("pairs has turns, count, noise and seed.")
    _known(table, "pairs", "pairs")
    turns, noise = table.get("turns"), table.get("noise", 0.1)
    if not isinstance(turns, list) or len(turns) != 2:
        raise LessonError("pairs.turns are two whole numbers.")
    if not isinstance(noise, int | float) or not 0 <= noise <= 1:
        raise LessonError("pairs.noise is a number from 0 to 1.")
    first, second = (_whole(one, "a number of pairs.turns", 1, 7) for one in turns)
    size = _whole(table.get("count", 5000), "pairs.count", 100, 5000)
    return HiddenPairs((first, second), size, float(noise), _whole(table.get("seed", 0), "pairs.seed", 0, 2**31 - 1))
