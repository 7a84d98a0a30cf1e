"""scikit-learn's own checks, and pipelines with it. What the pair contract forbids is declared, with its reason."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

import tsa
from tsa import TSA, InvariantFeatures, NearestClassifier, datasets
from tsa.groups import ImageRotation

PAIRS = "learns from pairs: y must be X moved, (n, D), but the check passes labels (n,) or a column"
# Checks that fit with labels; with `group` TSA makes its own pairs and passes every one of them.
FIT_WITH_LABELS = dict.fromkeys(
    [
        "check_dict_unchanged",
        "check_dont_overwrite_parameters",
        "check_dtype_object",
        "check_estimators_dtypes",
        "check_estimators_fit_returns_self",
        "check_estimators_nan_inf",
        "check_estimators_overwrite_params",
        "check_estimators_pickle",
        "check_f_contiguous_array_estimator",
        "check_fit2d_1feature",
        "check_fit2d_1sample",
        "check_fit2d_predict1d",
        "check_fit_check_is_fitted",
        "check_fit_idempotent",
        "check_fit_score_takes_y",
        "check_methods_sample_order_invariance",
        "check_methods_subset_invariance",
        "check_n_features_in",
        "check_n_features_in_after_fitting",
        "check_pipeline_consistency",
        "check_positive_only_tag_during_fit",
        "check_readonly_memmap_input",
        "check_transformer_data_not_an_array",
        "check_transformer_general",
        "check_transformer_preserve_dtypes",
    ],
    PAIRS,
)


TIES = {"check_classifiers_train": "of classes with equal votes the nearest wins, while argmax takes the first"}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("estimator", "expected"),
    [
        (TSA(n_subspaces=1, n_pairs=200, group="shift"), {}),
        (TSA(n_subspaces=1, n_pairs=200), FIT_WITH_LABELS),
        (NearestClassifier(), {}),
        (NearestClassifier(n_neighbors=3), TIES),
    ],
    ids=["TSA with a group", "TSA on pairs", "NearestClassifier", "three neighbours"],
)
def test_check_estimator(estimator, expected):
    results = check_estimator(estimator, expected_failed_checks=expected, on_fail=None, on_skip=None)
    assert [r["check_name"] for r in results if r["status"] == "failed"] == []
    unexpected = {r["check_name"] for r in results if r["status"] == "passed"} & set(expected)
    assert unexpected == set()  # a check that passes is no longer to be excused


def digits(n_train=300, n_test=100):
    train, test = (tsa.datasets.sample(split) for split in ("train", "test"))
    return [
        (some.patches, some.labels)
        for some in (
            datasets.rotated(train[:n_train], 0, 8),
            datasets.rotated(test[:n_test], 1, 8),
        )
    ]


def test_a_pipeline_with_labels():
    (x, labels), (queries, truth) = digits()
    pipeline = make_pipeline(TSA(12, n_pairs=4000, random_state=0, group="rotation"), KNeighborsClassifier(1))
    assert pipeline.fit(x, labels).score(queries, truth) > 0.2  # ten classes
    assert clone(pipeline).fit(x, labels).score(queries, truth) == pipeline.score(queries, truth)


def test_a_group_makes_the_pairs_that_one_would_make():
    (x, _), _ = digits(100, 10)
    by_name, by_action = (TSA(4, n_pairs=1000, random_state=0, group=g).fit(x) for g in ("rotation", ImageRotation(8)))
    np.testing.assert_array_equal(by_name.transform(x), by_action.transform(x))
    assert by_name.score(x) > TSA(4, n_pairs=1, random_state=0, group="rotation").fit(x).score(x)
    with pytest.raises(tsa.ShapeError, match="moves patches of 16 pixels"):
        TSA(4, group=ImageRotation(4)).fit(x)
    with pytest.raises(tsa.ShapeError, match="not a square"):
        TSA(4, group="rotation").fit(x[:, :60])


@pytest.mark.parametrize("kind", ["bispectrum", "sqrt", "kappa"])
def test_invariants_are_transformers(kind):
    model, rng = tsa.load("rotation-16-refined").with_noise(1.0), np.random.default_rng(0)
    x = rng.normal(size=(5, 256)).astype(np.float32)
    features = clone(InvariantFeatures(model, kind=kind)).fit(x)
    assert features.get_params()["kind"] == kind
    turned = model.act(x, rng.uniform(0, 7, 5))
    assert features.transform(x).dtype == np.float32
    np.testing.assert_allclose(features.transform(turned), features.transform(model.act(x, 0.0)), atol=2e-4)
    pipeline = make_pipeline(InvariantFeatures(model, kind=kind), KNeighborsClassifier(1))
    assert pipeline.fit(model.act(x, 0.0), np.arange(5)).score(turned, np.arange(5)) == 1.0


@pytest.mark.slow
def test_the_default_kind_is_the_best_of_them():
    """One nearest neighbour on rotated digits, 1,000 known and 300 asked."""
    (x, labels), (queries, truth) = digits(1000, 300)
    action = ImageRotation(8)
    learned = TSA(24, n_pairs=40_000, random_state=0, group=action).fit(action.pairs(5000, 0)[0]).model_
    model = tsa.refine(learned, action)
    score = {}
    for kind in ("bispectrum", "sqrt", "kappa"):
        pipeline = make_pipeline(InvariantFeatures(model, kind=kind), KNeighborsClassifier(1))
        score[kind] = pipeline.fit(x, labels).score(queries, truth)
    assert score["bispectrum"] > score["sqrt"] > score["kappa"]


def test_what_is_not_fitted_is_sklearns_error_and_ours():
    model = tsa.load("rotation-16-refined")
    for use in (TSA().transform, NearestClassifier().predict, InvariantFeatures(model).transform):
        for kind in (NotFittedError, tsa.NotFittedError, tsa.InputError):
            with pytest.raises(kind, match="fit"):
                use(np.ones((2, 256)))


def test_without_scikit_learn():
    """The package neither needs nor loads it, and has an error of its own."""
    code = (
        "import sys, numpy as np; sys.modules['sklearn'] = None; import tsa\n"
        "try:\n    tsa.NearestClassifier().predict(np.ones((1, 4)))\n"
        "except tsa.NotFittedError as e:\n    print(type(e) is tsa.NotFittedError, 'sklearn.base' in sys.modules)\n"
        "print(tsa.NearestClassifier().fit(np.eye(3), list('abc')).predict(np.eye(3)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["True False", "['a' 'b' 'c']"]


@pytest.mark.parametrize(
    ("labels", "match"),
    [
        ([0.5, 1.2, 0.1], "Unknown label type: continuous"),
        ([np.nan, 1, 0], "NaN"),
        ([1, 2], "as many labels"),
        (None, "requires y"),
    ],
)
def test_labels_that_are_no_classes(labels, match):
    with pytest.raises(tsa.InputError, match=match):
        NearestClassifier().fit(np.eye(3), labels)


def test_a_column_of_labels_is_read_with_a_warning():
    with pytest.warns(UserWarning, match="column-vector"):
        classifier = NearestClassifier().fit(np.eye(3), [[1], [2], [3]])
    np.testing.assert_array_equal(classifier.predict(np.eye(3)), [1, 2, 3])
