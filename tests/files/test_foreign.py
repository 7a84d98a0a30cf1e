"""Filters from other people's code: any layout and normalisation that means the same is read as the same."""

import io
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.hard import random_filters
from tests.shared.model_files import disguised, npy, npz, real_dft
from tsa import ModelFileError, Subgroup, estimate_weights, fourier_model, load, save
from tsa.analysis import identify_group, inspect
from tsa.files import read
from tsa.groups import CyclicShift, ImageRotation


def orthonormal(rows, columns, seed=0):
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(rows, columns)))[0]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_an_odd_column_is_a_line(dtype):
    w = orthonormal(9, 5).astype(dtype)
    file = read(npy(w))
    assert file.model.lines.tolist() == [False, False, True]
    np.testing.assert_array_equal(file.model.filters[:, 2], w[:, 4])
    assert file.model.filters.real.dtype == dtype
    assert "read as a line" in file.note
    assert file.defect < 1e-6


@pytest.mark.parametrize("columns", [6, 5])
def test_filters_in_rows_are_recognised(columns):
    w = orthonormal(20, columns)
    for given_, expected in ((npy(w.T), w), (npz(W=np.ascontiguousarray(w.T), shape=[4, 5]), w)):
        file = read(given_)
        np.testing.assert_array_equal(file.model.filters, read(npy(expected)).model.filters)
        assert f"in rows: {columns} of 20 pixels" in file.note
    assert "rows" not in read(npy(w)).note
    assert "rows" not in read(npy(orthonormal(6, 6))).note


def test_a_dictionary_larger_than_its_patches_is_refused_not_turned():
    overcomplete = np.random.default_rng(0).normal(size=(16, 64)) + 3
    for project in (False, True):
        with pytest.raises(ModelFileError, match="too many"):
            read(npy(overcomplete), project)


def test_the_defect_is_of_the_file_not_of_the_projection():
    w = orthonormal(16, 6)
    w[:, 0] *= 1.1
    with pytest.raises(ModelFileError, match="not orthonormal"):
        read(npy(w))
    file = read(npy(w), project=True)
    assert file.defect == pytest.approx(1.1**2 - 1)
    columns = file.model.filters.view(np.float64)
    np.testing.assert_allclose(columns.T @ columns, np.eye(6), atol=1e-12)


def test_double_in_name_only():
    w = orthonormal(16, 6).astype(np.float32).astype(np.float64)
    file = read(npy(w))
    assert 1e-8 < file.defect < 1e-6
    assert file.model.filters.dtype == np.complex64
    np.testing.assert_array_equal(file.model.filters.view(np.float32), w)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    planes=st.integers(1, 4),
    lines=st.integers(0, 2),
    single=st.booleans(),
    up=st.booleans(),
)
def test_complex_filters_of_any_length_and_phase(seed, planes, lines, single, up):
    """Law: scale and phase of each filter, and (for more pixels than filters) transposition, are only conventions."""
    rng = np.random.default_rng(seed)
    filters = random_filters(rng, 12, planes, lines)
    factors = rng.uniform(0.01, 100, planes + lines) * np.exp(2j * np.pi * rng.random(planes + lines))
    w = (filters * factors).astype(np.complex64 if single else np.complex128)
    file = read(npy(w if up else w.T))
    assert file.model.lines.tolist() == [False] * planes + [True] * lines
    assert file.defect < (1e-5 if single else 1e-12)
    overlap = np.abs(file.model.filters.conj().T @ filters) / np.linalg.norm(filters, axis=0) ** 2
    np.testing.assert_allclose(overlap, np.eye(planes + lines), atol=1e-5)
    turned = factors / np.abs(factors)
    np.testing.assert_allclose(file.model.filters[:, :planes], (filters * turned)[:, :planes], atol=1e-5)


def test_a_complex_filter_with_unequal_parts_is_not_repaired_unasked():
    w = orthonormal(8, 2)
    with pytest.raises(ModelFileError, match="not orthonormal"):
        read(npy((w[:, 0] + 2j * w[:, 1])[:, None]))


