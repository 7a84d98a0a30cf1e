"""Certificates of the tiles: never violated, with the tolerance loosened so that more than rounding is tested."""

import tracemalloc

import mpmath as mp
import numpy as np
import pytest

from tests.density.multiprecision import bessel
from tests.density.torus_cases import box, families, plain_grid
from tests.hard import TURN, random_eta
from tsa import fourier_model
from tsa.density.numerics import Integral, torus_partition
from tsa.density.numerics.tiles._bounds import Tiles
from tsa.density.numerics.tiles._coordinates import own_coordinates
from tsa.density.numerics.tiles._nodes import Nodes
from tsa.density.numerics.tiles._polynomials import Polynomials
from tsa.density.numerics.tiles._rules import RHO, RULES, parabola_on_ellipses, parabola_on_interval

mp.mp.dps = 50
FULL = 2.0**-52
WANTED = np.array([(1, 0), (0, 1), (1, -1), (2, 3)])


def bound(solved):
    """The guaranteed error of log Z."""
    return solved.quadrature + solved.dropped + solved.pruned + solved.rounding + solved.height_rounding


def with_wanted(eta, k):
    """The same densities with further frequencies of η = 0, whose moments are then computed."""
    new = np.array([w for w in WANTED if not (k == w).all(1).any() and not (k == -w).all(1).any()], int).reshape(-1, 2)
    return np.concatenate([eta, np.zeros((len(eta), len(new)))], axis=1), np.concatenate([k, new])


def check_family(name, eta, k, tolerance):
    eta, k = with_wanted(eta, k)
    solved = Integral(eta, k, tolerance, True)
    log_z = solved.height + solved.log_mass
    moments = (1 + solved.deficits) * np.exp(1j * (solved.peak @ k.T))
    for row in range(len(eta)):
        truth, expected = plain_grid(eta[row], k, k)
        rounding = 1e-14 * (1 + np.abs(eta[row]).sum())  # of the plain grid
        error, allowed = abs(log_z[row] - truth), bound(solved)[row]
        assert error <= allowed + rounding, (name, row, tolerance, error, allowed)
        gap = np.abs(moments[row] - expected).max()
        assert gap <= 2 * allowed + 4 * rounding, (name, row, tolerance, gap, allowed)
    return solved


@pytest.mark.parametrize("tolerance", [1e-1, 1e-3, 1e-6, 1e-9, FULL])
def test_certificates_hold(tolerance):
    for name, eta, k in families(np.random.default_rng(0), 3):
        check_family(name, eta, k, tolerance)


@pytest.mark.slow
@pytest.mark.parametrize("tolerance", [1e-1, 1e-2, 1e-3, 1e-4, 1e-6, 1e-9, FULL])
def test_certificates_hold_in_a_thousand_cases(tolerance):
    for seed in range(1, 4):
        for name, eta, k in families(np.random.default_rng(seed), 6):
            check_family(name, eta, k, tolerance)


def test_a_loosened_tolerance_is_felt():
    """Otherwise the tests above would test rounding only."""
    worst = 0.0
    for name, eta, k in families(np.random.default_rng(5), 3):
        if name in ("random", "conflicting"):
            solved = Integral(eta, k, 1e-1, False)
            truth = np.array([plain_grid(e, k, k)[0] for e in eta])
            worst = max(worst, np.abs(solved.height + solved.log_mass - truth).max())
    assert worst > 1e-9


def test_too_small_a_bound_would_be_caught():
    """Negative control: a hundredth of the certificate is violated somewhere."""
    violated = 0
    for _, eta, k in families(np.random.default_rng(0), 6):
        solved = Integral(eta, k, 1e-1, False)
        truth = np.array([plain_grid(e, k, k)[0] for e in eta])
        violated += np.sum(np.abs(solved.height + solved.log_mass - truth) > 1e-2 * bound(solved) + 1e-11)
    assert violated > 0


MAPS = {"point": [[1, 0], [0, 1]], "slanted": [[5, 2], [2, 1]], "lattice": [[3, 0], [3, 4]], "ridge": [[3, -5]]}


