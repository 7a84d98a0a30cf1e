"""Pictures in a world that closes at its edges: sizes, directions, periods, and how they move."""

import numpy as np
import pytest

from tsa import InputError, fourier_model
from tsa.pictures import (
    PERIODIC_PICTURES,
    draw_periodic,
    motion_from_shift,
    periodic,
    round_window,
    shift_from_motion,
)


def spectrum(picture):
    """Energies and frequencies (right, up) in periods per world, without the mean: (n²,) and (n², 2)."""
    n = len(picture)
    down, right = np.meshgrid(np.fft.fftfreq(n, 1 / n), np.fft.fftfreq(n, 1 / n), indexing="ij")
    energy = np.abs(np.fft.fft2(picture - picture.mean())) ** 2
    return energy.ravel(), np.stack([right, -down], axis=-1).reshape(-1, 2)


def principal_direction(picture):
    """Degrees, modulo 180, of the direction in which the picture varies most."""
    energy, frequency = spectrum(picture)
    vectors = np.linalg.eigh((energy[:, None] * frequency).T @ frequency)[1]
    return np.degrees(np.arctan2(vectors[1, -1], vectors[0, -1])) % 180


def waves(picture):
    """The frequencies (right, up) that are there, one of each pair ±k."""
    energy, frequency = spectrum(picture)
    found = {tuple(int(k) for k in one) for one in frequency[energy > 1e-20 * energy.sum()]}
    return {max(one, (-one[0], -one[1])) for one in found}


@pytest.mark.parametrize("n", [24, 47, 48, 64])
@pytest.mark.parametrize("name", PERIODIC_PICTURES)
def test_values_and_what_sub_pixel_motion_needs(name, n):
    """Between 0 and 1, with next to no energy in the waves near the limit of the pixels."""
    picture = draw_periodic(name, n)
    assert picture.shape == (n, n)
    assert picture.min() >= -1e-12
    assert picture.max() <= 1 + 1e-12
    energy, frequency = spectrum(picture)
    assert energy[np.abs(frequency).max(axis=1) > 0.4 * n].sum() < 5e-3 * energy.sum()
    np.testing.assert_array_equal(picture, draw_periodic(name, n))


@pytest.mark.parametrize(
    "drawn",
    [
        lambda centre: periodic.bar(48, 62, 46, 4, centre),
        lambda centre: periodic.corner(48, 20, 10, centre),
        lambda centre: periodic.dot(48, 8, centre),
        lambda centre: periodic.rhombus(48, (45, 56.3), 22, centre),
    ],
)
def test_a_centre_moved_by_whole_pixels_is_a_roll(drawn):
    """Over every edge of the world, right is right and up is up."""
    for right, up in ((5, 0), (0, 7), (-30, 20), (48, -48), (23, 100)):
        np.testing.assert_allclose(drawn((right, up)), np.roll(drawn((0, 0)), (-up, right), (0, 1)), atol=1e-12)


@pytest.mark.parametrize("angle", range(0, 180, 15))
def test_a_bar_runs_in_its_direction(angle):
    picture = periodic.bar(48, angle, 46, 4)
    gap = (principal_direction(picture) - angle - 90 + 90) % 180 - 90
    assert abs(gap) < 0.1
    assert picture.sum() == pytest.approx(46 * 4, rel=0.01)


def test_gratings_and_plaids_have_their_waves_and_no_other():
    assert waves(periodic.grating(48, (4, -2))) == {(4, -2)}
    assert waves(periodic.plaid(48, ((4, -1), (1, 4)))) == {(4, -1), (1, 4)}
    assert principal_direction(periodic.grating(48, (4, -2))) == pytest.approx(180 - np.degrees(np.arctan(0.5)))
    moved = periodic.grating(48, (4, -2), phase=2 * np.pi * (4 * 3 - 2 * 5) / 48)
    np.testing.assert_allclose(moved, np.roll(periodic.grating(48, (4, -2)), (-5, 3), (0, 1)), atol=1e-12)
    faint = periodic.grating(48, (4, -2), contrast=0.1)
    assert np.ptp(faint) == pytest.approx(0.1, rel=0.02)


