"""Modes, regions and samples on the torus: complete, measured, exact."""

import numpy as np
import pytest
from scipy import stats

from tests.density.torus_cases import aligned, box, families
from tests.hard import TURN, random_eta
from tsa import GeneralizedVonMises, InputError, TorusVonMises, VonMises


def derivatives(eta, k, points):
    """f, its gradient and its Hessian at points (n, 2), term by term."""
    term = eta.conj() * np.exp(1j * points @ k.T)
    return term.real.sum(-1), -term.imag @ k, -np.einsum("pm,mi,mj->pij", term.real, k, k)


def brute_maxima(eta, k, n):
    """Grid nodes above their eight neighbours, polished by Newton's method where it stays near."""
    spectrum = np.zeros((n, n), complex)
    for one, (a, b) in zip(eta, k, strict=True):
        spectrum[a % n, b % n] += one.conjugate() / 2
        spectrum[-a % n, -b % n] += one / 2
    f = np.fft.ifft2(spectrum).real * n * n
    top = np.ones((n, n), bool)
    for shift in [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if (a, b) != (0, 0)]:
        top &= f > np.roll(f, shift, (0, 1))
    start = np.argwhere(top) * TURN / n
    point = start.copy()
    for _ in range(8):
        _, gradient, hessian = derivatives(eta, k, point)
        point -= np.linalg.solve(hessian - 1e-12 * np.eye(2) * np.abs(hessian).max(), gradient[..., None])[..., 0]
    _, gradient, hessian = derivatives(eta, k, point)
    good = (np.abs(gradient).max(1) < 1e-9 * np.abs(eta).sum()) & (np.linalg.eigvalsh(hessian)[:, 1] < 0)
    return point[good & (np.abs(point - start).max(1) < 4 * TURN / n)]


def missing(found, expected):
    """The expected points that are not among those found."""
    gap = np.abs(np.exp(1j * found)[None] - np.exp(1j * expected)[:, None]).max(-1)
    return expected[gap.min(axis=1, initial=np.inf) > 1e-6]


def check_modes(eta, k):
    density = TorusVonMises(eta, k)
    angle, mass = density.modes()
    np.testing.assert_allclose(mass.sum(-1), 1.0)
    lost = 0
    for row in range(len(eta)):
        own = angle[row][~np.isnan(angle[row, :, 0])]
        lost += len(missing(own, brute_maxima(density.eta[row], density.frequencies, 24 * np.abs(k).max())))
        _, gradient, hessian = derivatives(density.eta[row], density.frequencies, own)
        scale = np.abs(density.eta[row]).sum()
        assert np.abs(gradient).max() < 1e-8 * scale
        assert np.linalg.eigvalsh(hessian)[:, 1].max() < 1e-8 * scale
        assert len(own) == len({tuple(np.round(p, 7)) for p in own})
    return lost


@pytest.mark.parametrize("reach", [1, 2, 3])
def test_no_mode_is_lost(reach):
    rng = np.random.default_rng(reach)
    k = box(reach)
    assert check_modes(random_eta(rng, len(k), 1.0, (15,)) * 10 ** rng.uniform(-3, 4, (15, 1)), k) == 0


@pytest.mark.slow
def test_no_mode_of_two_thousand_is_lost():
    rng = np.random.default_rng(10)
    for _ in range(40):
        k = box(int(rng.integers(1, 5)))
        k = k[np.sort(rng.permutation(len(k))[: int(rng.integers(3, len(k) + 1))])]
        if np.linalg.matrix_rank(k) == 2:
            assert check_modes(random_eta(rng, len(k), 1.0, (50,)) * 10 ** rng.uniform(-3, 4, (50, 1)), k) == 0


def test_the_brute_search_would_notice():
    """Negative control: of a density with several modes one is left out."""
    k = box(3)
    density = TorusVonMises(random_eta(np.random.default_rng(0), len(k), 3.0), k)
    angle, _ = density.modes()
    assert len(angle) > 2
    assert len(missing(angle[1:], brute_maxima(density.eta, density.frequencies, 72))) == 1


@pytest.mark.parametrize(("k", "copies"), [([(4, 0), (0, 6)], 24), ([(4, -1), (1, 4)], 17), ([(3, 0), (3, 4)], 12)])
def test_a_lattice_of_modes(k, copies):
    density = TorusVonMises([40.0, 60.0], k)
    angle, mass = density.modes()
    assert mass.shape == (copies,)
    np.testing.assert_allclose(mass, 1 / copies)
    assert not density.modes().ridge.any()
    np.testing.assert_allclose(density.log_density(angle), density.log_density(angle[0]), atol=1e-9)
    order = np.lexsort(angle.T[::-1])
    assert order.tolist() == list(range(copies))  # equal masses: in order of the angles
    np.testing.assert_allclose(density.mode(), angle[0], atol=1e-9)
    region = density.credible_set(0.9)
    assert (region.kind, len(region.pieces)) == ("lattice", copies)


