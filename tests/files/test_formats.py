"""Files of other programs: the numbers that are in them, one sentence for what cannot be read, and nothing is run."""

import io
import os
import pickle
import time
import tracemalloc

import numpy as np
import pytest
from scipy import io as scipy_io

from tests.shared import foreign_files as made
from tests.shared.model_files import npy, npz
from tsa import ModelFileError, fourier_model, load
from tsa.files import list_arrays, open_filters, read
from tsa.model import real_columns

FILES = int(os.environ.get("TSA_FUZZ", "1000"))  # damaged files of each kind; a thorough run has 10,000
RNG = np.random.default_rng(0)
REAL = RNG.standard_normal((36, 10))
COMPLEX = REAL + 1j * RNG.standard_normal((36, 10))


def arrays_of(data):
    return {table.name: table.read() for table in list_arrays(data)}


def scipy_mat(compress, fmt, **arrays):
    buffer = io.BytesIO()
    scipy_io.savemat(buffer, arrays, do_compression=compress, format=fmt)
    return buffer.getvalue()


@pytest.mark.parametrize("compress", [False, True])
@pytest.mark.parametrize("w", [REAL, COMPLEX, REAL.astype(np.float32), COMPLEX.astype(np.complex64)])
def test_matlab_files_hold_what_scipy_wrote(compress, w):
    found = arrays_of(scipy_mat(compress, "5", W=w, label="text", kernels=np.zeros((3, 5, 5))))
    assert list(found) == ["W", "kernels"]
    np.testing.assert_array_equal(found["W"], w)
    assert found["kernels"].shape == (3, 5, 5)


@pytest.mark.parametrize("w", [REAL, COMPLEX])
def test_matlab_4_files_hold_what_scipy_wrote(w):
    data = scipy_mat(False, "4", W=w, more=np.arange(6.0)[None])
    found = arrays_of(data)
    np.testing.assert_array_equal(found["W"], w)
    np.testing.assert_array_equal(found["more"], np.arange(6.0)[None])
    np.testing.assert_array_equal(arrays_of(made.mat4(W=w))["W"], w)


def test_whole_numbers_of_matlab_are_numbers():
    w = np.arange(600).reshape(60, 10)
    np.testing.assert_array_equal(arrays_of(scipy_mat(True, "5", W=w.astype(np.int16)))["W"], w)
    np.testing.assert_array_equal(arrays_of(made.mat5(order=">", compress=False, W=REAL))["W"], REAL)


def test_matlab_cells_structures_and_new_files_are_refused():
    with pytest.raises(ModelFileError, match="struct"):
        list_arrays(scipy_mat(True, "5", s={"W": REAL}))
    with pytest.raises(ModelFileError, match="-v7"):
        list_arrays(b"\x89HDF\r\n\x1a\n" + bytes(600))
    with pytest.raises(ModelFileError, match="-v7"):
        list_arrays(b"MATLAB 7.3 MAT-file".ljust(128) + bytes(600))


@pytest.mark.parametrize("w", [REAL, REAL.astype(np.float32), REAL.astype(np.float16), COMPLEX.astype(np.complex64)])
def test_safetensors_hold_their_numbers(w):
    np.testing.assert_array_equal(arrays_of(made.safetensors(w=w))["w"], w)


def test_bfloat16_is_the_upper_half_of_a_float():
    w = REAL.astype(np.float32)
    upper = (w.view(np.uint32) >> 16).astype("<u2")
    raw = upper.tobytes()
    data = made.safetensors(header={"w": {"dtype": "BF16", "shape": [36, 10], "data_offsets": [0, len(raw)]}}) + raw
    np.testing.assert_allclose(arrays_of(data)["w"], w, rtol=2**-7)


@pytest.mark.parametrize(
    "entry",
    [
        {"dtype": "F32", "shape": [1 << 39, 1 << 39], "data_offsets": [0, 8]},
        {"dtype": "F32", "shape": [2], "data_offsets": [0, 1 << 38]},
        {"dtype": "F32", "shape": [-2], "data_offsets": [0, 8]},
        {"dtype": "F32", "shape": [True, 2], "data_offsets": [0, 8]},
        {"dtype": "F32", "shape": "22", "data_offsets": [0, 8]},
        [],
    ],
)
def test_safetensors_that_lie_are_refused(entry):
    with pytest.raises(ModelFileError, match="wrongly"):
        list_arrays(made.safetensors(header={"w": entry}) + bytes(8))