def test_the_plaid_has_seventeen_periods():
    """The shifts t with k·t whole for both waves: as many as the determinant, none of them on pixels but 0."""
    picture, model = periodic.plaid(51, ((4, -1), (1, 4))), fourier_model((51, 51))
    steps = np.linalg.inv([[4, -1], [1, 4]])  # columns: motions, in worlds, of one period of one wave
    periods = {tuple(np.round(np.mod(steps @ (a, b), 1), 9) % 1) for a in range(17) for b in range(17)}
    assert len(periods) == 17
    for period in periods:
        moved = model.act(picture.ravel(), shift_from_motion(51 * np.array(period), (51, 51)))
        np.testing.assert_allclose(moved, picture.ravel(), atol=1e-10)


@pytest.mark.parametrize("edges", [(45.0, 56.3), (-35.0, 35.0)])
def test_a_rhombus_has_equal_sides_in_two_directions(edges):
    picture = periodic.rhombus(96, edges, 44)
    assert picture.sum() == pytest.approx(44**2 * np.sin(np.radians(edges[1] - edges[0])), rel=0.02)
    np.testing.assert_allclose(picture, picture[::-1, ::-1], atol=1e-12)
    middle = np.mean(edges)
    assert (principal_direction(picture) - middle) % 180 == pytest.approx(90, abs=0.5)
    right, up = 22 * np.cos(np.radians(edges)), 22 * np.sin(np.radians(edges))
    tips = np.array([[right.sum(), up.sum()], [right[1] - right[0], up[1] - up[0]]])
    for tip in tips:  # inside just before a corner, outside just behind it
        for share, white in ((0.7, True), (1.3, False)):
            at = 47.5 + share * tip * (1, -1)
            assert (picture[round(at[1]), round(at[0])] > 0.4) == white


def test_the_stripes_of_a_pole_move_and_the_pole_does_not():
    still = draw_periodic("barber pole", 48)
    turned = periodic.barber_pole(48, (3, 3), 12, phase=2 * np.pi * 3 * 4 / 48)
    np.testing.assert_allclose(turned, np.roll(still, -4, axis=0), atol=1e-12)  # as if all of it had moved up
    np.testing.assert_allclose(turned.max(axis=0), still.max(axis=0), atol=1e-12)


def test_dot_corner_and_texture():
    assert periodic.dot(48, 12).sum() == pytest.approx(np.pi * 36, rel=0.05)
    square = periodic.corner(48, 20)
    assert square.sum() == pytest.approx(400, rel=0.01)
    assert square[20, 27] > 0.99  # right of the centre and above it
    assert max(square[20, 20], square[27, 27], square[27, 20]) < 0.01
    assert not np.allclose(periodic.texture(48), periodic.texture(48, rng=8))


def test_round_windows():
    window = round_window((48, 48), 24)
    assert set(np.unique(window)) == {0.0, 1.0}
    assert window.sum() == pytest.approx(np.pi * 144, rel=0.02)
    moved = round_window((48, 48), 24, (20, -17))
    np.testing.assert_array_equal(moved, np.roll(window, (17, 20), (0, 1)))
    soft = round_window((40, 48), 24, edge=4)
    assert soft.shape == (40, 48)
    assert soft.sum() == pytest.approx(np.pi * 144, rel=0.03)
    assert np.abs(np.diff(soft, axis=0)).max() <= 0.25 + 1e-12
    assert not round_window((48, 48), 0).any()
    assert round_window((48, 48), 100).all()


def test_motions_and_shifts():
    motion = np.array([[6.4, 2.6], [-3.0, 0.0], [0.0, -23.9]])
    s = shift_from_motion(motion, (48, 60))
    np.testing.assert_allclose(motion_from_shift(s, (48, 60)), motion, atol=1e-12)
    picture, model = draw_periodic("texture", 24), fourier_model((24, 24))
    moved = model.act(picture.ravel(), shift_from_motion((5, 3), (24, 24)))
    np.testing.assert_allclose(moved.reshape(24, 24), np.roll(picture, (-3, 5), (0, 1)), atol=1e-12)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: draw_periodic("horse"),
        lambda: draw_periodic("bar", 3),
        lambda: draw_periodic("bar", 48.0),
        lambda: periodic.grating(16, (9, 0)),
        lambda: periodic.grating(16, (1.5, 0)),
        lambda: periodic.bar(48, 0, np.nan, 4),
        lambda: periodic.dot(48, -1),
        lambda: round_window((48, 48), -1),
        lambda: round_window((48, 48), 24, edge=np.nan),
    ],
)
def test_wrong_sizes_are_told_in_one_sentence(wrong):
    with pytest.raises(InputError) as caught:
        wrong()
    assert "\n" not in str(caught.value)
