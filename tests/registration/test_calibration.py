"""Coverage as people see it, and σ measured on photographs, both by Pillow's resampling."""

import numpy as np
import pytest
from PIL import Image

import tsa
from tsa import GeneralizedVonMises, InputError
from tsa.cli import main
from tsa.files import read
from tsa.registration import calibration, covered, slid_photo_patches, turned_photo_patches, with_fitted_noise
from tsa.registration.calibration import LEVELS, reliability


def waves(shape, seed):
    """A made-up photograph, grey in 0…1."""
    rng = np.random.default_rng(seed)
    row, column = np.indices(shape)
    steps, phases = rng.normal(size=(30, 2)) / 10, rng.uniform(0, 6, 30)
    picture = sum(np.cos(a * row + b * column + p) for (a, b), p in zip(steps, phases, strict=True))
    return (picture - picture.min()) / np.ptp(picture)


def test_a_calibrated_density_is_on_the_diagonal_and_others_are_not():
    rng = np.random.default_rng(0)
    eta = rng.normal(size=(400, 3)) * 3 + 1j * rng.normal(size=(400, 3)) * 3
    density = GeneralizedVonMises(eta)
    turn = density.sample(1, rng)[0]
    found = reliability("exact", density, turn)
    assert np.abs(found.coverage - found.levels).max() < 4 * found.standard_error.max()
    assert found.at(0.95) == found.coverage[-1]
    sure = reliability("too sure", GeneralizedVonMises(4 * eta), turn)
    assert sure.at(0.8) < 0.7
    assert covered(density, turn, 0.5)[0].shape == (400,)


@pytest.mark.slow
def test_the_paper_covers_too_little_and_register_does_not():
    found = calibration(tsa.load("rotation-16-refined"), pairs=100)
    clean, paper, ours = found.rows
    assert clean.at(0.95) > 0.9
    assert clean.width < 6  # a σ of 1, as the file had, gave sets of hundreds of degrees
    assert paper.at(0.95) < 0.85
    assert abs(ours.at(0.95) - 0.95) < 0.08
    assert abs(ours.at(0.5) - 0.5) < 0.2
    assert len(found.table()) == 3
    assert "digits" in found.data
    assert len(ours.levels) == len(LEVELS)
    with pytest.raises(InputError, match="square patches"):
        calibration(tsa.load("shift-32"))


def test_fitted_noise_is_the_noise_of_y():
    model, rng = tsa.fourier_model(15), np.random.default_rng(1)
    x = rng.normal(size=(60, 15))
    y = model.act(x, rng.uniform(0, 2 * np.pi, 60)) + 0.3 * rng.normal(size=(60, 15))
    fitted, evidence = with_fitted_noise(model, x, y)
    assert fitted.noise == pytest.approx(0.3, rel=0.1)
    grid = [model.with_noise(s).log_evidence(x, y).mean() for s in fitted.noise * np.array([0.9, 1.0, 1.1])]
    assert np.argmax(grid) == 1
    assert evidence == pytest.approx(grid[1], abs=1e-2)


def test_moved_photographs_are_what_they_say():
    photographs = [waves((200, 260), 0), waves((180, 240), 1)]
    x, y = turned_photo_patches(photographs, (16, 16), 12, seed=0)
    assert x.shape == y.shape == (12, 256)
    left = tsa.load("rotation-16-refined").distance(x, y) / np.linalg.norm(x, axis=1)
    assert left.max() < 0.1 < np.median(np.linalg.norm(x - y, axis=1) / np.linalg.norm(x, axis=1))
    for shape in ((16, 16), (32,)):
        x, y = slid_photo_patches(photographs, shape, 12, seed=0)
        assert x.shape == y.shape == (12, int(np.prod(shape)))
        left = tsa.fourier_model(shape if len(shape) == 2 else 32).distance(x, y)
        assert np.median(left / np.linalg.norm(x - y, axis=1)) < 0.9


def test_calibrate_writes_the_noise_and_where_it_comes_from(tmp_path, capsys):
    for i in range(2):
        Image.fromarray(np.uint8(255 * waves((150, 200), i))).save(tmp_path / f"{i}.png")
    out = tmp_path / "model.npz"
    arguments = ["calibrate", "rotation-16-refined", "--images", str(tmp_path), "--out", str(out), "--pairs", "40"]
    assert main(arguments) == 0
    new, old = read(out), tsa.load("rotation-16-refined")
    np.testing.assert_array_equal(new.model.filters, old.filters)
    assert 0 < new.model.noise < 0.1
    assert new.about["noise"]["sigma"] == new.model.noise
    assert new.about["noise"]["photographs"] == ["0.png", "1.png"]
    assert f"{new.model.noise:.4g}" in capsys.readouterr().out
    assert main([*arguments[:3], str(tmp_path / "nothing"), *arguments[4:]]) == 2
