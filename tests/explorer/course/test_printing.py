"""Printed lessons: each has drawings, and what these say is what `numpy` alone computes."""

import base64
import re
from itertools import pairwise

import numpy as np
import pytest

from explorer.course import lesson_page, lessons
from explorer.course.facts import learned_filters, main_waves

PULSE = (0, 0, 1, 5, 9, 5, 1)  # the signal of a new view, before zeros
SLOW = {"snow", "nameless"}  # a training
COURSE = [pytest.param(one, id=one.name, marks=[pytest.mark.slow] * (one.name in SLOW)) for one in lessons()]


def named(name):
    return next(one for one in lessons() if one.name == name)


def drawings(lesson):
    found = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', lesson_page([lesson]))
    return [base64.b64decode(one).decode() for one in found]


def texts(svg):
    return re.findall(r"<text[^>]*>([^<]+)</text>", svg)


@pytest.mark.parametrize("lesson", COURSE)
def test_every_lesson_is_printed_with_what_it_speaks_of(lesson):
    found = drawings(lesson)
    assert found
    assert all(before != after for before, after in pairwise(found))
    assert all("nan" not in svg and "<script" not in svg for svg in found)


def test_the_arrows_of_the_printed_dft_turn_as_those_of_numpy():
    before, after = drawings(named("fourier"))
    x = np.array(PULSE + (0,) * 9) / 9
    spectrum = np.fft.fft(x)[1:8]
    kappa = [f"κ = {k:.1f}" for k in 2 * np.abs(spectrum) ** 2 / (16 * 0.5**2)]
    assert [one for one in texts(before) if "κ" in one] == kappa == [one for one in texts(after) if "κ" in one]
    moved = np.degrees(np.angle(spectrum * np.fft.fft(np.roll(x, 3))[1:8].conj())) % 360
    turned = [float(one[10:-1]) for one in texts(after) if one.startswith("turned by")]
    np.testing.assert_allclose(turned, moved, atol=0.06)
    assert {one for one in texts(before) if one.startswith("turned by")} == {"turned by 0.0°"}


def test_the_printed_signal_and_its_copy_have_the_same_bars_three_places_apart():
    after = drawings(named("fourier"))[1]
    boxes = re.findall(r'<path d="M([\d. ]+)L[\d. ]+L[\d. ]+L([\d. ]+)Z" fill="(#\w+)"', after)[:32]
    tall = [(colour, round(float(low.split()[1]) - float(high.split()[1]), 1)) for high, low, colour in boxes]
    assert len(tall) == 32
    assert tall[16:] == tall[13:16] + tall[:13]


def test_a_wave_that_is_mixed_with_the_highest_one_is_not_pure():
    """The shares are those of a projection onto cosine and sine; the highest frequency has no sine of its own."""
    i = np.arange(16)
    filters = np.random.default_rng(3).normal(size=(16, 5)) + 1j * np.random.default_rng(4).normal(size=(16, 5))
    filters[:, 0] = np.cos(np.pi * i) + 1.2j * np.sin(2 * np.pi * i / 16)
    waves, shares = main_waves(filters)
    for j, filter_ in enumerate(filters.T):
        power = [np.abs(filter_ @ np.exp(2j * np.pi * k * i / 16) / 4) ** 2 for k in range(-7, 9)]
        sums = [power[7 + k] + power[7 - k] for k in range(1, 8)] + [power[15]]
        assert waves[j] == 1 + np.argmax(sums)
        assert shares[j] == pytest.approx(max(sums) / np.sum(np.abs(filter_) ** 2))
    assert (waves[0], shares[0]) == (8, pytest.approx(16 / (16 + 8 * 1.2**2)))


@pytest.mark.slow
def test_the_printed_filters_are_as_pure_as_the_lesson_says():
    lesson = named("snow")
    few, many = re.findall(r"pairs, (\d)", lesson.steps[2].text)[0], re.findall(r"pairs, (\d)\.", lesson.steps[2].text)
    labels = [float(one.split()[0]) for one in texts(drawings(lesson)[-1]) if "% at k" in one]
    assert len(labels) == 14
    assert sum(one >= 95 for one in labels[:7]) == int(few)
    assert [sum(one >= 95 for one in labels[7:])] == [int(one) for one in many]
    assert learned_filters(2_000).shape == (16, 7)


@pytest.mark.slow
def test_the_printed_path_runs_through_the_dots_only_when_the_relation_holds():
    predict, do, reveal, question = drawings(named("nameless"))
    assert not dots(predict).size
    assert len(dots(do)) == 400
    assert do == question
    wide = distance(dots(do), do)
    near = distance(dots(reveal), reveal)
    assert np.median(near) < 8 < np.median(wide)  # of 400 pixels


def dots(svg):
    return np.array(re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)" r="2"', svg), float).reshape(-1, 2)


def distance(points, svg):
    """How far each point is from the nearest place on the path."""
    path = np.array(re.findall(r'<line x1="([\d.]+)" y1="([\d.]+)"', svg), float)
    return np.linalg.norm(points[:, None] - path, axis=-1).min(axis=1)
