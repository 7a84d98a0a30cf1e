"""Noise in x and in y, against the joint normal law of both patches, written as one dense covariance matrix."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from tests.hard import TURN, random_filters
from tsa import GeneralizedVonMises, InputError, ShapeError, Subgroup, TorusVonMises, fourier_model

CASES = [
    (6, 2, 0, [1, 3]),
    (8, 2, 1, [2, -1, 0]),
    (6, 3, 0, [0, 2, -2]),
    (6, 2, 1, [[1, 0], [1, -2], [0, 0]]),
]


def columns(filters, lines):
    """The real orthonormal columns of a model, each with the number of its subspace."""
    parts = [(f.real, j) for j, f in enumerate(filters.T)]
    parts += [(f.imag, j) for j, f in enumerate(filters.T) if j < filters.shape[1] - lines]
    return np.stack([p for p, _ in parts], 1), [j for _, j in parts]


def log_conditional(model, lines, x, y, s, noise_x, power):
    """log p(y | x, s) = log p(x, y | s) − log p(x) from covariance matrices of the whole patches."""
    basis, of = columns(np.asarray(model.filters), lines)
    signal = (basis * power[of]) @ basis.T
    D = model.dimension
    moved = model.act(np.eye(D), s).T  # column i is act(e_i, s)
    cross = signal @ moved.T
    n_x, n_y = noise_x**2 * np.eye(D), model.noise**2 * np.eye(D)
    joint = np.block([[signal + n_x, cross], [cross.T, moved @ signal @ moved.T + n_y]])
    both = multivariate_normal(np.zeros(2 * D), joint).logpdf(np.concatenate([x, y]))
    return both - multivariate_normal(np.zeros(D), signal + n_x).logpdf(x)


def points(parameters, n):
    return TURN * np.arange(n) / n if parameters == 1 else TURN * np.stack(np.indices((n, n)), -1).reshape(-1, 2) / n


@pytest.mark.parametrize(("D", "planes", "lines", "weights"), CASES)
@pytest.mark.parametrize("with_prior", [False, True])
def test_evidence_and_posterior_are_those_of_the_joint_normal_law(D, planes, lines, weights, with_prior):
    rng = np.random.default_rng(D)
    model = Subgroup(random_filters(rng, D, planes, lines), weights, noise=0.7)
    power, noise_x = rng.uniform(0.2, 3.0, planes + lines), 0.5
    power[0] = 0.0 if D == 8 else power[0]
    x, y = rng.normal(size=(2, D))
    s = points(model.parameters, 64 if model.parameters == 1 else 24)
    prior = None
    if with_prior:
        prior = GeneralizedVonMises([1 + 1j, -0.5]) if model.parameters == 1 else TorusVonMises([1j], [[0, 1]])
    joint = np.array([log_conditional(model, lines, x, y, one, noise_x, power) for one in s])
    uniform = -model.parameters * np.log(TURN)
    joint = joint + (uniform if prior is None else prior.log_density(s))
    top = joint.max()
    evidence = top + np.log(np.mean(np.exp(joint - top))) - uniform
    assert model.log_evidence(x, y, prior, noise_x=noise_x, power=power) == pytest.approx(evidence, abs=1e-9)
    found = model.posterior(x, y, prior, noise_x=noise_x, power=power).log_density(s)
    np.testing.assert_allclose(found, joint - evidence, atol=1e-9)


def test_without_noise_in_x_it_is_the_papers_form_to_the_last_bit():
    rng = np.random.default_rng(2)
    model = Subgroup(random_filters(rng, 8, 3, 1), [1, 2, -2, 0], 0.4)
    x, y, power = rng.normal(size=(5, 8)), rng.normal(size=(5, 8)), rng.uniform(size=4)
    assert np.array_equal(model.posterior(x, y, noise_x=0.0, power=power).eta, model.posterior(x, y).eta)
    assert np.array_equal(model.log_evidence(x, y, noise_x=0.0, power=power), model.log_evidence(x, y))
    one, other = model.evidence_gradient(x, y, noise_x=0.0, power=power), model.evidence_gradient(x, y)
    assert one.log_evidence == other.log_evidence
    assert np.array_equal(one.filters, other.filters)
    # And continuously: a little noise in x changes little.
    near = model.log_evidence(x, y, noise_x=1e-6, power=power)
    np.testing.assert_allclose(near, model.log_evidence(x, y), rtol=1e-9)


def test_eta_is_the_closed_form():
    rng = np.random.default_rng(3)
    model = Subgroup(random_filters(rng, 8, 2), [1, 2], 0.3)
    x, y, power = rng.normal(size=(2, 4, 8)).astype(np.float32)[0], rng.normal(size=(4, 8)), rng.uniform(size=(4, 2))
    n_x, n_y = 0.2**2, 0.3**2
    u, v = model.coordinates(x), model.coordinates(y)
    expected = u.conj() * v * power / (n_x * n_y + power * (n_x + n_y))
    np.testing.assert_allclose(model.posterior(x, y, noise_x=0.2, power=power).eta, expected, rtol=1e-6)
    # Nothing known of the power: the paper's form at the noise of both.
    both = model.with_noise(np.hypot(0.2, 0.3)).posterior(x, y).eta
    np.testing.assert_allclose(model.posterior(x, y, noise_x=0.2).eta, both, rtol=1e-6)


@pytest.mark.parametrize(("D", "planes", "lines", "weights"), CASES)
def test_the_gradient_is_that_of_the_evidence(D, planes, lines, weights):
    rng = np.random.default_rng(7)
    filters = random_filters(rng, D, planes, lines)
    model = Subgroup(filters, weights, 0.6)
    x, y, power = rng.normal(size=(3, D)), rng.normal(size=(3, D)), rng.uniform(0.1, 2, planes + lines)
    gradient = model.evidence_gradient(x, y, noise_x=0.4, power=power)
    step = rng.normal(size=filters.shape) + 1j * rng.normal(size=filters.shape) * model.filters.imag.any(axis=0)

    def at(t, noise=0.6):
        moved = model.with_noise(noise)
        vars(moved).update(filters=filters + t * step, _bases={})
        return moved.log_evidence(x, y, noise_x=0.4, power=power).sum()

    h = 1e-5
    assert gradient.log_evidence == pytest.approx(at(0.0))
    assert (np.conj(step) * gradient.filters).real.sum() == pytest.approx((at(h) - at(-h)) / (2 * h), rel=1e-6)
    assert gradient.noise == pytest.approx((at(0, 0.6 + h) - at(0, 0.6 - h)) / (2 * h), rel=1e-6)


def test_shifts_by_fft_agree_with_their_filters():
    rng = np.random.default_rng(5)
    fast = fourier_model((3, 5), 0.4)
    slow = Subgroup(fast.filters, fast.weights, 0.4)
    x, y, power = rng.normal(size=15), rng.normal(size=15), rng.uniform(size=fast.subspaces)
    for ask in ("log_evidence", "posterior"):
        one, other = (getattr(m, ask)(x, y, noise_x=0.3, power=power) for m in (fast, slow))
        np.testing.assert_allclose(*((one, other) if ask == "log_evidence" else (one.eta, other.eta)), rtol=1e-9)


def test_what_is_refused():
    model = Subgroup(random_filters(np.random.default_rng(0), 6, 2), [1, 2])
    x = np.ones(6)
    with pytest.raises(InputError, match="standard deviation"):
        model.posterior(x, x, noise_x=-1.0)
    with pytest.raises(InputError, match="not negative"):
        model.posterior(x, x, noise_x=0.1, power=[-1, 1])
    with pytest.raises(ShapeError, match="2 subspaces"):
        model.posterior(x, x, noise_x=0.1, power=[1, 1, 1])
    with pytest.raises(InputError, match="either seen or noise_x"):
        model.posterior(x, x, seen=np.ones(6), noise_x=0.1)
