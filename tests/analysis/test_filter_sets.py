"""Reports on sets of filters: made-up truth, brute force that shares no code, other people's models, and the cost."""

import tracemalloc

import numpy as np
import pytest

from tests.shared import dictionaries as made
from tests.shared.peers import PEERS, needs_peers
from tsa import InputError, ShapeError, fourier_model, load
from tsa.analysis import report_filters, spectra
from tsa.groups import CyclicShift, ImageRotation, Permutation, shift_and_hue
from tsa.model import Weights, real_columns

SHIFTS = CyclicShift((16, 16))


def folded(weights):
    return Weights(weights).folded.values


def shift_dictionary(number, seed):
    weights = [tuple(w) for w in np.asarray(Weights.of_dft((16, 16))) if not SHIFTS.is_real(np.asarray(w))]
    rng = np.random.default_rng(seed)
    make = lambda k, phase: made.wave((16, 16), k, phase)  # noqa: E731
    return made.dictionary(number, make, weights, rng, (16, 16))


def rotation_dictionary(number, seed):
    weights = list(range(1, 9))
    rng = np.random.default_rng(seed)
    make = lambda k, phase: made.harmonic(16, int(np.ravel(k)[0]), 0, phase)  # noqa: E731
    return made.dictionary(number, make, weights, rng, (16, 16))


def check(report, truth):
    """Weights right above purity 0.6, 95 % of partners, all copies and dead ones named; shares as they were mixed."""
    known = (truth.share > 0) & ~truth.dead
    assert np.array_equal(report.dead, truth.dead)
    sure = known & (report.purity > 0.6)
    assert sure.sum() > 0.5 * known.sum()
    np.testing.assert_array_equal(report.weights.folded.values[sure], folded(truth.weight)[sure])
    paired = np.flatnonzero((truth.partner >= 0) & (truth.original < 0))
    right = report.relatives.partner[paired] == truth.partner[paired]
    # A copy may be the one that was paired: it is the same filter.
    copied = np.isin(truth.original[report.relatives.partner[paired]], paired) & (report.relatives.partner[paired] >= 0)
    assert np.mean(right | copied) >= 0.95
    group = np.where(truth.original >= 0, truth.original, np.arange(len(truth.original)))
    found = np.where(report.relatives.original >= 0, report.relatives.original, np.arange(len(group)))
    for j in np.flatnonzero(truth.original >= 0):  # of a filter and its copies all but one are named
        family = np.flatnonzero(group == truth.original[j])
        assert len(set(found[family])) == 1
    assert not np.any(report.relatives.original[truth.noisy] >= 0)
    assert report.purity[truth.noisy].max(initial=0) < 0.6


@pytest.mark.parametrize("number", [64, 512])
@pytest.mark.parametrize("seed", [11, 12])
def test_a_dictionary_under_shifts_is_told_as_it_was_made(number, seed):
    filters, truth = shift_dictionary(number, seed)
    report = report_filters(filters, SHIFTS)
    check(report, truth)
    known = (truth.share > 0) & ~truth.dead
    np.testing.assert_allclose(report.purity[known], truth.share[known], atol=1e-5)


@pytest.mark.parametrize("seed", [11, 12])
def test_a_dictionary_under_rotations_is_told_as_it_was_made(seed):
    filters, truth = rotation_dictionary(64, seed)
    report = report_filters(filters, ImageRotation(16))
    check(report, truth)
    known = (truth.share > 0) & ~truth.dead
    np.testing.assert_allclose(report.relative_purity[known], truth.share[known], atol=0.07)


def test_purity_is_what_brute_force_says():
    rng = np.random.default_rng(5)
    f = rng.standard_normal((5, 12, 12)) + 1j * rng.standard_normal((5, 12, 12))
    report = report_filters(f.reshape(5, -1).T, ImageRotation(12))
    shares = made.shares_under_rotations(f, np.arange(-20, 21))
    np.testing.assert_array_equal(np.asarray(report.weights), shares.argmax(axis=1) - 20)
    np.testing.assert_allclose(report.purity, shares.max(axis=1), atol=2e-3)
    shifted = report_filters(f.reshape(5, -1).T, CyclicShift((12, 12)))
    power = np.stack([made.shares_under_shifts(g) for g in f])
    np.testing.assert_allclose(shifted.purity, power.reshape(5, -1).max(axis=1), atol=1e-6)
    best = [np.unravel_index(p.argmax(), p.shape) for p in power]
    np.testing.assert_array_equal(np.mod(np.asarray(shifted.weights), 12), best)


@pytest.mark.parametrize("size", [9, 16])
@pytest.mark.parametrize("kind", [np.float64, np.complex128])
def test_the_fast_spectra_of_discs_are_the_slow_ones(size, kind):
    rng = np.random.default_rng(size)
    f = rng.standard_normal((size * size, 7)).astype(kind)
    if kind is np.complex128:
        f.imag = rng.standard_normal(f.shape)
    action = ImageRotation(size)
    report = report_filters(f, action)
    slow = spectra(f, action) / report.inside[:, None]
    np.testing.assert_allclose(report.heights, slow, atol=3e-4)


