"""Models made from any filters, their cost, and sets side by side; learned dictionaries and Gabor kernels too."""

import io
import tracemalloc

import numpy as np
import pytest

from explorer.state import open_any_as
from tests.shared import dictionaries as made
from tests.shared.model_files import npy
from tests.shared.peers import PEERS, needs_peers
from tsa import (
    InputError,
    cost_of,
    fourier_model,
    inspect,
    load,
    open_filters,
    orthonormal_subset,
    refine,
    refined_span,
)
from tsa.analysis import FilterReport, compare_sets, nearest_in, report_filters
from tsa.groups import CyclicShift, ImageRotation
from tsa.model import Torus, real_columns

SHIFTS = CyclicShift((8, 8))


def scattered(model, rng):
    """The real columns of a model, shuffled, with other lengths, copies and a dead one."""
    columns = real_columns(model.filters)
    columns = columns * rng.uniform(0.5, 2, columns.shape[1]) * rng.choice([-1, 1], columns.shape[1])
    columns = np.concatenate([columns, -columns[:, :5], np.zeros((len(columns), 1))], axis=1)
    return columns[:, rng.permutation(columns.shape[1])]


def test_the_subset_of_a_scattered_model_is_the_model():
    model = fourier_model((8, 8))
    report = report_filters(scattered(model, np.random.default_rng(0)), SHIFTS)
    subset = orthonormal_subset(report)
    assert subset.model.irreps.folded.order().size == model.subspaces
    assert subset.model.irreps.folded.spaces().keys() == model.irreps.folded.spaces().keys()
    assert sorted(subset.left_out.values()) == ["copies"] * 5 + ["dead"]
    x = np.random.default_rng(1).normal(size=(3, 64))
    s = SHIFTS.lattice[11]
    np.testing.assert_allclose(subset.model.act(x, s), SHIFTS.apply(x, s), atol=1e-6)  # planes turn the right way
    cost = cost_of(subset)
    assert cost.energy == pytest.approx((1, 1), abs=1e-6)
    assert max(cost.equivariance) < 1e-5
    assert cost.evidence[0] == pytest.approx(cost.evidence[1], abs=1e-3)


def test_a_smaller_subset_keeps_the_energy_of_the_patches():
    """Patches along two known waves: two planes hold them, and those are chosen first."""
    model = fourier_model((8, 8))
    rng = np.random.default_rng(2)
    wanted = [7, 20]
    z = rng.normal(size=(200, 2)) + 1j * rng.normal(size=(200, 2))
    patches = (z @ model.filters[:, wanted].conj().T).real
    subset = orthonormal_subset(report_filters(model.filters, SHIFTS), 2, patches)
    assert sorted(j for group in subset.chosen for j in group) == wanted
    assert cost_of(subset, patches).energy[1] == pytest.approx(1)
    assert len(subset.left_out) == model.subspaces - 2


def test_the_refinement_of_a_mixture_takes_it_apart():
    model = fourier_model((8, 8))
    mixed = real_columns(model.filters)[:, :20] @ np.linalg.qr(np.random.default_rng(3).normal(size=(20, 20)))[0]
    report = report_filters(np.concatenate([mixed, mixed[:, :7]], axis=1), SHIFTS)
    assert report.above(0.9)[0] < 3
    refined = refined_span(report)
    assert inspect(refined.model, SHIFTS, pairs=4).weights.confidence.min() == pytest.approx(1, abs=1e-5)
    with pytest.raises(InputError, match="purest has"):
        orthonormal_subset(report, min_purity=0.99)


def test_inspect_takes_any_filters():
    report = inspect(np.random.default_rng(0).normal(size=(64, 200)), SHIFTS)
    assert isinstance(report, FilterReport)
    assert report.filters.shape == (64, 200)


def test_sets_are_compared_weight_by_weight():
    model = fourier_model((8, 8))
    rng = np.random.default_rng(4)
    some = model.filters[:, :20] * np.exp(2j * np.pi * rng.random(20))
    reports = {"all": report_filters(model.filters, SHIFTS), "some": report_filters(some, SHIFTS)}
    compared = compare_sets(reports)
    for shared in compared.weights:
        present = shared.weight in model.irreps.folded.spaces() and shared.dimensions[1] > 0
        assert shared.common[1] == pytest.approx(shared.dimensions[1] if present else 0, abs=1e-5)
        assert shared.only[1] == pytest.approx(0, abs=1e-5)
    assert sum(shared.dimensions[1] for shared in compared.weights) == int(np.sum(2 - model.lines[:20]))
    nearest, cosine = nearest_in(reports["some"], reports["all"])
    np.testing.assert_array_equal(nearest, np.arange(20))
    np.testing.assert_allclose(cosine, 1, atol=1e-5)
    other = compare_sets({"a": reports["all"], "b": report_filters(np.eye(64), ImageRotation(8))})
    assert "not compared" in other.trouble
    assert not other.weights
    assert [row["filters"] for row in other.table()] == [model.subspaces, 64]


