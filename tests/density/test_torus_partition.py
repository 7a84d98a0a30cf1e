"""log Z and moments on the torus by whichever way is cheapest: whole grids, lines across ridges, tiles."""

import mpmath as mp
import numpy as np
import pytest

from tests.density.multiprecision import bessel
from tests.density.torus_cases import aligned, box, families, plain_grid
from tests.hard import TURN, random_eta
from tsa.density.numerics import Integral, torus_partition

FULL = 2.0**-52
DIRECTIONS = [(1, 0), (0, 1), (2, -1), (3, 2)]


def check(solved, row, log_z, k, moments, rounding, tolerance=FULL):
    """log Z is within the certificate, moments within twice that or the tolerance; the error of log Z is returned.

    A grid has nodes for moments up to the highest frequency, with which the certificate of Z is below the tolerance.
    """
    allowed = solved.shape_error[row] + solved.height_error[row]
    error = abs(solved.height[row] + solved.log_mass[row] - log_z)
    assert error <= allowed + rounding, (row, error, allowed)
    ours = (1 + solved.deficits[row]) * np.exp(1j * (k @ solved.peak[row]))
    gap = np.abs(ours - moments).max()
    assert gap <= 2 * max(allowed, tolerance) + 4 * rounding, (row, gap, allowed)
    return error


def check_families(rng, count, tolerance):
    """Every family of densities; how many were summed on a grid because their tiles would have had more nodes."""
    larger = 0
    for _, eta, k in families(rng, count):
        solved, tiles = torus_partition(eta, k, True, tolerance), Integral(eta, k, tolerance, False)
        larger += np.sum((solved.nodes > 2**15) & (solved.nodes != tiles.nodes))
        for row in range(count):
            truth, moments = plain_grid(eta[row], k, k)
            check(solved, row, truth, k, moments, 1e-14 * (1 + np.abs(eta[row]).sum()), tolerance)
    return larger


@pytest.mark.parametrize("tolerance", [1e-1, 1e-3, 1e-6, 1e-9, FULL])
def test_certificates_hold(tolerance):
    check_families(np.random.default_rng(11), 3, tolerance)


@pytest.mark.slow
@pytest.mark.parametrize("tolerance", [1e-1, 1e-2, 1e-3, 1e-4, 1e-6, 1e-9, FULL])
def test_certificates_hold_in_many_cases(tolerance):
    larger = sum(check_families(np.random.default_rng(seed), 6, tolerance) for seed in range(20, 23))
    assert larger or tolerance > FULL


def line_by_brute_force(eta, m, wanted):
    """log Z and E[e^{ijt}] of exp Re Σ conj(η) e^{imt} on the circle by the trapezoid rule, all nodes of it."""
    n = int(40 * np.sqrt(np.abs(eta) @ m.astype(float) ** 2))
    t = TURN * np.arange(n) / n
    f = sum((e.conjugate() * np.exp(1j * one * t)).real for e, one in zip(eta, m, strict=True))
    weight = np.exp(f - f.max())
    moments = np.array([weight @ np.exp(1j * j * t) for j in wanted]) / weight.sum()
    return f.max() + np.log(weight.mean() * TURN), moments


def ridges(rng, direction, rows):
    """Densities along one direction, of one to four waves, from broad to sharp; these waves, and their frequencies."""
    waves = np.arange(1, 5)
    eta = random_eta(rng, 4, 1.0, (rows,)) * 10.0 ** rng.uniform(2, 6, (rows, 1))
    eta[rng.uniform(size=eta.shape) < 0.3] = 0.0
    eta[:, 3] += 1.0
    return eta, waves, waves[:, None] * np.array(direction)


def check_ridges(rng, rows, tolerance):
    """Ridges in all directions; the largest error, and how many rows were summed near their peaks only."""
    worst, near = 0.0, 0
    for direction in DIRECTIONS:
        eta, waves, k = ridges(rng, direction, rows)
        solved = torus_partition(eta, k, True, tolerance)
        near += np.sum(solved.nodes < 512)
        for row in range(rows):
            truth, moments = line_by_brute_force(eta[row], waves, waves)
            rounding = 1e-14 * (1 + np.abs(eta[row]).sum())
            worst = max(worst, check(solved, row, truth + np.log(TURN), k, moments, rounding, tolerance) - rounding)
    return worst, near


