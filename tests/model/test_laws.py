"""The laws of the models and densities, on random instances."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.hard import TURN, random_eta, random_filters
from tsa import GeneralizedVonMises, Subgroup, VonMises

angles = st.floats(-10, 10)
scales = st.sampled_from([1e-3, 1.0, 30.0, 1e4])
seeds = st.integers(0, 2**32 - 1)


@st.composite
def subgroups(draw):
    """A random model, complete or not, with lines and signed weights, and two patches."""
    rng = np.random.default_rng(draw(seeds))
    planes, lines, spare = draw(st.integers(1, 6)), draw(st.integers(0, 3)), draw(st.integers(0, 4))
    weights = np.concatenate([rng.integers(-6, 7, planes), np.zeros(lines, int)])
    D = 2 * planes + lines + spare
    model = Subgroup(random_filters(rng, D, planes, lines), weights, noise=draw(st.sampled_from([0.1, 1.0, 3.0])))
    return model, *rng.normal(size=(2, D))


@st.composite
def densities(draw, count=1):
    rng = np.random.default_rng(draw(seeds))
    made = [GeneralizedVonMises(random_eta(rng, draw(st.integers(0, 12)), draw(scales))) for _ in range(count)]
    return made[0] if count == 1 else made


@given(subgroups(), angles, angles)
def test_homomorphism(case, s, t):
    """ρ_s ρ_t = ρ_{s+t}"""
    model, x, _ = case
    np.testing.assert_allclose(model.act(model.act(x, s), t), model.act(x, s + t), atol=1e-11)


@given(subgroups(), angles)
def test_inverse(case, s):
    """ρ_{−s} ρ_s is the projection onto the span, the identity when the basis is complete."""
    model, x, _ = case
    back = model.act(model.act(x, s), -s)
    np.testing.assert_allclose(back, model.reconstruct(model.coordinates(x)), atol=1e-11)


@given(subgroups(), angles)
def test_orthogonality(case, s):
    """⟨ρ_s x, ρ_s y⟩ = ⟨x, y⟩ within the span."""
    model, x, y = case
    inner = model.act(x, 0.0) @ model.act(y, 0.0)
    np.testing.assert_allclose(model.act(x, s) @ model.act(y, s), inner, atol=1e-11)


@given(subgroups(), angles, angles)
def test_commutativity(case, s, t):
    model, x, _ = case
    np.testing.assert_allclose(model.act(model.act(x, s), t), model.act(model.act(x, t), s), atol=1e-11)


@given(subgroups(), angles, st.floats(0, TURN))
def test_equivariance_of_the_posterior(case, t, s):
    """Moving y by t moves the posterior by t."""
    model, x, y = case
    here, moved = model.posterior(x, y), model.posterior(x, model.act(y, t))
    np.testing.assert_allclose(moved.log_density(s + t), here.log_density(s), atol=1e-8 / model.noise**2)


@given(subgroups(), angles)
def test_invariance(case, s):
    model, x, _ = case
    moved = model.act(x, s)
    np.testing.assert_allclose(model.invariants(moved), model.invariants(x), atol=1e-11 / model.noise**2)
    np.testing.assert_allclose(model.pooled_norms(moved), model.pooled_norms(x), atol=1e-11 / model.noise**2)
    np.testing.assert_allclose(model.stabilizer(moved).eta, model.stabilizer(x).eta, atol=1e-11 / model.noise**2)


@given(subgroups(), angles)
def test_chain_of_distances(case, s):
    """d_torus ≤ d_manifold ≤ d_euclid, and the manifold distance does not see a move."""
    model, x, y = case
    manifold = model.distance(x, y)
    assert model.torus.distance(x, y) <= manifold + 1e-9
    assert manifold <= np.linalg.norm(x - y) + 1e-9
    np.testing.assert_allclose(model.distance(model.act(x, s), y), manifold, atol=1e-8)
    np.testing.assert_allclose(model.distance(y, x), manifold, atol=1e-8)


@given(densities(3))
def test_fusion_is_commutative_and_associative(three):
    a, b, c = three
    np.testing.assert_array_equal(a.fuse(b).eta, b.fuse(a).eta)
    left, right = a.fuse(b).fuse(c).eta, a.fuse(b.fuse(c)).eta
    np.testing.assert_allclose(left, right, rtol=1e-12, atol=1e-12 * np.abs(left).max(initial=1.0))


@given(densities(2))
def test_kl_is_not_negative_and_zero_on_itself(two):
    p, q = two
    assert p.kl(q) >= 0
    assert p.kl(p) <= 1e-10 * max(1.0, np.abs(p.eta).sum())


@given(seeds, scales)
def test_kl_of_von_mises(seed, scale):
    p, q = (VonMises(e) for e in random_eta(np.random.default_rng(seed), 2, scale))
    assert p.kl(q) >= 0
    assert p.kl(p) <= 1e-12


@given(densities(), angles)
@settings(max_examples=50)
def test_rotation_of_a_density(p, t):
    """η_k → e^{ikt} η_k moves the density by t: entropy stays, modes and quantile mass move."""
    k = np.arange(1, p.harmonics + 1)
    q = GeneralizedVonMises(p.eta * np.exp(1j * k * t))
    tolerance = 1e-11 * max(1.0, np.abs(p.eta).sum())
    np.testing.assert_allclose(q.log_normalizer, p.log_normalizer, atol=tolerance)
    np.testing.assert_allclose(q.entropy(), p.entropy(), atol=tolerance)
    np.testing.assert_allclose(q.cdf(t + 1) - q.cdf(t), p.cdf(1.0), atol=tolerance)


@given(densities())
@settings(max_examples=50)
def test_the_uniform_density_has_most_entropy(p):
    assert p.entropy() <= np.log(TURN) + 1e-12
    gap = p.kl(GeneralizedVonMises.uniform()) - (np.log(TURN) - p.entropy())
    assert abs(gap) <= 1e-9 * (1 + np.abs(p.eta).sum())
