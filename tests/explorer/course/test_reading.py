"""Folders of lessons are not trusted: each kind of defect is refused with one sentence, and nothing else happens."""

import shutil

import numpy as np
import pytest
from PIL import Image

from explorer.__main__ import main
from explorer.course import COURSE, LessonError, examine, read_course, read_lesson, to_html

TOML = "lesson.toml"


@pytest.fixture
def folder(tmp_path):
    """A lesson that is right, to be broken; with a picture."""
    return shutil.copytree(COURSE / "invariants", tmp_path / "mine")


def change(folder, old, new):
    text = (folder / TOML).read_text(encoding="utf-8")
    assert old in text
    (folder / TOML).write_text(text.replace(old, new, 1), encoding="utf-8")


def refused(folder):
    with pytest.raises(LessonError) as caught:
        read_lesson(folder)
    sentence = str(caught.value)
    assert sentence.startswith(f"{folder.name}: ")
    assert len(sentence) < 420
    assert "\n" not in sentence
    assert "Traceback" not in sentence
    return sentence


def test_the_lesson_itself_is_read(folder):
    assert read_lesson(folder).name == "mine"


CHECK = 'check = "x not in'
DEFECTS = {
    "a missing state": ('open = "x=shape.F&y=picture.mirrored-f&angle=0&predict=1"\n', "", "needs a view to open with"),
    "a missing step": ("[reveal]", "[revealed]", "no field 'revealed'"),
    "a missing text": ('title = "What does not turn?"', "", "title is missing"),
    "an unknown page": ('page = "lab"', 'page = "moon"', "no page 'moon'"),
    "a list of pages": ('page = "lab"', 'page = ["lab"]', "no page ['lab']"),
    "another page": ('open = "x=shape.bar&angle=30"', 'open = "motion?world=bar"', "opens another page than lab"),
    "a view that does not exist": ("x=shape.bar&angle=30", "x=shape.banana", "a view that does not exist: x"),
    "an unknown parameter": ("x=shape.bar&angle=30", "x=shape.bar&colour=red", "does not exist: colour"),
    "a missing picture": ("y=picture.mirrored-f&angle=0&predict=1", "y=picture.other", "other.png, which is missing"),
    "a script": ("Choose it as x.", "Choose <script>alert(1)</script> it.", "contains HTML or a script"),
    "an event": ("Choose it as x.", "<img src=x onerror=alert(1)>", "contains HTML or a script"),
    "a link with a script": ("Choose it as x.", "[x](javascript:alert(1))", "contains HTML or a script"),
    "an unknown control": ('controls = ["y", "symmetry"]', 'controls = ["rocket"]', "controls lists some of"),
    "an unknown field": ('page = "lab"', 'page = "lab"\nshell = "rm"', "no field 'shell'"),
    "no right choice": (", right = true", "", "of which one is right"),
    "a wrong check": (CHECK, 'check = "banana(3) > 1 or x not in', "uses “banana(…)”"),
    "a check that is Python": (CHECK, "check = \"open(1).system(2) or x not in", "that expressions do not have"),
    "a check with attributes": (CHECK, 'check = "x.__class__ or x not in', "that expressions do not have"),
    "a check that cannot be read": (CHECK, 'check = "x not not in', "cannot be read"),
    "a check that takes minutes": (CHECK, 'check = "count(400, best > 3) or x not in', "takes too long"),
    "a check that is huge": (CHECK, 'check = "' + "1 + " * 99 + '1 > 2 or x not in', "at most 400 characters"),
    "a power": (CHECK, 'check = "9**9**9 > 1 or x not in', "that expressions do not have"),
    "too much text": ("Choose it as x.", "long " * 500, "at most 2,000 are read"),
    "no wrong answers": ("fail = [", "fail = []\nmore = [", "no field 'more'"),
    "a claim with a place too many": ("{:.0f} %", "{:.0f} {} %", "2 places for 1 values"),
    "a claim that formats attributes": ("{:.0f} %", "{0.__class__} %", "braces that are no place"),
    "no TOML": ("[predict]", "[predict", "is not TOML"),
}  # fmt: skip


@pytest.mark.parametrize("defect", DEFECTS)
def test_a_defect_is_refused_with_one_sentence(folder, defect):
    old, new, sentence = DEFECTS[defect]
    change(folder, old, new)
    assert sentence in refused(folder)


def test_a_check_that_is_no_comparison_is_found_when_it_is_tried(folder, capsys):
    change(folder, CHECK, 'check = "bar(2)" # x not in')
    assert main(["lesson", "check", str(folder)]) == 2
    assert "A check is true or false" in capsys.readouterr().err


