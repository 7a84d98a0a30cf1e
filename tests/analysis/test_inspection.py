"""What an inspection says is true: direct sums, the laws of its curves, and models that are wrong on purpose."""

import csv
import io

import numpy as np
import pytest

from tests.hard import random_filters
from tsa import InputError, Subgroup, equivariance_error, estimate_weights, fourier_model, inspect, load
from tsa.analysis import recovery
from tsa.files import bundled_path, read
from tsa.groups import CyclicShift, ImageRotation
from tsa.model import Weights
from tsa.pictures import gallery, patch, to_disc, turned_patches


@pytest.fixture(scope="module")
def rotation():
    return inspect(load("rotation-16-refined"), ImageRotation(16))


def test_it_gathers_what_each_function_says(rotation):
    model, action = rotation.model, rotation.action
    np.testing.assert_array_equal(rotation.weights.values, estimate_weights(model, action).values)
    np.testing.assert_allclose(rotation.recovery.affinity, recovery(model, action).affinity)
    np.testing.assert_allclose(
        rotation.equivariance.on_white_noise[:3], equivariance_error(model, action, rotation.equivariance.angles[:3])
    )
    assert rotation.defect < 1e-6


def test_evidence_is_of_fresh_pairs(rotation):
    x, y, _ = rotation.action.pairs(2000, rng=77)
    corners = (256 - rotation.action.support.size) * np.log(2 * np.pi) / 2
    trained = rotation.model.with_noise(1.0)  # white noise has this deviation
    free, tied = (model.log_evidence(x, y).mean() + corners for model in (trained.torus, trained))
    assert rotation.coupled_evidence == pytest.approx(tied, abs=2)
    assert rotation.decoupled_evidence == pytest.approx(free, abs=2)
    assert rotation.coupled_evidence > rotation.decoupled_evidence


def test_evidence_is_that_of_training():
    """Where a training curve ends, a fresh look begins; the corners of a square patch are no evidence."""
    file = read(bundled_path("rotation-16"))
    ended = np.mean([evidence for _, evidence in file.about["curve"][-5:]])
    report = inspect(file.model, ImageRotation(16), about=file.about)
    assert report.decoupled_evidence == pytest.approx(ended, abs=3)
    value, _ = report.summary()["noise σ"]
    assert value == file.about["noise"]["sigma"]
    assert "photographs" in report.data()["noise σ"]


def test_provenance_is_believed_only_where_it_fits():
    """A file may say anything: evidence is at a σ that is a positive number, and data are of the σ they name."""
    model, action = fourier_model(8, 0.5), CyclicShift(8)
    for about, sigma in (({"recipe": {"noise": 0.5}}, 0.5), ({"recipe": {"noise": "x"}}, 1.0), ({"recipe": 3}, 1.0)):
        assert inspect(model, action, pairs=2, about=about).evidence_sigma == sigma
    for noise, data in (
        ({"sigma": 0.5, "measured on": "rain"}, "rain"),
        ({"sigma": 0.4, "measured on": "rain"}, "a setting"),
    ):
        assert inspect(model, action, pairs=2, about={"noise": noise}).data()["noise σ"] == data


def test_energy_is_a_fraction_of_variance(rotation):
    model, action = rotation.model, rotation.action
    x = np.random.default_rng(0).normal(size=(4000, 256))
    x[:, np.setdiff1d(np.arange(256), action.support)] = 0
    sampled = np.square(np.abs(model.coordinates(x))).sum() / np.square(x).sum()
    assert rotation.noise_energy == pytest.approx(sampled, abs=0.005)
    upright = np.stack([patch(image, 16) for image in gallery()[0]])
    share = np.square(np.abs(model.coordinates(upright))).sum() / np.square(upright).sum()
    assert rotation.digit_energy == pytest.approx(share, abs=0.01)
    assert rotation.digit_energy > 0.95
    whole = inspect(fourier_model((4, 4)), CyclicShift((4, 4)), pairs=2)
    assert whole.noise_energy == pytest.approx(1.0)
    assert whole.digit_energy == pytest.approx(1.0)
    assert inspect(fourier_model(8), CyclicShift(8)).digit_energy is None


def test_the_error_has_two_parts(rotation):
    curves = rotation.equivariance
    for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        sides = (curves.total, curves.interpolation, curves.model)
        assert np.all(sides[a] <= sides[b] + sides[c] + 1e-12)
    quarter = np.isclose(np.mod(curves.angles, np.pi / 2), 0)
    assert quarter.sum() == 4
    np.testing.assert_allclose(curves.interpolation[quarter], 0, atol=1e-6)
    np.testing.assert_allclose(curves.total[quarter], curves.model[quarter], atol=1e-6)
    assert curves.total[0] == pytest.approx(0, abs=1e-6)
    assert curves.interpolation[~quarter].min() > 0.005
    # White noise is turned so badly that it hides how good the model is.
    assert curves.model.max() < 0.05 < curves.on_white_noise[~quarter].min()


