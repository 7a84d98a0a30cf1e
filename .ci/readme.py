"""Run every block of the README, copied from it, where there is nothing but the wheel: an empty environment, an
unrelated folder, an installation that nobody may write to. Files that a block reads lie there under the names it uses.

python .ci/readme.py           prints each command and its seconds; exit code 1 if one fails
"""

import gzip
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from PIL import Image
from scipy import io

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # the tests' writers of other people's files; tsa itself is never imported from here

from tests.shared.foreign_files import checkpoint, safetensors  # noqa: E402

README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```", re.MULTILINE | re.DOTALL)
# Commands that run until they are stopped, or for minutes: they are given some seconds and then Ctrl-C.
STOPPED = {
    ".venv/bin/tsa-explorer": 8,
    "dask scheduler": 0,  # goes on in the background
    "dask worker": 0,
    "tsa train rotation --rate": 6,
    "tsa reproduce all --data": 6,
    "tsa reproduce mnist --data FOLDER --scheduler": 20,
}
# What `.ci/run` does by itself.
ELSEWHERE = (".venv/bin/pytest",)
ARRAYS = """
import numpy as np, tsa
model = tsa.load("rotation-16-refined")
template = tsa.patch(tsa.shapes.draw("F"), 16)
frames = np.stack([tsa.patch(tsa.shapes.draw("F"), 16, turn=0.1 * t) for t in range(20)])
"""


def main() -> int:
    """Build the wheel, install it, run the blocks; returns the exit code."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have had it ignored, for commands too
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        started = time.monotonic()
        wheel = build(place)
        python = install(place, wheel)
        print(
            f"{time.monotonic() - started:5.1f} s  {wheel.name}, {wheel.stat().st_size / 1e6:.2f} MB, installed",
            flush=True,
        )
        work = place / "elsewhere"
        work.mkdir()
        write_files(work)
        make_read_only(place / "env")
        failed = [command for command in commands() if not run(command, work, python, wheel)]
        for process in BACKGROUND:
            process.kill()
    print(f"{time.monotonic() - started:5.1f} s  in all; {len(failed)} failed")
    return bool(failed)


def build(place: Path) -> Path:
    """The wheel of this checkout."""
    pip = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--disable-pip-version-check"]
    subprocess.run([*pip, "-w", str(place / "wheels"), str(ROOT)], check=True, stderr=subprocess.DEVNULL)
    (wheel,) = (place / "wheels").glob("*.whl")
    return wheel


def install(place: Path, wheel: Path) -> Path:
    """An environment that has the wheel with its extra for clusters, and nothing of this checkout."""
    subprocess.run([sys.executable, "-m", "venv", str(place / "env")], check=True)
    python = place / "env" / "bin" / "python"
    subprocess.run(
        [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", f"{wheel}[dask]"],
        check=True,
        stderr=subprocess.DEVNULL,
    )
    return python


def make_read_only(folder: Path) -> None:
    """Nobody may write into the installation (root still may)."""
    for path in [folder, *folder.rglob("*")]:
        if not path.is_symlink():
            path.chmod(path.stat().st_mode & ~0o222)


def write_files(work: Path) -> None:
    """The files that the blocks name."""
    rng = np.random.default_rng(0)
    smooth = [
        Image.fromarray(rng.integers(0, 256, (12, 12), np.uint8)).resize((120, 120), Image.Resampling.BICUBIC)
        for _ in range(4)
    ]
    (work / "photos").mkdir()
    for number, image in enumerate(smooth):
        image.save(work / "photos" / f"{number}.png")
    smooth[0].save(work / "photo.jpg")
    smooth[1].save(work / "other.png")
    smooth[2].save(work / "a.png")
    smooth[2].rotate(37, Image.Resampling.BICUBIC).save(work / "b.png")
    x = rng.normal(size=(1000, 8))
    np.savez(
        work / "pairs.npz",
        X=x,
        Y=np.stack([np.roll(row, k) for row, k in zip(x, rng.integers(8, size=1000), strict=True)]),
    )
    filters = rng.normal(size=(12, 1, 8, 8)).astype(np.float32)
    (work / "net.pt").write_bytes(checkpoint({"conv1.weight": filters}))
    np.save(work / "theirs.npy", np.linalg.qr(rng.normal(size=(256, 20)))[0])
    (work / "mine.safetensors").write_bytes(
        safetensors(W=np.linalg.qr(rng.normal(size=(256, 20)))[0].astype(np.float32))
    )
    row, column = np.indices((8, 8)).reshape(2, 64)
    waves = [2 * np.pi * (k * row + m * column) / 8 for k in range(1, 4) for m in range(1, 6)]
    io.savemat(work / "dictionary.mat", {"D": np.stack([f(wave) for wave in waves for f in (np.cos, np.sin)], 1)})
    (work / "FOLDER").mkdir()
    sample = np.load(ROOT / "assets" / "mnist-sample.npz")
    for split, prefix in (("train", "train"), ("test", "t10k")):
        images, labels = (sample[f"{split}_{what}"] for what in ("images", "labels"))
        for what, values in (("images", images), ("labels", labels)):
            head = struct.pack(f">HBB{values.ndim}I", 0, 8, values.ndim, *values.shape)
            (work / "FOLDER" / f"{prefix}-{what}-idx{values.ndim}-ubyte.gz").write_bytes(
                gzip.compress(head + values.tobytes())
            )


def commands() -> list[tuple[str, str]]:
    """Kind and text of what is run: shell blocks line by line, Python blocks as they are."""
    found = []
    for kind, block in BLOCK.findall(README):
        found += (
            [("python", block)] if kind == "python" else [("sh", line) for line in block.splitlines() if line.strip()]
        )
    return found


BACKGROUND: list[subprocess.Popen[bytes]] = []


def run(command: tuple[str, str], work: Path, python: Path, wheel: Path) -> bool:
    """Run one command as it stands; whether it did what was asked of it."""
    kind, text = command
    if any(part in text for part in ELSEWHERE):
        return True
    text = text.replace("10.0.0.1", "127.0.0.1")
    # The environment exists already, made from the wheel; everything else of the line is run.
    text = re.sub(r"python3 -m venv \.venv( && \.venv/bin/pip install -e \.)?( && )?", "", text)
    text = text.replace(".venv/bin/", "").replace("'.[dask]'", f"'{wheel}[dask]'")
    if kind == "python":
        text = (ARRAYS if "frames" in text else "") + text
        (work / "block.py").write_text(text, encoding="utf-8")
        text = "python block.py"
    limit = next((seconds for part, seconds in STOPPED.items() if part.replace(".venv/bin/", "") in text), None)
    started = time.monotonic()
    environment = {
        "PATH": f"{python.parent}:/usr/bin:/bin",
        "HOME": str(work),
        "LANG": "C.UTF-8",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }
    environment |= {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    process = subprocess.Popen(
        ["bash", "-ec", f"exec {text}" if limit is not None else text],
        cwd=work,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if limit != 0 else subprocess.DEVNULL,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    if limit == 0:
        BACKGROUND.append(process)
        time.sleep(15)  # until it is there, on a machine that does other things
        good, told = process.poll() is None, b""
    else:
        try:
            told, _ = process.communicate(timeout=limit or 240)
            good = process.returncode == 0
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGINT)
            try:
                told, _ = process.communicate(timeout=60)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                told, _ = process.communicate()
            good = limit is not None and process.returncode == 130 and b"Traceback" not in told
    line = text.splitlines()[0] if kind == "sh" else command[1].splitlines()[0]
    print(f"{time.monotonic() - started:5.1f} s  {'ok    ' if good else 'FAILED'} {line[:90]}", flush=True)
    if not good:
        print(told.decode(errors="replace")[-2000:])
    return good


if __name__ == "__main__":
    shutil.which("bash") or sys.exit("needs bash")
    sys.exit(main())
