"""What PyRecEst (version 2.4.2, github.com/FlorianPfaff/PyRecEst) expects of its von Mises densities, held by ours.

Its test suite checks values, identities and refusals; the same questions are put here, and answered by 20-digit
quadrature or closed forms instead of its code. Its GvM has the phase convention cos(k(s − μ_k)), so our μ_k is k times
its own. Where it answers wrongly, the test says so. Left out: plots, its input shapes, its filter classes.
"""

import mpmath as mp
import numpy as np
import pytest

from tests.hard import TURN
from tsa import GeneralizedVonMises, InputError, ShapeError, TorusVonMises, VonMises


def vm(mu, kappa):
    return VonMises.from_conventional(mu=mu, kappa=kappa)


def gvm(mu, kappa):
    """In PyRecEst's convention."""
    orders = np.arange(1, len(mu) + 1)
    return GeneralizedVonMises.from_conventional(mu=orders * np.asarray(mu), kappa=kappa)


def integral(function, start, stop):
    with mp.workdps(20):
        return mp.quad(function, mp.linspace(mp.mpf(float(start)), mp.mpf(float(stop)), 5))


def integral_over_a_turn(function, nodes=128):
    """By the trapezoid rule, which converges geometrically here."""
    with mp.workdps(20):
        return mp.fsum(function(2 * mp.pi * m / nodes) for m in range(nodes)) * 2 * mp.pi / nodes


def true_pdf(mu, kappa):
    """p(s) of its GvM in 20 digits."""
    terms = [(j, mp.mpf(m), mp.mpf(k)) for j, (m, k) in enumerate(zip(mu, kappa, strict=True), 1)]

    def unnormalized(s):
        return mp.exp(sum(k * (mp.cos(j * (s - m)) - 1) for j, m, k in terms))

    total = integral_over_a_turn(unnormalized, 128 if max(kappa) < 300 else 2000)
    return lambda s: unnormalized(s) / total


# -- von Mises -------------------------------------------------------------------------------------------


def test_table_of_values():
    table = [
        0.215781465110296, 0.341710488623463, 0.215781465110296, 0.0829150854731715, 0.0467106111086458,
        0.0653867888824553, 0.166938593220285,
    ]  # fmt: skip
    density, points = vm(2, 1), np.linspace(1, 7, 7)
    np.testing.assert_allclose(density.density(points), table, rtol=1e-14)
    np.testing.assert_allclose(density.log_density(list(points)), np.log(table), rtol=1e-13)
    np.testing.assert_allclose([float(true_pdf([2], [1])(s)) for s in points], table, rtol=1e-14)


def test_a_sharp_density_is_finite():
    density = vm(0.3, 1000.0)
    kappa = mp.mpf(1000)
    assert density.moment(1).real ** 2 + density.moment(1).imag ** 2 == pytest.approx(
        float(mp.besseli(1, kappa) / mp.besseli(0, kappa)) ** 2, rel=1e-14
    )
    peak = 1 / (2 * mp.pi * mp.besseli(0, kappa) * mp.exp(-kappa))
    assert density.density(0.3) == pytest.approx(float(peak), rel=1e-13)
    entropy = mp.log(2 * mp.pi * mp.besseli(0, kappa)) - kappa * mp.besseli(1, kappa) / mp.besseli(0, kappa)
    assert density.entropy() == pytest.approx(float(entropy), rel=1e-12)
    # The reference answers nan at κ = 1e10; the limit is that of a normal density.
    assert vm(0.3, 1e10).entropy() == pytest.approx(0.5 * np.log(2 * np.pi * np.e / 1e10), rel=1e-10)


def test_trigonometric_moments():
    np.testing.assert_array_equal(vm(2, 0).moments([0, 1, 2]), [1, 0, 0])
    density, p = vm(6.0, 1.2), true_pdf([6], [1.2])
    for n in range(5):
        truth = integral_over_a_turn(lambda s, n=n: p(s) * mp.expj(n * s))
        assert density.moment(n) == pytest.approx(complex(truth), abs=1e-15)


@pytest.mark.parametrize("start", [0.0, 2.1])
def test_distribution_function(start):
    density, p = vm(6.0, 1.2), true_pdf([6], [1.2])
    for x in range(7):
        found = np.mod(density.cdf(x) - density.cdf(start), 1.0)
        assert found == pytest.approx(float(integral(p, start, x if x >= start else x + TURN)), abs=1e-14)


@pytest.mark.parametrize(
    "interval", [(2, 2), (2, 3), (5, 4), (0, 2 * TURN), (-np.pi, np.pi), (-3 * np.pi, 3 * np.pi), (-1, 20), (12, -3)]
)
def test_integral_over_an_interval(interval):
    density, p = vm(6.0, 1.2), true_pdf([6], [1.2])
    start, stop = interval
    assert density.cdf(stop) - density.cdf(start) == pytest.approx(float(integral(p, start, stop)), abs=1e-14)


