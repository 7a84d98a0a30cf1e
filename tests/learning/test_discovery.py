"""A group from pairs alone: rank, weights, lines and σ of groups it was not told of; refusal where there is none."""

import numpy as np
import pytest

import tsa
from tsa import InputError, ShapeError, Subgroup, discover
from tsa.experiments.discovery.cases import (
    CONTROLS,
    named_cases,
    pairs_of_orbits,
    random_case,
    score,
    shift_case,
    shifted_orbits,
    torus_case,
)
from tsa.groups import CyclicShift
from tsa.learning import Discovery, DiscoveryEvidence
from tsa.learning.discovery._planes import planes_that_turn
from tsa.learning.discovery._whitening import sharpened

NAMED = {case.name: case for case in named_cases()}
WHITE = np.random.default_rng(0).standard_normal((500, 4))
QUICK = ["weights 1, 3, 7 and 3 lines", "weights 6, 10, 15", "shift of 12", "frames, 3–6° a step"]


def check(case, pairs=3000, noise=0.1, seed=0, equivariance=0.97):
    x, y, _ = case.pairs(pairs, np.random.default_rng(seed), noise)
    found = discover(x, y)
    assert found.rank == case.rank, found.sentence
    right, quality = score(found, case.pairs(1000, np.random.default_rng(99), 0.0), case.period)
    assert right.all()
    assert len(right) == case.planes
    assert quality.min() > equivariance
    return found


@pytest.mark.parametrize("name", QUICK)
def test_groups_of_one_parameter(name):
    found = check(NAMED[name])
    assert found.model.noise == pytest.approx(0.1, rel=0.2)
    assert found.orders == ((12,) if name == "shift of 12" else (0,))


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NAMED if name not in [*QUICK, "shift of 8×8, rotated"]])
def test_named_groups(name):
    check(NAMED[name])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_random_groups(seed):
    rng = np.random.default_rng([2027, seed])
    case, noise = random_case(rng, 1 + seed % 3)
    check(case, noise=noise, seed=[2027, seed, 1])


def test_a_hundred_pairs_are_mostly_enough_for_a_few_planes():
    right = []
    for weights in ([1, 2, 3], [1, 2, 3, 4], [[1, 0], [0, 1], [1, 2]]):
        case = torus_case("", weights)
        for seed in range(10):
            found = discover(*case.pairs(100, np.random.default_rng(seed), 0.05)[:2])
            right.append(all_right(found, case) == case.planes)
    assert sum(right) >= 20


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_noise_as_large_as_the_signal_in_both_halves(seed):
    """Few planes of many pairs are left out; of few pairs there is a refusal, not three free circles."""
    case, rng = shift_case((16,)), np.random.default_rng(seed)
    x, y, _ = case.pairs(10_000, rng, 1.0)
    x = x + rng.standard_normal(x.shape)
    assert all_right(discover(x, y), case) >= 5
    few = discover(x[:2500], y[:2500])
    assert not few.found or all_right(few, case)


@pytest.mark.slow
@pytest.mark.parametrize(("size", "orbits"), [(16, 10), (32, 20)])
def test_relations_are_asked_again_once_all_planes_are_known(size, orbits):
    """Ten shifts each of a few patches, in all pairs: the first planes are too few to show that there is one shift."""
    found = discover(*pairs_of_orbits(shifted_orbits(size, orbits, 10, 0.0, np.random.default_rng([0, 7, size]))))
    assert found.rank == 1, found.sentence
    assert found.orders == (size,)
    assert np.sum(~found.model.lines) == size // 2 - 1


def all_right(found, case):
    """The number of planes found, or 0 if the rank or the weight of any is wrong."""
    if found.rank != case.rank:
        return 0
    right, _ = score(found, case.pairs(500, np.random.default_rng(99), 0.0), case.period)
    return len(right) if right.all() else 0


@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_two_lines_that_change_sign_are_told_from_a_plane_that_turns(noise):
    """In 100 pairs of each of 200 draws, of which half are planes."""
    rng = np.random.default_rng(3)
    u = rng.standard_normal((100, 400)).view(np.complex128)
    turned = u[:, :100] * np.exp(1j * rng.uniform(0, 2 * np.pi, (100, 100)))
    v = np.concatenate([turned, u[:, 100:].real + 1j * rng.choice([-1, 1], (100, 100)) * u[:, 100:].imag], axis=1)
    turns = planes_that_turn(u, v + noise * rng.standard_normal((100, 400)).view(np.complex128))
    assert turns[:100].mean() > 0.97
    assert turns[100:].mean() < 0.03


