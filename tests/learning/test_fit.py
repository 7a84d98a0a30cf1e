"""`TSA.fit` finds the planes at any scale of the data, and says so when it does not."""

import numpy as np
import pytest

from tsa import TSA, ConvergenceError, InputError, Torus, fourier_model
from tsa.experiments.discovery.cases import torus_case
from tsa.groups import CyclicShift

SHIFT = CyclicShift(12)


def true_planes():
    truth = fourier_model(12)
    return truth.filters[:, ~truth.lines]


def angles(model):
    """For each learned plane the nearest of the DFT, and the largest principal angle to it in degrees: (J,) each."""
    bases = [np.linalg.qr(np.stack([f.real, f.imag], axis=1))[0] for f in true_planes().T]
    owns = [np.linalg.qr(np.stack([f.real, f.imag], axis=1))[0] for f in model.filters.T]
    cosines = np.array([[np.linalg.svd(own.T @ basis, compute_uv=False)[-1] for basis in bases] for own in owns])
    return cosines.argmax(axis=1), np.degrees(np.arccos(np.minimum(cosines.max(axis=1), 1)))


def planes_right(model):
    """How many different planes of the DFT have a learned plane within 10° in both principal angles."""
    nearest, angle = angles(model)
    return len(set(nearest[angle < 10]))


def pairs(n, seed, noise=0.0):
    x, y, _ = SHIFT.pairs(n, rng=seed)
    return x.astype(np.float64), y + noise * np.random.default_rng([*np.ravel(seed), 1]).standard_normal(y.shape)


def best_evidence(x, y):
    """Of the true planes, at the σ that suits these pairs best."""
    return max(float(np.mean(Torus(true_planes(), s).log_evidence(x, y))) for s in np.geomspace(0.05, 3, 60))


@pytest.mark.parametrize("seed", range(2))
def test_all_planes_are_found_with_default_settings(seed):
    estimator = TSA(5, random_state=seed).fit(*pairs(2000, seed))
    assert planes_right(estimator.model_) == 5
    assert estimator.converged_
    assert estimator.coherence_.min() > 0.9
    x, y = pairs(1000, 99)
    assert estimator.score(x, y) > best_evidence(x, y) - 1


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*uncertain")
def test_all_planes_are_found_in_nineteen_of_twenty_seeds():
    found = [planes_right(TSA(5, random_state=seed).fit(*pairs(2000, [7, seed])).model_) for seed in range(20)]
    assert found.count(5) >= 19


@pytest.mark.parametrize(("scale", "offset"), [(1e-3, 0.0), (255.0, 30.0)])
def test_scale_and_offset_change_only_sigma(scale, offset):
    x, y = pairs(1500, 0, 0.1)
    plain, moved = (TSA(5, random_state=0).fit(a * x + b, a * y + b) for a, b in ((1, 0), (scale, offset)))
    assert planes_right(moved.model_) == 5
    assert moved.noise_ == pytest.approx(scale * plain.noise_, rel=1e-3)
    np.testing.assert_allclose(moved.basis_, plain.basis_, atol=1e-3)


@pytest.mark.parametrize("noise", [0.01, 0.5])
def test_sigma_is_that_of_highest_evidence(noise):
    x, y = pairs(4000, 3, noise)
    estimator = TSA(5, random_state=0).fit(x.astype(np.float32), y.astype(np.float32))
    assert planes_right(estimator.model_) == 5
    tried = {
        s: float(np.mean(Torus(estimator.model_.filters, s).log_evidence(x, y))) for s in np.geomspace(0.05, 3, 80)
    }
    assert estimator.noise_ == pytest.approx(max(tried, key=tried.__getitem__), rel=0.1)


def test_sigma_can_be_given():
    assert TSA(5, noise=0.7, random_state=0).fit(*pairs(3000, 0)).model_.noise == 0.7


def test_planes_that_were_not_found_are_named():
    x, y = np.random.default_rng(0).standard_normal((2, 600, 8))
    with pytest.warns(UserWarning, match="do not keep their energy"):
        TSA(3, random_state=0).fit(x, y)


@pytest.mark.parametrize(("n", "noise"), [(2000, 0.0), (8000, 1.0)])
def test_errors_are_those_of_the_planes(n, noise):
    """Half the angle between two halves of the pairs is about the angle to the truth, in the mean over the planes."""
    estimator = TSA(5, random_state=0).fit(*pairs(n, 5, noise))
    assert np.mean(estimator.errors_) == pytest.approx(np.mean(angles(estimator.model_)[1]), rel=0.5)


def test_planes_of_one_weight_are_judged_as_one_space():
    """Their split into planes is arbitrary, so that two halves of the pairs split it differently: no warning."""
    x, y, _ = torus_case("", [1, 1, 2, 3]).pairs(4000, np.random.default_rng(0), 1.0)
    estimator = TSA(4, random_state=0).fit(x, y)
    assert max(estimator.errors_) < 5


@pytest.mark.parametrize("seed", range(2))
def test_noise_twice_the_patches_is_said(seed):
    with pytest.warns(UserWarning, match=r"uncertain.*halves.*10,000 pairs were given.*[2-9]0,000 are needed"):
        TSA(5, random_state=seed).fit(*pairs(10_000, [11, seed], 2.0))


@pytest.mark.slow
def test_noise_twice_the_patches_with_enough_pairs():
    """The same planes, and no warning: in these tests it would be an error."""
    x, y = pairs(40_000, 12, 2.0)
    estimator = TSA(5, random_state=0).fit(x, y)
    assert planes_right(estimator.model_) == 5
    assert estimator.score(x, y) > max(
        float(np.mean(Torus(true_planes(), s).log_evidence(x, y))) for s in (1.9, 2.0, 2.1)
    )


def test_more_planes_than_the_group_has():
    """The sixth plane of 12 samples is made of two lines, and is not invariant as a plane, but the others are right."""
    assert planes_right(TSA(6, random_state=0).fit(*pairs(2000, 1)).model_) == 5


def test_diverging_sgd_is_an_error_with_its_cause():
    x, y = pairs(500, 0)
    with pytest.raises(ConvergenceError, match=r"diverged.*Scale the patches"), np.errstate(all="ignore"):
        TSA(5, solver="sgd", n_pairs=20_000, learning_rate=1e20, random_state=0).fit(1e18 * x, 1e18 * y)


def test_bad_settings():
    with pytest.raises(InputError, match="solver"):
        TSA(2, solver="adam").fit(*pairs(100, 0))
    with pytest.raises(InputError, match="equal"):
        TSA(1).fit(np.ones((30, 4)), np.ones((30, 4)))
