"""Comparisons: every sentence against numbers that are computed another way, and the bytes, tables and pictures."""

import io
import json
import re
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from PIL import Image

import tsa
from tests.shared.apps import unpack
from tsa import InputError
from tsa.pictures import shapes
from tsa.stage import (
    Compared,
    Scene,
    compare_csv,
    compare_json,
    compare_page,
    compare_png,
    compare_svg,
    comparison_words,
    pack_comparison,
)
from tsa.stage.comparison.drawing import DASHES, dashes
from tsa.stage.exports import in_words
from tsa.stage.words import comparison as words

MODELS = {name: tsa.load(name) for name in ("rotation-16", "rotation-16-refined")}
DEGREES = np.arange(0, 360, 0.05)


def scene(shape="square", sigma=0.5, model="rotation-16-refined", **options):
    return Scene(MODELS[model].with_noise(sigma), shapes.draw(shape, 96), **options)


SCENES = [
    scene(),
    scene(sigma=1.0),
    scene("F"),
    scene(model="rotation-16"),
    scene("disc"),
    scene("hexagon", sigma=0.3),
    scene("triangle", pixel_noise=0.5, both=True),
    scene("F", y=shapes.draw("S", 96)),
    scene("F", sigma=2.0, pixel_noise=1.5),
    scene("square", prior=(2j,)),
    scene("bar", without=(2,)),
]


@pytest.fixture(scope="module")
def compared():
    return [Compared.of(one) for one in SCENES]


def bits(one, angle):
    """The uncertainty over whole degrees, by the rectangle rule on its density: no code of `stage` or `density`."""
    eta = np.asarray(replace(one, angle=angle).posterior().eta)
    s = np.radians(DEGREES)
    energy = (np.conj(eta)[:, None] * np.exp(1j * np.arange(1, 1 + len(eta))[:, None] * s)).real.sum(axis=0)
    p = np.exp(energy - energy.max())
    p /= p.mean() * 2 * np.pi
    return max(0.0, float(-(p * np.log2(np.maximum(p, 1e-300))).mean() * 2 * np.pi) - np.log2(2 * np.pi / 360))


def groups(count):
    """Two to four of the scenes, by index."""
    return [choice for size in (2, 3, 4) for choice in combinations(range(len(SCENES)), size)][::7][:count]


def pins_in(text):
    """The pins, from 0, that the words before a verb name."""
    return {int(number) - 1 for number in re.findall(r"\d+", text)}


def says_of_certainty(sentence, count):
    """(most certain, least certain, least bits, most bits) as the sentence has it."""
    numbers = [float(value) for value in re.findall(r"\d+\.\d", sentence)]
    if "equally" in sentence:
        return set(range(count)), set(range(count)), numbers[0], numbers[0]
    if "more certain than" in sentence:
        first, other = re.fullmatch(r"Pin (\d) is more certain than pin (\d): .* against .*\.", sentence).groups()
        return {int(first) - 1}, {int(other) - 1}, *numbers
    best, worst = sentence.split(";")
    return pins_in(best.split(" the most")[0]), pins_in(worst.split(" the least")[0]), *numbers


@pytest.mark.parametrize("angle", [0, 77, 210])
def test_the_pin_that_is_called_most_certain_has_the_lowest_entropy(compared, angle):
    own = [bits(one, angle) for one in SCENES]
    for choice in groups(60):
        sentence = comparison_words([compared[i] for i in choice])[angle][0]
        best, worst, least, most = says_of_certainty(sentence, len(choice))
        values = [own[i] for i in choice]
        assert least == pytest.approx(min(values), abs=0.06)
        assert most == pytest.approx(max(values), abs=0.06)
        for pins, value in ((best, least), (worst, most)):
            assert pins
            for i, exact in enumerate(values):  # those that are printed with this value, and no others
                assert (i in pins) == (abs(exact - value) <= 0.05) or abs(abs(exact - value) - 0.05) < 0.01