@pytest.mark.parametrize("name", ["independent pairs", "any rotation of R⁴", "the same by small steps"])
def test_controls_are_refused(name):
    found = discover(*CONTROLS[name](2000, np.random.default_rng(5)))
    assert not found.found
    assert found.rank == 0
    assert found.sentence.startswith("No group found: ")
    assert "pairs" in found.report()
    with pytest.raises(InputError, match="No group found"):
        _ = found.model


@pytest.mark.slow
@pytest.mark.parametrize("name", CONTROLS)
def test_all_controls_are_refused(name):
    found = discover(*CONTROLS[name](3000, np.random.default_rng(11)))
    assert not found.found, found.report()


def test_permuted_pairs_have_no_group():
    """The negative control of the user's own data: the same patches, paired at random."""
    x, y, _ = NAMED["weights 1, 3, 7 and 3 lines"].pairs(2000, np.random.default_rng(0), 0.1)
    assert not discover(x, np.random.default_rng(1).permutation(y)).found


@pytest.mark.parametrize(("scale", "shift"), [(1e-3, 0.0), (255.0, 40.0), (10.0, -3.0)])
def test_scale_and_offset_change_nothing_but_sigma(scale, shift):
    x, y, _ = torus_case("", [1, 2, 3], lines=1).pairs(1500, np.random.default_rng(0), 0.1)
    plain, moved = discover(x, y), discover(scale * x + shift, scale * y + shift)
    assert moved.weights == plain.weights
    # The offset of data is known to σ/√n only, while without one the mean of planes that turn is exactly 0.
    np.testing.assert_allclose(moved.model.filters, plain.model.filters, atol=0.002 if shift else 1e-6)
    assert moved.model.noise == pytest.approx(scale * plain.model.noise, rel=0.01 if shift else 1e-6)


def test_few_clips_have_a_mean_about_which_nothing_turns():
    """Of 51 clips the mean is off by 1/√51, however many pairs are taken from them."""
    check(NAMED["clips of 60 frames"], seed=3, equivariance=0.99)


def test_single_precision_is_kept():
    x, y, _ = torus_case("", [1, 2, 3]).pairs(1500, np.random.default_rng(0), 0.1)
    found = discover(x.astype(np.float32), y.astype(np.float32))
    assert found.model.filters.dtype == np.complex64
    assert found.rank == 1


@pytest.mark.parametrize("noise", [0.0, 0.01, 0.5])
def test_exact_pairs_and_noisy_ones(noise):
    found = check(torus_case("", [1, 2, 4], lines=1), noise=noise)
    assert found.model.noise == pytest.approx(noise, rel=0.25, abs=0.02)


def test_the_result_is_an_ordinary_model(tmp_path):
    case = torus_case("", [1, 2, 3], lines=1)
    x, y, s = case.pairs(2000, np.random.default_rng(0), 0.05)
    found = discover(x, y)
    model = found.model
    assert isinstance(model, Subgroup)
    assert found.orthogonal
    turned = model.align(x[:50], y[:50])
    errors = [np.abs(np.angle(np.exp(1j * (turned - sign * s[:50, 0])))) for sign in (1, -1)]
    assert min(np.median(e) for e in errors) < 0.05
    tsa.save(model, tmp_path / "found.npz")
    np.testing.assert_array_equal(tsa.load(tmp_path / "found.npz").filters, model.filters)
    assert found.posterior(x[:3], y[:3]).batch_shape == (3,)
    # Tying the phases to one s explains held-out pairs better than leaving them free.
    assert found.evidence.coupled_evidence > found.evidence.free_evidence + 0.5
    assert str(found.weights.folded) == "1x0 + 1x1 + 1x2 + 1x3"
    assert found.weights.confidence.min() > 0.5
    assert "sign of s" in found.report()


def test_a_mixed_group_works_in_whitened_coordinates():
    case = NAMED["weights 1…6, mixed"]
    x, y, s = case.pairs(3000, np.random.default_rng(0), 0.05)
    found = discover(x, y)
    assert not found.orthogonal
    assert "whitened" in found.report()
    moved = found.model.align(found.transform(x[:100]), found.transform(y[:100]))
    errors = [np.abs(np.angle(np.exp(1j * (moved - sign * s[:100, 0])))) for sign in (1, -1)]
    assert min(np.median(e) for e in errors) < 0.05


