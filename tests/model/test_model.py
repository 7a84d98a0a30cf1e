"""Both models: evidence against quadrature, gradients by Taylor's theorem, posteriors by Bayes' rule."""

import numpy as np
import pytest

from tests.hard import TURN, random_eta, random_filters
from tsa import (
    GeneralizedVonMises,
    InputError,
    NotOrthonormalError,
    ShapeError,
    Subgroup,
    Torus,
    TorusVonMises,
    VonMises,
    equivariance_error,
    fourier_model,
    orthonormalize,
)
from tsa.model import real_columns


def gaussian(y, mean, noise, seen=1.0):
    """log of Π_p N(y_p; mean_p, σ²)^{m_p}."""
    return np.sum(seen * (-((y - mean) ** 2) / (2 * noise**2) - np.log(2 * np.pi * noise**2) / 2), axis=-1)


def log_mean_exp(values, axis=None):
    top = values.max(axis=axis)
    return top + np.log(np.exp(values - top).mean(axis=axis))


@pytest.mark.parametrize(("D", "planes"), [(4, 2), (8, 2), (3, 1)])
@pytest.mark.parametrize("with_prior", [False, True])
def test_torus_evidence_is_the_integral(D, planes, with_prior):
    """y ~ N(W R(φ) Wᵀ x, σ²), integrated over φ by brute force; D = 8 and 3 are undercomplete."""
    rng = np.random.default_rng(D)
    model = Torus(random_filters(rng, D, planes), noise=0.7)
    x, y = rng.normal(size=(2, D))
    prior = VonMises(random_eta(rng, planes, 1.0)) if with_prior else None
    axes = np.meshgrid(*[TURN * np.arange(64) / 64] * planes, indexing="ij")
    phi = np.stack(axes, -1).reshape(-1, planes)
    likelihood = gaussian(y, model.reconstruct(np.exp(1j * phi) * model.coordinates(x)), 0.7)
    if prior is not None:
        likelihood = likelihood + prior.log_density(phi).sum(-1) + planes * np.log(TURN)
    assert model.log_evidence(x, y, prior) == pytest.approx(log_mean_exp(likelihood), abs=1e-10)


def test_the_papers_norm_of_x_would_be_wrong():
    """Negative control: with ‖x‖² in place of ‖Wᵀx‖² an undercomplete evidence misses its integral."""
    rng = np.random.default_rng(0)
    model = Torus(random_filters(rng, 8, 2))
    x, y = rng.normal(size=(2, 8))
    lost = (x @ x - np.sum(np.abs(model.coordinates(x)) ** 2)) / 2
    assert lost > 0.5
    phi = np.stack(np.meshgrid(*[TURN * np.arange(64) / 64] * 2), -1).reshape(-1, 2)
    truth = log_mean_exp(gaussian(y, model.reconstruct(np.exp(1j * phi) * model.coordinates(x)), 1.0))
    assert abs(model.log_evidence(x, y) - lost - truth) > 0.5


def test_torus_line_has_two_phases():
    """On a line the orthogonal maps are ±1: the evidence is the mean over both signs."""
    rng = np.random.default_rng(1)
    model = Torus(random_filters(rng, 3, 1, lines=1), noise=0.8)
    x, y = rng.normal(size=(2, 3))
    phi = np.stack(np.meshgrid(TURN * np.arange(128) / 128, [0.0, np.pi]), -1).reshape(-1, 2)
    truth = log_mean_exp(gaussian(y, model.reconstruct(np.exp(1j * phi) * model.coordinates(x)), 0.8))
    assert model.log_evidence(x, y) == pytest.approx(truth, abs=1e-10)


SUBGROUPS = [
    (4, 2, 0, [1, 3]),
    (8, 2, 1, [2, -1, 0]),  # undercomplete, a negative weight, a line
    (5, 2, 1, [1, 2, 0]),  # odd D
    (8, 4, 0, [0, 2, 2, -2]),  # a plane of weight 0, a weight space of three
    (6, 2, 1, [0, 0, 0]),  # nothing moves
    (6, 3, 0, [[1, 0], [0, 1], [1, -2]]),  # two parameters
    (5, 2, 1, [[1, 1], [-1, -1], [0, 0]]),
]