@pytest.mark.parametrize("n", [8, 9])
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("norm", ["ortho", "backward"])
def test_a_whole_complex_dft_is_read_as_its_planes(n, sign, norm):
    waves = np.fft.fft(np.eye(n), norm=norm)
    file = read(npz(anything=waves if sign < 0 else waves.conj(), shape=[n]))
    assert file.model.subspaces == n // 2 + 1
    assert f"{n - n // 2 - 1} filters were conjugates" in file.note
    found = estimate_weights(file.model, CyclicShift(n))
    # e^{ikp} has weight k and e^{−ikp} weight −k; a line has both, and is counted positive.
    expected = np.where(file.model.lines, 1, sign) * np.arange(n // 2 + 1)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_allclose(found.confidence, 1.0)


def test_a_whole_complex_dft_of_pictures():
    waves = np.fft.fft2(np.eye(12).reshape(-1, 3, 4)).reshape(12, 12)
    guess = identify_group(read(npz(F=waves, shape=[3, 4])).model, (3, 4))
    assert guess.purity == pytest.approx(1.0)
    assert guess.model.subspaces == 7


def test_a_square_number_of_samples_may_still_be_a_row():
    file = read(npy(real_dft(16)))
    assert file.shape == (4, 4)
    guess = identify_group(file.model, file.shape)
    assert repr(guess.action) == "CyclicShift(16)"
    assert guess.purity == pytest.approx(1.0)


def test_the_one_table_of_an_npz_may_have_any_name():
    w = orthonormal(12, 4)
    expected = read(npy(w)).model.filters
    buffer = io.BytesIO()
    np.savez(buffer, w)
    for data in (buffer.getvalue(), npz(dictionary=w), npz(weights=w), npz(**{"fc1.weight": w, "fc1.bias": w[0]})):
        np.testing.assert_array_equal(read(data).model.filters, expected)
    both = read(npz(W=w, other=np.eye(3), noise=0.3))
    assert both.model.noise == 0.3
    np.testing.assert_array_equal(both.model.filters, expected)
    labelled = read(npz(basis_of_mine=w, weights=np.array([[1, 0], [0, 1]]), shape=[3, 4]))
    assert labelled.model.weights.tolist() == [[1, 0], [0, 1]]


def test_several_tables_are_one_plain_sentence():
    with pytest.raises(ModelFileError, match=r"2 tables \(a \(4, 4\), b \(5, 5\)\); call the one") as caught:
        read(npz(a=np.eye(4), b=np.eye(5)))
    assert "\n" not in str(caught.value)


def test_our_own_files_are_read_as_before(tmp_path):
    model = load("rotation-16-refined")
    save(model, tmp_path / "ours.npz")
    file = read(tmp_path / "ours.npz")
    np.testing.assert_array_equal(file.model.filters, model.filters)
    assert file.note == ""
    assert 0 < file.defect < 1e-5


def test_a_disguised_copy_has_the_weights_of_the_original():
    model, action = load("rotation-16-refined"), ImageRotation(16)
    filters, order, sign = disguised(model, np.random.default_rng(0))
    file = read(npy(filters.view(np.float32).astype(np.float64)))  # zero columns beside the lines
    assert file.model.lines.sum() == model.lines.sum()
    guess = identify_group(file.model, file.shape)
    assert repr(guess.action) == repr(action)
    np.testing.assert_array_equal(guess.weights, sign * model.weights[order])
    assert guess.purity == pytest.approx(0.956, abs=0.001)
    assert Subgroup(guess.model.filters, guess.weights).subspaces == model.subspaces


def test_zero_columns_beside_lines_do_not_count_as_filters():
    model = fourier_model((4, 4))
    columns = np.ascontiguousarray(model.filters).view(np.float64)
    assert columns.shape == (16, 20)
    np.testing.assert_array_equal(read(npy(columns)).model.filters, model.filters)


def test_a_random_w_is_what_it_is():
    file = read(npy(orthonormal(256, 256)))
    guess = identify_group(file.model, file.shape)
    assert not guess.known
    assert guess.purity < 0.06


@pytest.mark.slow
@pytest.mark.parametrize("transposed", [False, True])
def test_all_784_filters_of_28_by_28(transposed):
    w = orthonormal(784, 783)
    file = read(npy(np.ascontiguousarray(w.T) if transposed else w))
    assert file.model.subspaces == 392
    assert file.shape == (28, 28)
    assert not identify_group(file.model, file.shape).known


def test_conjugates_take_their_weights_along():
    n = 8
    dft, k = np.fft.fft(np.eye(n)), np.arange(n)
    weights = np.where(k > n // 2, k - n, k)
    file = read(npz(W=dft.conj(), weights=weights, shape=[n]))
    assert sorted(np.abs(file.model.weights)) == [0, 1, 2, 3, 4]
    shifted = file.model.act(np.arange(8.0), 2 * np.pi / n)
    assert min(np.abs(shifted - np.roll(np.arange(8.0), step)).max() for step in (-1, 1)) < 1e-9


def harmonics(size, orders):
    """Disk harmonics that fade towards the rim, as orthonormal columns cos, sin, cos, sin, …"""
    row, column = (np.indices((size, size)) - (size - 1) / 2).reshape(2, -1) / (size / 2)
    r, theta = np.hypot(row, column), np.arctan2(-row, column)
    waves = [np.where(r < 1, r**k * (1 - r**2) ** 2 * wave(k * theta), 0) for k in orders for wave in (np.cos, np.sin)]
    return np.linalg.qr(np.stack(waves, axis=1))[0]


def test_large_patches_need_no_more_room_than_their_filters():
    """A matrix that rotates 100×100 pixels would have 60 million entries; one for each degree, and the room is gone."""
    tracemalloc.start()
    guess = identify_group(read(npy(harmonics(100, [1, 2, 5]))).model, (100, 100))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert isinstance(guess.action, ImageRotation)
    assert sorted(np.abs(guess.weights)) == [1, 2, 5]
    assert guess.purity > 0.999
    assert peak < 100e6


@pytest.mark.slow
def test_large_patches_can_be_inspected():
    found = identify_group(read(npy(harmonics(80, [1, 2, 5]))).model, (80, 80))
    tracemalloc.start()
    inspection = inspect(Subgroup(found.model.filters, found.weights), found.action)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert inspection.recovery.score > 0.999
    assert inspection.equivariance.on_white_noise.max() < 0.05
    assert peak < 1e9


def test_patches_too_large_to_look_at_are_refused():
    with pytest.raises(ModelFileError, match="at most 16,384 pixels"):
        read(npy(np.eye(129 * 129, 1)))
