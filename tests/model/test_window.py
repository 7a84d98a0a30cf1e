"""y seen in part: the posterior of a Fourier model against Bayes by brute force, at whole pixels and between them."""

import numpy as np
import pytest

from tests.hard import TURN, random_filters
from tests.shared.fourier_shift import fourier_shift, log_likelihood
from tsa import GeneralizedVonMises, InputError, ShapeError, Subgroup, TorusVonMises, fourier_model, load
from tsa.model import real_columns
from tsa.pictures import gallery, to_disc, turned_patches

SIZES = [(7,), (8,), (5, 4), (8, 8), (9, 7), (6, 8)]


def model_of(sizes, noise=1.0):
    return fourier_model(sizes if len(sizes) == 2 else sizes[0], noise)


def dense(model):
    """The same model as filters and weights, without its FFTs."""
    return Subgroup(model.filters, model.weights, model.noise)


def pair(sizes, seed=0):
    """White noise, which has energy in every wave, and a window with soft weights."""
    rng = np.random.default_rng(seed)
    D = int(np.prod(sizes))
    return *rng.normal(size=(2, D)), rng.uniform(size=D)


def by_bayes(model, x, y, m, s):
    """log p(s | x, y) + log p(y | x) + p log 2π, which is the log likelihood."""
    points = s[:, 0] if model.parameters == 1 else s
    start = model.parameters * np.log(TURN)
    return model.posterior(x, y, seen=m).log_density(points) + model.log_evidence(x, y, seen=m) + start


@pytest.mark.parametrize("sizes", SIZES)
def test_whole_pixel_shifts(sizes):
    x, y, m = pair(sizes)
    model = model_of(sizes, 0.9)
    steps = np.stack(np.unravel_index(np.arange(x.size), sizes), axis=-1)
    rolled = [np.roll(x.reshape(sizes), step, tuple(range(len(sizes)))).ravel() for step in steps]
    truth = log_likelihood(y, np.array(rolled), m, 0.9)
    np.testing.assert_allclose(by_bayes(model, x, y, m, TURN * steps / np.array(sizes)), truth, atol=1e-9)


@pytest.mark.parametrize("by_fft", [True, False])
@pytest.mark.parametrize("sizes", SIZES)
def test_between_the_pixels(sizes, by_fft):
    x, y, m = pair(sizes)
    model = model_of(sizes, 0.9) if by_fft else dense(model_of(sizes, 0.9))
    s = np.random.default_rng(1).uniform(-10, 10, (50, len(sizes)))
    truth = log_likelihood(y, fourier_shift(x, sizes, s), m, 0.9)
    np.testing.assert_allclose(by_bayes(model, x, y, m, s), truth, atol=1e-9)


