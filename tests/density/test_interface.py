"""What all densities have in common: the batch as a sequence, mean and deviation, ranges, order of ties, printing."""

import re

import numpy as np
import pytest

from tests.hard import TURN, random_eta, symmetric
from tsa import GeneralizedVonMises, InputError, Subgroup, TorusVonMises, VonMises, generalized_bessel
from tsa.density._shared import heaviest_first

FREQUENCIES = [[1, 0], [0, 1], [1, 1]]


def kinds(batch, scale=2.0, dtype=np.complex128):
    rng = np.random.default_rng(0)
    eta = random_eta(rng, 3, scale, batch).astype(dtype)
    return [VonMises(eta[..., 0]), GeneralizedVonMises(eta), TorusVonMises(eta, FREQUENCIES)]


@pytest.mark.parametrize("kind", range(3))
def test_a_batch_is_indexed_like_an_array(kind):
    density = kinds((4, 5))[kind]
    assert len(density) == 4
    assert [part.batch_shape for part in density] == [(5,)] * 4
    whole = density.log_normalizer
    for index in (2, -1, (1, 3), slice(1, 3), (..., 0), (slice(None), [0, 4]), np.arange(4) > 1, None):
        part = density[index]
        assert type(part) is type(density)
        np.testing.assert_allclose(part.log_normalizer, whole[index], rtol=1e-14)
    for wrong in (4, (0, 0, 0)):
        with pytest.raises(IndexError):
            density[wrong]
    one = density[0, 0]
    assert one.batch_shape == ()
    with pytest.raises(TypeError, match="one density"):
        len(one)
    with pytest.raises(IndexError):
        one[0]
    assert one
    assert density[:0]


@pytest.mark.parametrize("kind", range(3))
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_mean_and_deviation_are_those_of_many_draws(kind, dtype):
    density = kinds((3,), dtype=dtype)[kind]
    first = np.exp(1j * density.sample(4000, rng=1).astype(np.float64)).mean(axis=0)
    mean, std = density.mean(), density.std()
    assert mean.shape == std.shape == first.shape
    assert mean.dtype == std.dtype == (np.float32 if dtype == np.complex64 else np.float64)
    assert np.all((mean >= 0) & (mean < TURN))
    assert np.abs(np.exp(1j * mean - std**2 / 2) - first).max() < 4 / np.sqrt(4000)
    assert np.abs(np.exp(1j * mean - std**2) - first).max() > 4 / np.sqrt(4000)


def test_the_mean_of_a_symmetric_density_has_no_direction():
    flat = [VonMises(0.0), GeneralizedVonMises([0, 0]), TorusVonMises([0.0], [[1, 1]])]
    for density in [*flat, GeneralizedVonMises(symmetric(4, 12)), TorusVonMises([3.0], [[2, 2]])]:
        assert np.isnan(density.mean()).all()
        assert np.isinf(density.std()).all()
    assert not np.isnan(VonMises(1e-3).mean())


def test_a_narrow_density_has_the_usual_deviation():
    for narrow in (VonMises(1e6j), GeneralizedVonMises([1e6j])):
        assert narrow.std() == pytest.approx(1e-3, rel=1e-5)
        assert narrow.mean() == pytest.approx(np.pi / 2)
    torus = TorusVonMises([1e2, 1e12], [[1, 0], [0, 1]])
    np.testing.assert_allclose(torus.std(), VonMises([1e2, 1e12]).std(), rtol=1e-9)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_points_that_come_out_lie_in_one_turn(dtype):
    """Peaks just below 0, where rounding up to 2π is one bit away."""
    turn = np.exp(-1j * np.array([1e-18, 1e-9, 1e-7, 0.0]))
    eta = (50 * turn).astype(dtype)
    for density in (VonMises(eta), GeneralizedVonMises(eta[:, None])):
        points = [density.mode(), density.mean(), density.modes().angle, density.sample(20_000, rng=0)]
        points += [density.quantile(np.float64([[0.0], [0.3], [1 - 1e-12]])), density.credible_set(0.9)[..., 0]]
        for found in points:
            assert np.all((found >= 0) & (found < TURN))


