"""Filter and smoother against sums over all paths on a fine grid, written without shared code."""

import numpy as np
import pytest
from scipy.special import i0e, logsumexp

import tsa
from tsa.experiments import tracking
from tsa.model import ConstantVelocity, RandomWalk, fourier_model, track, track_best_guess


def small_model(noise=1.0, seed=0):
    """Weights 0, 1, 2, 2, 3 in ten dimensions, orthonormal to double precision."""
    w = np.linalg.qr(np.random.default_rng(seed).normal(size=(10, 10)))[0]
    return tsa.Subgroup(w[:, ::2] + 1j * w[:, 1::2], [0, 1, 2, -2, 3], noise)


def frames_of(model, x, angles, rng):
    return model.act(x, angles) + model.noise * rng.standard_normal((*np.shape(angles), model.dimension))


def grid(n):
    return 2 * np.pi * np.arange(n) / n


def log_likelihoods(model, x, frames, points):
    """log N(y; ρ_s x, σ²) at each point, from the pixels; 0 for missing frames."""
    moved = model.act(x, points)
    squares = ((frames[:, None] - moved) ** 2).sum(axis=-1)
    values = -squares / (2 * model.noise**2) - model.dimension / 2 * np.log(2 * np.pi * model.noise**2)
    return np.where(np.isnan(values), 0.0, values)


def brute_force(log_like, log_step, log_start):
    """Filtered and smoothed masses and log evidence by forward and backward sums of logarithms."""
    frames, n = log_like.shape
    alpha, beta = np.empty((frames, n)), np.zeros((frames, n))
    alpha[0] = log_start + log_like[0]
    for t in range(1, frames):
        alpha[t] = log_like[t] + logsumexp(log_step + alpha[t - 1], axis=1)
    for t in range(frames - 2, -1, -1):
        beta[t] = logsumexp(log_step + (log_like[t + 1] + beta[t + 1])[:, None], axis=0)
    filtered = np.exp(alpha - logsumexp(alpha, axis=1, keepdims=True))
    smoothed = np.exp(alpha + beta - logsumexp(alpha + beta, axis=1, keepdims=True))
    return filtered, smoothed, logsumexp(alpha[-1])


def von_mises_steps(kappa, drift, n):
    turn = np.subtract.outer(grid(n), grid(n)) - drift
    return kappa * (np.cos(turn) - 1) - np.log(n * i0e(kappa))


@pytest.mark.parametrize(("kappa", "drift", "noise"), [(2.0, 0.0, 1.0), (40.0, 0.3, 0.4), (150.0, -0.1, 0.5)])
def test_a_random_walk_agrees_with_brute_force(kappa, drift, noise):
    rng, model = np.random.default_rng(3), small_model(noise)
    x = rng.normal(size=10)
    frames = frames_of(model, x, np.cumsum(rng.vonmises(drift, kappa, 9)), rng)
    frames[4:6] = np.nan
    result = track(model, frames, x, RandomWalk(kappa, drift))
    n = 3 * result.filtered.sides[0]
    steps = von_mises_steps(kappa, drift, n)
    filtered, smoothed, log_evidence = brute_force(
        log_likelihoods(model, x, frames, grid(n)), steps, np.full(n, -np.log(n))
    )
    assert abs(result.log_evidence - log_evidence) < result.error + 1e-8
    assert np.allclose(result.log_predictive.sum(), result.log_evidence)
    assert (result.log_predictive[4:6] == 0).all()
    for ours, theirs in ((result.filtered, filtered), (result.smoothed, smoothed)):
        assert np.allclose(ours.masses, 3 * theirs[:, ::3], rtol=1e-7, atol=1e-14)
        between = ours.density(grid(n)[:, None]).T - theirs * n / (2 * np.pi)
        assert np.abs(between).max() < 1e-4 * theirs.max() * n / (2 * np.pi)


def test_the_stated_error_holds_and_is_not_idle():
    """Half the certified points give a larger error than stated: the number of points is needed."""
    from tsa.model import _chains

    rng, model = np.random.default_rng(5), small_model(0.3)
    x = rng.normal(size=10)
    frames = frames_of(model, x, np.cumsum(rng.vonmises(0, 50, 8)), rng)
    result, n = track(model, frames, x, RandomWalk(50.0)), 1024
    exact = brute_force(
        log_likelihoods(model, x, frames, grid(n)), von_mises_steps(50.0, 0, n), np.full(n, -np.log(n))
    )[2]
    assert abs(result.log_evidence - exact) < result.error < 1e-8
    few = result.filtered.sides[0] // 3
    heights = log_likelihoods(model, x, frames, grid(few))[:, None]
    coarse = _chains.walk(heights, np.full(few, 1 / few), np.array([50.0]), np.zeros(1), False)
    assert abs(coarse.log_evidence[0] - exact) > result.error


