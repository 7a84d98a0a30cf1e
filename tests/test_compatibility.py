"""What earlier versions made still opens, and the numbers are still the same: links, model files, trainings, sweeps.

The fixtures were made before the modules moved into folders; those of sweeps again when turned pictures began to be
computed for a quarter of their pixels, which moved numbers of single precision by at most 1.2e-7 of their norm.
With the libraries and the processor they were made with, other numbers than those of sweeps must agree to the bit;
elsewhere another BLAS adds in another order, and they must agree to 1e-9.
"""

import hashlib
import json
import platform
import zlib
from dataclasses import fields
from importlib.metadata import version
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

import numpy as np
import pytest
from threadpoolctl import threadpool_info

import tsa
from explorer.state import Digit, Pixels, Shape, decode_link, encode_link
from tsa.cli import main
from tsa.files import bundled_path, open_model, read
from tsa.stage import Scene

FIXTURES = Path(__file__).parent / "fixtures"
LINKS, MODEL_FILES, RESULTS = (
    json.loads((FIXTURES / f"{name}.json").read_text(encoding="utf-8")) for name in ("links", "model_files", "results")
)


def fingerprint():
    """What the last bits of a result depend on besides our code: versions, BLAS kernels, vector instructions."""
    blas = {f"{pool['version']} {pool.get('architecture')}" for pool in threadpool_info() if pool["user_api"] == "blas"}
    return {
        "numpy": version("numpy"),
        "scipy": version("scipy"),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "zlib": zlib.ZLIB_RUNTIME_VERSION,
        "blas": sorted(blas),
        "vector instructions": np.show_config(mode="dicts")["SIMD Extensions"]["found"],
    }


SAME_MACHINE = fingerprint() == RESULTS["fingerprint"]


def digest(array):
    """blake2b of an array's type, shape and bytes."""
    head = f"{array.dtype.str} {array.shape} ".encode()
    return hashlib.blake2b(head + np.ascontiguousarray(array).tobytes(), digest_size=16).hexdigest()


