"""From pictures to posteriors: exact turning, known symmetries told truthfully, the sweep equal to the model."""

import numpy as np
import pytest
from scipy import ndimage

from tests.hard import TURN, random_filters
from tests.shared.apps import unpack
from tsa import GeneralizedVonMises, InputError, ShapeError, Subgroup, load
from tsa.pictures import SHAPES, draw, patch, patch_of, to_disc, turn_disc, turned_patches
from tsa.stage import Scene, sweep
from tsa.stage.draw import DialView
from tsa.stage.draw._rows import Waves
from tsa.stage.words import is_flat, numbers


@pytest.fixture(scope="module")
def model():
    learned = load("rotation-16-refined")
    return Subgroup(learned.filters, learned.weights, noise=0.5)


def test_turning_is_an_exact_group_action():
    polar = to_disc(draw("F"))
    np.testing.assert_allclose(turn_disc(turn_disc(polar, 0.4), 1.1), turn_disc(polar, 1.5), atol=1e-12)
    np.testing.assert_allclose(turn_disc(polar, TURN), polar, atol=1e-12)
    np.testing.assert_allclose(turn_disc(polar, np.pi / 2), np.roll(polar, 90, axis=1), atol=1e-12)


def test_turning_goes_counter_clockwise():
    """The pad's picture, turned and seen by the model, agrees with numpy's quarter turn and with scipy."""
    picture = draw("F")
    polar = to_disc(picture)
    np.testing.assert_allclose(patch_of(turn_disc(polar, np.pi / 2), 16), patch(np.rot90(picture), 16), atol=1e-6)
    rotated = ndimage.rotate(picture, 30, reshape=False, order=3)
    np.testing.assert_allclose(patch_of(turn_disc(polar, np.pi / 6), 16), patch(rotated, 16), atol=0.02)


@pytest.mark.parametrize("size", [16, 28])
def test_all_turns_at_once(size):
    polar = to_disc(draw("noise"))
    together = turned_patches(polar, size)
    for degree in (0, 17, 200, 359):
        np.testing.assert_allclose(together[degree], patch_of(turn_disc(polar, np.radians(degree)), size), atol=1e-5)


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_symmetries_are_told_truthfully(shape, model):
    """n modes of equal mass at their true places for n-fold shapes; a flat posterior for what any turn leaves alone."""
    polar = to_disc(shape.draw())
    x = patch_of(polar, 16)
    for degree in (17, 5, 33, 61, 100, 213):
        posterior = model.posterior(x, patch_of(turn_disc(polar, np.radians(degree)), 16))
        if shape.symmetry_order == 0:
            density = posterior.density(np.linspace(0, TURN, 721)) * TURN
            assert np.abs(density - 1).max() < 0.25
            continue
        angle, mass = posterior.modes()
        heavy = mass >= 0.01
        assert heavy.sum() == shape.symmetry_order
        true = np.radians(degree) + TURN * np.arange(shape.symmetry_order) / shape.symmetry_order
        gap = np.abs(np.angle(np.exp(1j * (angle[heavy][:, None] - true))))
        assert np.degrees(gap.min(axis=1)).max() < 2
        assert len(set(gap.argmin(axis=1))) == shape.symmetry_order
        assert np.abs(mass[heavy] * shape.symmetry_order - 1).max() < 0.2


@pytest.mark.parametrize("name", ["square", "F", "noise", "disc"])
@pytest.mark.parametrize("with_prior", [False, True])
def test_the_sweep_is_the_model_called_directly(name, with_prior, model):
    polar = to_disc(draw(name))
    noise = 0.1 * np.random.default_rng(0).normal(size=256)
    prior = GeneralizedVonMises([2 * np.exp(1j)]) if with_prior else None
    result = sweep(model, polar, 16, noise, prior)
    x = patch_of(polar, 16)
    for degree in (0, 17, 123, 300):
        y = patch_of(turn_disc(polar, np.radians(degree)), 16) + noise
        direct = model.posterior(x, y, prior)
        np.testing.assert_allclose(result.y[degree], y, atol=1e-6)
        np.testing.assert_allclose(result.pooled[degree], direct.eta, atol=1e-6 * np.abs(direct.eta).max())
        grid = direct.density(TURN * np.arange(360) / 360)
        np.testing.assert_allclose(result.density[degree], grid, atol=1e-6 * grid.max())
        assert result.entropy[degree] == pytest.approx(direct.entropy(), abs=1e-6)
        assert result.log_evidence[degree] == pytest.approx(model.log_evidence(x, y, prior), rel=1e-6)
        euclid = np.linalg.norm(model.coordinates(x) - model.coordinates(y))
        np.testing.assert_allclose(
            result.distances[degree], [model.torus.distance(x, y), model.distance(x, y), euclid], atol=2e-6
        )
        angle, mass = direct.modes()
        heavy = mass > 0.01
        if name == "disc":
            continue
        np.testing.assert_allclose(result.mode_masses[degree][: heavy.sum()], mass[heavy], atol=0.01)
        gap = np.abs(np.angle(np.exp(1j * (result.mode_angles[degree][: heavy.sum()][:, None] - angle[heavy]))))
        assert np.degrees(gap.min(axis=1)).max() < 0.05


