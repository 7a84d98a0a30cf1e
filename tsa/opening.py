"""From a model file to a model one can use: what the file does not say, its group and its weights, is found out."""

import math
import os
from dataclasses import replace
from typing import NamedTuple

from tsa import files
from tsa.errors import InputError
from tsa.files import ModelFile
from tsa.model import Subgroup, Torus
from tsa.progress import Report, shares
from tsa.recipes import group
from tsa.stiefel import real_columns
from tsa.weights import Group, Guess, as_subgroup, guess_group

_PURE = 0.9  # from which on filters are taken to be read the right way round


class Reading(NamedTuple):
    """What somebody knows about a file that does not say it: the shape of its patches, and its group."""

    shape: tuple[int, ...] | None = None
    group: str | None = None


AS_FOUND = Reading()


class Opened(NamedTuple):
    """A file, the model in it with weights, the group that acts on it, and what had to be found out, in words."""

    file: ModelFile
    model: Subgroup
    action: Group
    note: str


def open_model(
    source: str | os.PathLike[str] | bytes,
    project: bool = False,
    reading: Reading = AS_FOUND,
    report: Report | None = None,
) -> Opened:
    """Open a model file; `project` makes filters orthonormal that are not."""
    file = files.read(source, project)
    about = file.about | ({"group": reading.group} if reading.group else {})
    file = replace(file, shape=reading.shape or file.shape, about=about)
    if math.prod(file.shape) != file.model.dimension:
        raise InputError(f"These filters have {file.model.dimension} pixels, which is not {file.shape}.")
    if reading.group:
        group(reading.group, file.shape)  # an error if it cannot be
    if "group" in about or isinstance(file.model, Subgroup) or not _is_complete(file.model):
        return understand(file, report)
    # A whole basis is one by rows as well as by columns: only a group can tell which of them are filters.
    first, second = shares(report, 1, 1)
    guess = guess_group(file.model, file.shape, first)
    if guess.purity < _PURE:
        across = replace(files.read(source, project, in_rows=True), shape=file.shape)
        other = guess_group(across.model, across.shape, second)
        if other.known and other.purity > guess.purity:
            file, guess = across, other
    second(1.0)
    return understand(file, guess=guess)


def _is_complete(model: Torus) -> bool:
    return real_columns(model.filters).shape[1] == model.dimension


def understand(file: ModelFile, report: Report | None = None, guess: Guess | None = None) -> Opened:
    """The model in a file with its group: the one it names, or else what was guessed."""
    model, notes = file.model, [file.note] if file.note else []
    if "group" in file.about:
        try:
            action = group(str(file.about["group"]), file.shape)
            if not isinstance(model, Subgroup) or model.weights.ndim != action.lattice.ndim:
                model = as_subgroup(model, action, report=report)
            return Opened(file, model, action, " ".join(notes))
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
    return Opened(file, model, action, " ".join(notes))
