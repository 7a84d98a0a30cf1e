"""Learning: the step is the gradient, the schedule the paper's, the estimator scikit-learn's."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from threadpoolctl import threadpool_info, threadpool_limits

from tests.hard import random_filters
from tsa import TSA, InputError, ShapeError, Subgroup, Torus, fine_tune, fourier_model, orthonormalize
from tsa.analysis import as_subgroup
from tsa.density import mean_rotation
from tsa.groups import CyclicShift, ImageRotation
from tsa.learning import TrainingRun, sgd, sgd_step, train_run
from tsa.model import nearest_orthonormal, orthonormality_defect, real_columns


@pytest.mark.parametrize("spread", [0.01, 0.1, 0.5, 2.0, 30.0])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_polar_is_the_svd(spread, dtype):
    rng = np.random.default_rng(0)
    w = np.linalg.qr(rng.normal(size=(120, 40)))[0] + spread * rng.normal(size=(120, 40)) / 10
    u, _, v = np.linalg.svd(w, full_matrices=False)
    found = nearest_orthonormal(w.astype(dtype))
    assert found.dtype == dtype
    np.testing.assert_allclose(found, u @ v, atol=1e-6)


def test_step_follows_the_evidence_gradient():
    rng = np.random.default_rng(1)
    filters = random_filters(rng, 20, 4).astype(np.complex64)
    x, y = rng.normal(size=(2, 30, 20)).astype(np.float32)
    gradient = Torus(filters, 0.8).evidence_gradient(x, y).filters / 30
    moved, _ = sgd_step(filters.view(np.float32), x, y, 0.1, 0.8)
    np.testing.assert_allclose(moved, nearest_orthonormal(real_columns(filters + 0.1 * gradient)), atol=1e-5)


def test_single_precision_mean_rotation():
    kappa = np.concatenate([[0.0], np.geomspace(1e-6, 1e6, 1000)])
    exact = mean_rotation(kappa * np.exp(0.3j))
    fast = mean_rotation((kappa * np.exp(0.3j)).astype(np.complex64))
    assert fast.dtype == np.complex64
    np.testing.assert_allclose(fast, exact, rtol=3e-6)


def test_learning_raises_the_evidence_and_keeps_filters_orthonormal():
    action = CyclicShift(12)
    estimator = TSA(5, n_pairs=20_000, random_state=0)
    seen = []
    estimator.fit_stream(action.stream(0), callback=seen.append)
    assert seen[-1].pairs == 20_000
    assert seen[-1].orthogonality < 1e-5
    assert seen[-1].pairs_per_second > 0
    assert len(estimator.curve_) == len(seen) == 5
    x, y, _ = action.pairs(2000, rng=9)
    start = TSA(5, n_pairs=100, random_state=0).fit_stream(action.stream(0)).score(x, y)
    assert estimator.score(x, y) > start + 1


def test_schedule_is_alpha_over_root_of_the_pass(monkeypatch):
    rates = []

    def spy(basis, x, y, rate, noise):
        rates.append(rate)
        return basis, np.zeros((2 * len(x), 1), np.complex64)

    monkeypatch.setattr("tsa.learning._sgd.sgd_step", spy)
    batches = [(np.ones((10, 4), np.float32),) * 2] * 7
    list(sgd(batches, np.eye(4, 2, dtype=np.float32), noise=1.0, learning_rate=0.5, pairs_per_pass=20))
    np.testing.assert_allclose(rates, 0.5 / np.sqrt([1, 1, 2, 2, 3, 3, 4]))


def test_same_seed_same_bits():
    fits = [TSA(4, n_pairs=2000, random_state=7).fit_stream(CyclicShift(9).stream(7)).basis_ for _ in range(2)]
    np.testing.assert_array_equal(*fits)


def test_interrupted_training_leaves_a_usable_model():
    def impatient(progress):
        if progress.step >= 50:
            raise KeyboardInterrupt

    estimator = TSA(4, n_pairs=10_000, random_state=0)
    with pytest.raises(KeyboardInterrupt):
        estimator.fit_stream(CyclicShift(9).stream(0), callback=impatient)
    assert estimator.n_steps_ == 50
    assert estimator.transform(np.ones((2, 9))).shape == (2, 4)


def test_scikit_learn_conventions():
    x, y, _ = CyclicShift(10).pairs(2000, rng=0)
    estimator = TSA(4, n_pairs=1000, random_state=3)
    assert clone(estimator).get_params() == estimator.get_params()
    assert estimator.set_params(noise=0.5).noise == 0.5
    assert "n_subspaces=4" in repr(estimator)
    assert estimator.fit(x, y) is estimator
    assert estimator.n_features_in_ == 10
    np.testing.assert_array_equal(clone(estimator).fit_transform(x, y), estimator.transform(x))
    before = estimator.n_steps_
    estimator.partial_fit(x[:500], y[:500])
    assert estimator.n_steps_ == before + 5
    labels = np.arange(len(x)) % 2
    pipeline = make_pipeline(estimator, KNeighborsClassifier(1))
    # A pipeline hands its target to every step, so the transformer is fitted on pairs first and then frozen in.
    features = pipeline[0].transform(x)
    assert KNeighborsClassifier(1).fit(features, labels).score(features, labels) == 1.0
    assert make_pipeline(TSA(4, n_pairs=1000, random_state=3)).fit(x, y).transform(x).shape == (len(x), 4)
    with pytest.raises(InputError, match="no parameter"):
        estimator.set_params(colour="red")


def test_partial_fit_starts_from_nothing():
    x, y, _ = CyclicShift(10).pairs(300, rng=0)
    assert TSA(4, random_state=0).partial_fit(x, y).n_steps_ == 3


def test_fine_tuning_raises_the_coupled_evidence_and_finds_the_noise():
    rng = np.random.default_rng(5)
    truth = fourier_model(9, noise=0.4)
    x = rng.normal(size=(4000, 9))
    y = truth.act(x, rng.uniform(0, 2 * np.pi, 4000)) + 0.4 * rng.normal(size=x.shape)
    start = Subgroup(polar_nudged(truth.filters, rng), truth.weights, 1.0)
    batches = [(x[i : i + 100], y[i : i + 100]) for i in range(0, 4000, 100)] * 4
    *_, (tuned, _) = fine_tune(start, batches, learning_rate=0.2)
    assert tuned.log_evidence(x, y).mean() > start.log_evidence(x, y).mean() + 1
    assert tuned.noise == pytest.approx(0.4, rel=0.1)
    np.testing.assert_array_equal(tuned.lines, truth.lines)


def polar_nudged(filters, rng):
    nudge = rng.normal(size=filters.shape) + 1j * rng.normal(size=filters.shape) * filters.imag.any(axis=0)
    return orthonormalize(filters + 0.05 * nudge)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: TSA(5).fit(np.ones((3, 4)), np.ones((3, 4))), "subspaces need"),
        (lambda: TSA(1).fit(np.ones((3, 4)), np.ones((2, 4))), "one shape"),
        (lambda: TSA(1).fit([[np.nan, 1]], [[1, 1]]), "finite"),
        (lambda: TSA(1, noise=-1).fit(np.ones((3, 4)), np.ones((3, 4))), "positive"),
        (lambda: TSA(0).fit(np.ones((3, 4)), np.ones((3, 4))), "at least 1"),
        (lambda: TSA(1).fit_stream(iter([])), "empty"),
        (lambda: TSA(1).transform(np.ones((3, 4))), "not learned"),
    ],
)
def test_bad_input(make, message):
    with pytest.raises((InputError, ShapeError), match=message):
        make()


@pytest.mark.parametrize("size", [8, 16])
def test_as_many_filters_as_fit_are_orthonormal_at_the_end(size):
    """A few large steps in single precision leave a basis of the whole space less than half orthonormal."""
    room = ImageRotation(size).support.size // 2
    recipe = TrainingRun("rotation", (size, size), room, n_pairs=500, learning_rate=20.0)
    basis = [progress.basis for progress in recipe.train()][-1].view(np.complex64)
    model = recipe.to_model_file(basis, []).model
    assert orthonormality_defect(model.filters) < 1e-4
    learned = TSA(room, n_pairs=500, learning_rate=20.0, random_state=0).fit_stream(recipe.action.stream(0)).model_
    assert orthonormality_defect(learned.filters) < 1e-4


@pytest.mark.slow
def test_a_recipe_gives_the_same_bits_on_any_number_of_cores():
    recipe = TrainingRun("rotation", (16, 16), 80, n_pairs=1000, refined=True)
    models = []
    for threads in (1, 2):
        with threadpool_limits(threads, "blas"):
            models.append(train_run(recipe).model.filters)
    np.testing.assert_array_equal(*models)


@pytest.mark.slow
def test_rotation_filters_emerge():
    """A small rotation model: most filters are pure after training on noise."""
    action = ImageRotation(10)
    model = TSA(20, n_pairs=100_000, random_state=0).fit_stream(action.stream(0)).model_
    weights = as_subgroup(model, action).weights
    assert len(set(np.abs(weights))) > 5


def blas_threads():
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def test_a_training_computes_with_one_blas_thread_and_leaves_the_limit_as_it_was(monkeypatch):
    learning = []

    def spy(*arguments):
        learning.append(blas_threads())
        return sgd_step(*arguments)

    monkeypatch.setattr("tsa.learning._sgd.sgd_step", spy)
    x = np.random.default_rng(0).normal(size=(60, 8))
    for limit in (2, 1):
        with threadpool_limits(limit, "blas"):
            train_run(TrainingRun("shift", (8,), 3, n_pairs=600))
            TSA(2, solver="sgd", n_pairs=60, batch_size=10, random_state=0).fit(x, x)
            assert blas_threads() == {limit}
            with pytest.raises(ZeroDivisionError):
                train_run(TrainingRun("shift", (8,), 3, n_pairs=600), on_progress=lambda progress: 1 / 0)
            assert blas_threads() == {limit}
    assert len(learning) == 2 * (6 + 6 + 1)
    assert all(threads == {1} for threads in learning)


def test_a_suspended_training_limits_nothing():
    with threadpool_limits(2, "blas"):
        reports = TrainingRun("shift", (8,), 3).train()
        next(reports)
        assert blas_threads() == {2}
        reports.close()
        raising = sgd(iter([(np.ones((2, 3)),) * 2]), np.eye(4, 2), noise=1.0, learning_rate=0.1, pairs_per_pass=9)
        with pytest.raises(ValueError, match="mismatch"):
            next(raising)
        assert blas_threads() == {2}


def test_a_report_has_the_curve_so_far_and_training_continues_from_it():
    run = TrainingRun("shift", (8,), 3, n_pairs=12_000)
    reports = list(run.train())
    assert (
        [pairs for pairs, _ in reports[-1].curve] == [report.pairs for report in reports] == [100, 5000, 10000, 12000]
    )
    *_, last = run.train(reports[1])
    assert last.curve == reports[-1].curve
    np.testing.assert_array_equal(last.basis, reports[-1].basis)
    assert list(run.train(last)) == []