@pytest.mark.parametrize("tolerance", [1e-1, 1e-3, 1e-6, FULL])
def test_ridges_of_any_direction(tolerance):
    worst, near = check_ridges(np.random.default_rng(3), 16, tolerance)
    assert near > 30
    assert worst > 1e-9 or tolerance < 1e-2  # a loosened tolerance is felt


@pytest.mark.slow
@pytest.mark.parametrize("tolerance", [1e-1, 1e-2, 1e-4, 1e-6, 1e-9, FULL])
def test_many_ridges(tolerance):
    check_ridges(np.random.default_rng(4), 100, tolerance)


@pytest.mark.parametrize("kappa", [1e3, 1e6, 1e9, 1e12, 1e15])
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_a_ridge_of_one_wave_is_a_bessel_function(direction, kappa):
    """log Z = log 4π²I₀(κ), and E[e^{ik·s}] = I₁(κ)/I₀(κ) at the phase of η."""
    solved = torus_partition(np.array([[kappa * np.exp(2j)]]), np.array([direction]), True)
    log_scaled, ratio = bessel(kappa)
    error = solved.shape_error[0] + solved.height_error[0]
    assert solved.nodes[0] <= 2**14
    assert abs(solved.height[0] - kappa + solved.log_mass[0] - float(log_scaled + mp.log(2 * mp.pi))) <= error
    turned = (1 + solved.deficits[0]) * np.exp(1j * (np.array(direction) @ solved.peak[0] - 2))
    assert abs(turned - 1 - float(ratio)) <= 2 * error
    if kappa > 1e8:  # relative to the peak nothing cancels: the shape is known to more digits than the height
        assert solved.nodes[0] < 100
        assert abs(solved.log_mass[0] - float(log_scaled + mp.log(2 * mp.pi))) <= solved.shape_error[0]
        assert solved.shape_error[0] <= 1e-13 + 1e-12 * np.sqrt(kappa)


def test_many_equal_peaks_are_left_to_the_tiles():
    """Sixty equally high peaks of a slightly disturbed wave: more cells matter than are laid out near the peaks."""
    k = np.array([(1, 0), (60, 0)])
    eta = np.array([[1e-3, 1e9]], complex)
    solved, tiles = torus_partition(eta, k, True), Integral(eta, k, FULL, True)
    assert solved.nodes == tiles.nodes
    truth = mp.log(2 * mp.pi * mp.besseli(0, eta[0, 0].real)) + bessel(1e9)[0]
    assert (
        abs(solved.height[0] - 1e9 + solved.log_mass[0] - float(truth))
        <= solved.shape_error[0] + solved.height_error[0]
    )


def test_a_plateau_is_summed_on_the_whole_grid_where_that_is_smaller():
    """In parts, as it has many nodes; next to a sharp peak at the same frequencies, which is left to the tiles."""
    k = box(8)
    hill = np.prod(1 - np.abs(k) / 9, axis=1)
    at = np.array([1.0, 2.0])
    eta = np.stack([-aligned(k, 3 * hill, at), aligned(k, 300 * hill, at)])
    solved, tiles = torus_partition(eta, k, True), Integral(eta, k, FULL, True)
    assert 2**18 < solved.nodes[0] < 2 * tiles.nodes[0]
    assert solved.nodes[1] == tiles.nodes[1] < 2e4
    truth, moments = plain_grid(eta[0], k, k)
    check(solved, 0, truth, k, moments, 1e-14 * np.abs(eta[0]).sum())
    mean = (eta[0].conj() * moments).real.sum()
    assert solved.height[0] + solved.gain[0] == pytest.approx(mean, abs=1e-12)
    without = torus_partition(eta, k)
    np.testing.assert_array_equal(without.log_mass, solved.log_mass)
