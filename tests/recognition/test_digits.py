"""Votes are those of brute force, alignment aligns, and the orbit's neighbours do not mind the dial."""

import numpy as np
import pytest
from scipy import ndimage

from tests.shared.distances import all_distances, by_brute_force
from tsa import ShapeError, load
from tsa.pictures import centred, datasets, draw, patch_of, to_disc, turn_disc
from tsa.recognition import (
    DISTANCES,
    STEP_DEGREES,
    DigitSearch,
    NearestClassifier,
    TangentDistance,
    majority,
    vote_counts,
)

ED, TD, TORUS, MD, BISPECTRUM = range(5)


@pytest.fixture(scope="module")
def digit_search():
    digits = datasets.sample("train")[:120]
    degrees = np.random.default_rng(0).integers(360, size=120)
    turned = [turn_disc(to_disc(i / 255), np.radians(d)) for i, d in zip(digits.images, degrees, strict=True)]
    train = datasets.Patches(patch_of(np.stack(turned), 16), digits.labels.astype(np.int64), degrees)
    return DigitSearch(load("rotation-16-refined"), train, 16)


@pytest.fixture(scope="module")
def seven():
    images, labels = datasets.gallery()
    return to_disc(images[np.flatnonzero(labels == 7)[0]])


@pytest.fixture(scope="module")
def votes(digit_search, seven):
    return digit_search.search(seven)


def test_neighbours_are_those_of_brute_force(digit_search, seven, votes):
    assert len(digit_search.searches) == len(DISTANCES)
    for t in (0, 10, 47):
        x = patch_of(turn_disc(seven, np.radians(STEP_DEGREES * t)), 16)[None]
        for search, neighbours, distances in zip(digit_search.searches, votes.neighbours, votes.distances, strict=True):
            expected = by_brute_force(all_distances(search.metric, digit_search.train.patches, x), 7)
            np.testing.assert_array_equal(neighbours[t], expected[0][0])
            np.testing.assert_allclose(distances[t], expected[1][0], atol=1e-5)


