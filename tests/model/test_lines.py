"""Lines of non-zero weight (Nyquist lines): everything is that of y = act(x, s) plus noise, against brute force."""

import numpy as np
import pytest
from scipy.optimize import minimize

from tests.hard import TURN, random_eta, random_filters
from tests.shared.fourier_shift import fourier_shift, log_likelihood
from tsa import GeneralizedVonMises, Subgroup, Torus, TorusVonMises, VonMises, fourier_model
from tsa.density import TwoPointVonMises
from tsa.model import complex_filters, nearest_orthonormal, real_columns

SIZES = [(4,), (7,), (8,), (5, 4), (4, 6), (3, 5), (6, 6)]


def model_of(sizes, noise, by_fft=True):
    model = fourier_model(sizes if len(sizes) == 2 else sizes[0], noise)
    return model if by_fft else Subgroup(model.filters, model.weights, noise)


def grid(parameters, n):
    """(n^p, p): the nodes of a grid on the circle or the torus."""
    return TURN * np.stack(np.unravel_index(np.arange(n**parameters), (n,) * parameters), axis=-1) / n


def points(model, s):
    return s[:, 0] if model.parameters == 1 else s


def log_mean_exp(values):
    return values.max() + np.log(np.mean(np.exp(values - values.max())))


def test_the_evidence_of_a_shifted_copy():
    """The pair with which the error was found: −9.48238 if the line is the real axis of a plane."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=8)
    y = np.roll(x, 3) + 0.5 * rng.normal(size=8)
    truth = log_mean_exp(log_likelihood(y, fourier_shift(x, (8,), grid(1, 512)), 1.0, 0.5))
    assert truth == pytest.approx(-9.47733, abs=5e-6)
    model = fourier_model(8, 0.5)
    assert model.log_evidence(x, y) == pytest.approx(truth, abs=1e-9)
    u, v = model.coordinates(x), model.coordinates(y)
    plane = GeneralizedVonMises(model.irreps.pool(model.natural_from(u, v))).log_normalizer - np.log(TURN)
    plane += model.natural_from(u, v)[0].real - (x @ x + y @ y) / 0.5 - 4 * np.log(TURN * 0.25)
    assert plane == pytest.approx(-9.48238, abs=5e-6)


@pytest.mark.parametrize("by_fft", [True, False])
@pytest.mark.parametrize("sizes", SIZES)
def test_posterior_evidence_and_distance(sizes, by_fft):
    rng = np.random.default_rng(len(sizes) * sum(sizes))
    model = model_of(sizes, 0.8, by_fft)
    x, y = rng.normal(size=(2, model.dimension))
    s = grid(model.parameters, 64 if model.parameters == 2 else 512)
    moved = fourier_shift(x, sizes, s)
    np.testing.assert_allclose(model.act(x, points(model, s)), moved, atol=1e-12)
    truth = log_likelihood(y, moved, 1.0, 0.8)
    evidence = log_mean_exp(truth)
    for seen in (None, np.ones(model.dimension)):
        assert model.log_evidence(x, y, seen=seen) == pytest.approx(evidence, abs=1e-9)
        posterior = model.posterior(x, y, seen=seen)
        by_bayes = posterior.log_density(points(model, s)) + evidence + model.parameters * np.log(TURN)
        np.testing.assert_allclose(by_bayes, truth, atol=1e-9)

    # The nearest of the orbit: from the best nodes of the grid by an independent optimizer.
    def square(t):
        return float(np.sum((y - fourier_shift(x, sizes, t[None])) ** 2))

    starts = s[np.argsort(-truth)[:5]]
    best = min((minimize(square, t, method="BFGS", options={"gtol": 1e-10}) for t in starts), key=lambda r: r.fun)
    assert model.distance(x, y) == pytest.approx(np.sqrt(best.fun), abs=1e-9)
    assert np.exp(1j * model.align(x, y)) == pytest.approx(np.exp(1j * np.squeeze(best.x)), abs=1e-5)


@pytest.mark.parametrize("sizes", [(4,), (8,), (4, 6)])
def test_a_moved_copy_is_at_distance_zero(sizes):
    """Between the pixels too; as the real axis of a plane, the line kept the copy away."""
    rng = np.random.default_rng(0)
    model = model_of(sizes, 0.5)
    x, s = rng.normal(size=model.dimension), rng.uniform(0, TURN, len(sizes))
    s = s[0] if len(sizes) == 1 else s
    copy = model.act(x, s)
    assert model.distance(x, copy) == pytest.approx(0, abs=1e-7)
    np.testing.assert_allclose(np.exp(1j * model.align(x, copy)), np.exp(1j * s), atol=1e-6)
    u, v = model.coordinates(x), model.coordinates(copy)
    planes = model.irreps.phases(s) * u  # negative control
    assert np.linalg.norm(v - planes) > 0.01


def moving_lines(rng, noise=0.7):
    """No DFT: two lines that move, one at double the weight of the other and at that of a plane, and one fixed."""
    return Subgroup(random_filters(rng, 10, 3, lines=3), [1, -2, 4, 1, -2, 0], noise)


@pytest.mark.parametrize("prior", [None, VonMises(0.5 + 1j), GeneralizedVonMises(np.arange(1.0, 8) * 0.1)])
def test_any_model_and_prior(prior):
    rng = np.random.default_rng(5)
    model = moving_lines(rng)
    x, y = rng.normal(size=(2, 3, 10))
    s = grid(1, 1024)[:, 0]
    for i in range(3):
        likelihood = log_likelihood(y[i], model.act(x[i], s), 1.0, 0.7)
        weighed = likelihood + (0 if prior is None else prior.log_density(s) + np.log(TURN))
        evidence = log_mean_exp(weighed)
        assert model.log_evidence(x, y, prior)[i] == pytest.approx(evidence, abs=1e-9)
        found = model.posterior(x, y, prior).log_density(s[:, None])[:, i]
        np.testing.assert_allclose(found, weighed - evidence - np.log(TURN), atol=1e-9)
    single = model.posterior(x.astype(np.float32), y.astype(np.float32))
    assert single.eta.dtype == np.complex64


def test_two_parameters_with_a_prior():
    rng = np.random.default_rng(6)
    model, prior = fourier_model((4, 2), 0.9), TorusVonMises(random_eta(rng, 2, 1.0), [[1, 0], [1, 1]])
    x, y = rng.normal(size=(2, 8))
    s = grid(2, 64)
    weighed = log_likelihood(y, fourier_shift(x, (4, 2), s), 1.0, 0.9) + prior.log_density(s) + 2 * np.log(TURN)
    assert model.log_evidence(x, y, prior) == pytest.approx(log_mean_exp(weighed), abs=1e-9)


@pytest.mark.parametrize("with_prior", [False, True])
@pytest.mark.parametrize("kind", ["circle", "torus"])
def test_gradient(kind, with_prior):
    """Along orthonormal frames, and in σ: central differences of the brute-force evidence."""
    rng = np.random.default_rng(7)
    model = moving_lines(rng) if kind == "circle" else model_of((4, 2), 0.8, by_fft=False)
    prior = VonMises(1 - 1j) if kind == "circle" else TorusVonMises([0.5j], [[1, 1]])
    prior = prior if with_prior else None
    x, y = rng.normal(size=(2, 4, model.dimension))
    s = grid(model.parameters, 256 if kind == "circle" else 48)
    base = 0 if prior is None else prior.log_density(points(model, s)) + model.parameters * np.log(TURN)

    def evidence(of):
        return sum(log_mean_exp(log_likelihood(b, of.act(a, points(of, s)), 1.0, of.noise) + base)
                   for a, b in zip(x, y, strict=True))  # fmt: skip

    found = model.evidence_gradient(x, y, prior)
    assert found.log_evidence == pytest.approx(evidence(model), abs=1e-8)
    assert not found.filters[:, model.lines].imag.any()
    step = 1e-5
    up, down = (evidence(model.with_noise(model.noise + h)) for h in (step, -step))
    assert found.noise == pytest.approx((up - down) / (2 * step), rel=1e-6)
    push = rng.normal(size=model.filters.shape) + 1j * rng.normal(size=model.filters.shape) * ~model.lines

    def pushed(h):
        columns = nearest_orthonormal(real_columns(model.filters + h * push))
        return Subgroup(complex_filters(columns, ~model.lines), model.weights, model.noise)

    tangent = (pushed(step).filters - pushed(-step).filters) / (2 * step)
    slope = (evidence(pushed(step)) - evidence(pushed(-step))) / (2 * step)
    assert np.sum((found.filters.conj() * tangent).real) == pytest.approx(slope, rel=1e-5)


def test_the_phase_of_a_line_on_the_torus_is_a_sign():
    """p(0) = e^η / 2 cosh η; as a density on the circle its first moment would be I₁/I₀ = 0.529, not tanh = 0.849."""
    model = Torus(np.eye(3)[:, :1] + 0j, 1.0)
    x, y = np.array([1.2527, 0, 0]), np.array([1.0, 0, 0])
    law = model.posterior(x, y)
    assert isinstance(law, TwoPointVonMises)
    assert law.moment(1)[0].real == pytest.approx(0.849, abs=5e-4)
    assert VonMises(law.eta).moment(1)[0].real == pytest.approx(0.529, abs=1e-3)
    np.testing.assert_allclose(law.moment(1), model._mean_rotation(law.eta, None), atol=1e-15)
    rng = np.random.default_rng(0)
    mixed = Torus(random_filters(rng, 6, 2, lines=2), 0.6)
    x, y = rng.normal(size=(2, 5, 6))
    law = mixed.posterior(x, y)
    log_z = law.log_normalizer.sum(axis=-1) - np.log([TURN, TURN, 2, 2]).sum()
    constant = -(np.sum(x**2, -1) + np.sum(y**2, -1)) / (2 * 0.36) - 3 * np.log(TURN * 0.36)
    np.testing.assert_allclose(mixed.log_evidence(x, y), constant + log_z, atol=1e-10)
