"""Models people look at, wherever they come from: bundled, named at the start, uploaded or trained."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tsa import files
from tsa.files import ModelFile
from tsa.groups import ImageRotation
from tsa.model import Subgroup
from tsa.opening import AS_FOUND, Opened, Reading, open_model, understand
from tsa.progress import Report
from tsa.weights import Group

LAB_MODEL = "rotation-16-refined"  # of the bundled ones, it tells symmetries most truthfully
_LARGEST_IN_LAB = 64  # pixels along a side: all turns of a picture are made at once


@dataclass(frozen=True, eq=False)
class Entry:
    """A model with weights, the group it represents, and a name; printed, and so cached, by what it holds."""

    name: str
    file: ModelFile
    model: Subgroup
    action: Group
    digest: str
    note: str = ""  # what had to be found out or mended when it was opened

    def __repr__(self) -> str:
        return f"Entry({self.digest})"

    @property
    def turns(self) -> bool:
        """Whether it rotates square pictures, which is what the lab is about, and not too large ones for that."""
        return isinstance(self.action, ImageRotation) and self.action.size <= _LARGEST_IN_LAB

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of its patches."""
        return self.action.shape

    @property
    def curve(self) -> list[tuple[float, float]]:
        """Its training curve, (pairs, mean log evidence), if the file has one that makes sense."""
        points = self.file.about.get("curve")
        try:
            array = np.array(points, float)
        except (TypeError, ValueError):
            return []
        usable = array.ndim == 2 and array.shape[1:] == (2,) and np.isfinite(array).all()
        return [(float(pairs), float(value)) for pairs, value in array] if usable else []

    @property
    def data(self) -> bytes:
        """Its model file."""
        return files.pack(self.model, self.shape, self.file.about)


def open_entry(
    name: str,
    source: Path | bytes,
    project: bool = False,
    report: Report | None = None,
    reading: Reading = AS_FOUND,
) -> Entry:
    """Read a model; what neither it nor the visitor says is found out from its filters."""
    return _entry(name, open_model(source, project, reading, report))


def open_named(name: str) -> Entry:
    """The bundled model of this name, or the one in the file of this name."""
    return open_entry(name, files.bundled_path(name) or Path(name))


def entry(name: str, file: ModelFile, report: Report | None = None) -> Entry:
    """The entry of what a model file holds."""
    return _entry(name, understand(file, report))


def _entry(name: str, opened: Opened) -> Entry:
    return Entry(name, opened.file, opened.model, opened.action, _digest(opened.model, opened.action), opened.note)


def _digest(model: Subgroup, action: Group) -> str:
    """The same for the same model, whatever the file around it."""
    sha = hashlib.sha256(repr(action).encode())
    for part in (model.filters, model.weights, model.noise):
        array = np.ascontiguousarray(part)
        sha.update(f"{array.dtype}{array.shape}".encode() + array.tobytes())
    return sha.hexdigest()[:20]
