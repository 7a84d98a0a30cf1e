"""Models people look at, wherever they come from: bundled, named at the start, uploaded or trained."""

import hashlib
import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tsa import files
from tsa.errors import InputError
from tsa.files import ModelFile
from tsa.groups import ImageRotation
from tsa.model import Subgroup, Torus
from tsa.progress import Report, shares
from tsa.recipes import group
from tsa.stiefel import real_columns
from tsa.weights import Group, Guess, as_subgroup, guess_group

LAB_MODEL = "rotation-16-refined"  # of the bundled ones, it tells symmetries most truthfully
_PURE = 0.9  # from which on filters are taken to be read the right way round
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


class Reading(NamedTuple):
    """What a visitor says about a file that does not say it: the shape of its patches, and its group."""

    shape: tuple[int, ...] | None = None
    group: str | None = None


AS_FOUND = Reading()


def open_entry(
    name: str,
    source: Path | bytes,
    project: bool = False,
    report: Report | None = None,
    reading: Reading = AS_FOUND,
) -> Entry:
    """Read a model; what neither it nor the visitor says, its group and its weights, is found out from its filters."""
    file = files.read(source, project)
    about = file.about | ({"group": reading.group} if reading.group else {})
    file = replace(file, shape=reading.shape or file.shape, about=about)
    if math.prod(file.shape) != file.model.dimension:
        raise InputError(f"These filters have {file.model.dimension} pixels, which is not {file.shape}.")
    if "group" in about or isinstance(file.model, Subgroup) or not _is_complete(file.model):
        return entry(name, file, report)
    # A whole basis is one by rows as well as by columns: only a group can tell which of them are filters.
    first, second = shares(report, 1, 1)
    guess = guess_group(file.model, file.shape, first)
    if guess.purity < _PURE:
        across = replace(files.read(source, project, in_rows=True), shape=file.shape)
        other = guess_group(across.model, across.shape, second)
        if other.known and other.purity > guess.purity:
            file, guess = across, other
    second(1.0)
    return entry(name, file, guess=guess)


def _is_complete(model: Torus) -> bool:
    return real_columns(model.filters).shape[1] == model.dimension


def open_named(name: str) -> Entry:
    """The bundled model of this name, or the one in the file of this name."""
    return open_entry(name, files.bundled_path(name) or Path(name))


def entry(name: str, file: ModelFile, report: Report | None = None, guess: Guess | None = None) -> Entry:
    """The entry of what a model file holds; without a group, of what was guessed."""
    model, notes = file.model, [file.note] if file.note else []
    if "group" in file.about:
        try:
            action = group(str(file.about["group"]), file.shape)
            if not isinstance(model, Subgroup) or model.weights.ndim != action.lattice.ndim:
                model = as_subgroup(model, action, report=report)
            return _entry(name, file, model, action, notes)
        except InputError as error:
            notes.append(str(error))
    guess = guess or guess_group(model, file.shape, report)
    action = guess.action
    notes.append(
        f"Its group was not given; {action.words} fit: {100 * guess.purity:.0f} % of an average filter has one weight."
        if guess.known
        else "No group we know acts on these filters: turned or shifted, they fall apart into many weights."
    )
    if isinstance(model, Subgroup) and model.weights.ndim == action.lattice.ndim:
        notes.append("The weights are those of the file.")
    else:
        if isinstance(model, Subgroup):
            notes.append("The weights of the file have another number of parameters, and were found anew.")
        model = Subgroup(guess.model.filters, guess.weights.values, model.noise)
    return _entry(name, file, model, action, notes)


def _entry(name: str, file: ModelFile, model: Subgroup, action: Group, notes: list[str]) -> Entry:
    return Entry(name, file, model, action, _digest(model, action), " ".join(notes))


def _digest(model: Subgroup, action: Group) -> str:
    """The same for the same model, whatever the file around it."""
    sha = hashlib.sha256(repr(action).encode())
    for part in (model.filters, model.weights, model.noise):
        array = np.ascontiguousarray(part)
        sha.update(f"{array.dtype}{array.shape}".encode() + array.tobytes())
    return sha.hexdigest()[:20]
