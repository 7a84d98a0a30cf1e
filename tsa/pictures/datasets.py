"""MNIST from idx files, and the rotated digits of the paper's experiment (section 4).

The files may be plain or gzipped. Every size a file declares is checked against its length and a limit before memory is
allocated, so untrusted files can be opened.
"""

import gzip
import os
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np

from tsa._base import Array, DataFileError, InputError, assets, checks
from tsa.pictures import camera

_MAX_FILE_BYTES = 256 * 2**20  # of one unpacked file; MNIST has 45 MB
_MAX_GZIP_RATIO = 1032  # unpacked over packed size, the most that the format allows
_UNSIGNED_BYTES = 0x08  # type code of an idx file


@dataclass(frozen=True, eq=False)
class Digits:
    """Images uint8 (n, side, side), white on black, and their labels (n,).

    >>> digits = tsa.datasets.sample("test")
    >>> digits.images.shape, digits.labels[:3]
    ((300, 28, 28), array([7, 2, 1], dtype=uint8))
    """

    images: Array
    labels: Array

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, rows: slice | Array) -> "Digits":
        return Digits(self.images[rows], self.labels[rows])


@dataclass(frozen=True, eq=False)
class Patches:
    """Digits as patches: float32 (n, size²), zero outside the disc, mean zero; labels and turns in degrees (n,).

    >>> tsa.datasets.upright(tsa.datasets.sample("test")).patches.shape
    (300, 256)
    """

    patches: Array
    labels: Array
    degrees: Array

    def __len__(self) -> int:
        return len(self.labels)


def mnist(folder: str | os.PathLike[str], split: str) -> Digits:
    """The `train` or `test` digits in a folder that holds the idx files, plain or gzipped.

    >>> try:
    ...     tsa.datasets.mnist("nowhere", "train")
    ... except tsa.DataFileError as error:
    ...     print("DataFileError")
    DataFileError
    """
    prefix = {"train": "train", "test": "t10k"}[_known(split)]
    images, labels = (read_idx(_find(Path(folder), f"{prefix}-{what}")) for what in ("images", "labels"))
    if images.ndim != 3 or images.shape[1] != images.shape[2] or labels.shape != images.shape[:1]:
        raise DataFileError(f"{folder} holds images of shape {images.shape} and labels {labels.shape}; not MNIST.")
    return Digits(images, labels)


def sample(split: str) -> Digits:
    """The bundled digits: the first 1,000 of MNIST's `train` digits or the first 300 of its `test` digits.

    >>> len(tsa.datasets.sample("train").labels)
    1000
    """
    with np.load(assets("") / "mnist-sample.npz", allow_pickle=False) as file:
        return Digits(file[f"{_known(split)}_images"], file[f"{split}_labels"])


def _known(split: str) -> str:
    if split not in ("train", "test"):
        raise InputError(f"The digits are split into `train` and `test`; got {split!r}.")
    return split


def gallery() -> tuple[Array, Array]:
    """Thirty of the bundled test digits, three of each class in order: in 0…1 (30, 28, 28), and their labels.

    >>> images, labels = tsa.datasets.gallery()
    >>> images.shape, labels[:4]
    ((30, 28, 28), array([0, 0, 0, 1], dtype=uint8))
    """
    digits = sample("test")
    digits = digits[np.concatenate([np.flatnonzero(digits.labels == label)[:3] for label in range(10)])]
    return digits.images / 255, digits.labels


def rotated(digits: Digits, seed: int, size: int = 16) -> Patches:
    """Each digit once, turned by a random whole number of degrees, as a patch of size×size pixels.

    >>> digits = tsa.datasets.sample("test")
    >>> few = tsa.datasets.Digits(digits.images[:20], digits.labels[:20])
    >>> turned = tsa.datasets.rotated(few, seed=0)
    >>> turned.patches.shape, turned.degrees.shape
    ((20, 256), (20,))
    """
    return _as_patches(digits, checks.generator(seed).integers(360, size=len(digits)), size)


def upright(digits: Digits, size: int = 16) -> Patches:
    """The same patches without a turn: the paper's easier set (ED-NR).

    >>> tsa.datasets.upright(tsa.datasets.sample("test"), size=12).patches.shape
    (300, 144)
    """
    return _as_patches(digits, np.zeros(len(digits), np.int64), size)


def _as_patches(digits: Digits, degrees: Array, size: int) -> Patches:
    return Patches(
        camera.patches_of_images(digits.images, degrees, size) / 255, digits.labels.astype(np.int64), degrees
    )


def _find(folder: Path, name: str) -> Path:
    """The file of this name: train-images-idx3-ubyte or train-images.idx3-ubyte, either with or without .gz."""
    rank = 3 if name.endswith("images") else 1
    names = [f"{name}{dot}idx{rank}-ubyte{end}" for dot in "-." for end in ("", ".gz")]
    for candidate in names:
        if (folder / candidate).is_file():
            return folder / candidate
    raise DataFileError(f"There is no {names[0]} (or .gz) in {folder}; give the folder that holds the MNIST files.")


def read_idx(path: str | os.PathLike[str]) -> Array:
    """The unsigned bytes of one idx file, plain or gzipped, in the shape it declares.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.idx").write_bytes(bytes([0, 0, 8, 1, 0, 0, 0, 3, 7, 8, 9]))
    >>> tsa.datasets.read_idx(folder / "a.idx")
    array([7, 8, 9], dtype=uint8)
    """
    path = Path(path)
    try:
        with open(path, "rb") as raw:
            packed = raw.read(2) == b"\x1f\x8b"
            size = raw.seek(0, os.SEEK_END)
            raw.seek(0)
            with gzip.GzipFile(fileobj=raw) if packed else raw as file:
                return _idx(cast(BinaryIO, file), size * _MAX_GZIP_RATIO if packed else size, path.name)
    except (OSError, EOFError, zlib.error) as error:
        raise DataFileError(f"{path.name} cannot be read: {error}.") from error


def _idx(file: BinaryIO, max_bytes: int, name: str) -> Array:
    magic = _exactly(file, 4, name)
    if magic[:2] != b"\0\0" or magic[2] != _UNSIGNED_BYTES or not 1 <= magic[3] <= 3:
        raise DataFileError(f"{name} is not an idx file of unsigned bytes: it begins with {magic.hex()}.")
    shape = struct.unpack(f">{magic[3]}I", _exactly(file, 4 * magic[3], name))
    wanted = 1
    for n in shape:
        wanted *= n
    if wanted > min(max_bytes, _MAX_FILE_BYTES):
        raise DataFileError(f"{name} declares {shape} bytes, more than it can hold or than we open.")
    array = np.frombuffer(_exactly(file, wanted, name), np.uint8).reshape(shape)
    if file.read(1):
        raise DataFileError(f"{name} holds more than the {shape} it declares; the file is damaged.")
    return array


def _exactly(file: BinaryIO, n: int, name: str) -> bytes:
    data = file.read(n)
    if len(data) != n:
        raise DataFileError(f"{name} ends early; the file is truncated.")
    return data
