"""Models people look at, wherever they come from: bundled, named at the start, uploaded or trained."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tsa import files
from tsa.checks import Array
from tsa.errors import InputError
from tsa.files import ModelFile
from tsa.groups import ImageRotation
from tsa.model import Subgroup
from tsa.progress import Report
from tsa.recipes import group
from tsa.weights import Group, as_subgroup, guess_group

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


def open_entry(name: str, source: Path | bytes, project: bool = False, report: Report | None = None) -> Entry:
    """Read a model; what it does not say, its group and its weights, is found out from its filters."""
    return entry(name, files.read(source, project), report)


def open_named(name: str) -> Entry:
    """The bundled model of this name, or the one in the file of this name."""
    return open_entry(name, files.bundled_path(name) or Path(name))


def entry(name: str, file: ModelFile, report: Report | None = None) -> Entry:
    """The entry of what a model file holds."""
    notes = [file.note] if file.note else []
    try:
        action = group(str(file.about.get("group")), file.shape)
        model = file.model if isinstance(file.model, Subgroup) else as_subgroup(file.model, action, report=report)
    except InputError:  # it does not say, or says something odd
        guess = guess_group(file.model, file.shape, report)
        action = guess.action
        model = Subgroup(guess.model.filters, guess.weights.values, file.model.noise)
        notes.append(
            f"Its group was not given; {action} fits: {100 * guess.purity:.0f} % of an average filter has one weight."
            if guess.known
            else "No group we know acts on these filters: turned or shifted, they fall apart into many weights."
        )
    return Entry(name, file, model, action, _digest(model.filters, model.weights, model.noise), " ".join(notes))


def _digest(*parts: Array | float) -> str:
    """The same for the same numbers, whatever the file around them."""
    sha = hashlib.sha256()
    for part in parts:
        array = np.ascontiguousarray(part)
        sha.update(f"{array.dtype}{array.shape}".encode() + array.tobytes())
    return sha.hexdigest()[:20]
