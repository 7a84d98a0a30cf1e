"""`tsa-explorer lesson`: check a folder with a lesson, print lessons as one page, list what checks can use."""

import argparse
import sys
from pathlib import Path

from explorer.course import FACTS, LessonError, computed, examine, fact_names, lesson_page, lessons, read_lesson
from tsa._base import write_atomically


def lesson_command(argv: list[str]) -> int:
    """Run the command with these arguments; returns the exit code: 0, or 2 if a lesson cannot be used."""
    parser = argparse.ArgumentParser(prog="tsa-explorer lesson", description="Write and print lessons.")
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check", help="say what is wrong with the lesson in a folder")
    check.add_argument("folder", type=Path, help="folder with lesson.toml and pictures")
    show = commands.add_parser("print", help="write lessons as one HTML file that works offline")
    show.add_argument("folder", type=Path, nargs="?", help="folder of a lesson (default: the whole course)")
    show.add_argument("--out", type=Path, required=True, metavar="FILE", help="the HTML file")
    facts = commands.add_parser("facts", help="list what the checks and claims of a lesson can say")
    facts.add_argument("page", choices=list(FACTS))
    options = parser.parse_args(argv)
    try:
        if options.command == "facts":
            for name, meaning in fact_names(FACTS[options.page]).items():
                print(f"{name:32} {meaning}")
            return 0
        if options.command == "print":
            chosen = [read_lesson(options.folder)] if options.folder else list(lessons())
            write_atomically(options.out, lesson_page(chosen))
            return 0
        return _check(options.folder)
    except (LessonError, OSError) as error:
        print(f"tsa-explorer: {error}", file=sys.stderr)
        return 2


def _check(folder: Path) -> int:
    lesson = read_lesson(folder.resolve())
    troubles = examine(lesson)
    for trouble in troubles:
        print(f"tsa-explorer: {lesson.name}: {trouble}", file=sys.stderr)
    if troubles:
        return 2
    print(f"{lesson.name}: “{lesson.title}”")
    for claim in lesson.claims:
        print(f"  computed: {computed(lesson, claim)}")
    right, wrong = (sum(trial.passes == kind for trial in lesson.trials) for kind in (True, False))
    print(f"  right answers pass ({right}), wrong ones fail ({wrong})")
    print(f"  to try it: tsa-explorer --lessons {folder.resolve().parent}")
    return 0
