"""Model files: what goes in comes out, and nothing hostile gets in."""

import json
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from tests.hard import random_filters
from tests.shared.model_files import HOSTILE, npy, npz
from tsa import ModelFileError, Subgroup, Torus, bundled, fourier_model, load, save
from tsa.files import bundled_path, read, read_arrays
from tsa.learning import BUNDLED, Checkpoint, TrainingRun, train_run


def test_round_trip(tmp_path):
    rng = np.random.default_rng(0)
    for number, model in enumerate(
        (fourier_model(9, 0.3), fourier_model((3, 4)), Torus(random_filters(rng, 8, 2).astype(np.complex64), 2.0))
    ):
        path = tmp_path / f"{number}.npz"
        save(model, path, about={"seed": 3, "note": "ω"})
        file = read(path)
        assert isinstance(model, type(file.model))  # a Fourier model comes back as filters and weights
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
        "import resource\nfrom tests.shared.model_files import HOSTILE\n"
        "from tsa import ModelFileError\nfrom tsa.files import read\n"
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
    recipe = TrainingRun("shift", (8,), 3, n_pairs=60_000)
    checkpoint = Checkpoint(tmp_path / "run.checkpoint", recipe)
    assert checkpoint.read() is None

    def stop(progress):
        checkpoint.update(progress)
        if progress.step > 550:
            raise RuntimeError

    with pytest.raises(RuntimeError):
        train_run(recipe, on_progress=stop)
    assert checkpoint.read().step == 500
    with pytest.raises(ModelFileError, match="other settings"):
        Checkpoint(tmp_path / "run.checkpoint", TrainingRun("shift", (8,), 2, n_pairs=60_000)).read()
    (tmp_path / "junk").write_bytes(npz(W=np.eye(2)))
    with pytest.raises(ModelFileError, match="not a checkpoint"):
        Checkpoint(tmp_path / "junk", recipe).read()


@pytest.mark.parametrize("shape", [16, (4, 6), (5, 5)])
def test_a_fourier_model_keeps_its_transforms(shape, tmp_path):
    """Saved without its shape; a model whose filters differ from the DFT is a plain one."""
    model = fourier_model(shape, 0.3)
    save(model, tmp_path / "dft.npz")
    again = load(tmp_path / "dft.npz")
    assert type(again) is type(model)
    assert again.sizes == model.sizes
    assert again.noise == 0.3
    np.testing.assert_array_equal(again.filters, model.filters)
    assert read(tmp_path / "dft.npz").shape == model.sizes
    turned = Subgroup(model.filters * np.where(model.lines, 1, np.exp(1e-6j)), model.weights, 0.3)
    save(turned, tmp_path / "turned.npz", model.sizes)
    assert type(load(tmp_path / "turned.npz")) is Subgroup
