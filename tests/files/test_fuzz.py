"""Damaged and odd model files open, or are refused in one sentence; `TSA_FUZZ=10000` tries so many."""

import io
import json
import random
import zipfile
from pathlib import Path

import numpy as np
import pytest

from tests.shared.mutations import TIMES, mutate
from tsa import ModelFileError, Subgroup, TSAError, load, save
from tsa.files import open_model, pack_model, read, read_arrays

FIXTURES = Path(__file__).parents[1] / "fixtures" / "models"
GOOD = read_arrays(FIXTURES / "rotation-8-refined.npz")


def member(array):
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.ascontiguousarray(array).reshape(np.shape(array)), allow_pickle=False)
    return buffer.getvalue()


def archive(members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as file:
        for name, data in members.items():
            file.writestr(f"{name}.npy", data)
    return buffer.getvalue()


def text(words):
    return np.frombuffer(words.encode(), np.uint8)


ODD = [
    np.zeros(0), np.zeros((0, 3)), np.array(3), np.array([1e300]), np.arange(5), np.ones((2, 2, 2)), np.array(True),
    np.array([2**63], np.uint64), np.array(-1.0), np.array([[1, 2], [3, 4]]), np.ones((64, 5)), np.array(1j),
    np.zeros((2**31, 0)), np.ones(64, np.uint8), text("[1]"), text("1" * 5000), text('{"a":' + "9" * 5000 + "}"),
    text('{"group": [1]}'), text(json.dumps({"group": "rotation" * 1000})), np.array([8, 8, 1]), np.array([1e18, 1.0]),
]  # fmt: skip


def damaged(rng):
    kind = rng.randrange(4)
    members = {name: member(array) for name, array in GOOD.items()}
    if kind == 0:
        return mutate(rng, rng.choice(sorted(FIXTURES.iterdir())).read_bytes())
    if kind == 1:
        name = rng.choice(sorted(members))
        return archive(members | {name: mutate(rng, members[name])})
    if kind == 2:
        odd = {rng.choice([*sorted(members), "W", "x"]): member(rng.choice(ODD)) for _ in range(rng.randrange(1, 3))}
        return archive(members | odd)
    return mutate(rng, members[rng.choice(["filters", "weights"])])


def refused(data):
    """The sentence with which it is refused; None if it is opened."""
    try:
        open_model(data)
    except TSAError as error:
        return str(error)
    return None


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(4))
def test_damaged_files_are_refused_in_one_sentence(seed):
    rng = random.Random(seed)
    for _ in range(max(100, TIMES // 4)):
        sentence = refused(damaged(rng))
        assert sentence is None or (sentence and "\n" not in sentence)


@pytest.mark.parametrize("header", [b"{'descr': '<f8', 'fortran_order': False, 'shape': (3,", b"{'descr': '<f8'", b"("])
def test_a_header_that_does_not_tokenise_is_damaged(header):
    data = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(24)
    assert "damaged" in refused(data)


def test_weights_without_an_axis_are_refused():
    assert "(J,)" in refused(archive({name: member(a) for name, a in GOOD.items()} | {"weights": member(np.array(3))}))


def test_a_huge_weight_is_refused_before_work_is_spent(tmp_path):
    model = load("rotation-16")
    weights = np.array(model.weights)
    weights[-1] = 10_000
    save(Subgroup(model.filters, weights, 0.5), tmp_path / "huge.npz", about={"group": "rotation"})
    with pytest.raises(ModelFileError, match="a weight of 10,000"):
        open_model(tmp_path / "huge.npz")
    assert load(tmp_path / "huge.npz").weights[-1] == 10_000  # in Python it is up to whoever asks


def test_provenance_of_any_length_is_not_kept():
    with pytest.raises(ModelFileError, match="provenance"):
        read(pack_model(load("rotation-16"), about={"curve": [[1, 2]] * 100_000}))
