"""Model files made by hand: well-formed, from other people's code, and hostile."""

import io
import struct
import zipfile

import numpy as np

from tests.hard import random_filters


def npz(**arrays):
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def npy(array, **options):
    buffer = io.BytesIO()
    np.save(buffer, array, **options)
    return buffer.getvalue()


def real_dft(n):
    """1, cos, sin, cos, sin, … in unit columns, as anyone would write it down from numpy's transform."""
    waves = np.fft.fft(np.eye(n))[:, : n // 2 + 1]
    columns = [part for wave in waves.T for part in (wave.real, wave.imag) if np.linalg.norm(part) > 1e-9]
    return np.stack([c / np.linalg.norm(c) for c in columns], axis=1)


def disguised(model, rng):
    """The model as somebody else would have it: another order, other phases, some pairs conjugate; real columns."""
    order = rng.permutation(model.subspaces)
    filters = model.filters[:, order] * np.where(
        model.lines[order], 1.0, np.exp(2j * np.pi * rng.random(model.subspaces))
    )
    mirrored = rng.random(model.subspaces) < 0.5
    filters = np.where(mirrored, filters.conj(), filters)
    return filters.astype(model.filters.dtype, order="C"), order, np.where(mirrored, -1, 1)


def lying_header(array, **changes):
    """An .npy whose header says something else than its data."""
    data = npy(array)
    header = {"descr": array.dtype.str, "fortran_order": False, "shape": array.shape} | changes
    text = repr(header).encode().ljust(len(data) - array.nbytes - 11) + b"\n"
    return data[:8] + struct.pack("<H", len(text)) + text + data[-array.nbytes :]


def zipped(members, **options):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, data in members:
            archive.writestr(name, data, **options)
    return buffer.getvalue()


def forged_size(data, size):
    """The same zip, declaring another unpacked size for its first member."""
    at = data.rfind(b"PK\x01\x02")
    return data[: at + 24] + struct.pack("<I", size) + data[at + 28 :]


def hostile_files():
    rng = np.random.default_rng(0)
    filters = random_filters(rng, 16, 4)
    good = npz(filters=filters, weights=np.arange(4), noise=1.0)
    for cut in np.linspace(0, len(good) - 1, 25).astype(int):
        yield f"truncated {cut}", good[:cut]
    for seed in range(25):
        damaged = bytearray(good)
        places = np.random.default_rng(seed).integers(len(good), size=40)
        for place in places:
            damaged[place] ^= 0xFF
        yield f"damaged {seed}", bytes(damaged)
    bare = npy(np.ascontiguousarray(filters.real))
    for cut in np.linspace(1, len(bare) - 1, 10).astype(int):
        yield f"truncated npy {cut}", bare[:cut]
    objects = np.array([{"a": 1}, print], dtype=object)
    yield "pickle", npy(objects, allow_pickle=True)
    yield "pickle in npz", zipped([("filters.npy", npy(objects, allow_pickle=True))])
    yield "zip bomb", zipped([("filters.npy", npy(np.zeros(1)) + bytes(300 * 2**20))])
    yield "zip bomb, size hidden", forged_size(zipped([("filters.npy", bytes(100 * 2**20))]), 1000)
    yield "many bombs", zipped([(f"{n}.npy", bytes(30 * 2**20)) for n in ("filters", "weights", "noise")])
    for name in ("../filters.npy", "/etc/filters.npy", "a/b.npy", "C:\\x.npy", "evil.py", "con"):
        yield f"member {name!r}", zipped([(name, npy(filters))])
    yield "too many members", zipped([(f"m{i}.npy", npy(np.zeros(1))) for i in range(2000)])
    for dtype in ("O", "S8", "U4", "M8[s]", "V16"):
        yield f"dtype {dtype}", zipped([("W.npy", lying_header(np.zeros((4, 4)), descr=dtype))])
    yield "structured", npy(np.zeros(4, [("a", "f8"), ("b", "i4")]))
    for shape in ((2**40, 2**40), (-1, 4), (4, 3), (10**9, 2), ()):
        yield f"shape {shape}", lying_header(np.zeros((4, 4)), shape=shape)
        yield f"shape {shape} in npz", zipped([("W.npy", lying_header(np.zeros((4, 4)), shape=shape))])
    yield "header code", lying_header(np.zeros((4, 4)), shape="__import__('os')")
    yield "huge header", b"\x93NUMPY\x02\x00" + struct.pack("<I", 2**31) + b"{" * 1000
    yield "nan", npz(filters=np.full((4, 2), np.nan))
    yield "inf noise", npz(filters=filters, noise=np.inf)
    yield "negative noise", npz(filters=filters, noise=-1.0)
    yield "two noises", npz(filters=filters, noise=np.ones(2))
    yield "fractional weights", npz(filters=filters, weights=np.full(4, 0.5))
    yield "wrong weights", npz(filters=filters, weights=np.arange(3))
    yield "wrong shape", npz(filters=filters, shape=np.array([3, 5]))
    yield "no filters", npz(weights=np.arange(4))
    yield "too many filters", npz(W=np.ones((4, 6)))
    yield "too many complex filters", npz(filters=np.ones((1, 200_000), np.complex64))
    yield "very wide", npy(np.ones((2, 200_000), np.float32))
    yield "thousands by thousands", zipped([("W.npy", npy(np.ones((4100, 4100), np.int8)))])
    yield "beyond squaring", npz(filters=1e200 * filters)
    yield "no pixels", npz(W=np.ones((0, 4)))
    yield "three dimensions", npz(W=np.ones((4, 4, 4)))
    yield "several tables", npz(a=np.eye(4), b=np.eye(5))
    yield "not json", npz(filters=filters, about=np.frombuffer(b"{oops", np.uint8))
    yield "json list", npz(filters=filters, about=np.frombuffer(b"[1]", np.uint8))
    yield "empty", b""
    yield "text", b"filters, weights\n1, 2\n"
    yield "picture", b"\x89PNG\r\n\x1a\n" + bytes(100)
    yield "empty zip", zipped([])
    yield "twice", zipped([("W.npy", npy(np.eye(4)))]) + zipped([("W.npy", b"x")])
    at = good.find(b"PK\x01\x02") + 8
    yield "encrypted", good[:at] + b"\x01" + good[at + 1 :]


HOSTILE = list(hostile_files())
