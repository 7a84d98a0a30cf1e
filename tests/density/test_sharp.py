"""Sharp densities on the circle, small probabilities and tails: relative accuracy, at a cost that does not grow."""

import mpmath as mp
import numpy as np
import pytest
from scipy import stats
from scipy.special import i0e, i1e, ndtri

from tests.density.multiprecision import integral, log_normalizer
from tests.hard import TURN, fejer, random_eta, symmetric
from tsa import GeneralizedVonMises, InputError
from tsa.density.numerics import Integral, Partition, credible_arcs, modes
from tsa.density.numerics.circle import _credible as credible_module
from tsa.density.numerics.circle._cells import cells_of, find_peaks
from tsa.density.numerics.circle._grid import Grid, sorted_by_method
from tsa.density.numerics.circle._modes import _from_cells

PHASES = [0.0, 0.3, 1.1, 3.0]


def bessel(n, kappa):
    """I_n(κ) with digits enough that e^κ may cancel."""
    with mp.workdps(60):
        return mp.besseli(n, mp.mpf(kappa))


def exact_entropy(kappa):
    with mp.workdps(60):
        return float(mp.log(2 * mp.pi * bessel(0, kappa)) - mp.mpf(kappa) * bessel(1, kappa) / bessel(0, kappa))


def exact_kl(p, q):
    with mp.workdps(60):
        ratio = bessel(1, p) / bessel(0, p)
        return float(mp.log(bessel(0, q) / bessel(0, p)) + (mp.mpf(p) - mp.mpf(q)) * ratio)


@pytest.mark.parametrize("phase", PHASES)
def test_kl_of_sharp_densities_does_not_depend_on_the_phase(phase):
    p, q = (GeneralizedVonMises([kappa * np.exp(1j * phase)]) for kappa in (1e12, 1.01e12))
    assert p.kl(q) == pytest.approx(exact_kl(1e12, 1.01e12), rel=1e-9)
    assert exact_kl(1e12, 1.01e12) == pytest.approx(2.48e-5, rel=1e-2)
    wide = GeneralizedVonMises(np.array([30.0, 0, 0, 0]) * np.exp(1j * phase))
    assert wide.kl(q) == pytest.approx(exact_kl(30.0, 1.01e12), rel=1e-12)
    assert q.kl(wide) == pytest.approx(exact_kl(1.01e12, 30.0), rel=1e-12)


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("kappa", [1e4, 1e10, 1e14])
def test_entropy_of_sharp_densities(kappa, phase):
    density = GeneralizedVonMises([kappa * np.exp(1j * phase)])
    assert density.entropy() == pytest.approx(exact_entropy(kappa), abs=1e-11 if kappa < 1e6 else 2e-12)
    # E of a few standard deviations from the peak, where E itself is rounded to 1e-16 κ
    x = 3 / np.sqrt(kappa)
    below_peak = 2 * kappa * np.sin(x / 2) ** 2 + np.log(TURN * i0e(kappa))
    assert density.log_density(phase + x) == pytest.approx(-below_peak, abs=1e-4 if kappa > 1e12 else 1e-6)


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("kappa", [1e4, 1e10, 1e14, 1e18])
def test_deviation_of_sharp_densities(kappa, phase):
    with mp.workdps(60):
        deviation = float(mp.sqrt(-2 * mp.log(bessel(1, kappa) / bessel(0, kappa))))
    assert GeneralizedVonMises([kappa * np.exp(1j * phase), 0.0]).std() == pytest.approx(deviation, rel=1e-10)


def test_plain_formulas_miss_divergence_and_entropy():
    """Negative control: log Z and moments in double precision, put into the textbook formulas, fail the tests above."""

    def log_z(kappa):
        return np.log(TURN * i0e(kappa)) + kappa

    errors = []
    for phase in PHASES:
        turn = np.exp(1j * phase)
        eta, other, moment = 1e12 * turn, 1.01e12 * turn, (i1e(1e12) / i0e(1e12)) * turn
        plain = ((eta - other).conjugate() * moment).real - log_z(1e12) + log_z(1.01e12)
        errors.append(abs(plain - exact_kl(1e12, 1.01e12)))
    assert max(errors) > 1e-6  # of 2.5e-5
    assert abs(log_z(1e10) - 1e10 * i1e(1e10) / i0e(1e10) - exact_entropy(1e10)) > 1e-8