@pytest.mark.parametrize("kappa", [1e-3, 1.0, 1e3, 1e6, 1e9, 1e12, 1e15])
@pytest.mark.parametrize("name", MAPS)
def test_products_of_bessel_functions(name, kappa):
    """log Z = Σ log 2πI₀(κ) for any independent frequencies: the integer map leaves the integral unchanged."""
    k = np.array(MAPS[name])
    both = kappa * np.array([1.0, 0.3])[: len(k)]
    eta = both * np.exp(1j * np.array([2.0, -0.4])[: len(k)])
    solved = Integral(eta[None], k, FULL, True)
    exact = [mp.mpf(float(np.abs(e))) for e in eta]
    log_scaled, ratio = zip(*(bessel(v) for v in exact), strict=True)
    shape = sum(log_scaled) + (2 - len(k)) * mp.log(2 * mp.pi)
    gain = sum(v * r for v, r in zip(exact, ratio, strict=True))
    error = bound(solved)[0] - solved.height_rounding[0]
    assert abs(solved.log_mass[0] - float(shape)) <= error
    assert abs(solved.height[0] - both.sum()) <= solved.height_rounding[0]
    assert solved.gain[0] == pytest.approx(float(gain), abs=2 * error * (1 + abs(float(gain))))
    turned = (1 + solved.deficits[0]) * np.exp(1j * (k @ solved.peak[0] - np.angle(eta)))
    np.testing.assert_allclose(turned - 1, [float(r) for r in ratio], atol=2 * error + 1e-15)
    # Relative to the peak nothing cancels: the shape is known to many more digits than the height.
    assert error <= 1e-13 + 1e-12 * np.sqrt(kappa)


def test_batch_agrees_with_singles_whatever_its_neighbours():
    rng = np.random.default_rng(3)
    k = box(3)
    eta = random_eta(rng, len(k), 1.0, (30,)) * 10 ** rng.uniform(-3, 5, (30, 1))
    together = Integral(eta, k, FULL, True)
    for row in range(30):
        alone = Integral(eta[row : row + 1], k, FULL, True)
        assert together.log_mass[row] == pytest.approx(alone.log_mass[0], abs=1e-12)
        np.testing.assert_allclose(together.deficits[row], alone.deficits[0], atol=1e-12)
        assert together.nodes[row] == alone.nodes[0]


@pytest.mark.parametrize("p", [1, 2, 3])
def test_any_number_of_axes(p):
    rng = np.random.default_rng(p)
    k = box(1, p)
    eta = random_eta(rng, len(k), 0.7, (2,))
    solved = Integral(eta, k, FULL, True)
    n = 32
    s = TURN * np.indices((n,) * p).reshape(p, -1).T / n
    wave = np.exp(1j * s @ k.T)
    f = (wave @ eta.conj().T).real.T
    weight = np.exp(f - f.max(axis=1, keepdims=True))
    truth = f.max(axis=1) + np.log(weight.mean(axis=1)) + p * np.log(TURN)
    np.testing.assert_allclose(solved.height + solved.log_mass, truth, atol=1e-13)
    moments = (weight @ wave) / weight.sum(axis=1, keepdims=True)
    np.testing.assert_allclose((1 + solved.deficits) * np.exp(1j * (solved.peak @ k.T)), moments, atol=1e-13)


def test_the_cost_does_not_grow_with_the_concentration():
    k = box(4)
    eta = random_eta(np.random.default_rng(0), len(k), 1.0, (10,))
    nodes = [Integral(scale * eta, k, FULL, False).nodes.mean() for scale in (1e1, 1e3, 1e5, 1e7, 1e9)]
    assert max(nodes) == nodes[0]


def test_own_coordinates_are_exact():
    """k·s = m·t at every point, and the copies of a point share all the phases."""
    rng = np.random.default_rng(1)
    for _, eta, k in families(rng, 4):
        for _, coordinates, used, m in own_coordinates(k, np.abs(eta)):
            t = rng.uniform(0, TURN, (5, 2))
            for copy in coordinates.copies:
                s = coordinates.to_original(t) + copy
                np.testing.assert_allclose(np.exp(1j * s @ k[used].T), np.exp(1j * t @ m.T), atol=1e-11)
                np.testing.assert_allclose(np.exp(1j * s @ coordinates.matrix.T), np.exp(1j * t), atol=1e-11)
            assert len(coordinates.copies) == abs(round(np.linalg.det(coordinates.matrix)))
            distinct = {tuple(np.round(np.exp(1j * c), 6).tolist()) for c in coordinates.copies}
            assert len(distinct) == len(coordinates.copies)


def test_a_ridge_loses_an_axis_and_a_lattice_its_copies():
    ((_, _, _, m),) = own_coordinates(np.array([(3, -5), (6, -10)]), np.array([[1.0, 2.0]]))
    assert sorted(np.abs(m).max(axis=0).tolist()) == [0, 2]
    cases = {24: [(4, 0), (0, 6), (8, 6)], 17: [(4, -1), (1, 4)], 12: [(3, 0), (3, 4)], 2: [(1, 1), (1, -1)]}
    for copies, k in cases.items():
        ((_, coordinates, _, m),) = own_coordinates(np.array(k), np.ones((1, len(k))))
        assert len(coordinates.copies) == copies
        assert np.abs(m).max() <= 2