@pytest.mark.parametrize(("D", "planes", "lines", "weights"), SUBGROUPS)
@pytest.mark.parametrize("with_prior", [False, True])
@pytest.mark.parametrize("in_part", [False, True])
def test_subgroup_evidence_and_posterior_are_bayes_rule(D, planes, lines, weights, with_prior, in_part):
    rng = np.random.default_rng(D)
    model = Subgroup(random_filters(rng, D, planes, lines), weights, noise=0.6)
    x, y = rng.normal(size=(2, D))
    one = model.parameters == 1
    s = (
        TURN * np.arange(512) / 512
        if one
        else np.stack(np.meshgrid(*[TURN * np.arange(128) / 128] * 2), -1).reshape(-1, 2)
    )
    prior = None
    if with_prior:
        prior = GeneralizedVonMises([1 + 1j, 0.5, -1j]) if one else TorusVonMises([1 + 1j, 0.5], [[0, 1], [2, 1]])
    seen = rng.uniform(size=D) if in_part else None
    joint = gaussian(y, model.act(x, s), 0.6, 1.0 if seen is None else seen)
    if prior is not None:
        joint = joint + prior.log_density(s) + model.parameters * np.log(TURN)
    evidence = log_mean_exp(joint)
    assert model.log_evidence(x, y, prior, seen) == pytest.approx(evidence, abs=1e-10)
    posterior = model.posterior(x, y, prior, seen)
    by_bayes = joint - evidence - model.parameters * np.log(TURN)
    np.testing.assert_allclose(posterior.log_density(s), by_bayes, atol=1e-9)


def polar(w):
    u, _, v = np.linalg.svd(w, full_matrices=False)
    return u @ v


def taylor_slope(value, derivative):
    """Slope of log|f(t) − f(0) − t f'(0)| against log t."""
    t = 10.0 ** np.array([-3.0, -3.5, -4.0])
    error = [abs(value(h) - value(0.0) - h * derivative) for h in t]
    return np.polyfit(np.log(t), np.log(error), 1)[0]


# The last two are of the maximal torus, which has no posterior for a y seen in part.
IN_PART = [(case, False) for case in range(len(SUBGROUPS) + 2)] + [(case, True) for case in range(len(SUBGROUPS))]


@pytest.mark.parametrize(("case", "in_part"), IN_PART)
@pytest.mark.parametrize("with_prior", [False, True])
def test_gradients_have_taylor_slope_two(case, with_prior, in_part):
    rng = np.random.default_rng(case)
    if case < len(SUBGROUPS):
        D, planes, lines, weights = SUBGROUPS[case]
        prior = GeneralizedVonMises([1 + 1j, 0.5]) if np.ndim(weights) == 1 else TorusVonMises([1 + 1j], [[1, 2]])

        def build(filters, noise):
            return Subgroup(filters, weights, noise)
    else:
        D, planes, lines = ((8, 3, 0), (7, 2, 1))[case - len(SUBGROUPS)]
        prior = VonMises(random_eta(rng, planes + lines, 1.0))

        def build(filters, noise):
            return Torus(filters, noise)

    prior = prior if with_prior else None
    filters, noise = random_filters(rng, D, planes, lines), 0.9
    x, y = rng.normal(size=(2, 6, D))
    given = {"seen": rng.uniform(size=(6, D))} if in_part else {}
    result = build(filters, noise).evidence_gradient(x, y, prior, **given)
    assert result.log_evidence == pytest.approx(build(filters, noise).log_evidence(x, y, prior, **given).sum())

    w = real_columns(filters)
    # A direction along which the filters stay orthonormal, followed by the nearest orthonormal frame.
    push = rng.normal(size=w.shape)
    push -= w @ (w.T @ push + push.T @ w) / 2
    complex_push = np.zeros_like(filters)
    first = np.cumsum([0, *(2 for _ in range(planes)), *(1 for _ in range(lines))])[:-1]
    complex_push.real = push[:, first]
    complex_push.imag[:, :planes] = push[:, first[:planes] + 1]

    def along(h):
        moved = polar(w + h * push)
        turned = moved[:, first].astype(complex)
        turned.imag[:, :planes] = moved[:, first[:planes] + 1]
        return build(turned, noise).log_evidence(x, y, prior, **given).sum()

    slope = np.sum((result.filters.conj() * complex_push).real)
    assert taylor_slope(along, slope) == pytest.approx(2.0, abs=0.05)
    assert taylor_slope(along, slope + 10 + abs(slope)) == pytest.approx(1.0, abs=0.2)  # a wrong gradient is caught

    def louder(h):
        return build(filters, noise + h).log_evidence(x, y, prior, **given).sum()

    assert taylor_slope(louder, result.noise) == pytest.approx(2.0, abs=0.05)


