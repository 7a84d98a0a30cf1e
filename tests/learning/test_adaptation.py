"""Adapting a model to pictures: free of scale, never worse than before, σ found; on photographs with an independent
resampler."""

import numpy as np
import pytest

from tsa import InputError, ShapeError, Subgroup, adapt, fine_tune, fourier_model, load, orthonormalize
from tsa.experiments.adaptation import adaptation, errors, polar_phase_correlation, sample_photos, turned_pictures
from tsa.groups import CyclicShift
from tsa.pictures import patches_of_images


def smooth_signals(n, rng):
    """Random signals of 12 samples with more energy in low frequencies, a little noise, and uneven contrast."""
    spectrum = rng.normal(size=(n, 7)) + 1j * rng.normal(size=(n, 7))
    return np.fft.irfft(spectrum / (1 + np.arange(7.0)) ** 2, 12) * rng.uniform(0.5, 2, (n, 1))


def nudged(model, size=0.05, seed=0):
    rng = np.random.default_rng(seed)
    nudge = rng.normal(size=model.filters.shape) + 1j * rng.normal(size=model.filters.shape) * ~model.lines
    return Subgroup(orthonormalize(model.filters + size * nudge), model.weights, model.noise)


def best_evidence(model, x, y):
    """The mean log evidence at the best σ of a grid."""
    return max(model.with_noise(sigma).log_evidence(x, y).mean() for sigma in np.geomspace(1e-3, 1, 60))


@pytest.fixture(scope="module")
def signals():
    rng = np.random.default_rng(3)
    x, y, _ = CyclicShift(12).pairs(300, rng, smooth_signals(300, rng))
    return smooth_signals(200, rng), x.astype(float), y.astype(float)


def test_evidence_rises_and_the_noise_is_found(signals):
    patches, x, y = signals
    start = nudged(fourier_model(12))
    shares = []
    adapted = adapt(start, patches, action=CyclicShift(12), on_progress=shares.append)
    assert best_evidence(adapted, x, y) > best_evidence(start, x, y) + 5
    assert adapted.log_evidence(x, y).mean() > best_evidence(adapted, x, y) - 0.5
    np.testing.assert_array_equal(adapted.weights, start.weights)
    np.testing.assert_array_equal(adapted.lines, start.lines)
    assert shares == sorted(shares)
    assert shares[-1] == 1


def test_steps_are_free_of_scale(signals):
    patches, start = signals[0], nudged(fourier_model(12))
    one, large = (adapt(start.with_noise(s), s * patches, action=CyclicShift(12)) for s in (1.0, 1024.0))
    np.testing.assert_allclose(large.filters, one.filters, atol=1e-6)
    assert large.noise == pytest.approx(1024 * one.noise, rel=1e-5)


def test_a_model_that_is_right_stays(signals):
    patches, x, y = signals
    exact = fourier_model(12)
    adapted = adapt(exact, patches, action=CyclicShift(12))
    np.testing.assert_allclose(adapted.filters, exact.filters, atol=1e-4)
    assert best_evidence(adapted, x, y) >= best_evidence(exact, x, y) - 1e-6


def test_mistakes_are_named():
    model, flat = load("rotation-16"), np.zeros((100, 200))
    for images, options, error, message in (
        ([flat], {}, InputError, "no contrast"),
        ([np.zeros((100, 200, 3))], {}, ShapeError, "grey"),
        ([], {}, ShapeError, "at least one"),
        ([flat], {"side": 120}, InputError, "do not fit"),
        (np.zeros((2, 12)), {"action": CyclicShift(12)}, ShapeError, "at least 5"),
        (np.ones((9, 12)), {"action": CyclicShift(12)}, ShapeError, "256 pixels"),
    ):
        with pytest.raises(error, match=message):
            adapt(model, images, **options)
    with pytest.raises(InputError, match="give `action`"):
        adapt(fourier_model((4, 4)), [flat])


def test_polar_phase_correlation_finds_turns():
    """The rival is no straw man: on pictures of 64 pixels it is right to a quarter of a degree."""
    x, y, degrees = turned_pictures(sample_photos()[0], 64, 30, np.random.default_rng(0))
    assert np.median(errors(polar_phase_correlation(x, y), degrees)) < 0.25


@pytest.mark.slow
def test_photographs():
    """A small version of `tsa bench adapt`."""
    (one,) = adaptation(sides=(32,), seeds=1, pairs=150)
    assert one.after < one.before
    assert one.after <= one.phase_correlation / 2
    assert one.gross_after <= one.gross_before


@pytest.mark.slow
def test_fine_tuning_helps_at_its_default_rate():
    """Steps that grew as σ fell took the median error from 0.64° to 0.06° after 30 batches, and to 0.29° after 60."""
    photo, other = sample_photos()
    rng = np.random.default_rng(1)
    x, y, _ = turned_pictures(photo, 64, 600, rng)
    x, y = (patches_of_images(p, np.zeros(600, int), 16).astype(float) for p in (x, y))
    model = load("rotation-16-refined")
    *_, (tuned, _) = fine_tune(model, [(x[i : i + 100], y[i : i + 100]) for i in range(0, 600, 100)] * 10)
    a, b, degrees = turned_pictures(other, 64, 150, rng)
    a, b = (patches_of_images(p, np.zeros(150, int), 16).astype(float) for p in (a, b))
    before, after = (np.median(errors(m.align(a, b), degrees)) for m in (model, tuned))
    assert after < before / 5