@pytest.mark.parametrize("name", ["weights 1…6, mixed", "ellipse off centre, 10×10"])
def test_a_mixed_group_is_limited_by_noise_alone(name):
    """The whitening comes from a covariance that 2,000 pairs give to 2 % only; the model is five times better."""
    found = check(NAMED[name], pairs=2000, noise=0.01, equivariance=0.998)
    assert found.model.noise == pytest.approx(0.01, rel=0.2)


def test_sharpening_undoes_a_mixing_close_to_the_identity():
    rng = np.random.default_rng(0)
    n, weights = 1500, np.array([[0], [1], [1], [3]])
    s = rng.uniform(0, 2 * np.pi, (n, 1))
    filters = np.zeros((7, 4), np.complex128)
    filters[0, 0] = 1
    filters[[1, 3, 5], [1, 2, 3]], filters[[2, 4, 6], [1, 2, 3]] = 1, 1j
    x = rng.standard_normal((n, 7))
    turned = (x @ filters) * np.exp(1j * s @ weights.T)
    y = (turned @ filters.conj().T).real
    mixing = np.eye(7) + 0.05 * rng.standard_normal((7, 7))
    generator = sum(w * np.outer(f.imag, f.real) for f, (w,) in zip(filters.T, weights, strict=True))

    def asymmetry(matrix):
        """Of the generator in the coordinates x @ matrix: 0 where the action is orthogonal."""
        moved = np.linalg.solve(matrix, (generator - generator.T) @ matrix)
        return np.abs(moved + moved.T).max()

    assert asymmetry(mixing) > 0.1
    assert asymmetry(mixing @ sharpened(x @ mixing, y @ mixing, s, filters, weights)) < 1e-3


def test_same_pairs_same_result():
    x, y, _ = shift_case((9,)).pairs(800, np.random.default_rng(0), 0.1)
    first, second = discover(x, y), discover(x, y)
    np.testing.assert_array_equal(first.model.filters, second.model.filters)
    assert first.report() == second.report()


def test_progress_ends_at_one():
    x, y, _ = torus_case("", [1, 2]).pairs(500, np.random.default_rng(0), 0.1)
    seen = []
    discover(x, y, on_progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


@pytest.mark.parametrize(
    ("x", "y", "error", "message"),
    [
        (np.ones((500, 4)), np.ones((500, 5)), ShapeError, "one shape"),
        (np.ones((20, 4)), np.ones((20, 4)), InputError, "at least 100 pairs"),
        (np.ones((500, 4)), np.ones((500, 4)), InputError, "equal"),
        (np.full((500, 4), np.nan), np.ones((500, 4)), InputError, "finite"),
        (np.ones((500, 4)), WHITE, InputError, "patches of X are equal"),
        (WHITE, WHITE, InputError, "after they have moved"),
        (1e200 * WHITE, -1e200 * WHITE, InputError, "ordinary size"),
    ],
)
def test_bad_input(x, y, error, message):
    with pytest.raises(error, match=message):
        discover(x, y)


@pytest.mark.parametrize(
    ("model", "basis"),
    [
        (tsa.fourier_model(9), [[2]]),
        (tsa.fourier_model(9), [[-1]]),
        (tsa.fourier_model((5, 5)), [[1, 2], [1, 1]]),
    ],
    ids=str,
)
def test_comparison_up_to_a_basis_of_s(model, basis):
    """The DFT with its shifts counted in another basis is the same group; with one weight changed it is not."""
    n = model.sizes[0]
    weights = model.irreps.values @ np.array(basis)
    weights = np.where(weights % n > n / 2, weights % n - n, weights % n)
    weights = weights[:, 0] if len(basis) == 1 else weights
    planted = Discovery("", DiscoveryEvidence(0, n), (n,) * len(basis), Subgroup(model.filters, weights))
    assert not tsa.compare(planted.model, model).same
    assert planted.compare(model).same
    wrong = weights.copy()
    wrong[-1] = wrong[-2]
    assert not Discovery("", planted.evidence, planted.orders, Subgroup(model.filters, wrong)).compare(model).same


def test_a_group_that_was_found_is_the_one_that_was_planted():
    x, y, _ = CyclicShift(12).pairs(1500, 0)
    found = discover(x, y)
    assert found.compare(tsa.fourier_model(12)).same
    assert not found.compare(tsa.Subgroup(tsa.fourier_model(12).filters[::-1], tsa.fourier_model(12).weights * 0)).same