def test_gradient_with_a_batch_of_priors():
    rng = np.random.default_rng(9)
    x, y = rng.normal(size=(2, 8))
    for model, prior in (
        (Torus(random_filters(rng, 8, 3)), VonMises(random_eta(rng, 3, 1.0, (5,)))),
        (Subgroup(random_filters(rng, 8, 3), [1, 2, 0]), GeneralizedVonMises(random_eta(rng, 2, 1.0, (5,)))),
    ):
        together = model.evidence_gradient(x, y, prior)
        singles = [model.evidence_gradient(x, y, type(prior)(e)) for e in prior.eta]
        assert together.log_evidence == pytest.approx(sum(s.log_evidence for s in singles))
        assert together.noise == pytest.approx(sum(s.noise for s in singles))
        np.testing.assert_allclose(together.filters, sum(s.filters for s in singles), atol=1e-10)


def test_posterior_of_several_pairs():
    rng = np.random.default_rng(2)
    model = Subgroup(random_filters(rng, 12, 5), [1, 2, 3, 4, 5], noise=2.0)
    x = rng.normal(size=(20, 12))
    y = model.act(x, 1.2) + 2.0 * rng.normal(size=x.shape)
    each = model.posterior(x, y)
    together = each.fuse_batch()
    assert together.entropy() < each.entropy().min()
    assert together.mode() == pytest.approx(1.2, abs=0.2)