def test_one_frame_is_the_posterior():
    rng, model = np.random.default_rng(0), small_model()
    x, y = rng.normal(size=(2, 10))
    start = tsa.VonMises.from_conventional(mu=0.4, kappa=3.0)
    result = track(model, y[None], x, start=start)
    posterior = model.posterior(x, y, start)
    s = rng.uniform(0, 2 * np.pi, 20)
    assert np.allclose(result.filtered[0].density(s), posterior.density(s), atol=1e-9)
    assert np.isclose(result.log_evidence, model.log_evidence(x, y, start), atol=1e-9)
    assert np.allclose(result.smoothed.masses, result.filtered.masses)


def test_frames_seen_in_part():
    rng, model = np.random.default_rng(1), small_model()
    x, y = rng.normal(size=(2, 10))
    seen = rng.random(10)
    result = track(model, y[None], x, seen=seen[None])
    assert np.isclose(result.log_evidence, model.log_evidence(x, y, seen=seen), atol=1e-9)
    nothing = track(model, np.stack([y, y]), x, seen=np.stack([seen, 0 * seen]))
    assert np.isclose(nothing.log_evidence, result.log_evidence, atol=1e-9)


def test_batches_are_their_sequences():
    rng, model = np.random.default_rng(2), small_model()
    x = rng.normal(size=(2, 1, 10))
    frames = rng.normal(size=(2, 3, 5, 10)).astype(np.float32)
    start = tsa.VonMises(rng.normal(size=(2, 3)) + 1j)
    together = track(model, frames, x, RandomWalk(5.0), start=start)
    assert together.filtered.batch_shape == (2, 3, 5)
    assert together.log_evidence.dtype == np.float32
    alone = track(model, frames[1, 2], x[1, 0], RandomWalk(5.0), start=start[1, 2])
    assert np.allclose(together.log_evidence[1, 2], alone.log_evidence, atol=1e-4)
    s = grid(64)
    assert np.allclose(together.smoothed[1, 2].density(s[:, None]), alone.smoothed.density(s[:, None]), atol=1e-5)


def test_frames_that_contradict_each_other():
    """Steps are so short that the second frame has a probability below e^-700: the sums of logarithms take over."""
    model = small_model(0.1)
    x = np.random.default_rng(4).normal(size=10)
    frames = model.act(x, np.array([0.0, 2.0, 2.0]))
    result = track(model, frames, x, RandomWalk(800.0))
    n = 1536
    like = log_likelihoods(model, x, frames, grid(n))
    _, smoothed, log_evidence = brute_force(like, von_mises_steps(800.0, 0, n), np.full(n, -np.log(n)))
    assert log_evidence < -700
    assert abs(result.log_evidence - log_evidence) < 1e-6
    assert np.allclose(result.smoothed.mode(), grid(n)[smoothed.argmax(axis=1)], atol=5e-3)


def test_constant_velocity_agrees_with_sums_over_triples():
    """A chain of second order, summed over (s_{t−1}, s_t, s_{t+1}) on a grid of its own."""
    rng, model, kappa, n = np.random.default_rng(6), small_model(0.8), 15.0, 144
    x = rng.normal(size=10)
    frames = frames_of(model, x, 0.5 * np.arange(6), rng)
    frames[3] = np.nan
    result = track(model, frames, x, ConstantVelocity(kappa))
    like = log_likelihoods(model, x, frames, grid(n))
    step = np.exp(kappa * (np.cos(grid(n)) - 1)) / (n * i0e(kappa))
    i = np.arange(n)
    change = step[(i[None, None, :] - 2 * i[None, :, None] + i[:, None, None]) % n]
    pairs, log_scale = np.exp(like[0])[:, None] / n * np.exp(like[1])[None, :] / n, 0.0
    forward = [pairs]
    for t in range(2, 6):
        pairs = np.einsum("ab,abc->bc", pairs, change) * np.exp(like[t])
        log_scale += np.log(pairs.sum())
        pairs /= pairs.sum()
        forward.append(pairs)
    later = np.ones((n, n))
    for t in (5, 4, 3):  # p(frames from t on | s_{t−2}, s_{t−1})
        later = np.einsum("abc,bc->ab", change, later * np.exp(like[t]))
    joint = forward[1] * later
    smooth = joint.sum(axis=0) / joint.sum() * n / (2 * np.pi)
    assert np.abs(result.smoothed[2].density(grid(n)) - smooth).max() < 1e-4
    assert abs(result.log_evidence - log_scale) < result.error + 1e-7
    density = pairs.sum(axis=0) * n / (2 * np.pi)
    assert np.abs(result.filtered[-1].density(grid(n)) - density).max() < 1e-4
    turns = np.subtract.outer(i, i) % n
    velocity = np.bincount(turns.T.ravel(), pairs.ravel(), minlength=n) * n / (2 * np.pi)
    assert np.abs(result.filtered_velocity[-1].density(grid(n)) - velocity).max() < 1e-4


