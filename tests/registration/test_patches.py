"""`register_patches` for shifts in one and two dimensions: σ, the true shift, other signals, and what is refused."""

import numpy as np
import pytest

import tsa
from tests.hard import TURN
from tsa import InputError, ShapeError, fourier_model, register_patches
from tsa.density import Mixture
from tsa.registration import Camera


def signals(model, n, rng):
    """Smooth random signals without energy in lines: (n, D)."""
    z = rng.normal(size=(n, model.subspaces)) + 1j * rng.normal(size=(n, model.subspaces))
    return model.reconstruct(z * 3 / (1 + np.square(model.irreps.values).sum(axis=1)) * ~model.lines)


def moved_pairs(model, n, rng, sigma=0.05):
    """Signals, the same moved, both with noise of `sigma`, and the shifts."""
    x = signals(model, n, rng)
    s = rng.uniform(0, TURN, (n, model.parameters))
    s = s[:, 0] if model.parameters == 1 else s
    y = model.act(x, s) + sigma * rng.normal(size=x.shape)
    return x + sigma * rng.normal(size=x.shape), y, s


def test_shifts_are_found_with_their_noise():
    model = fourier_model(31)
    x, y, s = moved_pairs(model, 4, np.random.default_rng(0))
    found = register_patches(model, x.reshape(2, 2, -1), y.reshape(2, 2, -1))
    assert isinstance(found.posterior, Mixture)
    assert found.noise.shape == found.z_score.shape == found.posterior.batch_shape == (2, 2)
    assert np.median(found.noise) == pytest.approx(0.05, rel=0.5)
    assert np.abs(np.angle(np.exp(1j * (found.posterior.mode().ravel() - s)))).max() < 0.2
    assert np.median(found.z_score) > 2
    # Something else: the evidence is no longer for a shift.
    other = register_patches(model, x, np.roll(y, 1, axis=0))
    assert np.median(other.z_score) < 0


@pytest.mark.slow
def test_shifts_in_two_dimensions_are_found():
    model = fourier_model((5, 5))
    x, y, s = moved_pairs(model, 2, np.random.default_rng(0), sigma=0.2)
    found = register_patches(model, x, y, noise=0.2)
    assert found.posterior.parameters == 2
    mode = found.posterior.mode()
    assert mode.shape == (2, 2)
    assert np.abs(np.angle(np.exp(1j * (mode - s)))).max() < 0.3
    assert np.all(found.noise == 0.2)
    assert np.all(found.z_score > 0)
    assert np.all(register_patches(model, x, y[::-1], noise=0.2).z_score < 0)


def test_it_is_what_register_does_with_pictures():
    model = tsa.load("rotation-16-refined")
    x, y = (tsa.patch("F", 16, turn=turn) for turn in (0.0, 1.0))
    found = register_patches(model, x, y, camera=Camera(16, 128, "patch"))
    assert found.posterior.mode() == pytest.approx(1.0, abs=0.01)


def test_what_is_refused():
    model = fourier_model(8)
    with pytest.raises(ShapeError, match="8 pixels"):
        register_patches(model, np.ones(9), np.ones(9))
    with pytest.raises(InputError, match="noise"):
        register_patches(model, np.ones(8), np.ones(8), noise=-1)
    with pytest.raises(InputError, match="register_patches"):
        tsa.register("F", "S", model="shift-32")


def test_sharp_shifts_in_two_dimensions_have_modes_and_sets():
    """σ from the pair, and a peak too narrow for a grid of the whole torus."""
    model, rng = fourier_model((8, 8)), np.random.default_rng(0)
    pictures = rng.normal(size=(2, 8, 8)).cumsum(axis=1).cumsum(axis=2)
    pictures -= pictures.mean(axis=(1, 2), keepdims=True)
    x, y = (p.reshape(2, 64) + 0.1 * rng.normal(size=(2, 64)) for p in (pictures, np.roll(pictures, (2, 3), (1, 2))))
    found = register_patches(model, x, y)
    np.testing.assert_allclose(found.posterior.mode() * 8 / TURN, [[2, 3], [2, 3]], atol=0.05)
    assert found.noise == pytest.approx(0.1, rel=0.3)
    for region in found.posterior.credible_set(0.95):
        assert sum(piece.mass for piece in region.pieces) == pytest.approx(0.95, abs=0.01)
        assert region.area < 0.01