def test_modes_of_equal_mass_are_ordered_by_angle():
    for n in (2, 3, 4, 6):
        angle, mass = GeneralizedVonMises(symmetric(n, n, turn=0.1)).modes()
        heavy = angle[mass > 1 / n - 1e-6]
        assert heavy.size == n
        np.testing.assert_array_equal(heavy, np.sort(heavy))
    tied = np.array([[0.25, 0.5, 0.25 + 1e-15, 0.0]])
    assert heaviest_first(np.array([[3.0, 2.0, 1.0, np.nan]]), tied).angle[0, :3].tolist() == [2.0, 1.0, 3.0]
    points = np.array([[[3.0, 1.0], [9.0, 9.0], [3.0, 0.0], [np.nan, np.nan]]])
    assert heaviest_first(points, tied).angle[0, 1:3].tolist() == [[3.0, 0.0], [3.0, 1.0]]
    # Masses that differ are not ties, however the angles lie.
    assert heaviest_first(np.array([[1.0, 2.0]]), np.array([[0.5 - 1e-8, 0.5 + 1e-8]])).angle.tolist() == [[2.0, 1.0]]


def test_one_harmonic_answers_what_many_answer():
    eta = random_eta(np.random.default_rng(3), 5, 3.0)
    eta[0] = 0
    one, general = VonMises(eta), GeneralizedVonMises(eta[:, None])
    phi = np.linspace(-7, 7, 9)[:, None]
    p = np.linspace(0, 1, 7)[:, None]
    pairs = [
        (one.cdf(phi), general.cdf(phi)),
        (one.quantile(p), general.quantile(p)),
        (one.density(phi), general.density(phi)),
        (one.mode(), general.mode()),
        (one.mean(), general.mean()),
        (one.std(), general.std()),
        (one.credible_set(0.8), general.credible_set(0.8)),
        (one.fisher_information(), general.fisher_information()),
        (one.moments(3), general.moments(3)),
        (one.marginal(0, 5), general.marginal(0, 5)),
        (one.diffuse(4.0).eta, general.diffuse(4.0).eta[:, 0]),
        (one.fuse_batch().eta, general.fuse_batch().eta[0]),
        (one.log_normalizer_only(), general.log_normalizer_only()),
        (one.kappa, general.kappa[:, 0]),
        (one.mu, general.mu[:, 0]),
        *zip(one.modes(), general.modes(), strict=True),
    ]
    for mine, theirs in pairs:
        assert mine.shape == theirs.shape
        np.testing.assert_allclose(mine, theirs, rtol=1e-6, atol=1e-8)
    assert one.certificate.error.max() < general.certificate.error.max()
    public = {name for name in dir(general) if not name.startswith("_")}
    assert public <= {name for name in dir(one) if not name.startswith("_")}


def test_the_two_kinds_on_the_circle_work_together():
    rng = np.random.default_rng(4)
    one, many = VonMises(random_eta(rng, 4, 2.0)), GeneralizedVonMises(random_eta(rng, 3, 1.0, (4,)))
    expected = many.eta + np.pad(one.eta[:, None], ((0, 0), (0, 2)))
    for fused in (one.fuse(many), many.fuse(one)):
        assert isinstance(fused, GeneralizedVonMises)
        np.testing.assert_allclose(fused.eta, expected)
    assert isinstance(one.fuse(one), VonMises)
    np.testing.assert_allclose(one.kl(many), GeneralizedVonMises(one.eta[:, None]).kl(many))
    np.testing.assert_allclose(many.kl(one), many.kl(GeneralizedVonMises(one.eta[:, None])))
    assert np.all(many.kl(one) > 0)


def test_circle_and_torus_do_not_mix():
    one, many, torus = kinds(())
    for circle in (one, many):
        for combine in (lambda c: c.fuse(torus), lambda c: torus.fuse(c), lambda c: c.kl(torus)):
            with pytest.raises(InputError, match="place a density of one angle"):
                combine(circle)
        with pytest.raises(InputError, match="combined with another density; got float"):
            circle.fuse(1.0)