def test_small_grids_and_tiles_agree():
    rng = np.random.default_rng(7)
    k = box(2)
    eta = random_eta(rng, len(k), 1.0, (40,)) * 10 ** rng.uniform(-2, 3, (40, 1))
    grid = torus_partition(eta, k, moments=True)
    tiles = Integral(eta, k, FULL, True)
    assert (grid.nodes != tiles.nodes).sum() > 10  # both ways were taken
    assert (grid.nodes == tiles.nodes).sum() > 3
    np.testing.assert_allclose(grid.height + grid.log_mass, tiles.height + tiles.log_mass, atol=1e-12)
    np.testing.assert_allclose(grid.log_mass - grid.gain, tiles.log_mass - tiles.gain, atol=1e-12)
    moments = [(1 + v.deficits) * np.exp(1j * (v.peak @ k.T)) for v in (grid, tiles)]
    np.testing.assert_allclose(*moments, atol=1e-13)


@pytest.mark.parametrize("p", [1, 2, 3])
def test_values_and_sums_at_nodes_are_those_of_each_node_alone(p):
    """Tiles with gaps between them, of several rows and sizes, against the sum over all frequencies at each node."""
    rng = np.random.default_rng(p)
    k = box(2, p)
    eta = random_eta(rng, len(k), 1.0, (4,))
    polynomials = Polynomials(eta, k)
    count = 40
    tiles, _ = Tiles(
        np.sort(rng.choice([0, 1, 3], count)), rng.integers(-3, 4, (count, p)), 2 ** rng.integers(4, 6, (count, p))
    ).sorted()
    first = np.unique(np.concatenate([tiles.row[:, None], tiles.turn, tiles.u], axis=1), axis=0, return_index=True)[1]
    tiles = tiles[np.sort(first)]  # no tile twice
    x = RULES[p][0].x
    nodes = Nodes(polynomials, tiles.row, tiles.u, tiles.turn, [x] * p)
    inside = np.stack(np.meshgrid(*[x] * p, indexing="ij"), axis=-1).reshape(-1, p)
    offset = tiles.centre[:, None] + tiles.half[:, None] * inside
    peak = polynomials.peak[tiles.row][:, None]
    waves = np.exp(1j * (peak + offset) @ k.T) - np.exp(1j * peak @ k.T)
    g = (eta.conj()[tiles.row][:, None] * waves).real.sum(axis=-1)
    values = nodes.values()
    np.testing.assert_allclose(np.moveaxis(values, 1, -1).reshape(g.shape), g, atol=1e-12)
    weight = rng.uniform(0, 1, values.shape)
    rows, table = nodes.sums(weight)
    flat = np.moveaxis(weight, 1, -1).reshape(g.shape)
    wanted = flat[..., None] * (np.exp(1j * offset @ k.T) - 1)
    assert rows.tolist() == np.unique(tiles.row).tolist()
    for row, own in zip(rows, polynomials.picked(table), strict=True):
        np.testing.assert_allclose(own, wanted[tiles.row == row].sum(axis=(0, 1)), atol=1e-12)


@pytest.mark.parametrize(("p", "reach", "count"), [(1, 9, 4), (1, 60, 40), (2, 9, 6), (2, 30, 60), (3, 9, 8)])
def test_derivatives_on_the_coarse_grid_and_their_suprema(p, reach, count):
    """Few frequencies with gaps between them, against the sum over all of them at each node and at other points."""
    rng = np.random.default_rng(p)
    k = np.concatenate(
        [rng.integers(1, reach, (count, p)) * rng.choice([-1, 1], (count, p)), reach * np.eye(p, dtype=int)]
    )
    eta = random_eta(rng, len(k), 1.0, (2,))
    polynomials = Polynomials(eta, k)
    nodes = np.stack(np.meshgrid(*(TURN * np.arange(n) / n for n in polynomials.coarse), indexing="ij"), axis=-1)
    points = [nodes.reshape(-1, p)[rng.integers(0, nodes[..., 0].size, 300)], rng.uniform(0, TURN, (3000, p))]
    place = np.ravel_multi_index(
        tuple(np.rint(points[0] / TURN * polynomials.coarse).astype(int).T), polynomials.coarse
    )
    for number, order in enumerate(polynomials.orders):
        factor = eta.conj() * np.exp(1j * polynomials.peak @ k.T) * np.prod((1j * k) ** np.array(order), axis=1)
        scale = np.abs(factor).sum(axis=1, keepdims=True)
        at_nodes, elsewhere = ((factor @ np.exp(1j * k @ s.T)).real for s in points)
        assert (np.abs(elsewhere).max(axis=1) <= polynomials.suprema[number] * (1 + 1e-12)).all()
        assert (polynomials.suprema[number] <= 3**p * np.abs(elsewhere).max(axis=1)).all()
        if sum(order) <= 2:
            rise = polynomials.height[:, None] if sum(order) == 0 else 0.0
            on_coarse = polynomials.on_coarse[number][:, place] + rise
            np.testing.assert_allclose(on_coarse / scale, at_nodes / scale, atol=1e-13)