def test_moments_of_a_sharp_density_beyond_its_harmonics():
    density = GeneralizedVonMises([1e10 * np.exp(0.3j)])
    for k, moment in enumerate(density.moments(4), 1):
        with mp.workdps(60):
            ratio = float(bessel(k, 1e10) / bessel(0, 1e10))
        assert moment == pytest.approx(ratio * np.exp(0.3j * k), abs=1e-15)


@pytest.mark.parametrize("kappa", [1.0, 1e4, 1e10])
@pytest.mark.parametrize("p", [1e-6, 1e-8, 1e-10])
def test_credible_set_of_a_small_probability(kappa, p):
    """So short an arc is level: its length is p over the density at the peak. Near 0 angles resolve it."""
    start, stop = GeneralizedVonMises([kappa * np.exp(1e-9j)]).credible_set(p)[0]
    length = p * TURN * i0e(kappa)
    assert np.mod(stop - start, TURN) == pytest.approx(length, rel=1e-6, abs=4e-15)
    assert np.angle(np.exp(1j * (start + stop) / 2)) == pytest.approx(1e-9, abs=2e-15)


@pytest.mark.parametrize("kappa", [1e10, 1e12])
@pytest.mark.parametrize("outside", [1e-10, 1e-12, 1e-15])
def test_credible_set_of_nearly_everything(kappa, outside):
    p = 1 - outside
    start, stop = GeneralizedVonMises([kappa * np.exp(1j)]).credible_set(p)[0]
    assert (stop - start) / 2 * np.sqrt(kappa) == pytest.approx(-ndtri((1 - p) / 2), rel=1e-8)


@pytest.mark.parametrize("kappa", [1e-3, 0.5, 3.0, 12.0])
@pytest.mark.parametrize("outside", [1e-6, 1e-8, 1e-10, 1e-12])
def test_all_but_a_narrow_gap_of_a_broad_density(kappa, outside):
    """The probability of the gap, to the resolution of its edges; a level resolves it to 1e-7 only."""
    p = 1 - outside
    density = GeneralizedVonMises(np.array([kappa, 0.3 * kappa]) * np.exp([0.4j, 2j]))
    start, stop = density.credible_set(p)[0]
    with mp.workdps(40):
        eta = [mp.mpc(v) for v in density.eta]
        log_z = log_normalizer(density.eta)
        edges = mp.mpf(float(stop)), mp.mpf(float(start)) + 2 * mp.pi
        mass = mp.quad(
            lambda s: mp.exp(sum(mp.re(mp.conj(v) * mp.expj(k * s)) for k, v in enumerate(eta, 1)) - log_z),
            edges,
        )
    resolution = float(density.density(stop)) * 2e-15
    assert float(mass) == pytest.approx(1 - p, rel=1e-7, abs=resolution)


@pytest.mark.parametrize("outside", [1e-6, 1e-8, 1e-10, 1e-12])
@pytest.mark.parametrize(
    "eta",
    [symmetric(2, 2, 3.0), symmetric(3, 6, 2.0), np.array([0, 1.0 + 0.2j, 1e-10]), np.array([1e-9, 1.0]), [0.1, -2.0]],
    ids=["two", "three", "nearly two", "nearly two, one side", "one is wider"],
)
def test_all_but_narrow_gaps_about_equally_deep_valleys(eta, outside):
    """The probability outside of all arcs, and the density at their edges, which is the same for all."""
    p = 1 - outside
    density = GeneralizedVonMises(eta)
    arcs = density.credible_set(p)
    arcs = arcs[~np.isnan(arcs[:, 0])]
    gaps = zip(arcs[:, 1], np.append(arcs[1:, 0], arcs[0, 0] + TURN), strict=True)
    with mp.workdps(40):
        own = [mp.mpc(v) for v in density.eta]
        log_z = log_normalizer(density.eta)

        def true_density(s):
            return mp.exp(sum(mp.re(mp.conj(v) * mp.expj(k * s)) for k, v in enumerate(own, 1)) - log_z)

        mass = float(sum(mp.quad(true_density, [mp.mpf(float(end)) for end in gap]) for gap in gaps))
        edges = [float(true_density(mp.mpf(float(end)))) for end in arcs.ravel()]
    assert mass == pytest.approx(1 - p, rel=1e-6, abs=len(arcs) * max(edges) * 4e-15)
    assert max(edges) == pytest.approx(min(edges), rel=1e-7)


