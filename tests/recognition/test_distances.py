"""Every search gives the answer of brute force: each index, each distance, ties included, whatever the sizes."""

import tracemalloc

import numpy as np
import pytest
from sklearn.base import clone, is_classifier

from tests.hard import TURN, random_filters
from tests.shared.distances import all_distances, by_brute_force
from tsa import InputError, ShapeError, Subgroup, Torus, fourier_model, load
from tsa.pictures import datasets
from tsa.recognition import (
    Euclidean,
    ManifoldDistance,
    NearestClassifier,
    Neighbours,
    TangentDistance,
    TorusDistance,
    nearest,
    neighbours,
)


@pytest.fixture(scope="module")
def digits():
    """Sixty training patches and thirty queries: the same digits turned differently, so neighbours are near."""
    turned = [datasets.rotated(datasets.sample("test")[:30], seed).patches for seed in range(3)]
    return np.concatenate(turned[:2]), turned[2]


def by_sweeping(model, x, y, nodes=4096):
    """min_s ‖z(y) − z(act(x, s))‖: all angles of a fine grid, then Newton's method from the best of them."""
    u, v = model.coordinates(x.astype(float)), model.coordinates(y.astype(float))
    eta = u.conj() * v
    s = TURN * np.arange(nodes) / nodes
    waves = np.exp(1j * np.multiply.outer(model.weights, s))
    energy = np.where(model.lines, u.real, 0) ** 2  # what `act` makes smaller by cos² ωs
    best = s[np.argmax(eta.real @ waves.real + eta.imag @ waves.imag - energy @ waves.real**2 / 2, axis=-1)]
    for _ in range(4):
        turned = eta.conj() * np.exp(1j * best[..., None] * model.weights)
        double = 2 * best[..., None] * model.weights
        slope = -(model.weights * (turned.imag - energy * np.sin(double) / 2)).sum(-1)
        curve = -(model.weights**2 * (turned.real - energy * np.cos(double))).sum(-1)
        best = best - np.divide(slope, curve, out=np.zeros_like(slope), where=curve < 0)
    moved = np.exp(1j * best[..., None] * model.weights) * u
    return np.linalg.norm(v - np.where(model.lines, moved.real, moved), axis=-1)


def agree(found, expected):
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_allclose(found[1], expected[1], atol=1e-5)


METRICS = {
    "euclidean": Euclidean(),
    "torus": TorusDistance(load("rotation-16")),
    "manifold": ManifoldDistance(load("rotation-16")),
    "manifold, refined": ManifoldDistance(load("rotation-16-refined")),
    "tangent": TangentDistance(16),
    "tangent with shifts": TangentDistance(16, shifts=True),
}


@pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
@pytest.mark.parametrize("k", [1, 7])
def test_nearest_is_brute_force(metric, k, digits):
    train, queries = digits
    agree(nearest(train, queries, metric, k), by_brute_force(all_distances(metric, train, queries), k))


@pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
def test_nearest_in_small_pieces(metric, digits, monkeypatch):
    """Blocks of queries, chunks of training patches and pieces of survivors change nothing."""
    train, queries = digits
    expected = nearest(train, queries, metric, 3)
    for name, value in (("_CHUNK_BOUNDS", 70), ("_CHUNK_COLUMNS", 13), ("_CHUNK_PAIRS", 11)):
        monkeypatch.setattr(neighbours, name, value)
    agree(nearest(train, queries, metric, 3), expected)


@pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
def test_of_equals_the_first_wins(metric, digits, monkeypatch):
    train, queries = digits
    index, distance = nearest(np.concatenate([train, train, train]), np.concatenate([queries, train[:5]]), metric, 6)
    np.testing.assert_array_equal(index % 60, np.repeat(index[:, ::3], 3, axis=1))
    np.testing.assert_array_equal(index // 60, np.tile([0, 1, 2], (35, 2)))
    np.testing.assert_allclose(distance[30:, :3], 0, atol=1e-6)
    np.testing.assert_array_equal(index[30:, 0], np.arange(5))


def of_unit_length(x):
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


@pytest.mark.parametrize("embed", [np.tanh, np.square, of_unit_length])
def test_a_metric_that_is_not_homogeneous_is_refused(embed, digits):
    class Other(Euclidean):
        def embed(self, x):
            return embed(x)

    with pytest.raises(InputError, match=r"Other is not homogeneous: patches twice as large are .* times"):
        nearest(*digits, Other())


def test_a_chain_of_small_steps_is_not_a_tie():
    """Far from the origin, where neighbours differ by less than ten digits of the patch."""
    train = 1.7e9 + np.arange(1000.0)[:, None] * 0.01
    index, distance = nearest(train, [[1.7e9 + 5]], k=2)
    assert index[0, 0] == 500
    np.testing.assert_allclose(distance, [[0, 0.01]], atol=1e-6)


@pytest.mark.parametrize("size", [0.0, 1e-8, 1.0])
def test_equals_keep_their_order_whatever_the_query(size):
    model, rng = fourier_model(9), np.random.default_rng(0)
    signal = rng.normal(size=9)
    orbit = np.stack([np.roll(signal, i) for i in range(9)])
    for metric in (model, model.torus):
        index, distance = nearest(orbit, size * rng.normal(size=(3, 9)), metric, 9)
        np.testing.assert_array_equal(index, np.tile(np.arange(9), (3, 1)))
        np.testing.assert_allclose(distance, np.broadcast_to(distance[:, :1], (3, 9)), rtol=1e-9)


@pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
@pytest.mark.parametrize("scale", [0.0, 1e-200, 1e200])
def test_patches_of_very_different_sizes(metric, scale, digits):
    train, queries = (part.astype(float) for part in digits)
    index, distance = nearest(scale * train, queries, metric, 2)
    expected = metric.distance(queries[:, None], scale * train[index])
    np.testing.assert_allclose(distance, expected, rtol=1e-6)
    if scale < 1:  # all as far as nothing is
        np.testing.assert_array_equal(index, np.tile([0, 1], (len(queries), 1)))


@pytest.mark.slow
def test_memory_is_bounded_by_the_queries_too(digits):
    train, queries = digits
    many = np.tile(queries, (300, 1))
    tracemalloc.start()
    nearest(train[:10], many, load("rotation-16-refined"))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 10_000 * len(many)  # bytes: it was more before blocks of queries had a limit


@pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
def test_what_cannot_be_compared_is_refused(metric, digits):
    x = digits[0][0]
    for bad in (np.float64(1.0), x[:1], np.where(x == x[0], np.nan, x)):
        with pytest.raises((InputError, ShapeError)):
            metric.distance(x, bad)
    assert metric.distance(np.empty((0, 256)), x).shape == (0,)


@pytest.mark.parametrize("name", ["rotation-16", "rotation-16-refined"])
def test_manifold_distance_is_the_sweep_over_all_angles(name, digits):
    train, queries = digits
    model = load(name)
    swept = by_sweeping(model, queries[:, None], train[None])
    np.testing.assert_allclose(ManifoldDistance(model).distance(queries[:, None], train), swept, atol=1e-5)
    np.testing.assert_allclose(model.distance(queries[:, None], train), swept, atol=1e-5)
    agree(nearest(train, queries, model, 4), by_brute_force(swept, 4))


@pytest.mark.slow
def test_manifold_neighbours_of_the_whole_sample():
    """Sixty digits among a thousand, each against all angles: every index and distance."""
    train, queries = (
        datasets.rotated(datasets.sample(split), seed).patches for seed, split in enumerate(("train", "test"))
    )
    model = load("rotation-16-refined")
    swept = np.stack([by_sweeping(model, query[None], train) for query in queries[:60]])
    agree(nearest(train.astype(float), queries[:60].astype(float), model, 3), by_brute_force(swept, 3))


def test_hard_models_and_patches():
    """Signed and missing weights, lines, a fixed plane, only lines that move, nothing that does.

    And patches that are zero, huge, tiny and symmetric.
    """
    rng = np.random.default_rng(1)
    filters = random_filters(rng, 12, 5, 2)
    patches = rng.normal(size=(40, 12)) * 10.0 ** rng.integers(-3, 4, (40, 1))
    patches[3] = 0
    for weights in (
        [-2, 1, 0, 7, -7, 0, 3],
        [0] * 7,
        [2, 2, 2, 4, 4, 0, 0],
        [64, -1, 5, 5, 5, 0, 0],
        [1, 2, 3, 6, 5, 3, -3],
        [0, 0, 0, 0, 0, 2, -40],
    ):
        model = Subgroup(filters, weights, 0.7)
        expected = by_sweeping(model, patches[:20, None], patches[20:][None], 1 << 13)
        index, distance = nearest(patches[20:], patches[:20], model, 2)
        scale = np.linalg.norm(patches[:20], axis=1)[:, None] + 1e-3
        np.testing.assert_allclose(distance / scale, np.sort(expected, axis=1)[:, :2] / scale, atol=1e-9)
        np.testing.assert_allclose(np.take_along_axis(expected, index, 1) / scale, distance / scale, atol=1e-9)


@pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
def test_any_scale(metric, digits):
    """Far outside single precision, together or apart: the same neighbours, distances in proportion."""
    train, queries = (p.astype(np.float64) for p in digits)
    index, distance = nearest(train, queries, metric, 2)
    for scale in (1e-60, 1e60):
        scaled = nearest(train * scale, queries * scale, metric, 2)
        np.testing.assert_array_equal(scaled[0], index)
        np.testing.assert_allclose(scaled[1], distance * scale, rtol=1e-6)
        assert np.all(np.isfinite(nearest(train, queries * scale, metric)[1]))
    huge = np.concatenate([train, train[:1] * 1e40])
    np.testing.assert_array_equal(nearest(huge, queries, metric, 2)[0], index)


def test_two_parameter_groups():
    rng = np.random.default_rng(2)
    model = fourier_model((3, 4))
    train, queries = rng.normal(size=(2, 5, 12))
    agree(nearest(train, queries, model, 2), by_brute_force(model.distance(queries[:, None], train[None]), 2))
    rolled = np.roll(train.reshape(-1, 3, 4), (1, 3), axis=(1, 2)).reshape(-1, 12)
    index, distance = nearest(train, rolled, model)
    np.testing.assert_array_equal(index[:, 0], np.arange(5))
    np.testing.assert_allclose(distance, 0, atol=1e-6)


def test_bounds_are_lower_bounds_and_in_order(digits):
    """Torus, then pooled, then bracket: each below the distance, each closer; the bracket's upper end above."""
    train, queries = digits
    metric = ManifoldDistance(load("rotation-16-refined"))
    a, b = metric.prepare(queries), metric.prepare(train)
    row, column = (i.ravel() for i in np.indices((len(queries), len(train))))
    exact = metric.pairs(a, b, row, column) ** 2
    out = np.empty((len(queries), len(train)), np.float32)
    torus = (metric.bounds(a, b, out)[:, None] + out).ravel()
    pooled = metric._pooled_bounds(a, b, row, column)
    lowest, highest = metric._brackets(a, b, row, column)
    assert np.all(torus <= exact)
    assert np.all(pooled <= exact)
    assert np.all(lowest <= exact)
    assert np.all(exact <= highest)
    gaps = [np.mean(exact - bound) for bound in (torus, pooled, lowest)]
    assert gaps[0] > 2 * gaps[1]
    assert gaps[1] > 2 * gaps[2]
    plain = load("rotation-16-refined").torus.distance(queries[row], train[column]) ** 2
    assert np.all(torus >= plain - 1e-3)


@pytest.mark.parametrize("name", ["shift-32", "shift-16x16"])
def test_lines_that_move(name):
    """Bounds below, brackets on either side, neighbours as by brute force; copies between the pixels are at 0."""
    rng = np.random.default_rng(4)
    model, n = load(name), 40 if name == "shift-32" else 6
    train, queries = rng.normal(size=(2, n, model.dimension)).cumsum(axis=-1)
    s = rng.uniform(0, TURN, n) if model.parameters == 1 else rng.uniform(0, TURN, (n, 2))
    train[::2] = model.act(queries, s)[::2]
    metric = ManifoldDistance(model)
    a, b = metric.prepare(queries), metric.prepare(train)
    row, column = (i.ravel() for i in np.indices((n, n)))
    distance = model.distance(queries[:, None], train)
    exact = metric.pairs(a, b, row, column)
    np.testing.assert_allclose(exact, distance.ravel(), atol=1e-6)
    np.testing.assert_allclose(np.diag(distance)[::2], 0, atol=1e-5)
    out = np.empty((n, n), np.float32)
    assert np.all((metric.bounds(a, b, out)[:, None] + out).ravel() <= exact**2 + 1e-9)
    assert np.all(metric._pooled_bounds(a, b, row, column) <= exact**2 + 1e-9)
    if model.parameters == 1:
        lowest, highest = metric._brackets(a, b, row, column)
        assert np.all(lowest <= exact**2 + 1e-9)
        assert np.all(exact**2 <= highest + 1e-9)
    agree(nearest(train, queries, model, 3), by_brute_force(distance, 3))


def test_a_bound_that_is_too_high_is_caught(digits):
    """The comparison with brute force has teeth: bounds raised for every other patch lose neighbours."""

    class Hasty(ManifoldDistance):
        def _pooled_bounds(self, queries, train, row, column):
            return super()._pooled_bounds(queries, train, row, column) + 100 * (column % 2)

    train, queries = digits
    model = load("rotation-16-refined")
    expected = by_brute_force(model.distance(queries[:, None], train[None]), 2)
    assert np.any(nearest(train, queries, Hasty(model), 2)[0] != expected[0])


def test_tangent_distance_is_least_squares(digits):
    train, queries = digits
    for metric in (TangentDistance(16), TangentDistance(16, 0.9, shifts=True)):
        for x, y in zip(queries[:8].astype(float), train[:8].astype(float), strict=True):
            tangents = np.concatenate([(p @ metric.generators).reshape(-1, 256) for p in (x, y)])
            left = np.linalg.lstsq(tangents.T, x - y)[1]
            np.testing.assert_allclose(metric.distance(x, y) ** 2, left, rtol=1e-9)


def test_tangents_are_derivatives():
    """The first tangent is the derivative of a turn, the others of a shift to the right and down."""
    row, column = np.indices((16, 16)) - 7.5
    inner = np.flatnonzero(np.hypot(row, column).ravel() < 6)

    def seen(r, c):
        picture = sum(np.cos(0.5 * (r * np.cos(t) + c * np.sin(t)) + 1) for t in (0.3, 1.1, 4.0))
        return np.where(np.hypot(row, column) <= 8, picture, 0).ravel()

    x, step = seen(row, column), 1e-4
    turned = seen(row * np.cos(step) + column * np.sin(step), column * np.cos(step) - row * np.sin(step))
    moved = [turned, seen(row, column - step), seen(row - step, column)]
    for generator, y in zip(TangentDistance(16, 0.4, shifts=True).generators, moved, strict=True):
        found, true = (x @ generator)[inner], ((y - x) / step)[inner]
        assert np.linalg.norm(found - true) < 0.1 * np.linalg.norm(true)


def test_distances_are_ordered(digits):
    """d_torus ≤ d_manifold ≤ d_euclid, and tangents only ever bring patches nearer."""
    train, queries = digits
    model = load("rotation-16-refined")
    torus, manifold = (m.distance(queries[:, None], train) for m in (model.torus, model))
    euclid = Euclidean().distance(queries[:, None], train)
    tangent = TangentDistance(16).distance(queries[:, None], train)
    assert np.all(torus <= manifold + 1e-5)
    assert np.all(manifold <= euclid + 1e-5)
    assert np.all(tangent <= euclid + 1e-5)
    np.testing.assert_allclose(TorusDistance(model).distance(queries[:, None], train), torus, atol=1e-5)


def test_metrics_by_name(digits):
    train, queries = digits
    model = load("rotation-16")
    for short, metric in (
        ("euclidean", Euclidean()),
        (model, ManifoldDistance(model)),
        (model.torus, TorusDistance(model)),
    ):
        agree(nearest(train, queries, short), nearest(train, queries, metric))
    assert nearest(train, queries, model)[1].dtype == np.float32


def test_mistakes_are_named(digits):
    train, queries = digits
    with pytest.raises(InputError, match="metric is"):
        nearest(train, queries, "manhattan")
    with pytest.raises(InputError, match="k must be"):
        nearest(train, queries, k=61)
    with pytest.raises(InputError, match="finite"):
        nearest(train, np.full((2, 256), np.nan))
    with pytest.raises(ShapeError, match="in rows"):
        nearest(train, queries[0])
    with pytest.raises(ShapeError, match="200 pixels"):
        nearest(train, queries[:, :200])
    with pytest.raises(ShapeError, match="labels"):
        NearestClassifier().fit(train, [1, 2])
    with pytest.raises(InputError, match="fit first"):
        NearestClassifier().predict(train)
    with pytest.raises(InputError, match="no parameter"):
        NearestClassifier().set_params(colour="red")


def test_classifier_is_shaped_like_scikit_learn(digits):
    train, queries = digits
    labels = np.array([f"d{i}" for i in np.tile(datasets.sample("test").labels[:30], 2)])
    classifier = NearestClassifier(load("rotation-16"), n_neighbors=2)
    assert clone(classifier).get_params().keys() == classifier.get_params().keys()
    assert clone(classifier).n_neighbors == 2
    assert is_classifier(classifier)
    assert "n_neighbors=2" in repr(classifier)
    assert classifier.fit(train, labels) is classifier
    assert classifier.score(queries, labels[:30]) == 1.0
    assert classifier.predict_proba(queries).shape == (30, len(classifier.classes_))
    assert NearestClassifier(n_neighbors=5).fit(train, labels).score(queries, labels[:30]) < 1.0
    assert len(Neighbours(train).query(queries, 3)[0][0]) == 3


def test_votes_that_tie_go_to_the_nearest():
    train = np.array([[0.0], [1.0], [2.0], [3.0]])
    classifier = NearestClassifier(n_neighbors=4).fit(train, ["b", "a", "a", "b"])
    np.testing.assert_array_equal(classifier.predict([[0.4], [0.6], [2.6]]), ["b", "a", "b"])
    np.testing.assert_allclose(classifier.predict_proba([[0.4]]), [[0.5, 0.5]])


@pytest.mark.parametrize("kind", [Torus, Subgroup])
def test_report_reaches_the_end(kind, digits):
    train, queries = digits
    model = load("rotation-16")
    seen = []
    Neighbours(train, model if kind is Subgroup else model.torus).query(queries, on_progress=seen.append)
    assert seen[-1] == 1.0