@pytest.mark.parametrize(("k", "ridges"), [([(1, 0), (2, 0)], 1), ([(3, -5), (6, -10)], 1), ([(2, 2), (4, 4)], 2)])
def test_ridges_are_reported_as_ridges(k, ridges):
    density = TorusVonMises([50.0, 5.0], k)
    modes = density.modes()
    assert modes.mass.shape == (ridges,)
    assert modes.ridge.all()
    region = density.credible_set()
    assert len(region.pieces) == ridges
    assert region.kind == ("ridge" if ridges == 1 else "ridges")
    along = np.array([-k[0][1], k[0][0]]) / np.hypot(*k[0])
    for piece in region.pieces:
        assert piece.wraps
        assert abs(abs(piece.axis @ along) - 1) < 1e-6
        primitive = np.array(k[0]) / np.gcd(*k[0])
        assert piece.length == pytest.approx(TURN * np.hypot(*primitive), rel=0.02)


def test_a_curved_ridge_is_a_ridge():
    """f = −κ(cos s₁ + cos s₂ − ½)² is level on a closed curve that no integer map straightens."""
    kappa = 1e4
    square = {(1, 0): 1.0, (0, 1): 1.0, (2, 0): -0.5, (0, 2): -0.5, (1, 1): -1.0, (1, -1): -1.0}
    modes = TorusVonMises(kappa * np.array(list(square.values())), list(square)).modes()
    assert modes.ridge[0]
    assert modes.mass[0] == pytest.approx(1.0)


def test_points_ridges_and_plateaus_are_told_apart():
    k = box(3)
    assert TorusVonMises(aligned(k, np.full(len(k), 5.0), [1.0, 2.0]), k).credible_set().kind == "point"
    assert TorusVonMises(0.01 * np.ones(len(k)), k).credible_set().kind == "plateau"
    two = aligned(k, np.full(len(k), 3.0), [1.0, 2.0]) + aligned(k, np.full(len(k), 2.9), [4.0, 3.0])
    assert TorusVonMises(two, k).credible_set(0.999).kind in ("points", "lattice")


@pytest.mark.parametrize("p", [0.5, 0.95])
def test_regions_are_the_smallest_of_their_probability(p):
    rng = np.random.default_rng(4)
    for _, eta, k in families(rng, 2):
        density = TorusVonMises(eta, k)
        n = max(512, 64 * int(np.abs(k).max()))
        grid = np.sort(density.grid(n, n).reshape(2, -1))[:, ::-1]
        for row, region in enumerate(density.credible_set(p)):
            if np.ptp(grid[row]) < 1e-6 * grid[row, 0]:
                continue  # nearly uniform: any region will do
            count = np.searchsorted(np.cumsum(grid[row]) * (TURN / n) ** 2, p)
            assert region.area == pytest.approx(count * (TURN / n) ** 2, rel=0.02 + 2 / np.sqrt(count))
            assert region.log_density == pytest.approx(np.log(grid[row, count]), abs=0.15)
            assert sum(piece.mass for piece in region.pieces) == pytest.approx(p, abs=1e-6)
            assert sum(piece.area for piece in region.pieces) == pytest.approx(region.area)


@pytest.mark.parametrize("scale", [1.0, 1e3, 1e9])
def test_regions_cover(scale):
    """The truth lies in the 95 % region of its own density in 95 % of the cases, at any concentration."""
    k = box(2)
    density = TorusVonMises(scale * aligned(k, np.full(len(k), 1.0), [1.0, 2.0]), k)
    inside = density.log_density(density.sample(4000, 0)) >= density.credible_set().log_density
    assert abs(inside.mean() - 0.95) < 4 * np.sqrt(0.05 * 0.95 / 4000) + 0.005


@pytest.mark.parametrize("scale", [1.0, 1e4, 1e10])
def test_samples_are_exact_at_any_concentration(scale):
    rng = np.random.default_rng(2)
    a, b = random_eta(rng, 2, scale), random_eta(rng, 2, scale)
    torus = TorusVonMises(np.concatenate([a, b]), [(1, 0), (2, 0), (0, 1), (0, 2)])
    draws = torus.sample(3000, 5)
    for axis, eta in enumerate((a, b)):
        assert stats.kstest(GeneralizedVonMises(eta).cdf(draws[:, axis]), "uniform").pvalue > 1e-3
        assert stats.kstest(GeneralizedVonMises(1.5 * eta + 0.5).cdf(draws[:, axis]), "uniform").pvalue < 1e-3
    np.testing.assert_array_equal(draws, torus.sample(3000, 5))


