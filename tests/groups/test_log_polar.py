"""Scaling and rotation on a log-polar disc: exact on patches, and what turning and enlarging a picture does to them."""

import numpy as np
import pytest

from tsa import InputError, Torus, refine
from tsa.groups import LogPolar, check_action


def spiral(side, k, m, inner, turn=0.0, factor=1.0):
    """cos(kθ + 2πm·log r / log(1/q)) turned and enlarged, drawn from its formula: an irreducible of both."""
    centre = (side - 1) / 2
    row, column = (np.indices((side, side)) - centre) / (side / 2)
    r, angle = np.maximum(np.hypot(row, column), 1e-3) / factor, np.arctan2(-row, column) - turn
    return np.cos(k * angle + 2 * np.pi * m * np.log(r) / np.log(1 / inner))


def test_the_laws_of_a_group():
    action = LogPolar(4, 6)
    check_action(action)
    assert action.parameters == 2


@pytest.mark.parametrize(("rings", "turn"), [(3, 0), (0, 5), (2, 9), (-4, 30)])
def test_turning_and_enlarging_a_picture_is_shifting_its_patch(rings, turn):
    action = LogPolar(16, 32, 0.1)
    s = 2 * np.pi * np.array([rings / 16, turn / 32])
    before = action.patch(spiral(512, 2, 1, 0.1))
    after = action.patch(spiral(512, 2, 1, 0.1, turn=s[1], factor=float(action.scale(s[0]))))
    moved = action.apply(before, s)
    assert np.linalg.norm(after - moved) < 0.01 * np.linalg.norm(before)
    assert np.linalg.norm(after - before) > 0.3 * np.linalg.norm(before)


def test_the_patch_of_a_spiral_has_one_weight():
    action = LogPolar(8, 16, 0.1)
    pictures = [spiral(512, k, m, 0.1) for k, m in ((1, 0), (2, 1), (3, -2))]
    waves = np.array([np.abs(np.fft.fft2(action.patch(p).reshape(8, 16))) ** 2 for p in pictures])
    shares = np.sort(waves.reshape(3, -1) / waves.sum(axis=(1, 2))[:, None], axis=1)[:, -2:].sum(axis=1)
    assert shares.min() > 0.99


def test_irreducibles_are_products_of_waves():
    action, rng = LogPolar(4, 5), np.random.default_rng(0)
    columns = np.linalg.qr(rng.standard_normal((20, 18)))[0]
    refined = refine(Torus(columns[:, ::2] + 1j * columns[:, 1::2]), action)
    assert refined.parameters == 2
    assert set(np.abs(refined.irreps.values[:, 0])) == {0, 1, 2}


def test_bad_settings():
    with pytest.raises(InputError, match="hole"):
        LogPolar(8, 8, 1.5)
