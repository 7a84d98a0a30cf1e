"""The words of every turn, packed: those of the functions for one turn, and small."""

import json
import re
import struct
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tsa import Subgroup, load
from tsa.pictures import SHAPES, draw, to_disc
from tsa.stage import distinct, pack_sweep, sweep
from tsa.stage.words import NUMBERS, QUESTION, answer, fit, is_flat, modes, numbers, sweep_words, why

MODEL = load("rotation-16-refined")
MODEL = Subgroup(MODEL.filters, MODEL.weights, noise=0.5)
DTYPES = {"uint8": np.uint8, "uint16": np.uint16, "float32": np.float32}
WORD_ARRAYS = ("answer", "why", "fit", "equation", "named", "title")


def unpack(blob):
    length = struct.unpack("<I", blob[:4])[0]
    header = json.loads(blob[4 : 4 + length])
    arrays, at = {}, 4 + length
    for name, kind, count in header["arrays"]:
        arrays[name] = np.frombuffer(blob, DTYPES[kind], count, at)
        at += -(-arrays[name].nbytes // 8) * 8
    return header, arrays


def check_turn(swept, row, words, arrays):
    assert words["question"] == QUESTION
    for name, text in (("answer", answer(swept, row)), ("why", why(swept, row)), ("fit", fit(swept, row))):
        assert words[f"{name}s"][arrays[name][row]] == text
    alone = sweep_words(swept, slice(row, row + 1))
    assert words["equations"][arrays["equation"][row]] == alone.equations[0]
    title = words["titles"][arrays["title"][row]]
    listed = [int(number) for number in re.findall(r"\d+", title)]
    loud = (1 + np.flatnonzero(alone.loud[0])).tolist()
    assert set(listed) <= set(loud) or f"{len(loud)} of" in title or " of " in title
    assert dict(zip(words["numbers"], words["values"][row], strict=True)) == numbers(swept, row)
    named = arrays["named"].reshape(len(swept.y), words["namedPerTurn"], 2)[row]
    found = [(mode.degrees, round(100 * mode.mass)) for mode in modes(swept, row)]
    assert [tuple(pair) for pair in named[named[:, 1] >= 0]] == found
    assert (named[len(found) :] == -1).all()
    assert is_flat(swept, row) == (not found)


@pytest.mark.parametrize("name", SHAPES)
def test_packed_words_are_those_of_each_turn(name):
    swept = sweep(MODEL, to_disc(draw(name)), 16)
    header, arrays = unpack(pack_sweep(swept, MODEL, draw(name), 16))
    for row in (0, 1, 47, 180, 303, 359):
        check_turn(swept, row, header["words"], arrays)
    alone = sweep(MODEL, to_disc(draw(name)), 16, only=47)
    header, arrays = unpack(pack_sweep(alone, MODEL, draw(name), 16, only=47))
    check_turn(alone, 0, header["words"], arrays)


@cache
def letter():
    return sweep(MODEL, to_disc(draw("F")), 16)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 12))
def test_packed_words_of_random_sweeps(seed, most):
    """Modes of any number and mass, flat and peaked, explained or not."""
    rng = np.random.default_rng(seed)
    base = letter()
    turns = len(base.y)
    masses = -np.sort(-rng.dirichlet(np.full(most, 0.5), turns), axis=1)
    angles = rng.uniform(0, 2 * np.pi, (turns, most))
    angles[masses < 1e-4] = np.nan
    swept = replace(
        base,
        density=rng.uniform(1, 1.5, (turns, 1)) / (2 * np.pi) * np.ones(360),
        mode_angles=angles,
        mode_masses=np.where(np.isnan(angles), 0, masses),
        likelihood=base.likelihood * rng.exponential(1, base.pooled.shape) ** 3,
        likelihood_peak=rng.uniform(1, 1.5, turns),
        best_turn=rng.uniform(0, 2 * np.pi, turns),
        entropy=rng.uniform(0, np.log(2 * np.pi), turns),
        log_evidence=rng.normal(0, 10.0 ** rng.integers(-2, 7), turns),
    )
    header, arrays = unpack(pack_sweep(swept, MODEL, draw("F"), 16))
    for row in rng.integers(0, turns, 5).tolist():
        check_turn(swept, row, header["words"], arrays)


@pytest.mark.parametrize("name", ["square", "F", "noise", "hexagon", "disc"])
def test_words_are_small(name):
    """At most 70 kB for all turns, and 2.5 kB for one."""
    disc = to_disc(draw(name))
    for only, limit in ((None, 70_000), (30, 2_500)):
        header, arrays = unpack(pack_sweep(sweep(MODEL, disc, 16, only=only), MODEL, draw(name), 16, only=only))
        texts = len(json.dumps([header["words"], header["look"]], ensure_ascii=False, separators=(",", ":")).encode())
        assert texts + sum(arrays[name].nbytes for name in WORD_ARRAYS) <= limit


def test_distinct_texts_keep_their_order():
    texts, index = distinct(["b", "a", "b", "", "a"])
    assert texts == ["b", "a", ""]
    assert index.dtype == np.uint16
    assert index.tolist() == [0, 1, 0, 2, 1]


def test_every_number_has_a_name():
    assert len(NUMBERS) == len(sweep_words(sweep(MODEL, to_disc(draw("F")), 16, only=3)).values[0])