def summary(array):
    """The norm of an array and about 16 of its entries, as floats."""
    flat = np.nan_to_num(array).ravel().astype(complex).view(float)
    return [float(np.linalg.norm(flat)), *flat[:: max(1, flat.size // 16)].tolist()]


def assert_same(array, golden):
    """Hold an array against `{"digest": …, "summary": …}`."""
    if SAME_MACHINE:
        assert digest(array) == golden["digest"]
    np.testing.assert_allclose(summary(array), golden["summary"], rtol=1e-9, atol=1e-9 * max(1.0, golden["summary"][0]))


# -- links -------------------------------------------------------------------------------------------------------------


def source_as_json(source):
    if source is None:
        return None
    if isinstance(source, Shape):
        return {"shape": source.name}
    if isinstance(source, Digit):
        return {"digit": source.index}
    assert isinstance(source, Pixels)
    kind = "photo" if source.photo else "drawing"
    return {kind: hashlib.blake2b(source.values, digest_size=16).hexdigest()}


def state_as_json(state):
    values = {field.name: getattr(state, field.name) for field in fields(state)}
    return values | {
        "x": source_as_json(state.x),
        "y": source_as_json(state.y),
        "prior": [[eta.real, eta.imag] for eta in state.prior],
        "orbit": list(state.orbit),
        "hide": sorted(state.hide),
    }


@pytest.mark.parametrize("case", LINKS["links"], ids=lambda case: case["link"][:40] or "bare")
def test_an_old_link_opens_as_it_did(case):
    state = decode_link(dict(parse_qsl(case["link"], keep_blank_values=True)))
    found = state_as_json(state)
    assert {name: found[name] for name in LINKS["default"]} == LINKS["default"] | case["state"]
    assert urlencode(encode_link(state)) == case["again"]


# -- model files -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MODEL_FILES)
def test_an_old_model_file_opens_as_it_did(name):
    path, golden = FIXTURES / "models" / name, MODEL_FILES[name]
    file = read(path)
    assert type(file.model).__name__ == golden["type"]
    assert_same(file.model.filters, golden["filters"])
    assert file.model.noise == golden["noise"]
    assert list(file.shape) == golden["shape"]
    assert int(file.model.lines.sum()) == golden["lines"]
    assert file.about == golden["about"]
    if golden["weights"] is not None:
        assert np.asarray(file.model.weights).tolist() == golden["weights"]
    opened = open_model(path)
    assert repr(opened.action) == golden["opened"]["action"]
    assert np.asarray(opened.model.weights).tolist() == golden["opened"]["weights"]
    assert_same(opened.model.filters, golden["opened"]["filters"])


def test_saving_an_old_file_gives_its_bytes(tmp_path):
    for path in sorted((FIXTURES / "models").glob("*.npz")):
        file = read(path)
        if "W" in np.load(path):  # another program's file
            continue
        tsa.save(file.model, tmp_path / path.name, file.shape, file.about)
        if SAME_MACHINE:
            assert (tmp_path / path.name).read_bytes() == path.read_bytes()
        assert read(tmp_path / path.name).about == file.about


# -- trainings ---------------------------------------------------------------------------------------------------------


TRAININGS = {
    "rotation-8": ["rotation", "--shape", "8"],
    "rotation-8-refined": ["rotation", "--shape", "8", "--refine"],
    "shift-12": ["shift", "--shape", "12"],
    "shift-4x6-refined": ["shift", "--shape", "4x6", "--refine"],
}


@pytest.mark.parametrize("name", TRAININGS)
def test_a_training_writes_the_same_file(name, tmp_path):
    path, old_path = tmp_path / "model.npz", FIXTURES / "models" / f"{name}.npz"
    assert main(["train", *TRAININGS[name], "--subspaces", "6", "--pairs", "2000", "--out", str(path)]) == 0
    new, old = read(path), read(old_path)
    assert np.asarray(new.model.weights).tolist() == np.asarray(old.model.weights).tolist()
    assert new.about["recipe"] == old.about["recipe"]
    if not SAME_MACHINE:  # single precision, and every step of a training builds on the one before
        np.testing.assert_allclose(new.model.filters, old.model.filters, atol=1e-3)
        return
    np.testing.assert_array_equal(new.model.filters, old.model.filters)
    assert {**new.about, "versions": {}} == {**old.about, "versions": {}}
    if new.about["versions"] == old.about["versions"]:
        assert path.read_bytes() == old_path.read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("name", RESULTS["bundled"])
def test_a_bundled_model_can_be_trained_again(name, tmp_path):
    path, golden = tmp_path / "model.npz", RESULTS["bundled"][name]
    assert main(["train", "--bundled", name, "--out", str(path)]) == 0
    new, bundled = read(path), read(bundled_path(name))
    if not SAME_MACHINE:
        # Another order of additions in BLAS lets a plane or two of the fifty settle elsewhere: the span tells.
        spans = [
            np.linalg.qr(np.concatenate([m.filters.real, m.filters.imag], axis=1))[0]
            for m in (new.model, bundled.model)
        ]
        overlap = np.linalg.svd(spans[0].T @ spans[1], compute_uv=False)
        assert np.mean(overlap > 0.99) > 0.9
    else:
        assert np.asarray(new.model.weights).tolist() == golden["weights"]
        np.testing.assert_allclose(new.model.filters, bundled.model.filters, atol=1e-6)
        assert digest(new.model.filters) == golden["filters"]["digest"]
        assert digest(np.array(new.about["curve"])) == golden["curve"]
        assert new.about["recovery"] == golden["recovery"]


# -- sweeps ------------------------------------------------------------------------------------------------------------


def picture(name):
    """A square, a letter F or a round spot, 64 × 64 in 0…1."""
    v, u = np.mgrid[-31.5:32:1, -31.5:32:1] / 32
    if name == "square":
        return (np.maximum(np.abs(u), np.abs(v)) < 0.5).astype(float)
    if name == "spot":
        return np.maximum(0.0, 1 - 3 * (u - 0.25) ** 2 - 5 * (v + 0.125) ** 2)
    stem, bars = np.abs(u + 0.25) < 0.1, (np.abs(v + 0.5) < 0.1) | (np.abs(v + 0.05) < 0.1) & (u < 0.2)
    return (stem & (np.abs(v) < 0.6) | (u > -0.35) & (u < 0.4) & bars).astype(float)


SCENES = {
    "a square against its copy": {"model": "rotation-16-refined", "sigma": 0.5, "x": "square"},
    "two pictures, noise and a prior": {
        "model": "rotation-16-refined", "sigma": 0.2, "x": "F", "y": "spot", "angle": 77, "pixel_noise": 0.3,
        "observation": 2, "prior": (2 + 1j, -0.5j, 0.25 + 0j),
    },
    "sharp": {"model": "rotation-16", "sigma": 0.05, "x": "F", "angle": 200, "pixel_noise": 0.05},
}  # fmt: skip


def scene_of(make_scene, name):
    settings = dict(SCENES[name])
    learned = tsa.load(settings.pop("model"))
    model = tsa.Subgroup(learned.filters, learned.weights, settings.pop("sigma"))
    pictures = {patch: picture(settings[patch]) for patch in ("x", "y") if patch in settings}
    return make_scene(model, **settings | pictures)


def arrays_of(sweep):
    names = "x y eta pooled density mode_angles mode_masses level entropy log_evidence distances unexplained"
    return {name: getattr(sweep, name) for name in names.split()}


def without_amplified_rounding(arrays):
    """Squared distances (a root near 0 amplifies), and modes as Σ mass · e^{iθ} (equal masses have no order)."""
    modes = np.nansum(arrays["mode_masses"] * np.exp(1j * np.nan_to_num(arrays["mode_angles"])), axis=1)
    squares = {name: np.square(arrays[name]) for name in ("distances", "unexplained")}
    rest = {name: arrays[name] for name in arrays if not name.startswith("mode_")}
    return rest | squares | {"modes": modes}


@pytest.mark.parametrize("name", SCENES)
def test_a_sweep_has_the_same_numbers(name):
    arrays, golden = arrays_of(scene_of(Scene, name).sweep()), RESULTS["sweeps"][name]
    for key, array in without_amplified_rounding(arrays).items():
        expected = golden[key]
        np.testing.assert_allclose(summary(array), expected, rtol=1e-9, atol=1e-9 * max(1.0, expected[0]))


# -- experiments -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_mnist_has_the_same_accuracies(tmp_path):
    assert main(["reproduce", "mnist", "--quick", "--out", str(tmp_path)]) == 0
    outcomes = json.loads((tmp_path / "outcomes.json").read_text(encoding="utf-8"))["outcomes"]
    found = [[outcome[key] for key in ("method", "n", "right", "of")] for outcome in outcomes]
    assert found == RESULTS["mnist --quick"]