@pytest.mark.parametrize("sizes", [(8,), (9, 7)])
def test_a_single_band_would_be_wrong_between_the_pixels(sizes):
    """Negative control: cut at the band of x, the series is no longer the log likelihood."""
    x, y, m = pair(sizes)
    model = model_of(sizes)
    s = np.random.default_rng(1).uniform(0, TURN, (50, len(sizes)))
    full = model.posterior(x, y, seen=m)
    if model.parameters == 1:
        cut = GeneralizedVonMises(np.where(np.arange(1, 9) > 4, 0, full.eta))
        gap = cut.log_density(s[:, 0]) - full.log_density(s[:, 0])
    else:
        inside = np.all(np.abs(full.frequencies) <= np.array(sizes) // 2, axis=1)
        gap = TorusVonMises(full.eta * inside, full.frequencies).log_density(s) - full.log_density(s)
    assert np.ptp(gap) > 0.03


@pytest.mark.parametrize("sizes", SIZES)
def test_evidence_is_the_integral(sizes):
    x, y, m = pair(sizes)
    n = 64
    nodes = TURN * np.stack(np.unravel_index(np.arange(n ** len(sizes)), (n,) * len(sizes)), axis=-1) / n
    likelihood = np.exp(log_likelihood(y, fourier_shift(x, sizes, nodes), m, 2.0))
    assert model_of(sizes, 2.0).log_evidence(x, y, seen=m) == pytest.approx(np.log(likelihood.mean()), abs=1e-10)


def columns_of(filters, lines):
    """Derivatives by the real columns, of which a line has one."""
    both = np.stack([filters.real, filters.imag], axis=-1).reshape(len(filters), -1)
    return both[:, np.stack([np.ones_like(lines), ~lines], axis=-1).ravel()]


def moving_line(rng):
    """A model that is no DFT, and has a line of non-zero weight."""
    return Subgroup(random_filters(rng, 9, 3, lines=2), [1, -3, 2, 4, 0], 0.8)


@pytest.mark.parametrize("sizes", [*SIZES, None])
def test_all_seen_is_no_window(sizes):
    rng = np.random.default_rng(2)
    model = moving_line(rng) if sizes is None else model_of(sizes, 0.8)
    x, y = rng.normal(size=(2, 3, model.dimension))
    ones = np.ones(model.dimension)
    s = rng.uniform(0, TURN, (3,) if model.parameters == 1 else (3, 2))
    windowed, plain = model.posterior(x, y, seen=ones), model.posterior(x, y)
    np.testing.assert_allclose(windowed.log_density(s), plain.log_density(s), atol=1e-12)
    np.testing.assert_allclose(model.log_evidence(x, y, seen=ones), model.log_evidence(x, y), atol=1e-12)
    windowed, plain = model.evidence_gradient(x, y, seen=ones), model.evidence_gradient(x, y)
    # Away from orthonormal filters the two functions differ, so only what is tangent to the frames can be compared.
    w, gap = real_columns(model.filters), columns_of(windowed.filters - plain.filters, model.lines)
    np.testing.assert_allclose(gap - w @ (w.T @ gap + gap.T @ w) / 2, 0, atol=1e-11)
    assert windowed.log_evidence == pytest.approx(plain.log_evidence, abs=1e-11)
    assert windowed.noise == pytest.approx(plain.noise, abs=1e-10)


@pytest.mark.parametrize("parameters", [1, 2])
def test_gradient_where_a_line_moves(parameters):
    """Filters pushed within the orthonormal frames; two of three cases have Nyquist lines."""
    rng = np.random.default_rng(parameters)
    model = moving_line(rng) if parameters == 1 else dense(fourier_model((4, 2)))
    x, y = rng.normal(size=(2, 4, model.dimension))
    m = rng.uniform(size=(4, model.dimension))
    result = model.evidence_gradient(x, y, seen=m)
    w = real_columns(model.filters)
    push = rng.normal(size=w.shape)
    push -= w @ (w.T @ push + push.T @ w) / 2
    planes = ~model.lines
    first = np.cumsum(1 + planes) - (1 + planes)

    def as_filters(columns):
        filters = columns[:, first].astype(complex)
        filters.imag[:, planes] = columns[:, first[planes] + 1]
        return filters

    def along(h):
        u, _, v = np.linalg.svd(w + h * push, full_matrices=False)
        return Subgroup(as_filters(u @ v), model.weights, model.noise).log_evidence(x, y, seen=m).sum()

    slope = np.sum((result.filters.conj() * as_filters(push)).real)
    steps = 10.0 ** np.array([-3.0, -3.5, -4.0])
    for wrong_by, order in ((0.0, 2.0), (1.0, 1.0)):
        error = [abs(along(h) - along(0.0) - h * (slope + wrong_by)) for h in steps]
        assert np.polyfit(np.log(steps), np.log(error), 1)[0] == pytest.approx(order, abs=0.1)


def test_hidden_pixels_do_not_matter_and_none_seen_is_the_prior():
    x, y, _ = pair((6, 8))
    model = model_of((6, 8))
    m = (np.arange(48) % 3 > 0).astype(float)
    changed = np.where(m > 0, y, 1e3)
    here, there = (model.posterior(x, one, seen=m) for one in (y, changed))
    np.testing.assert_allclose(here.eta, there.eta, atol=1e-12)
    prior = TorusVonMises([2 + 1j, 0.5], [[1, 0], [0, 1]])
    blind = model.posterior(x, y, prior, seen=np.zeros(48))
    s = np.random.default_rng(0).uniform(0, TURN, (5, 2))
    np.testing.assert_allclose(blind.log_density(s), prior.log_density(s), atol=1e-12)
    assert model.log_evidence(x, y, prior, seen=np.zeros(48)) == pytest.approx(0.0, abs=1e-12)


def test_batches_broadcast_and_precision_is_kept():
    rng = np.random.default_rng(3)
    model = fourier_model((4, 5))
    x, y, m = rng.normal(size=(3, 1, 20)), rng.normal(size=(20,)), rng.uniform(size=(2, 20))
    for one in (model, dense(model)):
        together = one.posterior(x, y, seen=m)
        assert together.batch_shape == (3, 2)
        single = one.posterior(x[1, 0], y, seen=m[0])
        np.testing.assert_allclose(together.eta[1, 0], single.eta, atol=1e-12)
        assert one.log_evidence(x, y, seen=m).shape == (3, 2)
        np.testing.assert_allclose(one.log_evidence(x, y, seen=m)[2, 1], one.log_evidence(x[2, 0], y, seen=m[1]))
        sums = one.evidence_gradient(x, y, seen=m)
        each = [one.evidence_gradient(a, y, seen=b) for a in x[:, 0] for b in m]
        np.testing.assert_allclose(sums.filters, sum(e.filters for e in each), atol=1e-11)
        assert sums.noise == pytest.approx(sum(e.noise for e in each))
    single = model.posterior(x.astype(np.float32), y.astype(np.float32), seen=m)
    assert single.eta.dtype == np.complex64
    np.testing.assert_allclose(single.eta, together.eta, atol=1e-5)
    assert model.log_evidence(x.astype(np.float32), y.astype(np.float32), seen=m).dtype == np.float32


@pytest.mark.parametrize(
    ("name", "size", "share", "degrees"), [("rotation-16-refined", 16, 0.03, 0.5), ("rotation-28", 28, 0.004, 0.03)]
)
def test_rotations_are_as_exact_as_the_model(name, size, share, degrees):
    """Half of a turned digit is seen. Bayes by brute force turns the picture itself, exactly, and not its patch."""
    model = load(name).with_noise(0.2)
    right_half = np.tile(np.arange(size) >= size / 2, size).astype(float)
    angles, errors, misses = np.radians(np.arange(360)), [], []
    for digit in gallery()[0][:10]:
        turned = turned_patches(to_disc(digit), size)
        truth = log_likelihood(turned[40], turned, right_half, 0.2)
        posterior = model.posterior(turned[0], turned[40], seen=right_half)
        gap = posterior.log_density(angles) - truth
        errors.append(np.ptp(gap) / np.ptp(truth))
        misses.append(abs(np.degrees(posterior.mode()) - 40))
    assert np.median(errors) < share
    assert np.median(misses) < degrees


def test_bad_windows_are_refused_in_one_sentence():
    x, y, m = pair((5, 4))
    model = model_of((5, 4))
    for wrong, error, words in (
        (m - 2, InputError, "between 0"),
        (m + 0.5, InputError, "between 0"),
        (np.where(m > 0.5, np.nan, m), InputError, "seen must be finite"),
        (m.reshape(5, 4), ShapeError, "each of the 20 pixels"),
        (1.0, ShapeError, "each of the 20 pixels"),
        (m * 1j, InputError, "real numbers"),
        (np.ones((3, 20)), ShapeError, "fit together"),
    ):
        with pytest.raises(error, match=words) as caught:
            model.posterior(np.stack([x, x]), y, seen=wrong)
        assert "\n" not in str(caught.value)
    with pytest.raises(InputError, match="finite"):
        model.posterior(x, np.full(20, np.nan), seen=m)


def test_a_fourier_model_is_the_same_as_its_filters():
    rng = np.random.default_rng(4)
    for sizes in SIZES:
        model = model_of(sizes, 0.7)
        assert "filters" not in vars(model.with_noise(0.3))
        assert model.with_noise(0.3).sizes == sizes
        other = dense(model)
        x, z = rng.normal(size=(3, other.dimension)), rng.normal(size=(2, 3, other.subspaces))
        z = z[0] + 1j * z[1]
        assert (model.dimension, model.subspaces) == (other.dimension, other.subspaces)
        np.testing.assert_array_equal(model.lines, other.lines)
        for dtype, kind, close in ((np.float64, complex, 1e-13), (np.float32, np.complex64, 1e-5)):
            ours, theirs = model.coordinates(x.astype(dtype)), other.coordinates(x.astype(dtype))
            assert ours.dtype == theirs.dtype == kind
            np.testing.assert_allclose(ours, theirs, atol=close)
            ours, theirs = model.reconstruct(z.astype(kind)), other.reconstruct(z.astype(kind))
            assert ours.dtype == theirs.dtype == dtype
            np.testing.assert_allclose(ours, theirs, atol=close)
        assert model.with_noise(0.3).log_evidence(x, x[0]) == pytest.approx(other.with_noise(0.3).log_evidence(x, x[0]))
