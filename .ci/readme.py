"""Run every block of the README, copied from it, where there is nothing but the wheel: an empty environment, an
unrelated folder, an installation that nobody may write to. Files that a block reads lie there under the names it uses.

python .ci/readme.py           prints each command and its seconds; exit code 1 if one fails

PYTHON names the interpreter of the environment, by default the one that runs this. Started as root, the commands run as
a user without rights. Two blocks run at once, each in a folder of its own.
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
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PIL import Image
from scipy import io

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # the tests' writers of other people's files; tsa itself is never imported from here

from tests.shared.foreign_files import checkpoint, safetensors  # noqa: E402

README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```", re.MULTILINE | re.DOTALL)
# Commands that run until they are stopped, or for minutes. They get Ctrl-C after some seconds, or when they have said
# this; those that go on in the background are killed at the end.
STOPPED: dict[str, float | str] = {
    "tsa-explorer --class": "Ctrl-C stops it",
    "tsa-explorer": "http://",
    "tsa train rotation --rate": 6,
    "tsa reproduce all --data": 3,  # the digits here are too few for what comes later
    "tsa reproduce mnist --data FOLDER --scheduler": 20,
}
BACKGROUND = {"dask scheduler": "Scheduler at", "dask worker": "Registered to"}
PATIENCE = 240  # seconds for any other command, or for what one is to say
NOBODY = 65534  # user and group
# What `.ci/run` does by itself.
ELSEWHERE = (".venv/bin/pytest",)
ARRAYS = """
import numpy as np, tsa
model = tsa.load("rotation-16-refined")
template = tsa.patch(tsa.shapes.draw("F"), 16)
frames = np.stack([tsa.patch(tsa.shapes.draw("F"), 16, turn=0.1 * t) for t in range(20)])
"""


class Installation(NamedTuple):
    """Where things are: the folder of everything, the wheel, the environment's Python, and the variables it needs."""

    place: Path
    wheel: Path
    python: Path
    environment: dict[str, str]


