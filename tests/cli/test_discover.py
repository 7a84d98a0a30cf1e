"""`tsa discover` on arrays, films and folders, none of them trusted; `tsa train` interrupted, and on pictures."""

import io
import json
import signal
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

import tsa
from tsa._base import InputError
from tsa.cli import main
from tsa.experiments.discovery.cases import torus_case
from tsa.files import read_arrays
from tsa.learning import Checkpoint
from tsa.pictures import PictureError, frame_pairs, open_frames, read_clips, read_pictures, white_patches


@pytest.fixture(scope="module")
def arrays(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pairs")
    x, y, _ = torus_case("", [1, 2, 3], lines=1).pairs(1200, np.random.default_rng(0), 0.1)
    np.savez(folder / "pairs.npz", X=x, Y=y)
    np.save(folder / "X.npy", x)
    np.save(folder / "Y.npy", y)
    np.savez(folder / "strangers.npz", X=x, Y=np.random.default_rng(1).permutation(y))
    np.savez(folder / "other.npz", A=x)
    for name, frames in (("still", 1), ("short", 3)):
        (folder / f"{name}.gif").write_bytes(film(shifting_film(np.random.default_rng(0), frames)))
    return folder


@pytest.mark.parametrize("option", [["--seed", "-1"], ["--starts", "0"], ["--size", "1"], ["--lag", "x"]], ids=str)
def test_numbers_out_of_range(arrays, option, capsys):
    with pytest.raises(SystemExit):
        main(["discover", str(arrays / "pairs.npz"), *option])
    assert "a whole number from" in capsys.readouterr().err


def test_pairs_in_one_file_or_two(arrays, tmp_path, capsys):
    assert main(["discover", str(arrays / "pairs.npz"), "--out", str(tmp_path / "group.npz")]) == 0
    first = capsys.readouterr().out
    assert "A group of 1 parameter (circle) with weights 1x0 + 1x1 + 1x2 + 1x3" in first
    assert str(tsa.load(tmp_path / "group.npz").irreps) == "1x0 + 1x1 + 1x2 + 1x3"
    assert "discovered" in json.loads(read_arrays(tmp_path / "group.npz")["about"].tobytes())
    assert main(["discover", str(arrays / "X.npy"), str(arrays / "Y.npy")]) == 0
    assert capsys.readouterr().out.strip() in first


def test_no_group_is_exit_code_one(arrays, tmp_path, capsys):
    assert main(["discover", str(arrays / "strangers.npz"), "--out", str(tmp_path / "none.npz")]) == 1
    assert capsys.readouterr().out.startswith("No group found: ")
    assert not (tmp_path / "none.npz").exists()


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["other.npz"], "two arrays X and Y"),
        (["X.npy"], "pairs are two"),
        (["X.npy", "Y.npy", "X.npy"], "Give one file"),
        (["nothing.npz"], "There is no file"),
        (["pairs.npz", "--out", "nowhere/group.npz"], "no folder nowhere"),
        (["pairs.npz", "--shape", "2x2", "--out", "group.npz"], "A patch of 7 numbers does not have the shape 2×2"),
        (["still.gif"], "at least two frames"),
        (["short.gif"], "2 pairs of 8×8 pixels, and about 4,096 are needed"),
        (["nothing.gif"], "cannot be read"),
    ],
)
def test_what_is_wrong_is_said(arrays, names, message, capsys, monkeypatch):
    monkeypatch.chdir(arrays)
    assert main(["discover", *names]) == 2
    assert message in capsys.readouterr().err


def film(frames):
    images = [Image.fromarray(np.uint8(np.clip(frame, 0, 1) * 255)) for frame in frames]
    buffer = io.BytesIO()
    images[0].save(buffer, "GIF", save_all=True, append_images=images[1:])
    return buffer.getvalue()


def shifting_film(rng, frames=24, side=6):
    """Smooth noise that moves on by random whole pixels, around the edges, each pixel drawn as 4×4."""
    picture = rng.uniform(0, 1, (side, side))
    at = np.cumsum(rng.integers(1, side, frames))
    return [np.kron(np.roll(picture, step, axis=1), np.ones((4, 4))) for step in at]


def test_frames_of_a_film(tmp_path):
    rng = np.random.default_rng(0)
    frames = shifting_film(rng)
    opened = open_frames(film(frames))
    assert opened.shape == (24, 24, 24)
    x, y = frame_pairs([opened], size=6, lag=2, windows=0)
    assert x.shape == y.shape == (23 + 22, 36)
    np.testing.assert_allclose(x[0].reshape(6, 6), frames[0][::4, ::4], atol=0.01)
    np.testing.assert_allclose(y[0].reshape(6, 6), frames[1][::4, ::4], atol=0.01)
    windows, _ = frame_pairs([opened], size=5, lag=1, windows=3)
    assert windows.shape == (69, 25)
    with pytest.raises(InputError, match="do not fit"):
        frame_pairs([opened], size=50, lag=1, windows=3)
    with pytest.raises(InputError, match="two frames"):
        frame_pairs([opened[:1]], size=5, lag=1, windows=0)


