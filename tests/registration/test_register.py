"""`tsa.register`: pictures turned by Pillow, any size, grey or colour; hopeless pairs say so."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import tsa
from tsa import InputError
from tsa.cli import main


@pytest.fixture(scope="module")
def photo():
    """A made-up picture in colour without symmetry, 150×128 pixels."""
    rng = np.random.default_rng(0)
    row, column = np.indices((128, 150))
    layers = []
    for _ in range(3):
        waves = rng.normal(size=(12, 2)) / 12
        phase = rng.uniform(0, 6, 12)
        layers.append(sum(np.cos(a * row + b * column + p) for (a, b), p in zip(waves, phase, strict=True)))
    picture = np.stack(layers, -1)
    return np.uint8(255 * (picture - picture.min()) / np.ptp(picture))


def turned(picture, degrees):
    return Image.fromarray(picture).rotate(degrees, Image.Resampling.BICUBIC)


def test_a_turned_picture_is_found_and_aligned(photo):
    other = turned(photo, 37.3)
    found = tsa.register(photo, other)
    assert found.explained
    assert len(found.turns) == 1
    turn = found.turns[0]
    assert np.degrees(turn.angle) == pytest.approx(37.3, abs=0.3)
    assert turn.interval[0] < turn.angle < turn.interval[1]
    assert found.posterior.parameters == 1
    assert found.z_score > 5
    assert found.noise < 0.05
    assert found.aligned.shape == photo.shape
    inside = (slice(40, 90), slice(50, 100))
    assert np.abs(found.aligned - np.asarray(other) / 255)[inside].mean() < 0.02
    assert np.abs(photo / 255 - np.asarray(other) / 255)[inside].mean() > 0.05
    # The matrix, as OpenCV applies it: a pixel right of the middle goes up for a turn counter-clockwise.
    moved = found.matrix @ [75.0 + 20, 63.5, 1.0]
    assert moved[1] < 63.5 - 5
    assert found.sentence.startswith("Turned by 37")


def test_sizes_may_differ_and_lists_are_batches(photo):
    small = np.asarray(Image.fromarray(photo).crop((11, 0, 139, 128)).resize((64, 64), Image.Resampling.BOX))
    large = turned(photo, -20)
    both = tsa.register([small, photo], [large, np.zeros((40, 40))])
    assert np.degrees(both[0].turns[0].angle) == pytest.approx(340, abs=0.5)
    assert both[0].aligned.shape == (*photo.shape[:2], 3)
    np.testing.assert_allclose(both[0].matrix @ [31.5, 31.5, 1], [74.5, 63.5, 1])
    assert "picture b has no content" in both[1].sentence
    assert not both[1].explained
    alone = tsa.register(small, large)
    assert alone.turns[0].angle == pytest.approx(both[0].turns[0].angle, abs=1e-6)
    assert alone.noise == pytest.approx(both[0].noise, rel=1e-6)


def test_noise_is_in_grey_values_of_the_pixels(photo):
    grey = np.asarray(Image.fromarray(photo).convert("L").crop((11, 0, 139, 128)).resize((28, 28))) / 255
    rng = np.random.default_rng(1)
    noisy = [grey + 0.2 * rng.normal(size=(28, 28)) for _ in range(2)]
    found = tsa.register(*noisy)
    assert found.noise == pytest.approx(0.2, rel=0.25)
    known = tsa.register(*noisy, noise=0.2)
    assert known.noise == 0.2
    assert known.width > np.radians(1)


def test_symmetric_round_and_different_pictures():
    hexagon, disc, different = tsa.register(["hexagon", "disc", "F"], ["hexagon", "disc", "S"])
    assert len(hexagon.turns) == 6
    np.testing.assert_allclose([t.mass for t in hexagon.turns], 1 / 6, atol=0.01)
    assert disc.width > np.radians(300)
    assert "Every turn" in disc.sentence
    assert different.z_score < 0
    assert "different things" in different.sentence


def test_the_command_writes_json_and_a_picture(photo, tmp_path, capsys):
    for name, picture in (("a", Image.fromarray(photo)), ("b", turned(photo, 100))):
        picture.save(tmp_path / f"{name}.png")
    out = tmp_path / "aligned.png"
    assert main(["register", str(tmp_path / "a.png"), str(tmp_path / "b.png"), "--out", str(out), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["turns"][0]["degrees"] == pytest.approx(100, abs=0.3)
    assert answer["explained"] is True
    assert np.shape(answer["matrix"]) == (3, 3)
    with Image.open(out) as written:
        assert written.size == (150, 128)
    assert main(["register", "F", "S", "--out", "a.gif"]) == 2


def test_what_is_refused():
    with pytest.raises(InputError, match="equally many"):
        tsa.register(["F"], "S")
    with pytest.raises(InputError, match="rotations of square patches"):
        tsa.register("F", "S", model="shift-32")
    with pytest.raises(InputError, match="rotations of square patches"):
        tsa.register("F", "S", model=3)
    with pytest.raises(tsa.ModelFileError):
        tsa.register("F", "S", model=Path("missing.npz"))
    with pytest.raises(InputError, match="height, width"):
        tsa.register(np.ones((1, 1)), "S")
    with pytest.raises(InputError, match="at least 8×8 pixels; got 20×7"):
        tsa.register("S", np.eye(7, 20))
    with pytest.raises(InputError, match="hyperprior"):
        tsa.register("F", "S", hyperprior=3)


def test_any_kind_of_array_and_contrast(photo):
    """Eight and sixteen bits, colour, and sizes that differ give the same turn; another contrast is not the same."""
    grey, moved = (np.asarray(image.convert("L")) / 255 for image in (Image.fromarray(photo), turned(photo, 30.0)))
    angle = tsa.register(grey, moved).turns[0].angle
    bits = (255 * grey).round().astype(np.uint8), (65535 * moved).round().astype(np.uint16)
    assert tsa.register(*bits).turns[0].angle == pytest.approx(angle, abs=2e-3)
    large = np.repeat(np.repeat(np.dstack([moved] * 3), 9, axis=0), 9, axis=1)
    assert tsa.register(grey, large).turns[0].angle == pytest.approx(angle, abs=5e-3)
    clear = np.ones_like(grey)
    assert tsa.register(np.dstack([grey, clear]), np.dstack([moved] * 3 + [clear])).turns[0].angle == angle
    other = tsa.register(grey, 0.3 * moved)
    assert other.explained is False
    assert "contrast" in other.sentence


def test_values_above_one_keep_their_scale(photo):
    """Grey values from 0 to 255 that do not say so by their type: σ and the aligned picture are in these units too."""
    grey, moved = (np.asarray(image.convert("L")) / 255 for image in (Image.fromarray(photo), turned(photo, 30.0)))
    usual, scaled = tsa.register(grey, moved), tsa.register(255 * grey, 255 * moved)
    assert scaled.noise == pytest.approx(255 * usual.noise, rel=1e-6)
    assert scaled.turns[0].angle == pytest.approx(usual.turns[0].angle, abs=1e-6)
    inside = (slice(40, 90), slice(50, 100))
    np.testing.assert_allclose(scaled.aligned[inside], 255 * usual.aligned[inside], atol=0.5)


def with_z_score(found, z_score):
    """The same registration with another z score, which is kept once it has been found."""
    other = replace(found)
    vars(other)["z_score"] = z_score
    return other


def test_what_noise_hides_is_not_decided(photo):
    found = tsa.register(photo, turned(photo, 30.0))
    assert found.explained is True
    hidden = with_z_score(found, 2.4)
    assert hidden.explained is None
    assert hidden.sentence.startswith("Noise hides whether the pictures show the same thing. If they do: turned by 30.")
    assert hidden.summary()["explained"] is None
    assert with_z_score(found, -2.5).explained is False
    # Noise alone is not called the same picture.
    noise = np.random.default_rng(3).random((20, 2, 28, 28))
    assert sum(one.explained is True for one in tsa.register(list(noise[:, 0]), list(noise[:, 1]))) <= 1


def test_a_picture_without_content_is_named(photo):
    blank = np.full((60, 60), 0.5)
    for pair, sentence in (
        ((photo, blank), "picture b has"),
        ((blank, photo), "picture a has"),
        ((blank, blank), "pictures a and b have"),
    ):
        found = tsa.register(*pair)
        assert sentence in found.sentence
        assert not found.explained
        assert found.width == pytest.approx(2 * np.pi)
    # A mark in a corner, outside the circle that is compared, is no content; one in the middle is.
    blank[0, 0] = 1.0
    assert tsa.register(photo, blank).blank == ("b",)
    blank[25:35, 28] = 1.0
    assert tsa.register(photo, blank).blank == ()