def test_a_restricted_speed_changes_nothing_where_faster_is_improbable():
    """But for the wider first guess: with every velocity equally probable, log(π / max_speed) more evidence."""
    rng, model = np.random.default_rng(8), small_model(0.2)
    x = rng.normal(size=10)
    frames = frames_of(model, x, 0.3 * np.arange(10), rng)
    free, bounded = (track(model, frames, x, ConstantVelocity(60.0, v)) for v in (None, 1.5))
    n = free.filtered.sides[0]
    reach = int(1.5 * n / (2 * np.pi))
    assert bounded.error < 1e-3
    assert np.isclose(bounded.log_evidence - free.log_evidence, np.log(n / (2 * reach + 1)), atol=1e-3)
    assert np.allclose(bounded.smoothed.mean(), free.smoothed.mean(), atol=1e-3)
    assert np.allclose(bounded.smoothed_velocity.mean()[3:7], 0.3, atol=0.1)


def test_two_parameters_agree_with_brute_force():
    rng, model, kappa, n = np.random.default_rng(7), fourier_model((3, 4), 1.5), (3.0, 5.0), 32
    x = rng.normal(size=12)
    frames = rng.normal(size=(3, 12))
    result = track(model, frames, x, RandomWalk(kappa, (0.2, 0.0)))
    points = np.stack(np.meshgrid(grid(n), grid(n), indexing="ij"), axis=-1).reshape(-1, 2)
    posteriors = model.posterior(x, frames)
    # log p(y | x, s) = log p(s | x, y) + log p(y | x) + log (2π)²: Bayes' rule with a uniform prior.
    like = posteriors.log_density(points[:, None]).T + (model.log_evidence(x, frames) + 2 * np.log(2 * np.pi))[:, None]
    step = np.add.outer(von_mises_steps(3.0, 0.2, n), von_mises_steps(5.0, 0.0, n))
    step = step.transpose(0, 2, 1, 3).reshape(n * n, n * n)
    filtered, smoothed, log_evidence = brute_force(like, step, np.full(n * n, -2 * np.log(n)))
    assert abs(result.log_evidence - log_evidence) < 1e-7
    scale = n * n / (2 * np.pi) ** 2
    assert np.abs(result.filtered[2].density(points) - filtered[2] * scale).max() < 1e-4
    assert np.abs(result.smoothed[0].density(points) - smoothed[0] * scale).max() < 1e-4


def test_constant_velocity_in_two_parameters_agrees_with_sums_over_triples():
    """Weights 1 in both directions, other κ along each; the sums run over a grid of its own."""
    rng, model, kappa, n = np.random.default_rng(9), fourier_model((3, 3), 3.0), (0.5, 1.5), 20
    x, frames = rng.normal(size=9), rng.normal(size=(4, 9))
    result = track(model, frames, x, ConstantVelocity(kappa))
    points = np.stack(np.meshgrid(grid(n), grid(n), indexing="ij"), axis=-1)
    posteriors = model.posterior(x, frames)
    like = np.moveaxis(posteriors.log_density(points[:, :, None]), -1, 0)
    like = np.exp(like + (model.log_evidence(x, frames) + 2 * np.log(2 * np.pi))[:, None, None])
    i = np.arange(n)
    first, second = (
        (np.exp(k * (np.cos(grid(n)) - 1)) / (n * i0e(k)))[(i - 2 * i[:, None] + i[:, None, None]) % n] for k in kappa
    )
    pairs = np.einsum("ab,cd->abcd", like[0], like[1]) / n**4
    for t in (2, 3):
        along = np.einsum("abcd,ace->bcde", pairs, first)
        pairs = np.einsum("bcde,bdf->cdef", along, second) * like[t]
    assert abs(result.log_evidence - np.log(pairs.sum())) < result.error + 1e-7
    density = pairs.sum(axis=(0, 1)) / pairs.sum() * (n / (2 * np.pi)) ** 2
    assert np.abs(result.filtered[-1].density(points) - density).max() < 1e-4
    np.testing.assert_allclose(result.smoothed.masses[-1], result.filtered.masses[-1])
    assert result.smoothed_velocity.sides == result.filtered.sides
    alone = track(model, frames, x, ConstantVelocity(kappa), smooth=False)
    np.testing.assert_allclose(alone.filtered.masses, result.filtered.masses)
    np.testing.assert_allclose(alone.filtered_velocity.masses, result.filtered_velocity.masses)