def test_a_wrong_sentence_about_certainty_is_noticed(compared):
    sentence = comparison_words([compared[2], compared[1]])[0][0]  # the letter F is surer than a square at σ = 1
    best, worst, *_ = says_of_certainty(sentence, 2)
    assert (best, worst) == ({0}, {1})
    assert bits(SCENES[2], 0) < bits(SCENES[1], 0) - 1


def answers_by_sentence(one, angle):
    """The turns in the answer that is printed of a scene alone; none if it is no answer."""
    answer = in_words(replace(one, angle=angle)).splitlines()[0]
    if answer.startswith(("No turn", "It can", "By any")):
        return []
    return [int(turn) for turn in re.findall(r"(\d+)°", answer)]


def claims(sentence, count):
    """What a sentence about answers claims: {pins: [(first degree, last degree) or a number of answers]}."""
    everybody = {"Both pins": range(count), "All three pins": range(count), "All four pins": range(count)}
    found = {}
    for part in re.split(r"[;.] ?", sentence):
        match = re.match(r"(Both pins|All \w+ pins|[Pp]ins? [\d, and]*\d|Only pin \d)", part)
        if not match or "no answer" in part or "no turn" in part:
            continue
        who = frozenset(everybody.get(match[0], ())) or frozenset(pins_in(match[0]))
        rest = part[match.end() :]
        many = re.search(r"(\w+) answers$", rest)
        turns = [(int(a), int(b or a)) for a, b in re.findall(r"(\d+)°(?:–(\d+)°)?", rest)]
        found[who] = turns or (many[1] if many else [])
    return found


def apart(one, other):
    return abs((one - other + 180) % 360 - 180)


@pytest.mark.parametrize("angle", [0, 45, 133, 301])
def test_answers_that_are_called_shared_stand_in_the_answers_of_these_pins_and_of_no_others(compared, angle):
    for choice in groups(60):
        own = [answers_by_sentence(SCENES[i], angle) for i in choice]
        sentence = comparison_words([compared[i] for i in choice])[angle][1]
        found, covered = claims(sentence, len(choice)), [0] * len(choice)
        for who, turns in found.items():
            for i in who:
                covered[i] += len(turns) if isinstance(turns, list) else words_to_number(turns)
            if isinstance(turns, str):
                continue
            for low, high in turns:
                inside = [[t for t in own[i] if apart(t, low) + apart(t, high) == apart(low, high)] for i in who]
                assert all(inside), (sentence, own)
                assert apart(low, high) <= 2
        assert covered == [len(turns) for turns in own], (sentence, own)  # every answer of every pin, once
        silent = {i for i, turns in enumerate(own) if not turns}
        if silent and len(silent) < len(own) - 1:
            assert pins_in(re.search(r"([Pp]ins? [^.]*) names? no turn", sentence)[1]) == silent


def words_to_number(word):
    return ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten").index(word)


def test_known_sentences():
    assert words.shared(((30, 210), (210, 30)[::-1])) == "Both pins give the same answers: 30° and 210°."
    assert words.shared(((30, 120), (30,))) == "Both pins share 30°; pin 1 alone gives 120°."
    assert words.shared(((30,), (90,))) == "Pins 1 and 2 share no answer; pin 1 alone gives 30°; pin 2 alone gives 90°."
    assert words.shared(((359,), (1,))) == "Both pins give the same answer: 359°–1°."
    assert words.shared(((359,), (2,))).startswith("Pins 1 and 2 share no answer")
    assert words.shared(((), (90,))) == "Only pin 2 names a turn: 90°."
    assert words.shared(((), ())) == "None of them names a turn."
    assert words.shared(((), (5,), (5,))) == "Pins 2 and 3 give the same answer: 5°. Pin 1 names no turn."
    assert words.shared(((1, 90), (1, 90), (1,), ())) == (
        "Pins 1, 2 and 3 share 1°; pins 1 and 2 alone share 90°. Pin 4 names no turn."
    )
    seven = tuple(range(0, 350, 50))
    assert words.shared((seven, seven)) == "Both pins give the same answers: seven answers."
    texts = [f"{value:.1f} of 8.5 bits" for value in (1.2, 1.2, 3.0)]
    assert words.certainty(tuple(texts[:2])) == "Both pins are equally certain: the uncertainty of each is 1.2 bits."
    assert words.certainty(tuple(texts)) == (
        "Pins 1 and 2 are the most certain, with 1.2 bits of uncertainty; pin 3 is the least certain, with 3.0."
    )


