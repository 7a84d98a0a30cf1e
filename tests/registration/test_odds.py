"""The odds that two patches show the same thing, against plain searches over σ."""

import numpy as np
import pytest

import tsa
from tests.shared.noisy_pairs import noisy_drawings
from tsa.experiments import registration as bench
from tsa.registration import Camera, Hyperprior, NoisyPlanes, Odds, PlanePair, find_noise, log_evidence, noisy_pair
from tsa.registration.odds import _SPECTRA


@pytest.fixture(scope="module")
def planes():
    return NoisyPlanes.of(tsa.load("rotation-16-refined"), Camera(16, 16, "patch"))


@pytest.mark.parametrize("different", [True, False])
@pytest.mark.parametrize("sigma", [0.0, 0.3])
def test_the_odds_are_those_of_the_best_noise_of_each_explanation(planes, sigma, different):
    """Against every σ on a fine grid; a σ between two nodes of it may be better. Beyond e^30 it does not matter."""
    pair = noisy_drawings(planes, sigma)
    if different:
        pair = pair._replace(y=np.roll(pair.y, 1, axis=0))
    grid = np.geomspace(1e-3, 0.8, 150)
    highest = {
        likeness: np.max(
            [log_evidence(planes, noisy_pair(planes, pair, *np.full((2, 12), s)), _SPECTRA, likeness) for s in grid],
            axis=0,
        )
        for likeness in (1.0, 0.97, 0.5, 0.0)
    }
    same = np.logaddexp(highest[1.0] + np.log(0.95), highest[0.97] + np.log(0.05))
    odds = same - np.logaddexp(highest[0.5], highest[0.0]) + np.log(2)
    found = Odds(planes, pair, find_noise(planes, pair), known=False)
    np.testing.assert_allclose(np.clip(found.log_odds, -30, 30), np.clip(odds, -30, 30), atol=1.5)
    np.testing.assert_allclose(found.z_scores, np.sign(found.log_odds) * np.sqrt(2 * np.abs(found.log_odds)))
    assert np.mean(odds > 0) < 0.2 if different else np.mean(odds > 0) > 0.8


def test_the_noise_may_be_given(planes):
    pair = noisy_drawings(planes, 0.2)
    sigma = np.full(12, 0.2)
    noisy = noisy_pair(planes, pair, sigma, sigma)
    same, nearly, alike, unrelated = (log_evidence(planes, noisy, _SPECTRA, one) for one in (1.0, 0.97, 0.5, 0.0))
    odds = np.log(0.95 * np.exp(same - nearly) + 0.05) - np.log(
        np.exp(alike - nearly) / 2 + np.exp(unrelated - nearly) / 2
    )
    np.testing.assert_allclose(Odds(planes, pair, sigma, known=True).log_odds, odds)


def test_two_pages_of_text_are_alike_but_not_the_same():
    """A turn that brings their lines on one another explains much of the second; the alternative may say so too."""
    planes = NoisyPlanes.of(tsa.load("rotation-28"), Camera(28, 28))
    pairs = bench.make_pairs(bench.kinds()["text"], 28, 60, seed=31)
    x, y = bench.noisy_patches(pairs, (0.05, 0.05), "pixels")
    different, same = (PlanePair.of(planes, x, other) for other in (np.roll(y, 1, axis=0), y))
    noise = find_noise(planes, different)
    noisy = noisy_pair(planes, different, noise, noise)
    unrelated = log_evidence(planes, noisy, Hyperprior()) - log_evidence(planes, noisy, Hyperprior(), likeness=0.0)
    assert np.sum(Odds(planes, different, noise, known=False).log_odds > 3) <= 1
    assert np.sum(unrelated > 3) >= 4  # against unrelated pictures alone, at the noise that a turn leaves over
    assert np.all(Odds(planes, same, find_noise(planes, same), known=False).log_odds > 20)


@pytest.mark.parametrize("name", ["square", "N", "pinwheel", "grating"])
def test_clean_shapes_are_the_same_as_themselves_turned_by_another_program(name):
    """Their edges fall on other places between pixels; that is no noise, and no other picture."""
    shape = tsa.shapes.SHAPES[name]
    pairs = bench.make_pairs(lambda rng: (shape.draw(bench.FINE), shape.symmetry_order), 28, 30, seed=5)
    planes = NoisyPlanes.of(tsa.load("rotation-28"), Camera(28, 28))
    pair = PlanePair.of(planes, *bench.noisy_patches(pairs, (0.0, 0.0)))
    log_odds = Odds(planes, pair, find_noise(planes, pair), known=False).log_odds
    assert np.all(log_odds > -np.log(20))
    assert np.median(log_odds) > np.log(20)