@pytest.mark.parametrize("kappa", [49.0, 51.0, 200.0])
def test_distribution_function_of_a_narrow_density(kappa):
    """From κ = 50 on, the reference has the error of a normal approximation: 7e-7 at κ = 51."""
    x = 2 + 0.7 / np.sqrt(kappa)
    truth = float(0.5 + integral(true_pdf([2], [kappa]), 2, x) - integral(true_pdf([2], [kappa]), 2 - np.pi, 0))
    assert vm(2.0, kappa).cdf(x) == pytest.approx(truth, abs=1e-14)


def test_divergence():
    density = vm(0.3, 1.8)
    assert density.kl(density) == 0
    assert density.kl(VonMises.uniform()) == pytest.approx(np.log(TURN) - density.entropy(), rel=1e-14)
    p = true_pdf([0.3], [1.8])
    truth = integral_over_a_turn(lambda s: p(s) * mp.log(p(s) * 2 * mp.pi))
    assert density.kl(VonMises.uniform()) == pytest.approx(float(truth), rel=1e-13)
    with pytest.raises(InputError, match="another density"):
        density.kl(object())


def test_a_shift_moves_the_density_forward():
    density, shift = vm(1.1, 4.0), 0.7
    shifted = VonMises(density.eta * np.exp(1j * shift))
    points = np.array([0.2, 1.1, 1.8, 5.9])
    np.testing.assert_allclose(shifted.density(points), density.density(points - shift), rtol=1e-12)
    assert shifted.mode() == pytest.approx(1.8)


def test_from_a_first_moment():
    """The reference inverts the Bessel ratio; here two angles that have the moment are fitted."""
    length = float(mp.besseli(1, 4) / mp.besseli(0, 4))
    found = VonMises.fit(1.3 + np.arccos(length) * np.array([-1, 1])).density
    assert (float(found.mu), float(found.kappa)) == (pytest.approx(1.3), pytest.approx(4.0, rel=1e-12))
    assert VonMises.fit([0.0, np.pi]).density.kappa < 1e-15
    with pytest.raises(InputError, match="distinct"):
        VonMises.fit([1.0, 1.0])


def test_prediction_and_update():
    """Convolution with noise keeps μ and lowers κ; prior and measurement that are equally sure meet in the middle."""
    prior = vm(2.1, 1.3)
    predicted = prior.diffuse(0.3)

    def ratio(k):
        return mp.besseli(1, k) / mp.besseli(0, k)

    with mp.workdps(30):
        truth = mp.findroot(lambda k: ratio(k) - ratio(mp.mpf("1.3")) * ratio(mp.mpf("0.3")), 0.2)
    assert float(predicted.mu) == pytest.approx(2.1)
    assert float(predicted.kappa) == pytest.approx(float(truth), rel=1e-12)
    assert VonMises.uniform().diffuse(2.0).kappa == 0
    updated = prior.fuse(vm(1.1, 1.3))
    assert float(updated.mean()) == pytest.approx(1.6)
    assert float(updated.kappa) == pytest.approx(2.6 * np.cos(0.5))


def test_products_of_extreme_concentrations():
    kept = vm(0.0, 1e308).fuse(vm(1.3, 0.0))
    assert (float(kept.mu), float(kept.kappa)) == (0.0, 1e308)
    turned = vm(0.0, 1e308).fuse(vm(np.pi / 2, 1e308))
    assert float(turned.mu) == pytest.approx(np.pi / 4, rel=1e-15)
    assert float(turned.kappa) == pytest.approx(np.hypot(1e308, 1e308), rel=1e-15)
    assert np.isfinite(turned.entropy())


def test_refusals():
    for kappa in (-1.0, np.nan, np.inf):
        for make in (vm, lambda mu, kappa: gvm([mu], [kappa])):
            with pytest.raises(InputError):
                make(0.0, kappa)
    with pytest.raises(InputError, match="finite"):
        vm(np.nan, 1.0)
    with pytest.raises(ShapeError, match="fit together"):
        GeneralizedVonMises.from_conventional(mu=[1.0, 2.0], kappa=[1.0, 1.0, 1.0])
    assert vm(0.3, 1.0).sample(np.int64(4), 0).shape == (4,)
    for n in (-1, 1.5, True):
        with pytest.raises(InputError, match="whole number"):
            vm(0.3, 1.0).sample(n)


# -- generalised von Mises -------------------------------------------------------------------------------


def test_order_one_is_the_von_mises():
    points = np.linspace(0, TURN, 100)
    for mu, kappa in ((2.0, 1.0), (np.pi, 1000.0)):  # the second overflows in the reference, which answers nan
        np.testing.assert_allclose(gvm([mu], [kappa]).density(points), vm(mu, kappa).density(points), rtol=1e-11)


@pytest.mark.parametrize(
    ("mu", "kappa"), [([2.0, 1.0], [1.0, 0.5]), ([1.0, 0.5], [2.0, 1.0]), ([0.0, 0.0], [1000.0, 500.0])]
)
def test_order_two(mu, kappa):
    """The last one overflows in the reference, which answers nan."""
    density, p = gvm(mu, kappa), true_pdf(mu, kappa)
    points = np.array([0.0, 0.01, 0.1, 1.0, 3.0, 5.5])
    np.testing.assert_allclose(density.density(points), [float(p(s)) for s in points], rtol=1e-11, atol=1e-300)
    assert density.cdf(TURN) == 1
    assert density.density(0.5) == density.density([0.5])[0]


