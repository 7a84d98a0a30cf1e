"""A full disk, a folder that cannot be written to, a home that is not there: one sentence, and nothing half-written."""

import errno
import os
import subprocess
import sys

import numpy as np
import pytest

import tsa
from tsa._base import write_atomically
from tsa.cli import main


@pytest.fixture
def full_disk(monkeypatch):
    """Writes fail after some bytes, as they do on a full disk."""
    real = os.fdopen

    def fdopen(handle, mode="r", *rest, **named):
        file = real(handle, mode, *rest, **named)
        if "w" not in mode:
            return file
        return Full(file)

    monkeypatch.setattr(os, "fdopen", fdopen)


class Full:
    """A file on a disk with room for ten bytes."""

    def __init__(self, file):
        self.file = file

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.file.close()

    def write(self, data):
        self.file.write(data[:10])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_the_file_that_was_there_stays(full_disk, tmp_path):
    path = tmp_path / "kept.txt"
    path.write_text("before")
    with pytest.raises(OSError, match="No space left") as caught:
        write_atomically(path, "after, and much longer")
    assert caught.value.filename == str(path)
    assert path.read_text() == "before"
    assert [entry.name for entry in tmp_path.iterdir()] == ["kept.txt"]


def test_a_pipe_is_written_to(tmp_path):
    link, target = tmp_path / "link", tmp_path / "target"
    target.write_text("")
    link.symlink_to(target)
    write_atomically(link, "ä")
    assert link.is_symlink()
    assert target.read_text(encoding="utf-8") == "ä"
    write_atomically("/dev/null", "x")


@pytest.mark.parametrize(
    "command",
    [
        ["posterior", "F", "--out", "out.html"],
        ["posterior", "F", "--out", "out.png"],
        ["refine", "shift-32", "--out", "out.npz"],
        ["train", "shift", "--shape", "8", "--subspaces", "2", "--pairs", "500", "--out", "out.npz"],
        ["discover", "pairs.npz", "--out", "out.npz"],
        ["reproduce", "filters", "--out", "out.png"],
        ["reproduce", "motion", "--out", "out"],
    ],
    ids=lambda command: command[-1],
)
def test_a_full_disk_is_one_sentence(full_disk, tmp_path, monkeypatch, capsys, command):
    monkeypatch.chdir(tmp_path)
    x, y = tsa.groups.CyclicShift(8).pairs(1000, rng=0)[:2]
    np.savez("pairs.npz", X=x, Y=y)
    (tmp_path / "out").mkdir()
    before = {entry.name for entry in tmp_path.iterdir()}
    assert main(command) == 2
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.startswith("tsa: ")
    assert "No space left" in error
    assert command[-1] in error
    assert {entry.name for entry in tmp_path.iterdir()} == before
    assert not any((tmp_path / "out").iterdir())


def test_nothing_of_the_home_is_needed(tmp_path):
    """Neither `tsa` nor the start of the explorer writes there."""
    home = tmp_path / "home"
    home.mkdir(mode=0o555)
    code = "import tsa, tsa.cli, explorer.app; tsa.cli.main(['posterior', 'F'])"
    environment = {**os.environ, "HOME": str(home), "XDG_CACHE_HOME": str(home / "none"), "TMPDIR": str(home / "none")}
    subprocess.run([sys.executable, "-W", "error", "-c", code], env=environment, check=True, capture_output=True)
    assert list(home.iterdir()) == []