def main() -> int:
    """Build the wheel, install it, run the blocks; returns the exit code."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have had it ignored, for commands too
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        place.chmod(0o755)
        installed = install(place)
        wheel, version = (
            installed.wheel,
            subprocess.check_output([installed.python, "-V"], text=True, env=installed.environment),
        )
        print(
            f"{time.monotonic() - started:5.1f} s  {wheel.name}, {wheel.stat().st_size / 1e6:.2f} MB, {version}",
            flush=True,
        )
        if as_visitor(["touch", str(place / "env" / "written")], place, installed).wait() == 0:
            sys.exit("The installation can be written to.")
        blocks = BLOCK.findall(README)
        with ThreadPoolExecutor(2) as pool:
            # The longest first: those with many lines.
            order = sorted(range(len(blocks)), key=lambda number: -len(blocks[number][1]))
            failed = sum(pool.map(lambda number: run_block(*blocks[number], number, installed), order))
    print(f"{time.monotonic() - started:5.1f} s  in all; {failed} failed")
    return bool(failed)


def install(place: Path) -> Installation:
    """An environment that has the wheel with its extra for clusters, and nothing of this checkout."""
    python, environment = interpreter(place)
    pip = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--disable-pip-version-check"]
    subprocess.run([*pip, "-w", place / "wheels", ROOT], check=True, stderr=subprocess.DEVNULL)
    (wheel,) = (place / "wheels").glob("*.whl")
    subprocess.run([python, "-m", "venv", place / "env"], check=True, env={**os.environ, **environment})
    python = place / "env" / "bin" / "python"
    pip = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    environment |= {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    subprocess.run([*pip, f"{wheel}[dask]"], check=True, stderr=subprocess.DEVNULL, env={**os.environ, **environment})
    make_read_only(place / "env")
    return Installation(place, wheel, python, environment)


def interpreter(place: Path) -> tuple[Path, dict[str, str]]:
    """The Python to test, and the variables it needs; a copy if users without rights cannot get at the original."""
    given = shutil.which(os.environ.get("PYTHON", sys.executable)) or sys.exit("PYTHON names no interpreter")
    ask = "import sys; print(sys.base_prefix, '%d.%d' % sys.version_info[:2])"
    prefix, version = subprocess.check_output([given, "-c", ask], text=True).rsplit(maxsplit=1)
    if os.geteuid() != 0 or all(folder.stat().st_mode & 0o001 for folder in [Path(prefix), *Path(prefix).parents]):
        return Path(given), {}
    copy, library = place / "python", f"lib/python{version}"
    left_out = shutil.ignore_patterns("site-packages", "test", "idlelib", "*.a")
    shutil.copytree(f"{prefix}/{library}", copy / library, symlinks=True, ignore=left_out)
    (copy / "bin").mkdir()
    shutil.copy(f"{prefix}/bin/python{version}", copy / "bin")
    for shared in Path(prefix, "lib").glob("libpython*.so*"):
        shutil.copy(shared, copy / "lib")
    return copy / "bin" / f"python{version}", {"LD_LIBRARY_PATH": str(copy / "lib")}


def make_read_only(folder: Path) -> None:
    """Nobody may write into the installation, not even its owner."""
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


def run_block(kind: str, block: str, number: int, installed: Installation) -> int:
    """Run the commands of a block one after the other, in a folder with the files they name; how many failed."""
    work = installed.place / f"elsewhere-{number}"
    work.mkdir()
    write_files(work)
    if os.geteuid() == 0:
        for path in [work, *work.rglob("*")]:
            os.chown(path, NOBODY, NOBODY)
    background: list[subprocess.Popen[bytes]] = []
    try:
        commands = [block] if kind == "python" else [line for line in block.splitlines() if line.strip()]
        return sum(not run(kind, command, work, installed, background) for command in commands)
    finally:
        for process in background:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def run(kind: str, text: str, work: Path, installed: Installation, background: list[subprocess.Popen[bytes]]) -> bool:
    """Run one command as it stands; whether it did what was asked of it."""
    if any(part in text for part in ELSEWHERE):
        return True
    title = text.splitlines()[0]
    if kind == "python":
        (work / "block.py").write_text((ARRAYS if "frames" in text else "") + text, encoding="utf-8")
        text = "python block.py"
    text = text.replace("10.0.0.1", "127.0.0.1")
    # The environment exists already, made from the wheel; everything else of the line is run.
    text = re.sub(r"python3 -m venv \.venv( && \.venv/bin/pip install -e \.)?( && )?", "", text)
    text = text.replace(".venv/bin/", "").replace("'.[dask]'", f"'{installed.wheel}[dask]'")
    started = time.monotonic()
    stopped = next((when for part, when in STOPPED.items() if part in text), None)
    awaited = next((said for part, said in BACKGROUND.items() if part in text), None)
    process = as_visitor(["bash", "-ec", text], work, installed)
    output = Output(process)
    if awaited is not None:
        background.append(process)
        good = output.says(awaited)
    elif stopped is None:
        good = output.ends(PATIENCE) and process.returncode == 0
    else:
        ready = output.says(stopped) if isinstance(stopped, str) else output.ends(stopped) or True
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGINT)
        good = ready and output.ends(60) and process.returncode in (0, 130) and "Traceback" not in output.text
    if process.poll() is None and process not in background:
        os.killpg(process.pid, signal.SIGKILL)
    print(f"{time.monotonic() - started:5.1f} s  {'ok    ' if good else 'FAILED'} {title[:90]}", flush=True)
    if not good:
        print(output.text[-2000:])
    return good


def as_visitor(command: list[str], work: Path, installed: Installation) -> subprocess.Popen[bytes]:
    """The command in a session of its own, as a user without rights if this one has them all."""
    nobody: dict[str, Any] = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
    return subprocess.Popen(
        command,
        cwd=work,
        env={
            "PATH": f"{installed.python.parent}:/usr/bin:/bin",
            "HOME": str(work),
            "LANG": "C.UTF-8",
            "PYTHONUNBUFFERED": "1",
            **installed.environment,
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        **nobody,
    )


class Output:
    """What a process says, read while it runs."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process, self._lines = process, list[str]()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.append(line.decode(errors="replace"))

    @property
    def text(self) -> str:
        """All of it so far."""
        return "".join(self._lines)

    def says(self, words: str) -> bool:
        """Wait until these words have come; False if they do not."""
        deadline = time.monotonic() + PATIENCE
        while words not in self.text and self._process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.1)
        return words in self.text

    def ends(self, seconds: float) -> bool:
        """Wait until the process has ended; False if it does not."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        self._reader.join(10)
        return True


if __name__ == "__main__":
    shutil.which("bash") or sys.exit("needs bash")
    sys.exit(main())