@pytest.mark.parametrize(("name", "sigma"), [("pinwheel", 0.03), ("grating", 0.05)])
def test_sharp_posteriors_are_weighed_on_a_finer_grid(name, sigma, model):
    sharp = Subgroup(model.filters, model.weights, sigma)
    found = sweep(sharp, to_disc(draw(name)), 16, only=17)
    heavy = found.mode_masses[0] > 0.01
    assert heavy.sum() == SHAPES[name].symmetry_order
    np.testing.assert_allclose(found.mode_masses[0][heavy], 1 / SHAPES[name].symmetry_order, atol=0.02)


def test_what_no_turn_explains(model):
    square, triangle = to_disc(draw("square")), to_disc(draw("triangle"))
    assert sweep(model, square, 16).unexplained.max() < 0.1
    assert sweep(model, square, 16, other=triangle).unexplained.min() > 0.9


def test_an_empty_picture_has_a_flat_posterior(model):
    result = sweep(model, to_disc(np.zeros((64, 64))), 16)
    np.testing.assert_allclose(result.density, 1 / TURN, atol=1e-9)
    np.testing.assert_array_equal(result.mode_masses[:, 0], 1.0)


def test_shapes_look_like_shapes():
    for shape in SHAPES.values():
        picture = shape.draw(64)
        assert picture.shape == (64, 64)
        assert 0 <= picture.min() <= picture.max() <= 1
        assert 0.03 < picture.mean() < 0.7
    with pytest.raises(InputError, match="hexagon"):
        draw("blob")
    with pytest.raises(ShapeError, match="square"):
        to_disc(np.zeros((3, 4)))


@pytest.mark.parametrize("noise", [0.03, 0.01, 0.001])
def test_a_peak_narrower_than_a_degree_is_not_lost(noise):
    learned = load("rotation-16-refined")
    sharp = Subgroup(learned.filters, learned.weights, noise)
    row = sweep(sharp, to_disc(draw("F")), 16, 0.1 * np.random.default_rng(0).normal(size=256), only=30)
    np.testing.assert_allclose(row.density.sum() * TURN / 360, 1, rtol=1e-6)
    assert TURN * row.density.max() > 30
    assert abs(np.degrees(row.mode_angles[0, 0]) - 30) < 3
    assert not is_flat(row)
    assert numbers(row)["Uncertainty"].startswith("0.") or noise == 0.03


@pytest.mark.parametrize("name", ["hexagon", "square", "disc"])
def test_the_manifold_distance_has_found_the_highest_of_equal_peaks(name):
    learned, rng = load("rotation-16-refined"), np.random.default_rng(0)
    for sigma in (0.5, 2.0):
        model = Subgroup(learned.filters, learned.weights, sigma)
        result = sweep(model, to_disc(draw(name)), 16, 0.3 * rng.normal(size=256))
        np.testing.assert_allclose(result.distances[:, 1], model.distance(result.x, result.y), atol=1e-9)


@pytest.mark.parametrize("copy", [True, False])
def test_lines_that_move(copy):
    """No rotation has them, but a model made elsewhere may."""
    rng = np.random.default_rng(1)
    model = Subgroup(random_filters(rng, 64, 6, lines=2), [1, 2, 3, 4, 5, 0, 3, 6], 0.6)
    disc, other = rng.uniform(size=(2, 64, 360))
    swept = sweep(model, disc, 8, other=None if copy else other)
    x, y = swept.x.astype(float), swept.y.astype(float)
    np.testing.assert_allclose(swept.log_evidence, model.log_evidence(x, y), atol=1e-5)
    np.testing.assert_allclose(swept.distances[:, 1], model.distance(x, y), atol=1e-5)
    np.testing.assert_allclose(swept.pooled, model.posterior(x, y).eta, atol=1e-5)


def test_waves_of_lines_that_move_sum_to_the_posterior():
    """On the stage and in its drawing, also when the weight of the line is left out."""
    rng = np.random.default_rng(2)
    model = Subgroup(random_filters(rng, 64, 6, lines=2), [1, 2, 3, 4, 5, 0, 3, 7], 0.6)
    for without in ((), (7,), (7, 1)):
        scene = Scene(model, draw("F"), angle=50, without=without)
        swept = scene.sweep(whole=False)
        view = DialView.of(swept, scene.x, scene.angle)
        total = Waves.of(view, model, (), without).total()[:-1]
        assert np.ptp(total - np.log(scene.posterior().density(np.radians(np.arange(360))))) < 1e-4
        header, arrays = unpack(scene.packed(whole=False))
        waves = arrays["waves"].reshape(-1, 2) @ [1, 1j]
        kept = ~np.isin(np.arange(1, 1 + len(waves)), header["without"])
        used = np.zeros(len(waves), complex)
        used[: swept.pooled.shape[1]] = swept.pooled[0]
        np.testing.assert_allclose(waves * kept, used, atol=1e-4)