def test_the_bytes_hold_each_sweep_and_both_sentences(compared):
    pins = compared[:4]
    header, arrays = unpack(pack_comparison(pins, ["a", "b", "c", "d"]))
    assert header["labels"] == ["a", "b", "c", "d"]
    assert len(set(header["lines"])) == 4
    for i, one in enumerate(SCENES[:4]):
        assert arrays[f"pin{i}"].tobytes() == one.packed()
    said = comparison_words(pins)
    for t in (0, 30, 359):
        assert (header["certainties"][arrays["certainty"][t]], header["shareds"][arrays["shared"][t]]) == said[t]


def test_one_to_four_scenes_are_compared(compared):
    with pytest.raises(InputError, match="One to 4 scenes"):
        comparison_words(compared[:5])
    with pytest.raises(InputError, match="One to 4 scenes"):
        comparison_words([])


def test_the_table_has_the_density_of_each_pin():
    rows = np.array([line.split(",") for line in compare_csv(SCENES[:3]).splitlines()[1:]], float)
    assert rows.shape == (360, 4)
    for column, one in zip(rows[:, 1:].T, SCENES[:3], strict=True):
        eta = np.asarray(one.posterior().eta)
        energy = (np.conj(eta) * np.exp(1j * np.radians(rows[:, :1]) * np.arange(1, 1 + len(eta)))).real.sum(axis=1)
        p = np.exp(energy - energy.max())
        assert column == pytest.approx(p / (p.mean() * 2 * np.pi), rel=1e-4)


def test_the_summaries_have_the_sentences_and_the_labels(compared):
    read = json.loads(compare_json(SCENES[:2], ["σ = 0.5", "σ = 1"]))
    assert read["in words"] == " ".join(comparison_words(compared[:2])[SCENES[0].angle])
    assert [pin["label"] for pin in read["pins"]] == ["σ = 0.5", "σ = 1"]
    assert [pin["sigma"] for pin in read["pins"]] == [0.5, 1.0]


@pytest.mark.parametrize("count", [1, 2, 4])
def test_the_picture_has_its_size_and_names_every_pin(count):
    labels = [f"label {i}" for i in range(count)]
    image = Image.open(io.BytesIO(compare_png(SCENES[:count], labels)))
    assert image.size == (1440, 900)
    drawing = compare_svg(SCENES[:count], labels, "dark", log=True)
    for label in labels:
        assert f">{label}<" in drawing


def test_lines_differ_by_their_pattern_alone():
    """Along a straight line of 1,000 pixels: the share that is drawn, and the pieces it is drawn in."""
    line = np.array([[0.0, 0.0], [600.0, 800.0]])
    pieces = [dashes(line, pattern) for pattern in DASHES]
    lengths = [sum(float(np.hypot(*(piece[-1] - piece[0]))) for piece in one) for one in pieces]
    assert lengths[0] == pytest.approx(1000)
    for length, pattern in zip(lengths[1:], DASHES[1:], strict=True):
        assert length == pytest.approx(1000 * sum(pattern[::2]) / sum(pattern), rel=0.02)
    assert len({len(one) for one in pieces}) == len(DASHES)


def test_the_browser_draws_the_same_patterns():
    script = (tsa.stage.BROWSER / "compare" / "strip.js").read_text()
    text = re.search(r"export const DASHES = (.*);", script)[1]
    assert json.loads(text) == [list(pattern) for pattern in DASHES]


def test_the_offline_page_holds_everything_it_needs():
    page = compare_page(SCENES[:2], ["one", "two"], hide=["tools"])
    assert not re.search(r"(src|href)=[\"']?https?:", page)
    assert "compare" in page