def test_samples_of_a_slanted_lattice_reach_every_copy():
    density = TorusVonMises([40.0, 60.0], [(4, -1), (1, 4)])
    angle, _ = density.modes()
    gap = np.abs(np.exp(1j * density.sample(2000, 0))[:, None] - np.exp(1j * angle)).max(-1)
    counts = np.bincount(gap.argmin(axis=1), minlength=17)
    assert stats.chisquare(counts).pvalue > 1e-3


@pytest.mark.parametrize("kappa", [1.0, 1e4, 1e8, 1e12])
def test_kl_and_entropy_do_not_lose_digits(kappa):
    """Products of von Mises densities under a slanted map, against their closed forms."""
    k = [(2, 1), (1, 1)]
    one = TorusVonMises(np.array([kappa, 2 * kappa]) * np.exp([1j, -2j]), k)
    two = TorusVonMises(np.array([1.01 * kappa, 2 * kappa]) * np.exp([1j, -2j]), k)
    factors = VonMises(np.array([kappa, 2 * kappa])), VonMises(np.array([1.01 * kappa, 2 * kappa]))
    assert one.kl(two) == pytest.approx(factors[0].kl(factors[1]).sum(), rel=1e-6)
    assert one.entropy() == pytest.approx(factors[0].entropy().sum(), abs=1e-9)
    assert one.kl(one) == pytest.approx(0.0, abs=1e-12)


def test_kl_between_different_frequencies():
    rng = np.random.default_rng(8)
    p, q = (TorusVonMises(random_eta(rng, len(k), 1.0), k) for k in (box(2), box(1)))
    grid_p, grid_q = p.grid(128, 128), q.grid(128, 128)
    direct = (grid_p * np.log(grid_p / grid_q)).sum() * (TURN / 128) ** 2
    assert p.kl(q) == pytest.approx(direct, rel=1e-10)
    with pytest.raises(InputError, match="angle"):
        p.kl(GeneralizedVonMises([1.0]))


def test_marginals_integrate_the_other_axes_out():
    rng = np.random.default_rng(9)
    k = box(2)
    density = TorusVonMises(random_eta(rng, len(k), 3.0, (2,)), k)
    grid = density.grid(256, 256)
    np.testing.assert_allclose(density.marginal(0, 16), grid.sum(2)[:, ::16] * TURN / 256, rtol=1e-10)
    np.testing.assert_allclose(
        density.marginal(1, TURN * np.arange(4) / 4), grid.sum(1)[:, ::64] * TURN / 256, rtol=1e-10
    )
    sharp = TorusVonMises(1e8 * aligned(k, np.ones(len(k)), [1.0, 2.0]), k)
    near = 1.0 + np.linspace(-4, 4, 161) * float(sharp.std()[0])
    assert sharp.marginal(0, near).sum() * np.diff(near)[0] == pytest.approx(1.0, abs=1e-3)


def test_three_parameters():
    rng = np.random.default_rng(3)
    parts = [random_eta(rng, 1, scale) for scale in (60.0, 80.0, 300.0)]
    torus = TorusVonMises(np.concatenate(parts), np.eye(3, dtype=int))
    circles = [GeneralizedVonMises(part) for part in parts]
    assert torus.parameters == 3
    assert torus.log_normalizer == pytest.approx(sum(c.log_normalizer for c in circles), abs=1e-10)
    assert torus.entropy() == pytest.approx(sum(c.entropy() for c in circles), abs=1e-10)
    np.testing.assert_allclose(torus.mode(), [c.mode() for c in circles], atol=1e-9)
    np.testing.assert_allclose(torus.modes().mass, [1.0])
    draws = torus.sample(1000, 0)
    for axis, circle in enumerate(circles):
        assert stats.kstest(circle.cdf(draws[:, axis]), "uniform").pvalue > 1e-3
    np.testing.assert_allclose(torus.marginal(2, 5), circles[2].density(TURN * np.arange(5) / 5), atol=1e-10)
    region = torus.credible_set(0.9)
    assert region.kind == "point"
    assert abs((torus.log_density(draws) >= region.log_density).mean() - 0.9) < 0.05


def test_bad_questions():
    density = TorusVonMises([1.0], [(1, 0)])
    with pytest.raises(InputError, match="between 0 and 1"):
        density.credible_set(1.0)
    with pytest.raises(InputError, match="least_mass"):
        density.modes(-0.1)
    with pytest.raises(InputError, match="axes 0 to 1"):
        density.marginal(2, 8)
    with pytest.raises(InputError, match="whole number"):
        density.sample(-1)