@pytest.mark.slow
def test_a_folder_of_films(tmp_path, capsys):
    """120 clips of rows that shift: the shifts of 6 pixels along each row are found, and nothing else is told."""
    rng = np.random.default_rng(1)
    for i in range(120):
        (tmp_path / f"{i:03d}.gif").write_bytes(film(shifting_film(rng)))
    assert main(["discover", str(tmp_path), "--size", "6", "--lag", "1"]) == 0
    assert "Z/6" in capsys.readouterr().out


def test_untrusted_films(tmp_path):
    with pytest.raises(PictureError, match="not a moving"):
        open_frames(b"GIF89a nothing")
    with pytest.raises(PictureError):
        open_frames(film(shifting_film(np.random.default_rng(0)))[:200])
    with pytest.raises(PictureError, match="no pictures"):
        read_clips(tmp_path)
    (tmp_path / "bad.png").write_bytes(b"not a picture")
    with pytest.raises(PictureError, match=r"bad\.png"):
        read_pictures(tmp_path)
    huge = io.BytesIO()
    Image.new("L", (3000, 3000)).save(huge, "GIF")
    with pytest.raises(PictureError, match="at most"):
        open_frames(huge.getvalue())


# -- training ----------------------------------------------------------------------------------------------------------

TRAIN = ["train", "shift", "--shape", "9", "--subspaces", "4", "--pairs", "20000", "--seed", "3", "--out"]


def test_an_interrupted_training_keeps_its_checkpoint_and_resumes_to_the_same_bits(tmp_path, monkeypatch, capsys):
    whole, path = tmp_path / "whole.npz", tmp_path / "stopped.npz"
    assert main([*TRAIN, str(whole)]) == 0
    update = Checkpoint.update

    def stop_at_fifty(self, progress):
        update(self, progress)
        if progress.step >= 50:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Checkpoint, "update", stop_at_fifty)
        assert main([*TRAIN, str(path)]) == 130
    assert "5,000 of 20,000 pairs are kept" in (said := capsys.readouterr().err)
    assert "--resume" in said
    assert not path.exists()
    assert main([*TRAIN, str(path), "--resume"]) == 0
    assert path.read_bytes() == whole.read_bytes()
    assert list(tmp_path.glob("*.checkpoint")) == []


@pytest.mark.slow
def test_control_c(tmp_path):
    """SIGINT to the real process at its first reports: exit code 130, and --resume ends with the same bits."""
    command = [sys.executable, "-m", "tsa.cli", "train", "rotation", "--shape", "12", "--subspaces", "20"]
    command += ["--pairs", "200000", "--seed", "4", "--out"]
    subprocess.run([*command, str(tmp_path / "whole.npz")], check=True, capture_output=True)
    path, checkpoint = tmp_path / "stopped.npz", tmp_path / "stopped.npz.checkpoint"
    # A process started in the background may have been told to ignore SIGINT, which its children inherit.
    start = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)"
    start += "; from tsa.cli import main; sys.exit(main(sys.argv[1:]))"
    process = subprocess.Popen([sys.executable, "-c", start, *command[3:], str(path)], stderr=subprocess.PIPE)
    while not checkpoint.exists() and process.poll() is None:
        pass
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    assert process.returncode == 130
    assert b"--resume" in said
    assert checkpoint.exists()
    assert not path.exists()
    subprocess.run([*command, str(path), "--resume"], check=True, capture_output=True)
    assert path.read_bytes() == (tmp_path / "whole.npz").read_bytes()


def test_a_training_that_learned_nothing_says_so(tmp_path, capsys):
    assert main(["train", "rotation", "--shape", "12", "--subspaces", "40", "--pairs", "200", "--out",
                 str(tmp_path / "early.npz")]) == 0  # fmt: skip
    assert "far from irreducible" in capsys.readouterr().err


def natural_picture(rng, side=96):
    """Noise with amplitudes that fall as 1/f, as in photos."""
    frequency = np.hypot(*np.meshgrid(np.fft.fftfreq(side), np.fft.fftfreq(side), indexing="ij"))
    wave = np.fft.fft2(rng.standard_normal((side, side))) / np.maximum(frequency, 1 / side)
    picture = np.fft.ifft2(wave).real
    return (picture - picture.min()) / np.ptp(picture)


def test_patches_of_pictures_are_white(tmp_path):
    rng = np.random.default_rng(0)
    for i in range(3):
        Image.fromarray(np.uint8(255 * natural_picture(rng))).save(tmp_path / f"{i}.png")
    patches = white_patches(read_pictures(tmp_path), 8, 4000, 0)
    values = np.linalg.eigvalsh(np.cov(patches.T))
    assert patches.dtype == np.float32
    assert 0.5 < np.median(values) < 2
    path = tmp_path / "model.npz"
    command = ["train", "rotation", "--shape", "8", "--subspaces", "6", "--pairs", "4000", "--images", str(tmp_path)]
    assert main([*command, "--out", str(path)]) == 0
    recipe = json.loads(read_arrays(path)["about"].tobytes())["recipe"]
    assert len(recipe["pictures"]) == 20