@pytest.mark.parametrize("weight", [0.02, 0.3, 5.0])
def test_suprema_with_a_few_high_frequencies(weight):
    """The grid resolves the other frequencies; the amplitudes of these are added where they are small."""
    rng = np.random.default_rng(1)
    k = np.concatenate([box(6), [(12, 0), (0, 12), (12, 12)]])
    eta = random_eta(rng, len(k), 1.0, (3,)) * np.append(np.ones(len(k) - 3), np.full(3, weight))
    polynomials = Polynomials(eta, k)
    assert polynomials.coarse == ((60, 60) if weight > 1 else (30, 30))
    s = np.stack(np.meshgrid(*[TURN * np.arange(150) / 150] * 2, indexing="ij"), axis=-1).reshape(-1, 2)
    waves = np.exp(1j * s @ k.T).T
    for number, order in enumerate(polynomials.orders):
        factor = eta.conj() * np.exp(1j * polynomials.peak @ k.T) * np.prod((1j * k) ** np.array(order), axis=1)
        largest = np.abs((factor @ waves).real).max(axis=1)
        assert (largest <= polynomials.suprema[number] * (1 + 1e-12)).all()
        assert (polynomials.suprema[number] <= 9 * largest).all()


def test_parabolas_on_ellipses_against_many_points_of_them():
    rng = np.random.default_rng(0)
    slope, bend = rng.normal(size=(2, 500)) * 10.0 ** rng.integers(-2, 3, (2, 500))
    bend[:20] = 0.0
    scale, angle = np.abs(slope) + np.abs(bend), np.linspace(0, TURN, 20_001)
    on_ellipses = zip(RHO, parabola_on_ellipses(slope, bend).T, strict=True)
    for rho, bound in [(1.0, parabola_on_interval(slope, bend)), *on_ellipses]:
        z = (rho * np.exp(1j * angle) + np.exp(-1j * angle) / rho) / 2
        largest = (slope[:, None] * z.real + bend[:, None] * (z**2).real).max(axis=1)
        np.testing.assert_allclose(bound / scale, largest / scale, rtol=1e-6, atol=1e-6)


def near_the_peak(eta, k, centre, nodes=256):
    """log Z by the trapezoid rule on 20 standard deviations to each side of a peak: no tiles, no FFT."""
    bend = (eta.conj() * np.exp(1j * k @ centre)).real @ k.astype(float) ** 2
    extent = np.minimum(TURN, 40 / np.sqrt(np.maximum(bend, 1e-9)))
    s = centre[:, None] + extent[:, None] * (np.arange(nodes) / nodes - 0.5)
    first, second = (np.exp(1j * np.outer(s[a], k[:, a])) for a in (0, 1))
    f = ((first * eta.conj()) @ second.T).real
    return f.max() + np.log(np.exp(f - f.max()).sum() * extent.prod() / nodes**2)


PAIRS = [(16, 0.2), (16, 0.1), (16, 0.01), (32, 0.5), (32, 0.05), pytest.param(64, 0.01, marks=pytest.mark.slow)]


@pytest.mark.parametrize("picture", ["noise", "bar"])
@pytest.mark.parametrize(("side", "noise"), PAIRS)
def test_pairs_that_were_slow_or_refused(side, noise, picture):
    """Posteriors over shifts: right within the certificate, in few nodes and little memory at any noise."""
    rng = np.random.default_rng(side)
    bar = np.exp(-((np.arange(side) - side / 2) ** 2) / 2) * np.ones((side, 1))
    x = rng.standard_normal((side, side)) if picture == "noise" else bar
    y = np.roll(x, (3, 5), (0, 1)) + noise * rng.standard_normal(x.shape)
    density = fourier_model(x.shape, noise).posterior(x.ravel(), y.ravel())
    eta, k = density.eta, density.frequencies
    tracemalloc.start()
    solved = torus_partition(eta[None], k, moments=True)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50e6
    assert solved.nodes[0] < 4e4
    truth = near_the_peak(eta, k, TURN * np.array([3, 5]) / side)
    allowed = solved.shape_error[0] + solved.height_error[0] + 2e-15 * np.abs(eta).sum()
    assert abs(solved.height[0] + solved.log_mass[0] - truth) < max(allowed, 1e-9)