@needs_peers
@pytest.mark.slow
@pytest.mark.parametrize(("name", "figures"), [("rotation", (42, 62)), ("translation", (165, None))])
def test_published_models_have_the_figures_known_of_them(name, figures):
    w = np.load(PEERS / f"bispectral-{name}.npy")
    pictures = w.reshape(-1, 16, 16)
    action = ImageRotation(16) if name == "rotation" else SHIFTS
    report = report_filters(w.T, action)
    if name == "rotation":
        best = made.shares_under_rotations(pictures, np.arange(-28, 29))
        oracle, weight = best.max(axis=1), np.abs(best.argmax(axis=1) - 28)
    else:
        power = np.stack([made.shares_under_shifts(f) for f in pictures]).reshape(len(w), -1)
        place = np.stack(np.unravel_index(power.argmax(axis=1), (16, 16)), axis=1)
        mirror = np.mod(-place, 16)
        oracle, weight = power.max(axis=1), np.minimum(place @ [16, 1], mirror @ [16, 1])
        assert len(set(weight[oracle > 0.9])) == 87 == report.above(0.9)[1]
    for limit, figure in zip((0.9, 0.8), figures, strict=True):
        if figure is not None:
            assert int((oracle > limit).sum()) == figure == report.above(limit)[0]
    np.testing.assert_allclose(report.purity, oracle, atol=4e-3)
    if name == "rotation":
        assert weight[oracle > 0.8].max() <= 12


def test_a_users_own_action_and_a_product_are_reported_on():
    cycle = Permutation(np.roll(np.arange(8), 1))
    waves = fourier_model(8)
    report = report_filters(waves.filters, cycle, claimed=waves.weights)
    np.testing.assert_allclose(report.purity, 1, atol=1e-5)
    assert report.agrees is not None
    assert report.agrees.all()
    assert not report.holes
    pair = shift_and_hue(3)
    mixed = np.random.default_rng(0).standard_normal((pair.dimension, 5))
    np.testing.assert_allclose(report_filters(mixed, pair).heights.sum(axis=1), 1, atol=1e-4)


def test_the_map_shows_what_is_missing():
    model = fourier_model((8, 8))
    some = np.delete(np.arange(model.subspaces), [5, 17])
    report = report_filters(real_columns(model.filters[:, some]), CyclicShift((8, 8)))
    missing = {tuple(int(n) for n in w) for w in folded(model.weights[[5, 17]])}
    assert {cell.weight for cell in report.holes} == missing
    assert report.rank == 64 - int(np.sum(2 - model.lines[[5, 17]]))
    assert report.condition == pytest.approx(1, abs=1e-3)
    disc = report_filters(load("rotation-16-refined").filters, ImageRotation(16))
    held = {(cell.weight, cell.order) for cell in disc.cells if cell.held > 0.5}
    assert {(1, 0), (2, 0), (3, 0)} <= held


def test_phase_is_that_of_the_wave_or_of_the_ray():
    phases = np.array([0.0, 0.5, -2.0])
    waves = np.stack([made.wave((8, 8), (1, 2), -phase) for phase in phases], axis=1)
    np.testing.assert_allclose(np.abs(report_filters(waves, CyclicShift((8, 8))).phase), np.abs(phases), atol=1e-4)
    discs = np.stack([made.harmonic(16, 3, 0, phase) for phase in phases], axis=1)
    found = report_filters(discs, ImageRotation(16)).phase
    np.testing.assert_allclose(np.abs(found), np.abs(phases), atol=0.02)


def test_complex_copies_up_to_phase_and_conjugation():
    f = fourier_model((8, 8)).filters[:, [3, 9]]
    filters = np.concatenate([f, 2j * f[:, :1], f[:, 1:].conj()], axis=1)
    report = report_filters(filters, CyclicShift((8, 8)))
    assert sorted(report.distinct().tolist()) == [0, 1]
    assert report.relatives.original.tolist() == [-1, -1, 0, 1]
    assert not report.real.any()


def test_extreme_sets_are_reported_on():
    action = CyclicShift(8)
    zeros = report_filters(np.zeros((8, 3)), action)
    assert zeros.dead.all()
    assert zeros.rank == 0
    assert zeros.summary()["dead"][0] == 3
    for scale in (1e-30, 1e30):
        one = report_filters(scale * np.cos(2 * np.pi * np.arange(8) / 8)[:, None], action)
        assert one.purity[0] == pytest.approx(1)
        assert one.length[0] == pytest.approx(2 * scale)
    with pytest.raises(ShapeError, match="D = 8"):
        report_filters(np.ones((7, 2)), action)
    with pytest.raises(InputError, match="1 to"):
        report_filters(np.ones((8, 0)), action)
    assert len(zeros.table()) == 3


@pytest.mark.slow
@pytest.mark.parametrize("name", ["shift", "rotation"])
def test_four_thousand_filters(name):
    filters, truth = (shift_dictionary if name == "shift" else rotation_dictionary)(4096, 21)
    check(report_filters(filters, SHIFTS if name == "shift" else ImageRotation(16)), truth)


@pytest.mark.slow
def test_four_thousand_filters_fit_into_half_a_gigabyte():
    rng = np.random.default_rng(0)
    filters = (rng.normal(size=(256, 4096)) + 1j * rng.normal(size=(256, 4096))).astype(np.complex64)
    tracemalloc.start()
    try:
        report_filters(filters, ImageRotation(16))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak + filters.nbytes < 500e6
