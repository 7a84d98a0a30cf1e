"""Digits: what the idx files say is what we read, hostile files are refused, and each digit is turned as told."""

import gzip
import struct

import numpy as np
import pytest

from tsa import DataFileError, InputError, ShapeError
from tsa.pictures import datasets, draw, patch_of, patches_of_images, to_disc, turn_disc


def idx(array, kind=8):
    return struct.pack(f">BBBB{array.ndim}I", 0, 0, kind, array.ndim, *array.shape) + array.astype(np.uint8).tobytes()


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    for prefix, n, pack in (("train", 12, gzip.compress), ("t10k", 5, bytes)):
        end = ".gz" if pack is gzip.compress else ""
        images, labels = rng.integers(256, size=(n, 28, 28)), rng.integers(10, size=n)
        (tmp_path / f"{prefix}-images-idx3-ubyte{end}").write_bytes(pack(idx(images)))
        (tmp_path / f"{prefix}-labels.idx1-ubyte{end}").write_bytes(pack(idx(labels)))
    return tmp_path


def test_plain_and_gzipped_files(folder):
    rng = np.random.default_rng(0)
    for split, n in (("train", 12), ("test", 5)):
        digits = datasets.mnist(folder, split)
        np.testing.assert_array_equal(digits.images, rng.integers(256, size=(n, 28, 28)))
        np.testing.assert_array_equal(digits.labels, rng.integers(10, size=n))


GOOD = idx(np.zeros((2, 3, 3)))
HOSTILE = {
    "empty": b"",
    "no idx": b"PK\x03\x04 something else",
    "floats": idx(np.zeros((2, 3, 3)), kind=13),
    "no dimensions": b"\0\0\x08\0",
    "header cut": GOOD[:9],
    "data cut": GOOD[:-1],
    "data left": GOOD + b"\0",
    "claims 64 GB": struct.pack(">BBBB3I", 0, 0, 8, 3, 2**32 - 1, 4, 4),
    "claims more than any integer": struct.pack(">BBBB3I", 0, 0, 8, 3, *[2**32 - 1] * 3),
    "gzip cut": gzip.compress(GOOD)[:-9],
    "gzip damaged": gzip.compress(GOOD)[:-8] + bytes(8),
    "gzip of garbage": gzip.compress(b"garbage"),
    "gzip claims 200 MB": gzip.compress(struct.pack(">BBBB3I", 0, 0, 8, 3, 2000, 316, 316)),
    "gzip bomb": gzip.compress(struct.pack(">BBBB3I", 0, 0, 8, 3, 1, 1, 1) + bytes(10**7)),
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_hostile_files_are_one_sentence(data, tmp_path):
    (tmp_path / "images").write_bytes(data)
    with pytest.raises(DataFileError) as caught:
        datasets.read_idx(tmp_path / "images")
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(".")


def test_a_folder_without_the_files(tmp_path):
    with pytest.raises(DataFileError, match="train-images"):
        datasets.mnist(tmp_path, "train")
    (tmp_path / "train-images-idx3-ubyte").mkdir()
    with pytest.raises(DataFileError, match="train-images"):
        datasets.mnist(tmp_path, "train")


def test_images_and_labels_must_agree(folder):
    (folder / "train-labels.idx1-ubyte.gz").write_bytes(idx(np.zeros(3)))
    with pytest.raises(DataFileError, match="not MNIST"):
        datasets.mnist(folder, "train")


def test_a_batch_of_turned_pictures_equals_one_by_one():
    pictures = np.stack([draw(name, 28) for name in ("F", "noise", "S", "square")])
    degrees = np.array([0, 37, -90, 500])
    together = patches_of_images(pictures, degrees, 16)
    assert together.dtype == np.float32
    for picture, degree, row in zip(pictures, degrees, together, strict=True):
        np.testing.assert_allclose(row, patch_of(turn_disc(to_disc(picture), np.radians(degree)), 16), atol=2e-6)


def test_each_digit_once_and_by_its_seed():
    digits = datasets.sample("test")[:50]
    first, again, other = (datasets.rotated(digits, seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first.patches, again.patches)
    assert (first.degrees != other.degrees).mean() > 0.9
    assert first.patches.shape == (len(digits), 256)
    np.testing.assert_array_equal(first.labels, digits.labels)
    np.testing.assert_allclose(first.patches.sum(axis=1), 0, atol=1e-4)
    np.testing.assert_array_equal(datasets.upright(digits).degrees, 0)
    np.testing.assert_allclose(
        datasets.upright(digits).patches[3], patches_of_images(digits.images[3:4], [0], 16)[0] / 255, atol=1e-6
    )


def test_wrong_pictures_are_named():
    with pytest.raises(ShapeError):
        patches_of_images(np.zeros((2, 3, 4)), [0, 0], 16)
    with pytest.raises(InputError, match="whole degrees"):
        patches_of_images(np.zeros((2, 4, 4)), [0.5, 0], 16)


def test_the_gallery_has_three_of_each():
    pictures, labels = datasets.gallery()
    np.testing.assert_array_equal(labels, np.repeat(np.arange(10), 3))
    assert pictures.shape == (30, 28, 28)
    assert (pictures.min(), pictures.max()) == (0.0, 1.0)
    test = datasets.sample("test")
    np.testing.assert_array_equal(pictures[3] * 255, test.images[test.labels == 1][0])
