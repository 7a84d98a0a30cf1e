"""Model files: what goes in comes out, and nothing hostile gets in."""

import io
import json
import signal
import struct
import subprocess
import sys
import time
import zipfile

import numpy as np
import pytest

from tests.hard import random_filters
from tsa import ModelFileError, Subgroup, Torus, bundled, fourier_model, load, save
from tsa.files import bundled_path, read, read_arrays
from tsa.recipes import BUNDLED, Recipe, run


def npz(**arrays):
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def npy(array, **options):
    buffer = io.BytesIO()
    np.save(buffer, array, **options)
    return buffer.getvalue()


def test_round_trip(tmp_path):
    rng = np.random.default_rng(0)
    for number, model in enumerate(
        (fourier_model(9, 0.3), fourier_model((3, 4)), Torus(random_filters(rng, 8, 2).astype(np.complex64), 2.0))
    ):
        path = tmp_path / f"{number}.npz"
        save(model, path, about={"seed": 3, "note": "ω"})
        file = read(path)
        assert type(file.model) is type(model)
        np.testing.assert_array_equal(file.model.filters, model.filters)
        assert file.model.noise == model.noise
        assert file.about == {"seed": 3, "note": "ω"}
        if isinstance(model, Subgroup):
            np.testing.assert_array_equal(file.model.weights, model.weights)
        assert [p.name for p in tmp_path.glob(".*")] == []
    save(fourier_model(4), tmp_path / "a.npz")
    save(fourier_model(4), tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


@pytest.mark.parametrize("name", bundled())
def test_bundled_models_load(name):
    model = load(name)
    assert isinstance(model, Subgroup)
    assert read(bundled_path(name).read_bytes()).about["recipe"]["seed"] == 0


def test_all_recipes_are_bundled():
    assert bundled() == sorted(BUNDLED)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, ">f8"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_bare_w_from_other_code(tmp_path, dtype, order):
    w = np.linalg.qr(np.random.default_rng(1).normal(size=(9, 6)))[0]
    expected = w[:, ::2] + 1j * w[:, 1::2]
    array = np.array(w, dtype=dtype, order=order)
    for data in (npy(array), npz(W=array)):
        file = read(data)
        np.testing.assert_allclose(file.model.filters, expected, atol=1e-6)
        assert file.shape == (3, 3)
    (tmp_path / "w.npy").write_bytes(npy(array))
    assert load(tmp_path / "w.npy").subspaces == 3
    with pytest.raises(ModelFileError, match="not orthonormal"):
        read(npy(2 * array))
    assert read(npy(2 * array), project=True).model.subspaces == 3


def lying_header(array, **changes):
    """An .npy whose header says something else than its data."""
    data = npy(array)
    header = {"descr": array.dtype.str, "fortran_order": False, "shape": array.shape} | changes
    text = repr(header).encode().ljust(len(data) - array.nbytes - 11) + b"\n"
    return data[:8] + struct.pack("<H", len(text)) + text + data[-array.nbytes :]


def zipped(members, **options):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
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


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(("name", "data"), HOSTILE, ids=[h[0] for h in HOSTILE])
def test_hostile_files_are_refused(name, data):
    start = time.perf_counter()
    with pytest.raises(ModelFileError) as caught:
        read(data)
    assert time.perf_counter() - start < 1
    assert str(caught.value)
    assert "\n" not in str(caught.value)


def test_there_are_a_hundred_of_them():
    assert len(HOSTILE) >= 100


@pytest.mark.slow
def test_hostile_files_take_little_memory():
    code = (
        "import resource\nfrom tests.test_files import HOSTILE, ModelFileError, read\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "for _, data in HOSTILE:\n    try: read(data)\n    except ModelFileError: pass\n"
        "print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)"
    )
    answer = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True)
    assert int(answer.stdout) < 200


def test_missing_file_names_the_bundled_models(tmp_path):
    with pytest.raises(ModelFileError, match="rotation-16"):
        load(tmp_path / "nothing.npz")
    with pytest.raises(ModelFileError, match="Cannot write"):
        save(fourier_model(4), tmp_path / "no" / "such" / "folder.npz")


@pytest.mark.slow
def test_killed_training_resumes_to_the_same_bits(tmp_path):
    """kill -9 at an arbitrary moment, then --resume: the model equals one that was never stopped."""
    command = [sys.executable, "-m", "tsa.cli", "train", "rotation", "--shape", "12", "--subspaces", "20"]
    command += ["--pairs", "300000", "--seed", "4", "--out"]
    subprocess.run([*command, str(tmp_path / "whole.npz")], check=True, capture_output=True)
    path, checkpoint = tmp_path / "killed.npz", tmp_path / "killed.npz.checkpoint"
    for _ in range(2):
        process = subprocess.Popen([*command, str(path), "--resume"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        before = checkpoint.stat().st_mtime_ns if checkpoint.exists() else 0
        deadline = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < deadline:
            if checkpoint.exists() and checkpoint.stat().st_mtime_ns != before:
                break
        assert process.poll() is None, "training ended before it could be killed"
        process.send_signal(signal.SIGKILL)
        process.communicate()
        step = json.loads(read_arrays(checkpoint)["about"].tobytes())["step"]
        assert 0 < step < 3000
    subprocess.run([*command, str(path), "--resume"], check=True, capture_output=True)
    assert path.read_bytes() == (tmp_path / "whole.npz").read_bytes()
    assert not checkpoint.exists()


def test_a_checkpoint_of_another_run_is_refused(tmp_path):
    recipe = Recipe("shift", (8,), 3, n_pairs=60_000)
    checkpoint = tmp_path / "run.checkpoint"

    def stop(progress):
        if progress.step > 550:
            raise RuntimeError

    with pytest.raises(RuntimeError):
        run(recipe, checkpoint, report=stop)
    with pytest.raises(ModelFileError, match="other settings"):
        run(Recipe("shift", (8,), 2, n_pairs=60_000), checkpoint, resume=True)
    (tmp_path / "junk").write_bytes(npz(W=np.eye(2)))
    with pytest.raises(ModelFileError, match="not a checkpoint"):
        run(recipe, tmp_path / "junk", resume=True)