def test_fourier_model_is_numpys_fft():
    """Section 3.2: against e = W(1, 0, …, 1, 0)ᵀ the posterior has the modulus and phase of the DFT."""
    rng = np.random.default_rng(3)
    for n in (7, 8, 32):
        model = fourier_model(n)
        x = rng.normal(size=n)
        e = model.reconstruct(np.ones(model.subspaces))
        posterior = model.torus.posterior(e, x)
        spectrum = np.fft.rfft(x) * np.where(model.lines, 1, np.sqrt(2)) / np.sqrt(n)
        np.testing.assert_allclose(posterior.kappa, np.abs(spectrum), atol=1e-13)
        gap = np.exp(1j * posterior.mu) - spectrum / np.abs(spectrum)
        np.testing.assert_allclose(gap, 0, atol=1e-12)
        np.testing.assert_allclose(model.act(x, TURN * 3 / n), np.roll(x, 3), atol=1e-13)
        assert model.weights.tolist() == [-j for j in range(n // 2 + 1)]


def test_fourier_model_of_images():
    rng = np.random.default_rng(4)
    for h, w in ((4, 4), (5, 6), (8, 8)):
        model = fourier_model((h, w))
        image = rng.normal(size=(h, w))
        x = image.ravel()
        np.testing.assert_allclose(model.reconstruct(model.coordinates(x)), x, atol=1e-13)
        s = np.array([TURN * 3 / h, TURN * 1 / w])
        y = np.roll(image, (3, 1), (0, 1)).ravel()
        np.testing.assert_allclose(model.act(x, s), y, atol=1e-13)
        np.testing.assert_allclose(model.align(x, y), s, atol=1e-9)
        assert model.distance(x, y) == pytest.approx(0.0, abs=1e-9)
        spectrum = np.fft.fft2(image)[tuple((-model.weights).T)] / np.sqrt(h * w)
        np.testing.assert_allclose(model.coordinates(x), spectrum * np.where(model.lines, 1, np.sqrt(2)), atol=1e-12)


def test_distances():
    rng = np.random.default_rng(5)
    model = Subgroup(random_filters(rng, 16, 5, 2), [1, 2, 2, 3, -4, 0, 0], noise=0.3)
    x, y = rng.normal(size=(2, 30, 16))
    s = TURN * np.arange(4096) / 4096
    gaps = model.coordinates(y)[:, None] - model.irreps.phases(s) * model.coordinates(x)[:, None]
    brute = np.sqrt((np.abs(gaps) ** 2).sum(-1)).min(-1)
    exact = model.distance(x, y)
    assert np.all(exact <= brute)
    np.testing.assert_allclose(exact, brute, atol=1e-4)
    # Torus: the Hellinger distance of the invariants, times √2 σ.
    root = np.sqrt(model.torus.invariants(x)) - np.sqrt(model.torus.invariants(y))
    np.testing.assert_allclose(model.torus.distance(x, y), 0.3 * np.sqrt((root**2).sum(-1)), rtol=1e-12)
    assert model.distance(x, model.act(x, 1.0)).max() < 1e-13  # not 1e-8, as the expanded square would give


def test_align_and_stabilizer():
    rng = np.random.default_rng(6)
    model = Subgroup(random_filters(rng, 16, 8), [1, 2, 3, 4, 5, 6, 7, 8], noise=0.1)
    x = rng.normal(size=(10, 16))
    s = rng.uniform(0, TURN, 10)
    np.testing.assert_allclose(model.align(x, model.act(x, s)), s, atol=1e-12)
    fourfold = model.reconstruct(model.coordinates(x) * (np.arange(1, 9) % 4 == 0))
    angle, mass = model.stabilizer(fourfold[0]).modes()
    heavy = mass > 0.01
    np.testing.assert_allclose(np.sort(angle[heavy]), np.arange(4) * np.pi / 2, atol=1e-9)
    np.testing.assert_allclose(model.pooled_norms(x), model.invariants(x), rtol=1e-12)


class Roll:
    """Cyclic shift by whole samples: s = 2πm/n."""

    def apply(self, x, s):
        return np.roll(x, round(float(s) * x.shape[-1] / TURN), axis=-1)


def test_equivariance_error():
    model = fourier_model(8)
    angles = TURN * np.arange(8) / 8
    np.testing.assert_allclose(equivariance_error(model, Roll(), angles), 0, atol=1e-14)
    wrong = Subgroup(model.filters, np.roll(model.weights, 1))
    error = equivariance_error(wrong, Roll(), angles)
    assert error[0] < 1e-14
    assert error[1:].min() > 0.5
    x = np.random.default_rng(0).normal(size=(5, 8))
    assert equivariance_error(wrong, Roll(), angles[1:2], x).shape == (1,)


def test_precision_shapes_and_empty_batches():
    rng = np.random.default_rng(7)
    for model in (fourier_model(9), fourier_model((3, 4)), fourier_model(9).torus):
        D, J = model.filters.shape
        x, y = rng.normal(size=(2, 4, 5, D)).astype(np.float32)
        assert model.coordinates(x).dtype == np.complex64
        assert model.reconstruct(model.coordinates(x)).dtype == np.float32
        for answer in (model.log_evidence(x, y), model.distance(x, y)):
            assert answer.dtype == np.float32
            assert answer.shape == (4, 5)
        assert model.posterior(x, y).eta.shape[:2] == (4, 5)
        assert model.posterior(x, y).eta.dtype == np.complex64
        assert model.invariants(x).shape == (4, 5, J)
        np.testing.assert_allclose(
            model.log_evidence(x, y), model.log_evidence(x.astype(float), y.astype(float)), rtol=1e-5
        )
        assert model.log_evidence(x[:, :1], y).shape == (4, 5)  # one x against five y
        nothing = np.empty((0, D))
        assert model.log_evidence(nothing, nothing).shape == model.distance(nothing, nothing).shape == (0,)
        assert model.posterior(nothing, nothing).eta.shape[0] == 0
        gradient = model.evidence_gradient(nothing, nothing)
        assert gradient.log_evidence == gradient.noise == 0
        assert not gradient.filters.any()


def test_filters_that_are_not_orthonormal_are_measured_and_mended():
    rng = np.random.default_rng(8)
    filters = random_filters(rng, 9, 3, 1) + 0.05 * (rng.normal(size=(9, 4)) + 1j * np.array([1, 1, 1, 0]))
    with pytest.raises(NotOrthonormalError, match="orthonormalize") as caught:
        Torus(filters)
    columns = real_columns(filters)
    assert caught.value.defect == pytest.approx(np.abs(columns.T @ columns - np.eye(7)).max())
    mended = orthonormalize(filters)
    model = Torus(mended)
    assert model.lines.tolist() == [False, False, False, True]
    np.testing.assert_allclose(real_columns(mended), polar(columns), atol=1e-13)
    with pytest.raises(InputError, match="dependent"):
        orthonormalize(np.ones((4, 2)))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda f: Torus(f, noise=0.0), "positive"),
        (lambda f: Torus(f, noise=np.nan), "positive"),
        (lambda f: Torus(f[:, 0]), r"shape \(D, J\)"),
        (lambda f: Torus(np.full((4, 1), np.nan)), "finite"),
        (lambda f: Subgroup(f, [1.5, 2]), "integers"),
        (lambda f: Subgroup(f, [1, 2, 3]), r"\(2,\)"),
        (lambda f: Subgroup(f, [1, 2]).posterior(np.zeros(5), np.zeros(4)), "4 pixels"),
        (lambda f: Subgroup(f, [1, 2]).posterior([0, 0, np.inf, 0], np.zeros(4)), "finite"),
        (lambda f: Subgroup(f, [1, 2]).coordinates([0, 0, np.nan, 0]), "finite"),
        (lambda f: Subgroup(f, [1, 2]).posterior(np.zeros(4), np.zeros(4), VonMises([1, 1])), "prior"),
        (lambda f: Torus(f).posterior(np.zeros(4), np.zeros(4), GeneralizedVonMises([1])), "prior"),
        (lambda f: Subgroup(f, [[1, 0], [0, 1]]).act(np.zeros(4), 0.3), "two parameters"),
        (lambda f: Subgroup(f, [1, 2]).reconstruct(np.zeros(3)), "2 subspaces"),
        (lambda f: Subgroup(f, [1, 2]).act(np.zeros(4), np.nan), "finite"),
        (lambda f: Subgroup(f, [1, 2]).coordinates(np.zeros(4, complex)), "real"),
        (lambda f: fourier_model(0), "Fourier"),
        (lambda f: Torus(f, noise="loud"), "positive"),
        (lambda f: Torus(f, noise=1e-200), "ordinary"),
        (lambda f: Subgroup(f, [1, 10**8]), "10,000"),
        (lambda f: Torus(f).posterior(np.zeros((2, 4)), np.zeros((3, 4))), "fit together"),
        (lambda f: Torus(f).posterior(np.zeros(4), np.zeros(4), VonMises(np.ones(3))), "fit together"),
        (lambda f: Torus([[1, 2], [3]]), "lengths"),
    ],
)
def test_bad_input_is_named(make, message):
    with pytest.raises((InputError, ShapeError), match=message):
        make(random_filters(np.random.default_rng(0), 4, 2))


def test_three_parameters():
    """Independent phases of three planes: the evidence is that of the maximal torus, the posterior its product."""
    rng = np.random.default_rng(0)
    filters = random_filters(rng, 8, 3)
    model = Subgroup(filters, np.eye(3, dtype=int), 0.7)
    x, y = rng.normal(size=(2, 8))
    assert model.log_evidence(x, y) == pytest.approx(model.torus.log_evidence(x, y), abs=1e-10)
    free = model.torus.posterior(x, y)
    np.testing.assert_allclose(model.align(x, y), np.mod(free.mu, 2 * np.pi), atol=1e-7)
    s = rng.uniform(0, 2 * np.pi, 3)
    assert model.posterior(x, y).log_density(s) == pytest.approx(free.log_density(s).sum(), abs=1e-9)
