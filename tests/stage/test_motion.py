"""The posterior over shifts as the motion page shows it: against brute force, and against the exact density."""

from dataclasses import replace

import numpy as np
import pytest

import tsa
from tests.shared.apps import unpack
from tsa._base import InputError
from tsa.model import fourier_model
from tsa.pictures import draw_periodic, motion_from_shift, periodic, round_window, shift_from_motion
from tsa.stage import MotionScene, pack_motion
from tsa.stage.motion import FAN, answer_from

SIDE = 48


@pytest.fixture(scope="module")
def model():
    return fourier_model((SIDE, SIDE))


def scene(model, name="bar", **settings):
    return MotionScene(model, draw_periodic(name, int(np.sqrt(model.dimension))), **settings)


def test_a_motion_to_the_right_and_up_moves_the_picture_there():
    x = np.zeros((8, 8))
    x[5, 2] = 1
    moved = MotionScene(fourier_model((8, 8)), x, window=8.0).moved((3.0, 2.0))
    assert np.allclose(moved, np.roll(x, (-2, 3), axis=(0, 1)), atol=1e-12)


@pytest.mark.parametrize("side", [9, 12])
@pytest.mark.parametrize("sigma", [0.4, 1.0])
def test_the_map_is_bayes_by_brute_force_at_whole_pixels(side, sigma):
    one = scene(
        fourier_model((side, side)), "texture", motion=(1.3, -2.2), window=7.0, window_at=(1.0, 0.5), sigma=sigma
    )
    seen = round_window((side, side), 7.0, (1.0, 0.5))
    log = np.array([
        [-np.sum(seen * (one.y - np.roll(one.x, (i, j), axis=(0, 1))) ** 2) / (2 * sigma**2) for j in range(side)]
        for i in range(side)
    ])  # fmt: skip
    step = len(one.answer.mass) // side
    found = np.log(one.answer.mass[::step, ::step])
    assert np.allclose(found - found.max(), log - log.max(), atol=1e-9)


@pytest.mark.parametrize("name", [pytest.param("bar", marks=pytest.mark.slow), "plaid", "dot"])
def test_the_answer_is_that_of_the_exact_density(name):
    one = scene(fourier_model((12, 12)), name, motion=(1.6, -0.7), window=7.0, pixel_noise=0.1)
    exact, answer = one.posterior(), one.answer
    n = len(answer.mass)
    density = exact.grid(n, n)
    assert np.allclose(answer.mass, density / density.sum(), rtol=1e-9, atol=1e-15)
    bits = (float(exact.entropy()) + 2 * np.log(12 / (2 * np.pi))) / np.log(2)
    assert answer.bits == pytest.approx(bits, abs=1e-6)
    at_mode = motion_from_shift(exact.mode(), (12, 12))
    assert answer.density_at(tuple(at_mode)) == pytest.approx(1, abs=1e-6)
    assert answer.mass[answer.inside].sum() == pytest.approx(0.95, abs=0.02)
    region = exact.credible_set(0.95)
    assert answer.area == pytest.approx(region.area * (12 / (2 * np.pi)) ** 2, rel=0.1)


def test_most_probable_is_the_highest_maximum(model):
    """On a ridge the highest node of a grid may belong to a lower maximum. Also where the maximum has no width."""
    for settings in ({}, {"seed": 11}, {"window": 14.0, "seed": 12}, {"sigma": 0.4, "seed": 13}):
        one = scene(model, **settings)
        eta, harmonics = one.natural
        best = shift_from_motion(one.answer.mode, (SIDE, SIDE))
        fine = best + 2 * np.pi / SIDE * np.random.default_rng(1).uniform(-24, 24, (200, 2))
        along = np.radians(62)
        ridge = best + 2 * np.pi / SIDE * np.linspace(-20, 20, 401)[:, None] * (-np.sin(along), np.cos(along))
        points = np.concatenate([[best], fine, ridge])
        values = (np.exp(1j * (points @ harmonics.T)) @ eta.conj()).real
        assert values.argmax() == 0 or values.max() - values[0] < 1e-6


def test_most_probable_is_the_mode_of_the_exact_density(model):
    for name in ("corner", "face", "texture", "grating"):
        one = scene(model, name)
        exact = tuple(motion_from_shift(one.posterior().mode(), (SIDE, SIDE)).tolist())
        assert one.answer.density_at(exact) == pytest.approx(1, abs=1e-6)


