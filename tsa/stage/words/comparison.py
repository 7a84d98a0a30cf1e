"""Sentences that compare two to four pins: which is the most certain, and which answers they share.

Pins are compared by what is printed about each: uncertainties to a tenth of a bit, answers to a whole degree.
"""

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache

from tsa.stage.words._sentences import joined, number_word

TITLE = "Posteriors, one over the other"
LINES = ("solid", "dashed", "dotted", "dashes and dots")  # of the pins 1, 2, …
_NEAR_DEGREES = 2  # between two answers that count as the same
_MAX_LISTED = 6  # answers

Answers = tuple[tuple[int, ...], ...]


@lru_cache(maxsize=4096)
def certainty(values: tuple[str, ...]) -> str:
    """Which pin is the most certain. `values` has the uncertainty of each as it is printed: "1.2 of 8.5 bits"."""
    bits = [float(value.split()[0]) for value in values]
    if len(bits) == 1:
        return "Pin another scene to compare it with this one."
    least, most = min(bits), max(bits)
    if least == most:
        return f"{_of(range(len(bits)), len(bits))} are equally certain: the uncertainty of each is {least:.1f} bits."
    best, worst = ([i for i, value in enumerate(bits) if value == one] for one in (least, most))
    if len(bits) == 2:
        first, other = best[0] + 1, worst[0] + 1
        return f"Pin {first} is more certain than pin {other}: {least:.1f} bits of uncertainty against {most:.1f}."
    most_certain = f"{_pins(best)} {_be(best)} the most certain, with {least:.1f} bits of uncertainty"
    return f"{most_certain}; {_pins(worst, False)} {_be(worst)} the least certain, with {most:.1f}."


@lru_cache(maxsize=4096)
def shared(answers: Answers) -> str:
    """Which answers the pins share; `answers` has the turns that each names, in degrees, none if it cannot tell."""
    telling = [i for i, turns in enumerate(answers) if turns]
    silent = [i for i, turns in enumerate(answers) if not turns]
    if not telling:
        return "Pin 1 names no turn." if len(answers) == 1 else "None of them names a turn."
    if len(telling) == 1:
        turns = answers[telling[0]]
        only, named = "Only p" if silent else "P", _listed([(turn, turn) for turn in turns])
        return f"{only}in {telling[0] + 1} names {'turns' if len(turns) > 1 else 'a turn'}: {named}."
    groups = defaultdict[tuple[int, ...], list[tuple[int, int]]](list)
    for owners, low, high in _same(answers):
        groups[owners].append((low, high))
    everybody = _of(telling, len(answers))
    common = groups.pop(tuple(telling), [])
    if common and not groups:
        sentence = f"{everybody} give the same {'answer' if len(common) == 1 else 'answers'}: {_listed(common)}"
    else:
        ordered = sorted(groups.items(), key=lambda item: (-len(item[0]), item[0]))
        parts = [f"{everybody} share {_listed(common)}"] if common else []
        parts += [_part(owners, turns) for owners, turns in ordered]
        if not any(len(owners) > 1 for owners in groups) and not common:
            parts = [f"{_pins(telling)} share no answer", *parts]
        sentence = "; ".join(parts)
    sentence = f"{sentence[0].upper()}{sentence[1:]}."
    return sentence if not silent else f"{sentence} {_pins(silent)} {'names' if len(silent) == 1 else 'name'} no turn."


def _part(owners: tuple[int, ...], turns: list[tuple[int, int]]) -> str:
    if len(owners) == 1:
        return f"pin {owners[0] + 1} alone gives {_listed(turns)}"
    return f"{_pins(owners, False)} alone share {_listed(turns)}"


def _same(answers: Answers) -> list[tuple[tuple[int, ...], int, int]]:
    """The distinct answers in order: who gives each, and its first and last degree.

    Answers of several pins count as the same if any two of them are at most `_NEAR_DEGREES` apart.
    """
    found = list[dict[int, int]]()
    for pin, turns in enumerate(answers):
        free = list(turns)
        for one in found:
            away = {turn: max(_apart(turn, other) for other in one.values()) for turn in free}
            if away and min(away.values()) <= _NEAR_DEGREES:
                one[pin] = min(away, key=away.__getitem__)
                free.remove(one[pin])
        found += [{pin: turn} for turn in free]
    ranges = []
    for one in found:
        start = next(iter(one.values()))
        steps = [(turn - start + 180) % 360 - 180 for turn in one.values()]
        ranges.append((tuple(one), (start + min(steps)) % 360, (start + max(steps)) % 360))
    return sorted(ranges, key=lambda item: item[1])


def _apart(one: int, other: int) -> int:
    return abs((one - other + 180) % 360 - 180)


def _listed(turns: Sequence[tuple[int, int]]) -> str:
    """30° and 210°, or 30°–31° where the pins differ a little; only the number of many."""
    if len(turns) > _MAX_LISTED:
        return f"{number_word(len(turns))} answers"
    return joined([f"{low}°" if low == high else f"{low}°–{high}°" for low, high in turns], "and")


def _pins(which: Sequence[int], starts: bool = True) -> str:
    names = joined([str(i + 1) for i in which], "and")
    return f"{'P' if starts else 'p'}in{'s' * (len(which) > 1)} {names}"


def _of(which: Sequence[int], count: int) -> str:
    """The pins at the start of a sentence, `count` being all."""
    if len(which) < count:
        return _pins(which)
    return "Both pins" if count == 2 else f"All {number_word(count)} pins"


def _be(which: Sequence[int]) -> str:
    return "is" if len(which) == 1 else "are"