@pytest.mark.parametrize("order", [b"little", b"big"])
def test_checkpoints_hold_their_tensors(order):
    w = REAL.astype(np.float32)
    arrays = {"conv1.weight": np.ones((4, 3, 7, 7), np.float32), "fc.weight": w, "z": COMPLEX.astype(np.complex64)}
    found = arrays_of(made.checkpoint(arrays, order=order))
    assert list(found) == list(arrays)
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array)


def test_a_payload_in_a_checkpoint_runs_nothing(tmp_path):
    left_behind = tmp_path / "ran"
    data = made.payload_checkpoint(left_behind)
    with pytest.raises(ModelFileError, match=r"nothing was run.*torch\.save"):
        list_arrays(data)
    with pytest.raises(ModelFileError, match=r"bare pickle.*torch\.save"):
        list_arrays(pickle.dumps({"w": made.Payload(left_behind)}))
    assert not left_behind.exists()
    pickle.loads(pickle.dumps(made.Payload(left_behind)))  # the control: unpickling it does leave the file
    assert left_behind.exists()


@pytest.mark.parametrize(
    "opcodes",
    [
        made.global_("os", "system"),
        made.global_("torch", "load"),
        made.global_("torch._utils", "_rebuild_qtensor"),
        made.global_("torch", "FloatStorage") + b")R",
        made.global_("collections", "OrderedDict") + b"(" + made.text("a") + b"tR",
        b"(" + made.text("storage") + made.text("f") + made.text("0") + made.text("cpu") + made.integer(1) + b"tQ",
        b"(lb",
        b"0",
    ],
)
def test_checkpoints_that_ask_for_more_are_refused(opcodes):
    with pytest.raises(ModelFileError):
        list_arrays(made.checkpoint({"w": REAL}, extra=made.text("x") + opcodes))


def test_shared_containers_are_entered_once():
    """Ten references to a list of ten references to a list …: 10¹⁶ tensors if each were followed."""
    nest = b"]q\x00"
    for i in range(15):
        nest = nest + b"](" + b"h" + bytes([i]) + (b"h" + bytes([i])) * 9 + b"eq" + bytes([i + 1])
    data = made.checkpoint({}, pickled=b"\x80\x02" + nest + b".")
    start = time.perf_counter()
    assert list_arrays(data) == []
    assert time.perf_counter() - start < 2


def test_a_view_beyond_its_storage_is_refused():
    good = made.tensor("0", REAL)
    small = good.replace(made.integer(36) + made.integer(10) + b"t(", made.integer(36) + made.integer(11) + b"t(")
    assert small != good
    pickled = b"\x80\x02}" + made.text("w") + small + b"s."
    with pytest.raises(ModelFileError, match="storage"):
        list_arrays(made.checkpoint({"w": REAL}, pickled=pickled))


def test_an_expanded_tensor_is_not_allocated():
    """Stride 0 repeats a number without storing it: 4 TB declared by 8 bytes."""
    one = np.ones((1, 1))
    big = made.tensor("0", one).replace(
        made.integer(1) + made.integer(1) + b"t(" + made.integer(1) + made.integer(1),
        made.integer(2**20) + made.integer(2**19) + b"t(" + made.integer(0) + made.integer(0),
    )
    pickled = b"\x80\x02}" + made.text("w") + big + b"s."
    (table,) = list_arrays(made.checkpoint({"w": one}, pickled=pickled))
    assert table.shape == (2**20, 2**19)
    with pytest.raises(ModelFileError, match="MB"):
        table.read()


def test_a_compressed_array_unpacks_no_further_than_it_says():
    tracemalloc.start()
    bomb = made.mat5(W=made.element(14, bytes(2**27)))
    with pytest.raises(ModelFileError, match="MB"):
        list_arrays(bomb)
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    with pytest.raises(ModelFileError):
        list_arrays(bomb)
    assert tracemalloc.get_traced_memory()[1] - before < 2**22
    tracemalloc.stop()


# -- which array, which layout ---------------------------------------------------------------------------------


