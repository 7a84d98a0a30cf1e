"""Damaged folders of lessons are read, or refused in one sentence; `TSA_FUZZ=10000` tries so many."""

import random
import re
import shutil
import time
import tracemalloc

import pytest

from explorer.course import COURSE, LessonError, read_lesson, to_html
from tests.shared.mutations import TIMES, mutate

LESSONS = sorted(path.parent.name for path in COURSE.glob("*/lesson.toml"))
ODD = [
    b'"<script>alert(1)</script>"', b'"<img src=x onerror=alert(1)>"', b"9" * 400, b"-1", b"[]", b"{}", b"1e400",
    b"nan", b'"' + b"x" * 5000 + b'"', b"[[[[]]]]", b"1979-05-27T07:32:00Z", b"true", b'"x=shape.banana"',
    b'"../../etc/passwd"', b'"count(400, best > 3)"', b'"((((((((((((((((1"', b'"1" * 9', b'"angle.__class__"',
    b'"{0.__class__}"', b'"{:9999999}"',
]  # fmt: skip


def damaged(rng, text):
    """A lesson with bytes changed, or with values exchanged for odd ones, or both."""
    if rng.random() < 0.6:
        lines = text.split(b"\n")
        for _ in range(rng.randrange(1, 4)):
            i = rng.randrange(len(lines))
            name, equals, _ = lines[i].partition(b"=")
            kind = rng.randrange(4)
            if kind == 0 and equals:
                lines[i] = name + equals + b" " + rng.choice(ODD)
            elif kind == 1:
                del lines[i]
            elif kind == 2:
                lines.insert(i, rng.choice(lines))
            else:
                lines[i] = lines[i].replace(b'"', b'"<b onclick=x>', 1)
            if not lines:
                break
        text = b"\n".join(lines)
    return mutate(rng, text) if rng.random() < 0.6 else text


@pytest.mark.fuzz
@pytest.mark.parametrize("part", range(4))
def test_damaged_lessons_are_refused_in_one_sentence(part, tmp_path):
    rng, read, sentences, slowest = random.Random(part), 0, set(), 0.0
    tracemalloc.start()
    for _ in range(max(60, TIMES // 4)):
        source = COURSE / rng.choice(LESSONS)
        folder = tmp_path / "mine"
        shutil.copytree(source, folder)
        file = folder / "lesson.toml"
        file.write_bytes(damaged(rng, file.read_bytes()))
        for picture in folder.glob("*.png"):
            if rng.random() < 0.2:
                picture.write_bytes(mutate(rng, picture.read_bytes()))
        start = time.perf_counter()
        try:
            lesson = read_lesson(folder)
        except LessonError as error:
            sentences.add(str(error))
        else:
            read += 1
            for step in lesson.steps:
                assert tags(to_html(step.text)) <= {"p", "strong", "em", "code", "ul", "ol", "li", "br"}
        slowest = max(slowest, time.perf_counter() - start)
        shutil.rmtree(folder)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert read
    assert len(sentences) > 10
    assert all("\n" not in sentence and len(sentence) < 600 for sentence in sentences)
    assert slowest < 2
    assert peak < 200 * 2**20


def tags(html):
    return set(re.findall(r"<([a-z0-9]+)", html))