def test_an_arc_of_a_millionth_of_a_millionth():
    """The smallest set of probability 1e-8 at κ = 7e7 reaches 1.5e-12 radians to each side of the peak."""
    start, stop = GeneralizedVonMises([7e7 * np.exp(1e-3j)]).credible_set(1e-8)[0]
    expected = 1e-8 * np.pi * i0e(7e7)
    assert expected == pytest.approx(1.5e-12, rel=0.01)
    assert (stop - start) / 2 == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("p", [1e-5, 1e-16, 1e-30, 1e-300])
def test_quantile_in_the_lower_tail(p):
    density = GeneralizedVonMises([1e4 * np.exp(3j)])
    s = density.quantile(p)
    with mp.workdps(30):
        end = mp.mpf(float(s))
        # Relative to the density at s, because mp.quad stops at an absolute error.
        tail = mp.quad(lambda x: mp.exp(1e4 * (mp.cos(x - 3) - mp.cos(end - 3))), mp.linspace(end - 0.08, end, 33))
        share = tail * mp.exp(1e4 * mp.cos(end - 3)) / (2 * mp.pi * mp.besseli(0, 1e4))
    assert float(share / p) == pytest.approx(1.0, rel=1e-9)
    assert density.cdf(s) == pytest.approx(p, rel=1e-9)
    if p == 1e-16:
        assert (s - 3) * 100 == pytest.approx(-8.2, abs=0.05)


def test_quantile_in_the_upper_tail():
    density = GeneralizedVonMises([1e10 * np.exp(1j)])
    for p in (1 - 1e-10, 1 - 1e-14):
        assert (density.quantile(p) - 1) * 1e5 == pytest.approx(-ndtri(1 - p), rel=1e-8)


@pytest.mark.parametrize("kappa", [1e12, 1e14, 1e20])
@pytest.mark.parametrize("harmonics", [1, 4])
def test_everything_is_answered_at_any_concentration(kappa, harmonics):
    k = np.arange(1, harmonics + 1)
    density = GeneralizedVonMises(kappa * np.exp(1j * k * 0.7) / k)
    sd = (kappa * k.sum()) ** -0.5
    assert density.entropy() == pytest.approx(0.5 * np.log(2 * np.pi * np.e) + np.log(sd), abs=1e-9)
    assert density.moments(2)[1] == pytest.approx(np.exp(1.4j), abs=1e-11)
    assert density.modes().mass[0] == pytest.approx(1.0)
    assert density.modes().angle[0] == pytest.approx(0.7, abs=1e-15)
    start, stop = density.credible_set(0.95)[0]
    assert (stop - start) / 2 == pytest.approx(1.959964 * sd, rel=1e-5)
    assert density.cdf(0.7 + sd) == pytest.approx(stats.norm.cdf(1), abs=1e-5)
    draws = (density.sample(2000, 0) - 0.7) / sd
    assert stats.kstest(draws, "norm").pvalue > 1e-3
    assert stats.kstest(draws * 1.1, "norm").pvalue < 0.05


def test_a_peak_too_narrow_for_angles_is_refused():
    for kappa in (1e30, 1e300):
        with pytest.raises(InputError, match="narrower"):
            _ = GeneralizedVonMises([kappa]).log_normalizer
        assert GeneralizedVonMises([kappa]).modes().mass.tolist() == [1.0]


def test_the_number_of_cells_does_not_grow():
    rng = np.random.default_rng(0)
    eta = random_eta(rng, 8, 1.0, (50,))
    count = [cells_of(find_peaks(eta * scale)).row.size for scale in (1e4, 1e8, 1e12, 1e16)]
    assert max(count) <= 1.1 * min(count)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 10.0, 1e3, 1e5])
def test_cells_tiles_and_grid_agree(scale):
    """Three ways of integration, which share only the formula of E."""
    eta = np.stack([*random_eta(np.random.default_rng(1), 6, scale, (20,)), fejer(6, scale), symmetric(3, 6) * scale])
    peaks = find_peaks(eta)
    cells = cells_of(peaks)
    by_cells = peaks.top + np.log(np.bincount(cells.row, cells.mass))
    by_tiles = Integral(eta, np.arange(1, 7)[:, None], 2.0**-52, False)
    rounding = 1e-14 * (10 + np.abs(eta).sum(-1))
    assert np.all(np.abs(by_cells - by_tiles.height - by_tiles.log_mass) < rounding)
    assert np.all(np.abs(by_cells - Partition(eta).log_z) < rounding)


