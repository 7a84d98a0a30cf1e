"""The order of filters, and their pictures."""

from xml.etree import ElementTree

import numpy as np
import pytest

from tests.hard import random_filters
from tsa import Subgroup, fourier_model, load
from tsa.model import Weights
from tsa.stage import filters_image, filters_svg


def test_signs_of_a_weight_stand_together_the_positive_first():
    weights = np.array([-2, 2, 0, -2, 1, 2, -1, -3, 0])
    np.testing.assert_array_equal(Weights(weights).order(), [2, 8, 4, 6, 1, 5, 0, 3, 7])


def test_vectors_of_one_length_stand_apart_and_each_with_its_opposite():
    weights = np.array([[-2, 1], [1, 2], [0, 1], [2, -1], [-1, -2], [1, -2], [0, 0], [0, -1], [1, 2]])
    sorted_ = weights[Weights(weights).order()].tolist()
    assert sorted_ == [[0, 0], [0, 1], [0, -1], [2, -1], [-2, 1], [1, 2], [1, 2], [-1, -2], [1, -2]]


@pytest.mark.parametrize("model", [load("rotation-16-refined"), fourier_model((4, 6)), fourier_model(9)])
def test_what_is_in_order_stays_as_it_is(model):
    np.testing.assert_array_equal(model.irreps.order(), np.arange(model.subspaces))


def test_a_learned_model_has_one_group_for_each_size():
    weights = load("rotation-16").weights
    signed = weights[Weights(weights).order()]
    assert (np.diff(np.abs(signed)) >= 0).all()
    changes = (np.diff(np.sign(signed)) != 0) & (np.diff(np.abs(signed)) == 0)
    assert changes.sum() == len(set(weights) & set(-weights)) // 2  # from 2 to −2 once, never back


def test_labels_have_a_minus_sign():
    model = Subgroup(random_filters(np.random.default_rng(0), 16, 2), [[1, -2], [0, 1]])
    texts = [e.text for e in ElementTree.fromstring(filters_svg(model, (4, 4))).iter() if e.tag.endswith("text")]
    assert texts == ["(0, 1)", "(1, −2)"]
    plus, minus = (Subgroup(model.filters[:, :1], [w]) for w in (3, -3))
    label = np.s_[12:28, 12:40]
    drawn = [np.asarray(filters_image(m, (4, 4)))[label] for m in (plus, minus)]
    assert (drawn[1] < 200).any(axis=0).sum() >= (drawn[0] < 200).any(axis=0).sum() + 4  # a stroke, not a box


def test_a_white_filter_is_seen_on_white_paper():
    model = fourier_model((4, 4))
    picture = np.asarray(filters_image(Subgroup(model.filters[:, :1], model.weights[:1]), (4, 4)))
    assert picture[31:93, 13:75].min() == 255  # the filter of weight 0
    assert picture[29, 12:76].max() < 200  # its edge


def test_another_order_is_kept():
    model = fourier_model(9)
    backwards = filters_image(model, (9,), columns=1, order=np.arange(model.subspaces)[::-1])
    turned = Subgroup(model.filters[:, ::-1], model.weights[::-1])
    assert backwards.tobytes() == filters_image(turned, (9,), columns=1, order=np.arange(model.subspaces)).tobytes()
    assert backwards.tobytes() != filters_image(model, (9,), columns=1).tobytes()