def test_what_one_set_has_and_another_has_not():
    """Two planes of weight 3 of which one is shared, turned by 30° away from the other: dimensions by hand."""
    a, b = (fourier_model(16).filters[:, k] for k in (3, 5))
    first = report_filters(np.stack([a], axis=1), CyclicShift(16))
    second = report_filters(np.stack([a * 1j, b], axis=1), CyclicShift(16))
    rows = {shared.weight: shared for shared in compare_sets({"a": first, "b": second}).weights}
    assert (rows[3].dimensions, rows[5].dimensions) == ((2, 2), (0, 2))
    assert (rows[3].only[1], rows[5].only[1]) == pytest.approx((0, 2), abs=1e-5)


@needs_peers
@pytest.mark.slow
def test_the_subset_of_the_peers_model_recognises_as_well_as_its_own_features():
    report = open_filters(PEERS / "bispectral-rotation.npy").report
    subset = orthonormal_subset(report)
    every, chosen, model = cost_of(subset).accuracy
    assert model > chosen - 0.02
    assert every > chosen > 0.5


def independently(filters, report):
    """Purity and weight under shifts of pictures, by sums over pixels."""
    for j, f in enumerate(filters.T):
        power = made.shares_under_shifts(f.reshape(report.action.shape))
        h, w = power.shape
        both = power + np.roll(power[::-1, ::-1], (1, 1), (0, 1)) * ~_own(h, w)
        assert report.purity[j] == pytest.approx(both.max(), abs=1e-5)
        k = tuple(np.mod(report.weights.values[j], [h, w]))
        assert both[k] == pytest.approx(both.max(), abs=1e-5)


def _own(h, w):
    y, x = np.indices((h, w))
    return ((2 * y) % h == 0) & ((2 * x) % w == 0)


def test_gabor_kernels_open_are_reported_on_and_make_a_model():
    kernels = made.gabors(11, np.random.default_rng(7))
    opened = open_filters(npy(kernels[:, None].repeat(3, axis=1)))
    assert opened.report.action.shape == (11, 11)
    report = report_filters(kernels.reshape(96, -1).T, CyclicShift((11, 11)))
    independently(kernels.reshape(96, -1).T, report)
    named = open_any_as("gabors", npy(kernels))
    assert named.made is not None
    x = np.random.default_rng(0).normal(size=(2, 121))
    assert np.isfinite(named.model.log_evidence(x[:1], x[1:])).all()


@pytest.mark.slow
@pytest.mark.parametrize("learner", ["ica", "dictionary"])
def test_dictionaries_of_scikit_learn_open_and_make_a_model(learner):
    w = made.learned(learner)
    opened = open_filters(npy(w))
    assert opened.report.filters.shape == (144, len(w))
    np.testing.assert_array_equal(opened.report.filters, w.T)
    independently(w.T, report_filters(w.T, CyclicShift((12, 12))))
    named = open_any_as("learned", npy(w))
    assert named.made is not None
    assert named.model.dimension == 144
    cost = cost_of(named.made)
    # A refinement completes planes of which the set spans one direction only.
    assert 0 < cost.energy[1] <= (cost.energy[0] + 1e-9 if named.made.chosen else 1)


def test_a_model_from_a_set_works_in_the_lab():
    """The real columns of a bundled model, doubled: its subset turns pictures, so the lab can show it."""
    columns = real_columns(load("rotation-16-refined").filters)
    named = open_any_as("doubled", npy(np.concatenate([columns, 1.5 * columns[:, :150]], axis=1)))
    assert named.made is not None
    assert named.turns
    assert named.report.filters.shape == (256, columns.shape[1] + columns[:, :150].shape[1])


def test_a_small_file_of_large_filters_takes_bounded_memory():
    """Five kilobytes that unpack to 64 filters of 128×128 pixels; a matrix of all pairs of pixels would be 2 GB."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, W=(np.indices((128 * 128, 64)).sum(axis=0) % 7).astype(np.float32))
    assert len(buffer.getvalue()) < 20_000
    tracemalloc.start()
    try:
        open_any_as("large", buffer.getvalue())
        assert tracemalloc.get_traced_memory()[1] < 300 * 2**20
    finally:
        tracemalloc.stop()


def test_a_refinement_that_would_not_fit_into_memory_is_refused():
    w = np.eye(64 * 64)[:, :60]
    with pytest.raises(InputError, match=r"would take \d+ GB of memory; at most 2 are used"):
        refine(Torus(w[:, ::2] + 1j * w[:, 1::2]), CyclicShift((64, 64)))
