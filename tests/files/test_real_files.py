"""Files as the real libraries write them: PyTorch and safetensors (fixtures/torch/make.py wrote these), and scipy."""

import io
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse

from tests.shared import foreign_files as made
from tsa import ModelFileError
from tsa.files import list_arrays, open_filters

FIXTURES = Path(__file__).parents[1] / "fixtures" / "torch"
KERNELS = ((np.arange(50.0) - 25) / 2).reshape(2, 1, 5, 5)
W = KERNELS.reshape(2, 25)
Z = W + 1j * (1 - W)
ARRAYS = {
    "state_dict.pt": {"conv1.weight": KERNELS},
    "nested.pt": {
        "state_dict.module.conv1.weight": KERNELS,
        "optimizer.state.0.momentum_buffer": np.ones((2, 1, 5, 5)),  # the gradient of a sum over a picture of ones
    },
    "views.pt": {
        "rows": W[1:], "columns": W.T, "part": W[:, 3::2], "wide": np.repeat(W[:1], 3, axis=0), "one": np.array(3),
        "conjugated": Z.conj(), "negated": -Z.imag, "half": W, "bfloat16": W,
    },
    "kinds.safetensors": {"w": W, "half": W, "bfloat16": W, "one": np.array(3), "none": np.zeros((0, 3))},
}  # fmt: skip


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_have_the_numbers_that_were_saved(name):
    found = {table.name: table.read() for table in list_arrays(FIXTURES / name)}
    assert sorted(found) == sorted(ARRAYS[name])
    for key, array in ARRAYS[name].items():
        np.testing.assert_array_equal(found[key], array, err_msg=key)


@pytest.mark.parametrize("name", ["state_dict.pt", "nested.pt"])
def test_kernels_of_a_layer_are_chosen_before_what_the_optimizer_keeps(name):
    np.testing.assert_array_equal(open_filters(FIXTURES / name).report.filters, W.T)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("module.pt", "__main__.Layer, and nothing was run; where it was written, torch.save"),
        ("script.pt", "__torch__.Layer, and nothing was run; where it was written, torch.save"),
        ("legacy.pt", "a bare pickle, as PyTorch before 1.6 wrote them"),
        ("sparse.pt", "tensors of a kind that is not read .*v.to_dense"),
    ],
)
def test_what_is_more_than_plain_tensors_is_refused_in_one_sentence(name, reason):
    with pytest.raises(ModelFileError, match=reason) as trouble:
        list_arrays(FIXTURES / name)
    assert "\n" not in str(trouble.value)


@pytest.mark.parametrize("place", ["after the tensors", "in place of a tensor"])
def test_a_payload_among_real_tensors_runs_nothing(place, tmp_path):
    """The pickle of a real checkpoint, with a call of `os.system` in it: unpickled, it would leave a file behind."""
    touched = tmp_path / "touched"
    call = made.global_("os", "system") + b"(" + made.text(f"touch {touched}") + b"tR"
    source = zipfile.ZipFile(FIXTURES / "state_dict.pt")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for info in source.infolist():
            data = source.read(info)
            if info.filename.endswith("data.pkl"):
                data = data[:-1] + call + b"0." if place == "after the tensors" else b"\x80\x02" + call + b"."
            archive.writestr(info.filename, data)
    with pytest.raises(ModelFileError, match=r"os\.system, and nothing was run"):
        list_arrays(buffer.getvalue())
    assert not touched.exists()
    if place == "in place of a tensor":  # the payload is one: Python's own unpickler runs it
        pickle.loads(b"\x80\x02" + call + b".")
        assert touched.exists()


def mat(arrays, **options):
    buffer = io.BytesIO()
    scipy.io.savemat(buffer, arrays, **options)
    return buffer.getvalue()


@pytest.mark.parametrize("options", [{"format": "4"}, {}, {"do_compression": True}], ids=["4", "6", "7"])
def test_matlab_files_of_scipy(options):
    arrays = {"W": W, "Z": Z, "one": np.array([[3.0]])}
    found = {table.name: table.read() for table in list_arrays(mat(arrays, **options))}
    for key, array in arrays.items():
        np.testing.assert_array_equal(found[key], array, err_msg=key)


def test_matlab_files_of_scipy_with_every_type():
    some = np.arange(12).reshape(3, 4)
    kinds = ["f4", "f8", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "?"]
    arrays = {f"{kind}_of_a_long_name": some.astype(kind) for kind in kinds}
    arrays |= {"kernels": np.ones((4, 3, 7, 7), np.float32), "none": np.zeros((0, 3))}
    others = {"text": "hello", "cells": np.array([1, "a"], object), "table": {"a": 1.0}, "sparse": scipy.sparse.eye(3)}
    found = {table.name: table.read() for table in list_arrays(mat(arrays | others))}
    assert sorted(found) == sorted(arrays)
    for key, array in arrays.items():
        np.testing.assert_array_equal(found[key], array, err_msg=key)


@pytest.mark.parametrize("options", [{"format": "4"}, {}], ids=["4", "6"])
def test_a_matlab_file_of_scipy_with_a_sparse_array_first(options):
    found = list_arrays(mat({"S": scipy.sparse.csc_matrix(W), "text": "hello", "W": W}, **options))
    assert [table.name for table in found] == ["W"]
    with pytest.raises(ModelFileError, match="no array of numbers, only sparse"):
        list_arrays(mat({"S": scipy.sparse.csc_matrix(W)}, **options))
