"""Invariants the paper names: what each misses, as numbers; and what completes the bispectrum."""

import numpy as np
import pytest

import tsa
from tsa import Bispectrum, max_pooled, phase_differences


def model_of(weights, seed=0):
    J = len(weights)
    w = np.linalg.qr(np.random.default_rng(seed).normal(size=(2 * J, 2 * J)))[0]
    return tsa.Subgroup(w[:, ::2] + 1j * w[:, 1::2], weights)


def test_phase_differences_are_invariant():
    model, rng = model_of([0, 1, 2, 3, 6, -4]), np.random.default_rng(1)
    x = rng.normal(size=(7, 12))
    before, after = phase_differences(model, x), phase_differences(model, model.act(x, rng.uniform(0, 7, 7)))
    np.testing.assert_allclose(np.exp(1j * before), np.exp(1j * after), atol=1e-9)
    assert before.shape == (7, 4)


def test_phase_differences_are_unstable_where_there_is_little_energy():
    """Noise of 1e-3: at |z| = 1e-4 the difference is lost, while every bispectral invariant moves by a few 1e-3."""
    model, rng = model_of([1, 2, 3]), np.random.default_rng(2)
    bispectrum, noise = Bispectrum(model), 1e-3
    moved = {}
    for size in (1.0, 1e-2, 1e-4):
        z = np.array([1.0, 1.0j, size])
        x = model.reconstruct(z)
        noisy = x + noise * rng.standard_normal((2000, 6))
        turned = np.angle(np.exp(1j * (phase_differences(model, noisy) - phase_differences(model, x))))
        shift = np.linalg.norm(bispectrum(noisy) - bispectrum(x), axis=1)
        moved[size] = np.sqrt((turned[:, 1] ** 2).mean()), np.sqrt((shift**2).mean())
    assert moved[1.0][0] < 0.01
    assert 0.1 < moved[1e-2][0] < 0.4  # ω ε/|z| = 2 · 1e-3/1e-2 (and 3 · 1e-3 of the other)
    assert moved[1e-4][0] > 1.5  # as good as uniform, whose standard deviation is π/√3 = 1.81
    assert all(m[1] < 12 * noise for m in moved.values())


def test_max_pooling_is_invariant_and_drops_planes():
    """Two patches of different orbits with equal maxima; the sums and the bispectrum tell them apart."""
    model = model_of([0, 1, 1, 2])
    z = np.array([[0.5, 1.0, 0.2, 1.0], [0.5, 1.0, 0.9, 1.0]], complex)
    x = model.reconstruct(z)
    pooled = max_pooled(model, x)
    np.testing.assert_allclose(pooled[0], pooled[1])
    np.testing.assert_allclose(pooled[0], max_pooled(model, model.act(x[0], 1.3)))
    assert model.distance(x[0], x[1]) > 0.5
    assert np.abs(np.diff(model.pooled_norms(x), axis=0)).max() > 0.5
    assert np.abs(np.diff(Bispectrum(model)(x), axis=0)).max() > 0.3


def two_orbits():
    """Energy at the weights 2 and 3 only, with another relative phase: two orbits 0.55 apart."""
    model = model_of([1, 2, 3, 4, 5, 6])
    z = np.zeros((2, 6), complex)
    z[:, 1] = 1
    z[:, 2] = [1, np.exp(0.5j)]
    distances = []
    for phase in np.linspace(0.1, np.pi, 200):
        z[1, 2] = np.exp(1j * phase)
        distances.append(float(model.distance(*model.reconstruct(z))))
        if distances[-1] >= 0.55:
            break
    return model, model.reconstruct(z)


def test_weights_two_and_three_are_separated_by_pairs_and_not_by_triples():
    model, x = two_orbits()
    assert abs(model.distance(*x) - 0.55) < 0.02
    triples, complete = (Bispectrum(model, complete=c)(x) for c in (False, True))
    assert np.abs(triples[0] - triples[1]).max() < 1e-12
    assert np.abs(complete[0] - complete[1]).max() > 0.3


@pytest.mark.parametrize("present", [(2, 3), (6, 10, 15), (4, 6), (1,), (2, 5, 9)])
def test_complete_invariants_separate_orbits_whatever_has_energy(present):
    """Random phases at these weights alone: equal features only on one orbit; and features do not change along it."""
    weights = range(1, 16)
    model, rng = model_of(weights), np.random.default_rng(3)
    z = np.zeros((40, 15), complex)
    z[:, np.array(present) - 1] = np.exp(1j * rng.uniform(0, 2 * np.pi, (40, len(present))))
    x = model.reconstruct(z)
    features = Bispectrum(model, complete=True)
    np.testing.assert_allclose(features(x), features(model.act(x, rng.uniform(0, 7, 40))), atol=1e-9)
    gap = np.linalg.norm(features(x)[:, None] - features(x), axis=-1)
    distance = model.distance(x[:, None], x)
    apart = distance > 0.1
    assert (gap[apart] > 0.01).all()
    assert (gap[distance < 1e-6] < 1e-4).all()


def test_complete_invariants_are_stable():
    """Noise changes them by at most a constant times the noise, also where there is little or no energy."""
    model, rng = model_of(range(1, 16)), np.random.default_rng(4)
    features = Bispectrum(model, complete=True)
    for scale in (0.0, 1e-6, 1.0):
        x = model.reconstruct(scale * rng.normal(size=15) + np.eye(15)[1] + 0j)
        step = 1e-7 * rng.standard_normal((50, 30))
        change = np.linalg.norm(features(x + step) - features(x), axis=1) / np.linalg.norm(step, axis=1)
        assert change.max() < 60


def test_features_of_one_precision_and_shape():
    model = tsa.load("rotation-16-refined")
    plain, complete = Bispectrum(model), Bispectrum(model, complete=True)
    x = np.random.default_rng(0).normal(size=(2, 256)).astype(np.float32)
    assert complete(x).dtype == np.float32
    np.testing.assert_array_equal(complete(x)[:, : plain(x).shape[1]], plain(x))
    with pytest.raises(tsa.InputError, match="complete=False"):
        complete.invert(complete(x))
    assert np.isfinite(complete(np.zeros(256))).all()