def test_the_grid_is_finer_where_the_posterior_is_sharper(model):
    soft, sharp = (scene(model, "texture", sigma=sigma, pixel_noise=0.02) for sigma in (1.0, 0.1))
    assert len(sharp.answer.mass) > len(soft.answer.mass)
    assert sharp.answer.map.shape == soft.answer.map.shape == (4 * SIDE, 4 * SIDE)
    for one in (soft, sharp):
        assert one.answer.map.mean() == pytest.approx(1)
        assert one.answer.bits < 4


def test_looks_are_independent_observations(model):
    several = scene(model, "dot", looks=3, pixel_noise=0.5)
    draws = np.random.default_rng(several.seed).normal(size=(3, SIDE, SIDE))
    eta = 0
    for draw in draws:
        y = several.after + 0.5 * draw
        eta = eta + model.log_likelihood_series(several.x.ravel(), y.ravel(), several.seen.ravel())[0]
    assert np.allclose(several.natural[0], eta, atol=1e-9)
    assert several.answer.bits < replace(several, looks=1).answer.bits


def test_another_window_changes_nothing_else(model):
    one = scene(model, looks=2, tried=(1.0, 1.0))
    other, fresh = one.through(30.0), replace(one, window=30.0, tried=None)
    assert np.array_equal(other.y, fresh.y)
    assert np.array_equal(other.natural[0], fresh.natural[0])
    assert other.tried is None


def test_a_map_of_coarser_cells_keeps_the_place_of_a_peak(model):
    """Where cells are finer than those of the map, a cell of the map lies around its own middle."""
    one = scene(model, "dot", motion=(5.25, -2.5), sigma=0.2, pixel_noise=0.0)
    assert len(one.answer.mass) > len(one.answer.map)
    row, column = np.unravel_index(np.argmax(one.answer.map), one.answer.map.shape)
    assert ((column - 96) / 4, (96 - row) / 4) == (5.25, -2.5)
    beside = one.answer.map[row, [column - 1, column + 1]], one.answer.map[[row - 1, row + 1], column]
    for before, after in beside:
        assert before == pytest.approx(after, rel=0.02)


def test_a_prior_for_slow_motion_is_one(model):
    free, slow = (scene(model, slow=width) for width in (0.0, 2.0))
    assert np.hypot(*slow.answer.mode) < np.hypot(*free.answer.mode)
    fused = free.posterior().fuse(tsa.stage.slow_prior(2.0, (SIDE, SIDE)))
    place = np.argsort(np.lexsort(slow.posterior().frequencies.T))
    assert np.array_equal(place, np.argsort(np.lexsort(fused.frequencies.T)))
    assert np.allclose(slow.posterior().eta, fused.eta)


# -- what pictures say (issue: "It must show" 2) --------------------------------------------------------------


@pytest.mark.parametrize("angle", range(0, 180, 15))
def test_the_region_of_a_bar_is_a_ridge_along_it(model, angle):
    one = MotionScene(model, periodic.bar(SIDE, angle, 46, 4), pixel_noise=0.2)
    piece = one.answer.pieces[0]
    found = np.degrees(np.arctan2(piece.axis[1], piece.axis[0]))
    assert abs((found - angle + 90) % 180 - 90) < 0.5
    assert piece.length > 6 * piece.width


def test_a_plaid_has_one_answer_for_each_common_period(model):
    pieces = scene(model, "plaid").answer.pieces
    assert len(pieces) == 17  # the determinant of its two waves
    peaks = np.array([piece.peak for piece in pieces])
    lattice = peaks - peaks[0]
    for wave in ((4, -1), (1, 4)):
        turns = lattice @ wave / SIDE
        assert np.abs(turns - np.rint(turns)).max() < 0.1


def test_a_grating_has_closed_lines_a_period_apart(model):
    pieces = scene(model, "grating").answer.pieces
    assert len(pieces) == 2
    assert all(piece.closes for piece in pieces)
    assert np.degrees(np.arctan2(pieces[0].axis[1], pieces[0].axis[0])) == pytest.approx(63.43, abs=0.1)


@pytest.mark.parametrize("name", ["corner", "dot", "texture"])
def test_one_mode_within_half_a_pixel(model, name):
    one = scene(model, name)
    assert len(one.answer.pieces) == 1
    assert np.hypot(*np.subtract(one.answer.mode, one.motion)) < 0.5