@pytest.mark.slow
def test_a_known_motion_in_two_parameters():
    """A picture that moves by (0.5, −0.25) a frame, seen through noise, two frames missing."""
    rng, model = np.random.default_rng(10), fourier_model((5, 5), 1.0)
    x, v = rng.normal(size=25), np.array([0.5, -0.25])
    truth = np.arange(8)[:, None] * v
    frames = model.act(x, truth) + rng.standard_normal((8, 25))
    frames[3:5] = np.nan
    result = track(model, frames, x, ConstantVelocity(16.0, (0.8, 0.5)))
    off = np.angle(np.exp(1j * (result.smoothed.mean() - truth)))
    assert np.abs(off).max() < 0.5
    assert np.abs(np.angle(np.exp(1j * (result.smoothed_velocity[4].mean() - v)))).max() < 0.15


@pytest.mark.slow
def test_sets_cover_and_one_guess_gets_lost():
    """A small version of `tsa bench tracking`, on a seed of its own."""
    sequences = tracking.simulate(runs=20, seed=11)
    result = sequences.track()
    inside = result.filtered.contains(sequences.angles)
    assert 0.9 < inside.mean() < 0.99
    lost = tracking.lost(sequences.best_guess(), sequences.angles)
    assert lost.any()
    assert inside[lost, -tracking.LOST_FRAMES :].mean() > 0.6  # where one guess is lost, the sets still hold the truth


@pytest.mark.slow
def test_the_plain_grid_agrees():
    sequences = tracking.simulate(runs=2, frames=40, seed=1, gaps=(slice(10, 20),))
    masses, log_evidence = tracking.PlainGrid(sequences).filter(sequences.frames)
    result = sequences.track()
    assert np.allclose(log_evidence, result.log_evidence, atol=1e-4)  # the filters are orthonormal to single precision
    assert np.allclose(
        result.filtered.density(grid(1024)[:, None, None]), np.moveaxis(masses, -1, 0) * 1024 / (2 * np.pi), atol=1e-5
    )


def test_what_cannot_be_tracked_is_refused():
    model = small_model()
    x, frames = np.ones(10), np.ones((3, 10))
    broken = frames.copy()
    broken[1, 2] = np.nan
    missing = frames.copy()
    missing[0] = np.nan
    for arguments, match in [
        ((model, np.ones(10)), "with T at least 1"),
        ((model, np.ones((3, 9))), "Frames of this model"),
        ((model, broken, x), "give `seen`"),
        ((model, missing), "give `template`"),
        ((model, frames, x, 3.0), "RandomWalk or a ConstantVelocity"),
        ((model, frames, x, RandomWalk(-1.0)), "positive"),
        ((model, frames, x, RandomWalk((1.0, 2.0))), "one number"),
        ((model, frames, x, ConstantVelocity(1.0, 0.0)), "max_speed"),
        ((model, frames, x, ConstantVelocity(1e8)), "max_speed, or smooth=False"),
        ((fourier_model((3, 3)), np.ones((2, 9)), None, ConstantVelocity((3.0, 1.0, 2.0))), "or 2 for this model"),
    ]:
        with pytest.raises(tsa.InputError, match=match):
            track(*arguments)
    with pytest.raises(tsa.InputError, match="start must be a density of 1"):
        track(model, frames, x, start=tsa.TorusVonMises([1.0], [[1, 0]]))
    with pytest.raises(tsa.ShapeError, match="one density, or one for each"):
        track(model, frames, x, start=tsa.VonMises(np.ones(4)))
    assert track_best_guess(model, frames, x).shape == (3,)