def test_the_models_own_error_is_what_the_lab_shows(rotation):
    """By the other road to exactly turned patches, all 360 at once in the Fourier domain."""
    model, curves = rotation.model, rotation.equivariance
    gap = energy = 0.0
    for image in gallery()[0]:
        z = model.coordinates(turned_patches(to_disc(image), 16))
        gap += np.square(np.abs(z[50] - np.exp(1j * model.weights * np.radians(50)) * z[0])).sum()
        energy += np.square(np.abs(z[0])).sum()
    assert curves.angles[5] == pytest.approx(np.radians(50))
    assert curves.model[5] == pytest.approx(np.sqrt(gap / energy), rel=1e-3)


def test_a_wrong_weight_is_the_models_error_not_the_actions(rotation):
    wrong = np.where(np.arange(rotation.model.subspaces) == 9, 3, rotation.model.weights)
    assert rotation.model.weights[9] != 3
    spoiled = inspect(Subgroup(rotation.model.filters, wrong), rotation.action, pairs=10)
    np.testing.assert_allclose(spoiled.equivariance.interpolation, rotation.equivariance.interpolation)
    assert spoiled.equivariance.model.mean() > 3 * rotation.equivariance.model.mean()
    assert spoiled.summary()["confirmed weights"][0] == "54 of 55"
    place = Weights(wrong).order().tolist().index(9)
    assert spoiled.table()[place]["purity"] < 0.1 < spoiled.table()[place]["confidence"]


@pytest.mark.parametrize("shape", [9, 8, (3, 4)])
def test_whole_shifts_have_no_interpolation(shape):
    inspection = inspect(fourier_model(shape), CyclicShift(shape), pairs=4)
    assert not inspection.equivariance.interpolation.any()
    assert inspection.equivariance.model.max() < 1e-6
    assert inspection.recovery.purity.min() == pytest.approx(1.0)
    count = inspection.model.subspaces
    assert inspection.summary()["confirmed weights"][0] == f"{count} of {count}"


def test_the_table_has_a_row_for_each_subspace(rotation):
    rows = rotation.table()
    assert len(rows) == rotation.model.subspaces
    assert list(rows[0]) == ["subspace", "weight", "kind", "purity", "ceiling", "affinity", "confidence"]
    assert sum(row["kind"] == "line" for row in rows) == 7
    assert [row["subspace"] for row in rows] == list(range(1, len(rows) + 1))
    assert [row["weight"] for row in rows] == rotation.model.weights[rotation.model.irreps.order()].tolist()
    written = io.StringIO()
    table = csv.DictWriter(written, rows[0])
    table.writeheader()
    table.writerows(rows)
    assert len(written.getvalue().splitlines()) == len(rows) + 1
    two = inspect(fourier_model((3, 3)), CyclicShift((3, 3)), pairs=2).table()
    assert two[0]["weight"] == (0, 0)


def test_the_summary_explains_every_number(rotation):
    for name, (value, meaning) in rotation.summary().items():
        assert isinstance(value, str) or np.isfinite(value), name
        assert meaning.endswith(".")
        assert len(meaning) < 90
        assert rotation.data()[name]
    # A number measured on white noise is not taken for one on digits.
    data = rotation.data()
    assert (data["equivariance error"], data["error on digits"]) == ("white noise", "30 digits of MNIST")
    assert rotation.summary()["error on digits"][0] == pytest.approx(rotation.equivariance.total.mean())
    assert rotation.summary()["equivariance error"][0] == pytest.approx(rotation.equivariance.on_white_noise.mean())


def test_progress_is_monotone_and_ends():
    seen = []
    inspect(fourier_model(6), CyclicShift(6), pairs=4, on_progress=seen.append)
    filters = random_filters(np.random.default_rng(0), 25, 4)
    inspect(Subgroup(filters, [0, 1, 2, 3]), ImageRotation(5), pairs=4, on_progress=(turned := []).append)
    for fractions in (seen, turned):
        assert fractions[-1] == 1.0
        assert np.all(np.diff(fractions) >= 0)


def test_same_seed_same_numbers():
    model, action = fourier_model(6), CyclicShift(6)
    first, second, third = (inspect(model, action, pairs=9, rng=seed) for seed in (3, 3, 4))
    assert first.coupled_evidence == second.coupled_evidence != third.coupled_evidence


def test_a_strangers_model_may_hold_anything():
    """Filters in the corners, weights beyond all pixels: numbers come out, and they are bad."""
    corners = np.eye(25)[:, [0, 4]] @ [1, 1j]
    inspection = inspect(Subgroup(corners[:, None], [10_000]), ImageRotation(5), pairs=3)
    assert all(isinstance(v, str) or np.isfinite(v) for v, _ in inspection.summary().values())
    assert inspection.noise_energy == inspection.digit_energy == inspection.recovery.score == 0
    with pytest.raises(InputError, match="at least one pair"):
        inspect(fourier_model(4), CyclicShift(4), pairs=0)


def test_the_wrong_group_is_an_error_in_a_sentence():
    with pytest.raises(InputError, match="not the same patches"):
        inspect(fourier_model(9), CyclicShift(8))
    with pytest.raises(InputError, match="weights of shape"):
        inspect(fourier_model(9), CyclicShift((3, 3)))
