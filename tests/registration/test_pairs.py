"""Two noisy patches: noise through the camera, hypotheses about spectra, posterior and σ, against plain formulas."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

import tsa
from tests.hard import TURN, random_filters
from tsa import InputError, ShapeError, Subgroup, estimate_noise, fourier_model
from tsa.groups import ImageRotation
from tsa.pictures import patches_of_pictures, pixels_behind
from tsa.registration import (
    Camera,
    FreeSpectrum,
    Hyperprior,
    NoisyPlanes,
    PhotographicSpectrum,
    PlanePair,
    noisy_pair,
    pair_posterior,
    photographic_power,
)
from tsa.registration.hyperprior import NoisyPair, given_power
from tsa.registration.photographs import spectrum_at


@pytest.fixture(scope="module")
def rotation():
    return tsa.load("rotation-16-refined")


def operator(size, side):
    """The linear map from pictures to patches, column by column, by `tsa.patch`."""
    return np.stack([tsa.patch(one, size) for one in np.eye(side * side).reshape(-1, side, side)], axis=1)


@pytest.mark.parametrize(("size", "side"), [(8, 8), (8, 13), (9, 6)])
def test_the_camera_is_linear_and_its_transpose_is_known(size, side):
    matrix = operator(size, side)
    rng = np.random.default_rng(0)
    pictures, filters = rng.uniform(size=(3, side, side)), rng.normal(size=(size * size, 2))
    np.testing.assert_allclose(patches_of_pictures(pictures, size), pictures.reshape(3, -1) @ matrix.T, atol=1e-9)
    np.testing.assert_allclose(pixels_behind(filters, size, side), matrix.T @ filters, atol=1e-9)


def test_pixel_noise_is_uncorrelated_in_the_planes_and_the_constant_is_gone(rotation):
    planes = NoisyPlanes.of(rotation, Camera(16, 16))
    matrix = operator(16, 16)
    seen = planes.filters.T @ matrix
    covariance = seen @ seen.conj().T / 2
    same = (planes.weights.values[:, 0][:, None] == planes.weights.values[:, 0]) & ~np.eye(len(seen), dtype=bool)
    assert np.abs(covariance[same]).max() < 1e-7
    np.testing.assert_allclose(np.diag(covariance).real, planes.noise_gain, atol=1e-7)
    assert planes.noise_gain.min() < 0.2
    assert planes.noise_gain.max() > 0.8
    constant = np.zeros(256)
    constant[ImageRotation(16).support] = 1.0
    assert np.abs(planes.coordinates(constant)).max() / np.linalg.norm(constant) < 1e-3
    # Negative control: the model's own planes do respond to it, and their noise is correlated.
    moving = ~rotation.irreps.fixed
    assert np.abs(rotation.coordinates(constant)[moving]).max() / np.linalg.norm(constant) > 1e-2


@pytest.mark.parametrize("likeness", [1.0, 0.5, 0.0])
def test_given_power_is_the_joint_normal_law_of_both_coordinates(likeness):
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 1, 1)) + 1j * rng.normal(size=(2, 1, 1))
    n_x, n_y, power = 0.3, 0.5, 1.7
    pair = NoisyPair(x, y, np.full((1, 1), n_x), np.full((1, 1), n_y), np.ones((1, 1)))
    level, eta = given_power(pair, power, likeness)
    for s in (0.0, 1.0, 4.0):
        turn = np.array([[np.cos(s), -np.sin(s)], [np.sin(s), np.cos(s)]])
        shared = likeness * power * turn
        joint = np.block([[(power + n_x) * np.eye(2), shared.T], [shared, (power + n_y) * np.eye(2)]])
        point = [x[0, 0].real, x[0, 0].imag, y[0, 0].real, y[0, 0].imag]
        expected = multivariate_normal(np.zeros(4), joint).logpdf(point) + 2 * np.log(2 * np.pi)
        found = level + (eta.conj() * np.exp(1j * s)).real
        assert found[0, 0] == pytest.approx(expected, abs=1e-10)


def test_the_free_spectrum_is_a_sum_over_powers_of_each_weight():
    rng = np.random.default_rng(2)
    model = Subgroup(random_filters(rng, 12, 5), [1, 2, -2, 3, 4], 1.0)
    planes = NoisyPlanes.of(model)
    pair = noisy_pair(planes, PlanePair.of(planes, *rng.normal(size=(2, 1, 12))), np.array([0.6]), np.array([0.4]))
    prior = FreeSpectrum(rungs=4, decades=(-1.0, 1.0), symmetries=(1, 2), harmonics=30, nodes=256)
    found = prior.hypotheses(planes, pair)
    s = np.linspace(0, TURN, 7)
    waves = found.eta.conj() @ np.exp(1j * found.harmonics * s)
    values = found.level[0][:, None] + waves[0].real
    profile = 1 / (2 * len(planes.softness))
    for c, r in enumerate((1, 2)):
        total = np.log(0.5) * np.ones(len(s))
        for k in (1, 2, 3, 4):
            own = planes.weights.values[:, 0] == k
            powers = [(0.5, 0.0)] + [(0.5 / 4, rung * profile * pair.signal[0, 0]) for rung in np.logspace(-1, 1, 4)]
            if k % r:
                powers = [(1.0, 0.0)]
            terms = 0
            for weight, power in powers:
                part = NoisyPair(*(a[:, own] for a in (pair.x, pair.y, pair.n_x, pair.n_y)), pair.signal)
                level, eta = given_power(part, power)
                exponent = level.sum() + (eta.conj()[0][:, None] * np.exp(1j * k * s)).real.sum(axis=0)
                terms = terms + weight * np.exp(exponent)
            total = total + np.log(terms)
        np.testing.assert_allclose(values[c], total, atol=1e-8)


def test_the_series_of_a_loud_weight_is_not_clipped():
    """Coordinates a thousand times the noise: a logarithm cut off at e^-600 would have other harmonics."""
    model = Subgroup(random_filters(np.random.default_rng(0), 4, 1), [1], 1.0)
    planes = NoisyPlanes.of(model)
    x = model.reconstruct(np.array([100.0 + 0j]))[None]
    pair = noisy_pair(planes, PlanePair.of(planes, x, x), np.array([0.1]), np.array([0.1]))
    found = FreeSpectrum(symmetries=(1,)).hypotheses(planes, pair)
    harmonic = np.abs(found.eta[0, 0])
    assert harmonic[0] > 1e5
    assert harmonic[1:].max() < 1e-2 * harmonic[0]


def test_parts_of_the_hyperprior_can_be_exchanged(rotation):
    planes = NoisyPlanes.of(rotation, Camera(16, 16))
    rng = np.random.default_rng(0)
    x = np.stack([tsa.patch(name, 16) for name in ("F", "hexagon")])
    pair = noisy_pair(planes, PlanePair.of(planes, x, x + 0.01 * rng.normal(size=x.shape)), *np.full((2, 2), 0.1))
    free, photo = (Hyperprior(((1.0, part),)) for part in (FreeSpectrum(), PhotographicSpectrum()))
    both = pair_posterior(planes, pair, Hyperprior()).log_evidence
    parts = [pair_posterior(planes, pair, one).log_evidence for one in (free, photo)]
    np.testing.assert_allclose(both, np.logaddexp(*parts) - np.log(2), atol=1e-8)
    assert photographic_power(planes).min() > 0


@pytest.mark.parametrize("tilt", [0.0, 2.0])
def test_the_power_of_smooth_pictures_in_each_plane(rotation, tilt):
    """Against random pictures with that spectrum, four times as wide as what the camera sees."""
    planes, rng, n, side = NoisyPlanes.of(rotation, Camera(16, 16, "patch")), np.random.default_rng(6), 1500, 64
    down, across = np.meshgrid(*[np.fft.fftfreq(side) * 16] * 2, indexing="ij")  # cycles per picture
    frequency = np.hypot(down, across)
    light = np.sinc(down / 16) * np.sinc(across / 16)  # a pixel is a mean over its square
    amplitude = light * np.sqrt(spectrum_at(frequency) * np.maximum(frequency, 0.5) ** tilt)
    white = np.fft.fft2(rng.normal(size=(n, side, side)))
    pictures = np.fft.ifft2(white * amplitude).real[:, 24:40, 24:40]
    coordinates = planes.coordinates(patches_of_pictures(pictures, 16))
    measured = (np.abs(coordinates) ** 2).mean(axis=0)
    ratio = photographic_power(planes, tilt) / measured
    ratio /= np.median(ratio)
    assert np.abs(ratio - 1).max() < 0.3
    # Negative control: another tilt has another profile.
    other = photographic_power(planes, 1.0) / measured
    assert np.abs(other / np.median(other) - 1).max() > 0.5


def test_pictures_less_smooth_than_photographs_are_told_by_their_evidence(rotation):
    """Pixels of random grey values: a tilt of the spectrum explains them, the spectrum of photographs does not."""
    planes, rng = NoisyPlanes.of(rotation, Camera(16, 16, "patch")), np.random.default_rng(7)
    x = patches_of_pictures(rng.uniform(size=(8, 16, 16)), 16)
    x, y = (x + 0.05 * rng.normal(size=x.shape) for _ in range(2))
    pair = noisy_pair(planes, PlanePair.of(planes, x, y), *np.full((2, 8), 0.05))
    tilted, photographic = (
        pair_posterior(planes, pair, Hyperprior(((1.0, PhotographicSpectrum(tilts=tilts)),))).log_evidence
        for tilts in ((-1.0, 0.0, 1.0, 2.0), (0.0,))
    )
    assert np.all(tilted > photographic + 5)


SHIFTS = [fourier_model(31), fourier_model((5, 5)), fourier_model(32)]


def shifted_pairs(model, n, sigma, rng):
    """Smooth random signals, moved by random amounts, both noisy: x, y and the shifts."""
    z = rng.normal(size=(n, model.subspaces)) + 1j * rng.normal(size=(n, model.subspaces))
    z *= 1.5 / (1 + np.square(model.irreps.values).sum(axis=1)) ** 0.75 * ~model.lines
    x = model.reconstruct(z)
    s = rng.uniform(0, TURN, (n, model.parameters) if model.parameters > 1 else n)
    return x + sigma * rng.normal(size=x.shape), model.act(x, s) + sigma * rng.normal(size=x.shape), s


@pytest.mark.slow
@pytest.mark.parametrize("model", SHIFTS, ids=["31", "5x5", "32"])
def test_noise_is_found_in_shifted_signals(model):
    x, y, _ = shifted_pairs(model, 30, 0.2, np.random.default_rng(3))
    assert estimate_noise(model, x, y) == pytest.approx(0.2, rel=0.2)
    each = estimate_noise(model, x[:6].reshape(2, 3, -1), y[:6].reshape(2, 3, -1), each=True)
    assert each.shape == (2, 3)
    assert np.all((each > 0.1) & (each < 0.4))
    assert model.with_noise(estimate_noise(model, x[0], y[0])).noise > 0


@pytest.mark.slow
def test_two_noises_are_told_apart():
    """Two noises are less certain than one: short signals leave few directions without content."""
    model, rng = fourier_model(31), np.random.default_rng(4)
    x, y, _ = shifted_pairs(model, 40, 0.1, rng)
    y = y + np.sqrt(0.3**2 - 0.1**2) * rng.normal(size=y.shape)
    found = estimate_noise(model, x, y, equal=False)
    assert found.shape == (2,)
    np.testing.assert_allclose(found, [0.1, 0.3], rtol=0.5)
    assert found[1] > 2 * found[0]


@pytest.mark.slow
@pytest.mark.parametrize(("model", "n"), [(SHIFTS[0], 300), (SHIFTS[1], 40)], ids=["31", "5x5"])
def test_sets_of_shifts_hold_the_true_shift(model, n):
    x, y, s = shifted_pairs(model, n, 0.3, np.random.default_rng(5))
    planes = NoisyPlanes.of(model)
    pair = noisy_pair(planes, PlanePair.of(planes, x, y), *np.full((2, n), 0.3))
    density = pair_posterior(planes, pair, Hyperprior()).density
    if model.parameters == 1:
        arcs = density.credible_set(0.8)
        covered = (np.mod(s[:, None] - arcs[..., 0], TURN) <= arcs[..., 1] - arcs[..., 0]).any(axis=1)
    else:
        covered = density.log_density(s) >= [region.log_density for region in density.credible_set(0.8)]
    assert covered.mean() == pytest.approx(0.8, abs=3.5 * np.sqrt(0.16 / n))
    # Negative control: the paper's form, which knows of no noise in x, covers much less.
    alone = model.with_noise(0.3).posterior(x, y)
    if model.parameters == 1:
        arcs = alone.credible_set(0.8)
        covered = (np.mod(s[:, None] - arcs[..., 0], TURN) <= arcs[..., 1] - arcs[..., 0]).any(axis=1)
        assert covered.mean() < 0.7


def test_what_is_refused(rotation):
    with pytest.raises(ShapeError, match="256 pixels"):
        estimate_noise(rotation, np.ones(9), np.ones(9))
    with pytest.raises(InputError, match="nothing moves"):
        NoisyPlanes.of(Subgroup(random_filters(np.random.default_rng(0), 6, 2), [0, 0]))
    with pytest.raises(InputError, match="pixels or on the patch"):
        Camera(16, 16, "lens")
    with pytest.raises(InputError, match="28×28"):
        NoisyPlanes.of(rotation, Camera(28, 28))