def test_the_dot_outside_the_window_may_be_anywhere_outside(model):
    one = scene(model, "dot", window_at=(-14.0, -12.0))
    assert one.out_of_sight
    assert not scene(model, "dot").out_of_sight
    density = [one.answer.density_at(motion) for motion in ((6.4, 2.6), (10.0, 10.0), (-14.0, -12.0))]
    assert min(density[:2]) > 0.05 > density[2]


def test_slowest_and_fan_lie_in_the_region(model):
    answer = scene(model).answer
    rows, columns = np.nonzero(answer.inside)
    inside = {(int(r), int(c)) for r, c in zip(rows, columns, strict=True)}
    n = len(answer.mass)
    for right, up in [answer.slowest, *answer.fan]:
        assert (round(-up / answer.cell) % n, round(right / answer.cell) % n) in inside
    assert len(answer.fan) == FAN
    assert np.hypot(*answer.slowest) <= np.hypot(*answer.fan.T).min() + 1e-9


def test_two_waves_leave_the_line_that_they_share():
    """κ cos k·s for two parallel waves: the pieces of the sum close around the torus, those of a lattice do not."""
    line = answer_from(np.array([9.0 + 0j, 9.0]), np.array([[1, 1], [2, 2]]), 12)
    lattice = answer_from(np.array([9.0 + 0j, 9.0]), np.array([[3, 0], [0, 2]]), 12)
    assert [piece.closes for piece in line.pieces] == [True]
    assert [piece.closes for piece in lattice.pieces] == 6 * [False]
    assert line.on_one_line == pytest.approx(1)
    assert lattice.on_one_line < 0.8


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bar", "texture"])
def test_regions_cover_the_truth_as_often_as_they_say(name):
    """2,000 pairs with noise σ = 1: the true motion lies in the 95 % region in 93 to 97 % of them."""
    world, rng, covered = fourier_model((24, 24)), np.random.default_rng(3), 0
    for seed in range(2000):
        right, up = (rng.integers(0, 96, 2) / 4).tolist()  # on the grid, on which the region is known
        answer = scene(world, name, motion=(right, up), window=18.0, pixel_noise=1.0, seed=seed).answer
        n = len(answer.mass)
        covered += answer.inside[round(-up / answer.cell) % n, round(right / answer.cell) % n]
    assert 0.93 <= covered / 2000 <= 0.97


# -- bad input ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"x": np.full((SIDE, SIDE), 0.5)}, "same everywhere"),
        ({"x": np.full((SIDE, SIDE), np.nan)}, "finite"),
        ({"x": np.zeros((SIDE, SIDE - 1))}, "48×48"),
        ({"window": 0.0}, "window"),
        ({"window": 100.0}, "window"),
        ({"motion": (np.nan, 0.0)}, "finite"),
        ({"sigma": 0.0}, "σ"),
        ({"looks": 0}, "looks"),
    ],
)
def test_what_cannot_be_shown_is_said_in_a_sentence(model, settings, words):
    with pytest.raises(InputError, match=words):
        MotionScene(model, **({"x": draw_periodic("bar")} | settings))


@pytest.mark.parametrize("sizes", [64, (8, 32), (12, 16)])
def test_models_of_one_parameter_or_unequal_sides_are_refused(sizes):
    side = int(np.sqrt(np.prod(sizes)))
    with pytest.raises(InputError, match="two parameters, for shifts of square pictures"):
        MotionScene(fourier_model(sizes), np.eye(side))


@pytest.mark.parametrize("side", [15, 16, 17])
def test_odd_and_even_worlds_say_the_same(side):
    one = scene(fourier_model((side, side)), "dot", motion=(2.0, 1.0), window=12.0, pixel_noise=0.02, sigma=0.2)
    assert np.hypot(*np.subtract(one.answer.mode, one.motion)) < 0.2
    assert one.answer.map.shape == (4 * side, 4 * side)
    assert one.answer.map.mean() == pytest.approx(1)


def test_a_window_that_shows_no_pixel_says_nothing(model):
    one = scene(model, window=0.5)
    assert one.seen.sum() == 0
    header, arrays = unpack(pack_motion(one))
    assert header["words"]["headline"] == "Nothing in the window says how far it moved."
    assert one.answer.bits == pytest.approx(one.answer.most_bits)
    assert all(np.isfinite(array).all() for array in arrays.values())


def test_the_learned_model_can_be_used():
    learned = tsa.load("shift-16x16")
    one = MotionScene(learned, draw_periodic("dot", 16), motion=(2.0, 1.0), window=12.0, pixel_noise=0.0, sigma=0.3)
    assert np.hypot(*np.subtract(one.answer.mode, one.motion)) < 0.5