def test_an_array_is_guessed_with_a_reason_or_chosen():
    arrays = {"conv1.weight": np.ones((4, 3, 7, 7), np.float32), "fc.weight": REAL.T.astype(np.float32)}
    arrays["conv1.weight"] += RNG.standard_normal((4, 3, 7, 7)).astype(np.float32)
    data = made.checkpoint(arrays)
    guessed = open_filters(data)
    assert guessed.array == "conv1.weight"
    assert guessed.report.filters.shape == (49, 4)
    assert "the first that has kernels" in guessed.note
    assert "Of 3 channels the mean was taken." in guessed.note
    assert guessed.arrays == ("conv1.weight 4×3×7×7", "fc.weight 10×36")
    chosen = open_filters(data, array="fc.weight")
    np.testing.assert_array_equal(chosen.report.filters, REAL.astype(np.float32))
    with pytest.raises(ModelFileError, match=r"no array 'fc'; it has conv1\.weight 4×3×7×7, fc\.weight"):
        open_filters(data, array="fc")
    with pytest.raises(ModelFileError, match="No array of this file is a set of filters"):
        open_filters(npz(bias=np.ones(3), step=np.ones(())))


@pytest.mark.parametrize("side", [5, 8, 11])
def test_kernels_by_channel(side):
    kernels = RNG.standard_normal((6, 3, side, side))
    data = npy(kernels)
    flat = kernels.reshape(6, 3, -1)
    np.testing.assert_allclose(open_filters(data).report.filters, flat.mean(axis=1).T)
    np.testing.assert_array_equal(open_filters(data, channel=1).report.filters, flat[:, 1].T)
    np.testing.assert_array_equal(open_filters(data, channel="each").report.filters, flat.reshape(18, -1).T)
    other_way = npy(kernels.transpose(2, 3, 1, 0))
    np.testing.assert_allclose(open_filters(other_way).report.filters, flat.mean(axis=1).T)
    np.testing.assert_allclose(open_filters(npy(kernels[:, 0])).report.filters, flat[:, 0].T)
    with pytest.raises(Exception, match="from 0 to 2"):
        open_filters(data, channel=3)


def test_models_open_from_every_kind_of_file():
    model = load("shift-32")
    w = np.ascontiguousarray(real_columns(model.filters))
    for data in (made.mat5(W=w), made.mat4(W=w), made.safetensors(w=w), made.checkpoint({"w": w})):
        np.testing.assert_allclose(real_columns(read(data).model.filters), w)


def test_claimed_weights_are_held_against_the_action():
    model = fourier_model((6, 6))
    wrong = model.weights.copy()
    wrong[3] = [2, 2]
    opened = open_filters(npz(W=model.filters, weights=wrong, shape=[6, 6]))
    assert opened.report.agrees is not None
    assert np.flatnonzero(~opened.report.agrees).tolist() == [3]


# -- hostile -----------------------------------------------------------------------------------------------------

SMALL = {"W": RNG.standard_normal((25, 6)), "kernels": RNG.standard_normal((3, 2, 5, 5))}
KINDS = {
    "npy": lambda: npy(SMALL["W"]),
    "npz": lambda: npz(**SMALL),
    "mat 4": lambda: made.mat4(W=SMALL["W"], Z=SMALL["W"]),
    "mat 6": lambda: made.mat5(compress=False, **SMALL),
    "mat 7": lambda: made.mat5(**SMALL, second=COMPLEX[:5]),
    "safetensors": lambda: made.safetensors(**SMALL),
    "checkpoint": lambda: made.checkpoint(SMALL),
}


def fuzz(kind, number, seed):
    """Open so many damaged files: each gives filters or one sentence, in bounded time and memory."""
    rng, good = np.random.default_rng(seed), KINDS[kind]()
    refused, slowest, sentences = 0, 0.0, set()
    tracemalloc.start()
    try:
        for _ in range(number):
            data = made.mutated(good, rng)
            start = time.perf_counter()
            try:
                for table in list_arrays(data):
                    table.read()
            except ModelFileError as error:
                refused += 1
                sentences.add(str(error))
            slowest = max(slowest, time.perf_counter() - start)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert all(0 < len(sentence) < 500 and "\n" not in sentence for sentence in sentences)
    return refused, slowest, peak


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_files_give_one_sentence(kind):
    refused, slowest, peak = fuzz(kind, 150, seed=1)
    assert refused > 20
    assert slowest < 2
    assert peak < 200 * 2**20


@pytest.mark.fuzz
@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_many_damaged_files_give_one_sentence(kind):
    refused, slowest, peak = fuzz(kind, FILES, seed=2)
    print(f"{kind}: {refused} of {FILES:,} refused, slowest {slowest:.3f} s, peak {peak / 2**20:.1f} MB")
    assert refused > FILES / 10
    assert slowest < 2
    assert peak < 200 * 2**20
