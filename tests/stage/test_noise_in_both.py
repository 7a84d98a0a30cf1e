"""A scene with noise in both pictures: the sweep is that of the model called directly, and its words are about σ."""

import contextlib
import io

import numpy as np
import pytest

from tsa import Subgroup, estimate_power, load
from tsa.pictures import draw
from tsa.stage import Scene, exports, read_sweep

LEARNED = load("rotation-16-refined")


def scene(noise=0.3, sigma=0.3, **more):
    return Scene(LEARNED.with_noise(sigma), draw("F"), angle=40, pixel_noise=noise, both=True, **more)


def test_it_is_the_model_with_noise_in_both():
    swept, sigma = scene().sweep(whole=False), 0.3
    model = LEARNED.with_noise(sigma)
    clean = Scene(model, draw("F"), angle=40).sweep(whole=False)
    assert np.std(swept.x - clean.x) == pytest.approx(0.3, rel=0.15)
    assert np.std(swept.y - clean.y) == pytest.approx(0.3, rel=0.15)
    power = estimate_power(model, swept.x, swept.y)
    density = model.posterior(swept.x, swept.y, noise_x=sigma, power=power)
    np.testing.assert_allclose(swept.pooled, density.eta, rtol=1e-12)
    np.testing.assert_allclose(model.irreps.pool(swept.eta), density.eta, atol=1e-9)
    evidence = model.log_evidence(swept.x, swept.y, noise_x=sigma, power=power)
    np.testing.assert_allclose(swept.log_evidence, evidence, rtol=1e-12)
    # Distances do not depend on what is known of the noise.
    found = model.torus.distance(swept.x, swept.y), model.distance(swept.x, swept.y)
    np.testing.assert_allclose(swept.distances[:, :2].T, found, rtol=1e-6)


def test_all_turns_agree_with_one_turn():
    whole, one = scene().sweep(), scene().sweep(whole=False)
    np.testing.assert_allclose(whole.pooled[40], one.pooled[0], rtol=1e-4, atol=1e-4)
    assert len(scene().packed()) > 10_000
    assert len(scene(without=(2,)).packed(whole=False)) > 1000


def test_the_fit_is_judged_by_the_noise_of_both():
    """At the true σ nine in ten pairs and more leave over what is expected, and name that σ."""
    read = []
    for observation in range(40):
        swept = scene(observation=observation).sweep(whole=False)
        assert swept.sigma == 0.3
        read.append(read_sweep(swept.model, swept, swept.prior))
    assert np.mean([r.p[0] >= 0.02 for r in read]) > 0.9
    assert np.median([r.sigma_pair[0] for r in read]) == pytest.approx(0.3, rel=0.1)
    assert {r.sigma[0] for r in read} == {0.3}


def test_the_snippet_and_the_summary_say_so():
    made = scene()
    space = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(exports.snippet(made, "rotation-16-refined"), space)
    np.testing.assert_allclose(space["posterior"].eta, made.posterior().eta, rtol=1e-9)
    assert exports.summary(made)["noise_in"] == "both"
    assert exports.summary(Scene(LEARNED, draw("F")))["noise_in"] == "y"
    assert "in both" in exports.picture_svg(made)


def test_without_the_switch_nothing_changes():
    plain = Scene(Subgroup(LEARNED.filters, LEARNED.weights, 0.3), draw("F"), angle=40, pixel_noise=0.3)
    swept = plain.sweep(whole=False)
    assert plain.noise_of_x is None
    assert swept.sigma == swept.model.noise == 0.3
    np.testing.assert_array_equal(swept.pooled, plain.model.posterior_from(*np.split(swept.coordinates, 2)).eta)