# -- bivariate von Mises ---------------------------------------------------------------------------------


def cosine_model(mu, kappa, kappa3):
    """κ₁ cos(d₁) + κ₂ cos(d₂) − κ₃ cos(d₁ − d₂) with d = s − μ."""
    turns = np.exp(1j * np.array([mu[0], mu[1], mu[0] - mu[1]]))
    return TorusVonMises(np.array([*kappa, -kappa3]) * turns, [[1, 0], [0, 1], [1, -1]])


def sine_model(mu, kappa, coupling):
    """κ₁ cos(d₁) + κ₂ cos(d₂) + λ sin(d₁) sin(d₂), whose last term is λ/2 (cos(d₁ − d₂) − cos(d₁ + d₂))."""
    turns = np.exp(1j * np.array([mu[0], mu[1], mu[0] - mu[1], mu[0] + mu[1]]))
    return TorusVonMises(np.array([*kappa, coupling / 2, -coupling / 2]) * turns, [[1, 0], [0, 1], [1, -1], [1, 1]])


@pytest.mark.parametrize(("mu", "kappa", "kappa3"), [((1.0, 2.0), (0.7, 1.4), 0.5), ((0.5, 1.0), (20.0, 20.0), 10.0)])
def test_cosine_model(mu, kappa, kappa3):
    """Normaliser and first moments by their series of Bessel functions (Mardia, Taylor & Subramaniam 2007)."""

    def term(order, shift1=0, shift2=0):
        return mp.besseli(order + shift1, kappa[0]) * mp.besseli(order + shift2, kappa[1]) * mp.besseli(order, -kappa3)

    with mp.workdps(30):
        orders = range(-60, 61)
        total = mp.fsum(term(j) for j in orders)
        first = mp.fsum(term(j, 1) for j in orders) / total
        second = mp.fsum(term(j, 0, 1) for j in orders) / total
        log_z = mp.log(4 * mp.pi**2 * total)
    density = cosine_model(mu, kappa, kappa3)
    assert density.log_normalizer == pytest.approx(float(log_z), rel=1e-13)
    moments = density.moments([[1, 0], [0, 1]]) * np.exp(-1j * np.array(mu))
    np.testing.assert_allclose(moments, [float(first), float(second)], atol=1e-13)
    points = np.array([[3.0, 2.0], [5.0, 6.0], [-3.0, 11.0]])
    d = points - mu
    exponent = kappa[0] * np.cos(d[:, 0]) + kappa[1] * np.cos(d[:, 1]) - kappa3 * np.cos(d[:, 0] - d[:, 1])
    np.testing.assert_allclose(density.log_density(points), exponent - float(log_z), rtol=1e-12)
    shift = np.array([4.0, 2.0])
    shifted = TorusVonMises(density.eta * np.exp(1j * density.frequencies @ shift), density.frequencies)
    np.testing.assert_allclose(shifted.density(points), density.density(points - shift), rtol=1e-10)


@pytest.mark.parametrize(("kappa", "coupling"), [((0.7, 1.4), 0.5), ((0.0, 0.0), 0.5), ((0.7, 1.4), 20.0)])
def test_sine_model(kappa, coupling):
    """Z = 2π ∫ e^{κ₁ cos a} I₀(√(κ₂² + λ² sin² a)) da: the second angle is integrated in closed form."""
    total = integral_over_a_turn(
        lambda a: mp.exp(kappa[0] * mp.cos(a)) * mp.besseli(0, mp.sqrt(kappa[1] ** 2 + (coupling * mp.sin(a)) ** 2))
    )
    density, mu = sine_model((1.0, 2.0), kappa, coupling), np.array([1.0, 2.0])
    log_z = float(mp.log(2 * mp.pi * total))
    assert density.log_normalizer == pytest.approx(log_z, rel=1e-13)
    points = np.array([[3.0, 2.0], [-3.0, 11.0]])
    d1, d2 = (points - mu).T
    exponent = kappa[0] * np.cos(d1) + kappa[1] * np.cos(d2) + coupling * np.sin(d1) * np.sin(d2)
    np.testing.assert_allclose(density.log_density(points), exponent - log_z, rtol=1e-12)


@pytest.mark.parametrize("model", [cosine_model, sine_model])
def test_independent_angles_of_large_concentration(model):
    density = model((0.3, 1.2), (1000.0, 1000.0), 0.0)
    kappa = mp.mpf(1000)
    peak = 1 / (2 * mp.pi * mp.besseli(0, kappa) * mp.exp(-kappa)) ** 2
    assert density.density([0.3, 1.2]) == pytest.approx(float(peak), rel=1e-12)
    ratio = float(mp.besseli(1, kappa) / mp.besseli(0, kappa))
    np.testing.assert_allclose(density.moments([[1, 0], [0, 1]]), ratio * np.exp(1j * np.array([0.3, 1.2])), rtol=1e-12)