def test_tiles_keep_their_certificate_on_the_circle():
    for eta in (
        random_eta(np.random.default_rng(2), 3, 1e7),
        fejer(4, 1e7),
        random_eta(np.random.default_rng(3), 12, 1e5),
    ):
        density = GeneralizedVonMises(eta)
        error = abs(float(log_normalizer(eta) - mp.mpf(float(density.log_normalizer))))
        assert error <= density.certificate.error
        assert density.certificate.nodes < 2000


def test_masses_of_modes_by_both_ways():
    eta = random_eta(np.random.default_rng(4), 5, 2.0)
    angle, mass = modes(eta[None])
    row, place, by_cells = _from_cells(eta[None])
    assert row.size == (mass > 0).sum()
    np.testing.assert_allclose(angle[0], place, atol=1e-14)
    np.testing.assert_allclose(mass[0], by_cells, atol=1e-14)
    # and the mass of the heaviest against an integral between its valleys, found on a fine grid
    s = np.linspace(0, TURN, 200_001)
    height = GeneralizedVonMises(eta).log_density(s)
    low = s[np.flatnonzero((np.roll(height, 1) > height) & (np.roll(height, -1) > height))]
    heaviest = np.argmax(mass[0])
    after = low[np.searchsorted(low, angle[0, heaviest]) % low.size]
    before = low[np.searchsorted(low, angle[0, heaviest]) - 1]
    upto = [float(integral(lambda _, p: p, eta, end) / integral(lambda _, p: p, eta)) for end in (before, after)]
    assert mass[0, heaviest] == pytest.approx((upto[1] - upto[0]) % 1, abs=1e-9)


@pytest.mark.parametrize("K", [1, 2, 12, 32])
@pytest.mark.parametrize("p", [0.01, 0.5, 0.95])
def test_credible_sets_by_both_ways(K, p, monkeypatch):
    """Newton's method on the grid and the bracketed search on cells find the same arcs."""
    eta = random_eta(np.random.default_rng(5), K, 1.0, (100,))
    on_grid = credible_arcs(eta, p)
    monkeypatch.setattr(credible_module, "_GRID_P", 1.0)
    on_cells = credible_arcs(eta, p)
    assert on_grid.shape == on_cells.shape
    np.testing.assert_allclose(on_grid, on_cells, atol=1e-9)


def test_a_probability_beyond_one_is_shown_with_all_its_digits():
    with pytest.raises(InputError, match=r"1\.000000000001"):
        GeneralizedVonMises([1.0]).credible_set(1 + 1e-12)
    with pytest.raises(InputError, match=r"1\.000000000001"):
        GeneralizedVonMises([1.0]).quantile([0.5, 1 + 1e-12])


@pytest.mark.parametrize("K", [1, 3, 8])
@pytest.mark.parametrize("scale", [1e-6, 0.3, 3.0, 30.0])
def test_distribution_functions_on_grids_are_right_to_rounding(K, scale):
    eta = random_eta(np.random.default_rng(K), K, scale, (1,))
    (_, n), *_ = sorted_by_method(eta)[0]
    grid, zero, s = Grid(eta, n), np.zeros(4, int), np.array([0.0, 1.0, 3.3, 6.283])
    mass = [integral(lambda _, p: p, eta[0], stop) for stop in (*s[1:], TURN)]
    expected = [0.0, *(float(part / mass[-1]) for part in mass[:-1])]
    for cdf in (grid.cdf(zero, s), grid.expanded(zero, s)[1][0]):
        np.testing.assert_allclose(cdf - cdf[0], expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("kappa", [0.1, 1.0])
@pytest.mark.parametrize("K", [3, 8])
def test_sets_of_nearly_everything_leave_out_a_gap_in_each_of_equal_valleys(kappa, K):
    p = 1 - 2e-4
    arcs = GeneralizedVonMises(kappa * np.exp(0.6j) * np.eye(K)[-1]).credible_set(p)
    gaps = np.append(arcs[1:, 0], arcs[0, 0] + TURN) - arcs[:, 1]
    # At the bottom of a valley the density is e^−κ / (2π I_0(κ)), and nearly level over so narrow a gap.
    expected = (1 - p) / K * TURN * i0e(kappa) * np.exp(2 * kappa)
    np.testing.assert_allclose(gaps, expected, rtol=1e-5)
