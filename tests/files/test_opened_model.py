"""One way to open a model: the same digests as ever, and spectra that are computed once."""

from dataclasses import replace

import numpy as np
import pytest

from tests.shared.model_files import npy, npz
from tsa import InputError, fourier_model, load
from tsa.analysis import inspect, spectra
from tsa.files import Hints, ModelFile, bundled, bundled_path, open_model, pack_model, read
from tsa.model import complex_filters, real_columns

DIGESTS = {
    "rotation-16": "13d4b50485c52a335933",
    "rotation-16-refined": "563ec5ad3e6171cd7ee0",
    "rotation-28": "8b3fb016cf0c118b3919",
    "shift-16x16": "a53e6ebcc004238fde10",
    "shift-32": "3effa6e6c85cc263adc3",
}


@pytest.fixture
def computed(monkeypatch):
    """The shapes of the filters whose spectra were computed."""
    shapes = []

    def counting(filters, *arguments):
        shapes.append(filters.shape)
        return spectra(filters, *arguments)

    for place in ("files.opened_model.spectra_of", "analysis.identification.spectra", "analysis.inspection.spectra_of"):
        monkeypatch.setattr(f"tsa.{place}", counting)
    return shapes


def test_bits_of_bundled_models_stay():
    """Filters, weights and group are those of the training, at its σ; the σ in the files was measured later."""
    files = {name: read(bundled_path(name)) for name in bundled()}
    trained = {name: replace(file, model=file.model.with_noise(1.0)) for name, file in files.items()}
    assert {name: open_model(file).digest for name, file in trained.items()} == DIGESTS
    for name, file in files.items():
        measured = file.about["noise"]
        assert file.model.noise == measured["sigma"], name
        assert 0.02 < file.model.noise < 0.2
        assert "photographs" in measured["measured on"]


def test_path_bytes_and_file_open_alike():
    path = bundled_path("shift-32")
    ways = [open_model(source) for source in (path, str(path), path.read_bytes(), open_model(path).file)]
    assert len({way.digest for way in ways}) == 1
    assert {way.note for way in ways} == {""}


def test_weights_of_a_file_need_no_spectra_until_they_are_asked_for(computed):
    opened = open_model(bundled_path("shift-16x16"))
    assert computed == []
    np.testing.assert_array_equal(opened.spectra, spectra(opened.model.filters, opened.action))
    assert opened.spectra is opened.spectra
    inspect(opened.model, opened.action, spectra=opened.spectra, pairs=1)
    assert computed == [(256, 130)]


@pytest.mark.parametrize("group", ["rotation", None])
def test_spectra_found_on_opening_are_carried_along(computed, group):
    model = load("rotation-16-refined")
    opened = open_model(npy(real_columns(model.filters)), hints=Hints(group=group))
    before = len(computed)
    np.testing.assert_array_equal(opened.spectra, spectra(opened.model.filters, opened.action))
    assert len(computed) == before
    assert not opened.spectra.flags.writeable


def test_a_report_is_the_same_with_spectra_given():
    opened = open_model(bundled_path("shift-32"))
    plain, given = (inspect(opened.model, opened.action, spectra=s) for s in (None, opened.spectra))
    assert plain.summary() == given.summary()


def test_weights_of_a_file_keep_the_filters_they_belong_to():
    """Another pairing of the columns may be purer; then the spectra found with it are not those of the model."""
    columns = real_columns(fourier_model(9).filters)  # 1, cos, sin, cos, sin, …
    opened = open_model(npz(W=columns, weights=np.arange(5)))
    assert "weights are those of the file" in opened.note
    np.testing.assert_array_equal(opened.spectra, spectra(opened.model.filters, opened.action))


def test_a_group_that_does_not_fit_the_patches_is_refused_or_replaced():
    row = npy(real_columns(fourier_model(9).filters))
    with pytest.raises(InputError, match=r"needs patches of shape \(9, 9\)"):
        open_model(row, hints=Hints((9,), "rotation"))
    opened = open_model(ModelFile(fourier_model(9), (9,), {"group": "rotation"}))
    assert repr(opened.action) == "CyclicShift(9)"
    assert "needs patches of shape (9, 9)" in opened.note


def test_progress_ends_at_one():
    seen = []
    open_model(npy(real_columns(fourier_model((4, 4)).filters)), on_progress=seen.append)
    assert seen[-1] == 1.0
    assert np.all(np.diff(seen) >= 0)


def test_what_was_opened_can_be_packed_and_opened_again():
    opened = open_model(npy(real_columns(fourier_model(9).filters)))
    again = open_model(pack_model(opened.model, opened.action.shape, {"group": "shift"}))
    assert again.digest == opened.digest


def test_a_complete_complex_basis_in_a_table_that_is_not_square_is_opened():
    """14 filters of 24 pixels: ten planes and four lines fill the space, but rows cannot be filters."""
    columns = np.linalg.qr(np.random.default_rng(0).normal(size=(24, 24)))[0]
    filters = complex_filters(columns, [True] * 10 + [False] * 4)
    assert open_model(npy(filters)).model.subspaces == 14