def test_pictures_are_bounded_before_they_are_read(folder):
    with (folder / "huge.png").open("wb") as file:
        file.truncate(50 * 2**20)  # without using 50 MB of disk
    assert "huge.png has 50.0 MB; pictures up to 512 kB are read" in refused(folder)


def test_a_picture_that_unpacks_to_gigabytes_is_refused(folder):
    """A PNG of a few bytes that claims 60,000 × 60,000 pixels."""
    Image.new("L", (10, 10)).save(folder / "bomb.png")
    data = bytearray((folder / "bomb.png").read_bytes())
    data[16:24] = (60_000).to_bytes(4) * 2
    (folder / "bomb.png").write_bytes(data)
    assert "the picture bomb.png cannot be used" in refused(folder)


def test_other_files_are_refused(folder):
    for name, content in (("run.py", b"x"), ("..png", b"x"), ("a b.png", b"x"), ("text.png", b"no picture")):
        (folder / name).write_bytes(content)
        assert name.split(".")[0] in refused(folder)
        (folder / name).unlink()
    (folder / "link.png").symlink_to("/etc/hostname")
    assert "neither" in refused(folder)


def test_a_picture_that_is_not_square_is_refused(folder):
    Image.fromarray(np.zeros((20, 30), np.uint8)).save(folder / "wide.png")
    assert "wide.png is not square" in refused(folder)


def test_too_many_files_are_refused(folder):
    for i in range(20):
        (folder / f"p{i}.png").write_bytes(b"x")
    assert "more than 16 files" in refused(folder)


def test_a_huge_or_missing_file_is_refused(folder):
    with (folder / TOML).open("a") as file:
        file.write("#" * 70_000)
    assert "larger than 64 kB" in refused(folder)
    (folder / TOML).unlink()
    assert "lesson.toml is missing" in refused(folder)
    shutil.rmtree(folder)
    assert "no such folder" in refused(folder)


def test_a_course_with_a_bad_lesson_or_list_says_which(folder):
    change(folder, 'page = "lab"', 'page = "moon"')
    with pytest.raises(LessonError, match="mine: there is no page 'moon'"):
        read_course(folder.parent)
    (folder.parent / "course.toml").write_text('lessons = ["../secret"]')
    with pytest.raises(LessonError, match="names of lessons"):
        read_course(folder.parent)


def test_the_command_checks_a_folder(folder, capsys):
    assert main(["lesson", "check", str(folder)]) == 0
    assert "right answers pass (2), wrong ones fail (4)" in capsys.readouterr().out
    change(folder, "It is 2.6 for the mirror image", "It is 3.6 for the mirror image")
    change(folder, 'pass = ["x=shape.Z", ', 'pass = ["x=shape.N", ')
    assert main(["lesson", "check", str(folder)]) == 2
    said = capsys.readouterr().err
    assert "tsa computes “It is 2.6 for the mirror image, and”, which the lesson does not say." in said
    assert "The answer “x=shape.N” fails, and should pass." in said


def test_the_command_lists_facts_and_prints(folder, tmp_path, capsys):
    assert main(["lesson", "facts", "lab"]) == 0
    assert "length(circle)" in capsys.readouterr().out
    assert main(["lesson", "print", str(folder), "--out", str(tmp_path / "one.html")]) == 0
    page = (tmp_path / "one.html").read_text(encoding="utf-8")
    assert "<h1>What does not turn?</h1>" in page
    assert page.count('<img src="data:image/svg+xml;base64,') >= 1
    assert not any(word in page for word in ("http://", "https://", "<script"))
    assert main(["lesson", "print", str(tmp_path / "none"), "--out", str(tmp_path / "two.html")]) == 2


def test_text_is_escaped_whatever_it_is():
    html = to_html('a < b & "c" **bold** *it* `x <y>`\n\n- one\n- two <b>\n')
    assert html == (
        "<p>a &lt; b &amp; &quot;c&quot; <strong>bold</strong> <em>it</em> <code>x &lt;y&gt;</code></p>"
        "<ul><li>one</li><li>two &lt;b&gt;</li></ul>"
    )


def test_the_lesson_in_the_manual_is_one(tmp_path):
    """What the manual says about writing a lesson works as it stands."""
    guide = (COURSE.parent / "docs" / "pages" / "own-lessons.md").read_text(encoding="utf-8")
    block = guide.split("```toml\n")[1].split("```")[0]
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / TOML).write_text(block, encoding="utf-8")
    assert examine(read_lesson(tmp_path / "own")) == []