def test_the_prior_of_a_subgroup_may_be_a_von_mises():
    rng = np.random.default_rng(5)
    filters = np.linalg.qr(rng.normal(size=(6, 6)))[0]
    model = Subgroup(filters[:, ::2] + 1j * filters[:, 1::2], [1, 2, 3])
    x, y = rng.normal(size=(2, 3, 6))
    for eta in (2 - 1j, random_eta(rng, 3, 1.0)):
        prior, general = VonMises(eta), GeneralizedVonMises(np.asarray(eta)[..., None])
        np.testing.assert_allclose(model.posterior(x, y, prior).eta, model.posterior(x, y, general).eta)
        np.testing.assert_allclose(model.log_evidence(x, y, prior), model.log_evidence(x, y, general))
    with pytest.raises(InputError, match="prior of a Torus"):
        model.posterior(x[0], y[0], VonMises(np.ones(3)))
    for wrong in (TorusVonMises([1.0], [[1, 0]]), np.ones(3)):
        with pytest.raises(InputError, match="prior over s"):
            model.posterior(x, y, wrong)


def test_kappa_and_mu_are_not_exchanged_in_silence():
    """One order exists by position, (n, kappa, mu); the constructors take names only; κ is never negative."""
    assert generalized_bessel(0, [2.0], [0.0])[()] == pytest.approx(2.2795853)
    with pytest.raises(InputError, match="negative"):
        generalized_bessel(0, [-0.5], [2.0])
    for kind in (VonMises, GeneralizedVonMises):
        with pytest.raises(TypeError, match="positional"):
            kind.from_conventional([0.5], [2.0])
        with pytest.raises(InputError, match="negative"):
            kind.from_conventional(mu=[2.0], kappa=[-0.5])


def test_a_probability_beyond_one_is_named_with_all_its_digits():
    for density in (VonMises(1.0), GeneralizedVonMises([1.0])):
        with pytest.raises(InputError, match=re.escape("got 1.0000000000000002")):
            density.quantile([0.5, 1 + 2e-16])


def test_printing_is_short_and_cheap():
    _, many, torus = kinds(())
    assert repr(VonMises(4j)) == "<VonMises: 1 harmonic, mode 1.571, sd 0.5417>"
    assert re.fullmatch(r"<GeneralizedVonMises: 3 harmonics, mode [\d.]+, sd [\d.]+>", repr(many))
    assert re.fullmatch(r"<TorusVonMises: 3 harmonics, mode \([\d.]+, [\d.]+\), sd \([\d.]+, [\d.]+\)>", repr(torus))
    assert repr(GeneralizedVonMises.uniform(2)) == "<GeneralizedVonMises: 2 harmonics, uniform>"
    batch = GeneralizedVonMises(np.full((1000, 50, 8), 1e12 + 0j))
    assert repr(batch) == "<GeneralizedVonMises: batch (1000, 50), 8 harmonics>"
    assert "_partition" not in vars(batch)


@pytest.mark.parametrize("batch", [(), (3,), (20, 30), (0,)])
def test_pictures_in_a_notebook(batch):
    one, many, torus = kinds(batch)
    drawn = min(6, int(np.prod(batch)))
    for circle in (one, many):
        html = circle._repr_html_()
        assert html.count("<polyline") == drawn
        assert repr(circle).replace("<", "&lt;").replace(">", "&gt;") in html
        assert "nan" not in html
    assert torus._repr_html_().count("data:image/png") == (0 if batch else 1)


def test_a_peak_narrower_than_a_pixel_is_drawn():
    sharp = VonMises(1e9 * np.exp(2.345j))._repr_html_()
    heights = [float(pair.split(",")[1]) for pair in re.search(r'points="([^"]+)"', sharp)[1].split()]
    assert min(heights) == 2.0
    assert heights.index(2.0) == int(2.345 / TURN * len(heights))