def test_one_turn_is_that_of_the_whole_circle(digit_search, seven, votes):
    one = digit_search.search(seven, only=30)
    assert one.winners.shape == (len(DISTANCES), 1)
    np.testing.assert_array_equal(one.neighbours[:, 0], votes.neighbours[:, 30 // STEP_DEGREES])
    np.testing.assert_allclose(one.turns[:, 0], votes.turns[:, 30 // STEP_DEGREES], atol=1e-4)


def test_votes_are_counted_and_the_nearest_breaks_ties(votes, digit_search):
    for m, t in ((ED, 3), (ED, 40), (MD, 0)):
        labels = digit_search.train.labels[votes.neighbours[m, t]].tolist()
        assert votes.counts[m, t].tolist() == [labels.count(digit) for digit in range(10)]
        assert votes.winners[m, t] == max(
            range(10), key=lambda d: (labels.count(d), -labels.index(d) if d in labels else -9)
        )
    tied = np.array([[4, 1, 1, 4, 0]])
    assert majority(tied, vote_counts(tied, 10)) == [4]


def test_the_classifier_elects_the_same(digit_search, seven, votes):
    x = patch_of(turn_disc(seven, np.radians(60)), 16)[None]
    classifier = NearestClassifier(digit_search.searches[ED].metric, n_neighbors=7).fit(
        digit_search.train.patches, digit_search.train.labels
    )
    assert classifier.predict(x) == votes.winners[ED, 60 // STEP_DEGREES]
    np.testing.assert_allclose(classifier.predict_proba(x).max() * 7, votes.counts[ED, 60 // STEP_DEGREES].max())


def test_alignment_aligns(digit_search, seven, votes):
    """Turned by the angle shown, a neighbour is as near as manifold distance says; turned otherwise it is farther."""
    model = digit_search.model
    x = patch_of(np.stack([turn_disc(seven, np.radians(STEP_DEGREES * t)) for t in range(0, 72, 6)]), 16)
    rows, s = votes.neighbours[MD, ::6], votes.turns[MD, ::6]
    patches = digit_search.train.patches[rows]
    seen = model.reconstruct(model.coordinates(x))[:, None]
    left = np.linalg.norm(model.act(patches, s) - seen, axis=-1)
    np.testing.assert_allclose(left, votes.distances[MD, ::6], atol=1e-5)
    np.testing.assert_allclose(np.exp(1j * s), np.exp(1j * model.align(patches, x[:, None])), atol=1e-5)
    for wrong in (-0.1, 0.1, np.pi):
        assert (np.linalg.norm(model.act(patches, s + wrong) - seen, axis=-1) > left).all()


def test_the_aligned_neighbour_looks_like_the_picture(digit_search, seven, votes):
    """The same with real turns of the original pictures, not with the model's: this is what the page draws."""
    images = datasets.sample("train").images
    for t in (0, 25, 60):
        x = patch_of(turn_disc(seven, np.radians(STEP_DEGREES * t)), 16)
        for row, s, far in zip(*(a[MD, t] for a in (votes.neighbours, votes.turns, votes.distances)), strict=True):
            polar = turn_disc(to_disc(images[row] / 255), np.radians(digit_search.train.degrees[row]) + s)
            assert np.linalg.norm(patch_of(polar, 16) - x) == pytest.approx(far, rel=0.08)


def test_only_distances_of_orbits_keep_their_mind(votes):
    assert votes.changes[ED] > 5
    assert (votes.changes[[MD, BISPECTRUM]] == 0).all()
    assert (votes.turns[ED] == 0).all()
    assert np.abs(votes.turns[TD]).mean() < np.abs(votes.turns[MD] - np.pi).mean()
    again = votes.winners[ED]
    assert votes.changes[ED] == sum(a != b for a, b in zip(again, [*again[1:], again[0]], strict=True))
    assert votes.accuracy(7)[MD] == np.mean(votes.winners[MD] == 7)


def test_nothing_to_recognise(digit_search):
    assert digit_search.search(to_disc(np.zeros((64, 64)))) is None
    assert (
        digit_search.search(to_disc(np.ones((64, 64))), only=10) is None
    )  # though the camera would see its own soft rim
    assert digit_search.search(to_disc(draw("square", 64))) is not None


@pytest.mark.parametrize("shifts", [False, True])
def test_tangent_turns_are_least_squares(seven, shifts):
    tangent = TangentDistance(16, shifts=shifts)
    x, y = (patch_of(turn_disc(seven, np.radians(d)), 16) for d in (0, 4))
    design = np.stack([*(x @ g for g in tangent.generators), *(-y @ g for g in tangent.generators)], axis=1)
    steps = np.linalg.lstsq(design, y - x)[0]
    assert tangent.turn(x, y) == pytest.approx(steps[0] - steps[len(steps) // 2], rel=1e-6)
    assert 3 < np.degrees(tangent.turn(x, y)) < 6
    assert tangent.turn(x[None], np.stack([x, y])).shape == (2,)
    assert tangent.turn(y, x) == pytest.approx(-tangent.turn(x, y), rel=1e-6)
    assert tangent.turn(x, x) == pytest.approx(0, abs=1e-9)
    far = patch_of(turn_disc(seven, np.pi / 2), 16)
    assert abs(np.degrees(tangent.turn(x, far)) - 90) > 30  # right only near by


@pytest.mark.parametrize("name", ["F", "square", "S"])
def test_framing_forgets_place_and_size_and_angle(name):
    picture = ndimage.gaussian_filter(draw(name, 96), 1.5)
    reference = centred(picture)
    small = ndimage.affine_transform(picture, np.diag([1.5, 1.5]), [-10, -35])  # two thirds of the size, moved
    assert np.abs(small - picture).mean() > 0.05
    np.testing.assert_allclose(centred(small), reference, atol=0.25)
    assert np.abs(centred(small) - reference).mean() < 0.01
    turned = centred(ndimage.rotate(picture, 30, reshape=False))
    assert np.abs(turned - np.clip(ndimage.rotate(reference, 30, reshape=False), 0, 1)).mean() < 0.02
    middle = ndimage.center_of_mass(reference)
    np.testing.assert_allclose(middle, 47.5, atol=0.5)


def test_framing_leaves_digits_about_as_they_are():
    images = datasets.sample("test").images[:40] / 255
    alike = [np.corrcoef(centred(image).ravel(), image.ravel())[0, 1] for image in images]
    assert np.median(alike) > 0.8
    assert not centred(np.zeros((8, 8))).any()
    with pytest.raises(ShapeError):
        centred(np.zeros((8, 9)))
