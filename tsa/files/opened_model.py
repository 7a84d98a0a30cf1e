"""The one way to open a model: bytes → arrays → filters → group, weights, spectra.

Group and weights are estimated from the filters if the file does not contain them.
"""

import hashlib
import math
import os
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from tsa._base import Array, InputError, ModelFileError, ProgressCallback, checks, split_progress
from tsa.analysis import IdentifiedGroup, identify_group, weights_of_spectra
from tsa.analysis import spectra as spectra_of
from tsa.files import model_file
from tsa.files.model_file import ModelFile
from tsa.groups import CyclicShift, Group, LatticeAction, ModelAction, named_group
from tsa.model import Subgroup, Torus, real_columns

# Mean purity from which the filters of a square array are taken to be in its columns, without trying its rows.
_MIN_COLUMN_PURITY = 0.9
_MAX_WEIGHT = (1024, 128)  # for one parameter, for several: posteriors have as many harmonics along each
_MAX_ORDER = 10_000  # of a factor of a group found in pairs


class Hints(NamedTuple):
    """Facts about a model that its file may lack: the shape of its patches, and the name of its group."""

    shape: tuple[int, ...] | None = None
    group: str | None = None


NO_HINTS = Hints()


@dataclass(frozen=True, eq=False)
class OpenedModel:
    """A model ready for use: with weights, and with the group that acts on its patches.

    `note` lists in words what was inferred or changed when the file was read; empty if nothing was.
    """

    file: ModelFile
    model: Subgroup
    action: LatticeAction
    note: str = ""
    known_spectra: Array | None = None  # (J, n), if they were computed for opening

    def __post_init__(self) -> None:
        """Refuse weights with which a file of a few kilobytes would ask for minutes of work."""
        largest, most = int(np.abs(self.model.irreps.values).max(initial=0)), _MAX_WEIGHT[self.model.parameters > 1]
        if largest > most:
            raise ModelFileError(
                f"This file has a weight of {largest:,}; models with weights up to {most:,} are opened here. The file "
                "is damaged, or tsa.load can read it."
            )

    @cached_property
    def spectra(self) -> Array:
        """The character projection of each filter, (J, n): computed once, at first use if not for opening."""
        known = self.known_spectra
        return checks.frozen(spectra_of(self.model.filters, self.action) if known is None else known)

    @cached_property
    def digest(self) -> str:
        """Equal for equal filters, weights, noise and group, whatever else the file holds: 20 hexadecimal digits."""
        sha = hashlib.sha256(repr(self.action).encode())
        for part in (self.model.filters, self.model.weights, self.model.noise):
            array = np.ascontiguousarray(part)
            sha.update(f"{array.dtype}{array.shape}".encode() + array.tobytes())
        return sha.hexdigest()[:20]


def open_model(
    source: str | os.PathLike[str] | bytes | ModelFile,
    project: bool = False,
    hints: Hints = NO_HINTS,
    on_progress: ProgressCallback | None = None,
    array: str | None = None,
) -> OpenedModel:
    """Open a model file, given by its path, its bytes or as read; `array` names the array with the filters.

    `project` replaces filters that are not orthonormal by the nearest ones that are. `hints` take precedence over what
    the file says.
    """
    file = source if isinstance(source, ModelFile) else model_file.read(source, project, array=array)
    about = file.about | ({"group": hints.group} if hints.group else {})
    file = replace(file, shape=hints.shape or file.shape, about=about)
    if math.prod(file.shape) != file.model.dimension:
        raise InputError(f"These filters have {file.model.dimension} pixels, which is not {file.shape}.")
    trouble = ""
    if "group" in about:
        try:
            return _with_group(file, _named_group(str(about["group"]), file.shape), on_progress)
        except InputError as error:
            if hints.group:
                raise
            trouble = str(error)
    in_rows = not isinstance(source, ModelFile) and _may_be_in_rows(file.model)
    first, second = split_progress(on_progress, 1, 1 if in_rows else 1e-9)
    found = identify_group(file.model, file.shape, first)
    if in_rows and found.purity < _MIN_COLUMN_PURITY:
        assert not isinstance(source, ModelFile)
        with suppress(ModelFileError):  # complex filters fill the space without their table being square
            other_file = replace(model_file.read(source, project, in_rows=True, array=array), shape=file.shape)
            other = identify_group(other_file.model, other_file.shape, second)
            if other.known and other.purity > found.purity:
                file, found = other_file, other
    second(1.0)
    orders = _discovered_orders(file)
    if orders is not None:
        return _with_discovered(file, found, orders)
    return _with_identified(file, found, trouble)


def _discovered_orders(file: ModelFile) -> tuple[int, ...] | None:
    """The orders of the group that `tsa discover` found, 0 for a circle; None if the model was made otherwise."""
    orders = file.about.get("orders")
    if "discovered" not in file.about or not isinstance(file.model, Subgroup) or not isinstance(orders, list):
        return None
    valid = all(isinstance(n, int) and 0 <= n <= _MAX_ORDER for n in orders)
    return tuple(orders) if valid and len(orders) == file.model.parameters else None


def _same_group(action: LatticeAction, orders: tuple[int, ...]) -> bool:
    """Whether an action has as many circles, and finite factors of the same size, as the group found in pairs."""
    if len(orders) != action.parameters:
        return False
    if isinstance(action, CyclicShift):
        return math.prod(orders) == math.prod(action.shape)
    return not any(orders)


def _with_discovered(file: ModelFile, found: IdentifiedGroup, orders: tuple[int, ...]) -> OpenedModel:
    """A model learned from pairs alone. Pairs determine weights up to a basis of s, so a known group chooses it."""
    given = file.model
    assert isinstance(given, Subgroup)
    if found.known and found.model is given and _same_group(found.action, orders):
        model = Subgroup(given.filters, found.weights, given.noise)
        note = f"Found in pairs alone. It is {found.action.words}, and s is counted as that group counts it."
        return OpenedModel(file, model, found.action, note, found.spectra)
    action = ModelAction(given, file.shape, orders)
    return OpenedModel(file, given, action, f"Found in pairs alone: {action.group}. No named group has these filters.")


def _named_group(name: str, shape: tuple[int, ...]) -> Group:
    action = named_group(name, shape)
    if action.shape != shape:
        raise InputError(f"{action} needs patches of shape {action.shape}; got {shape}.")
    return action


def _may_be_in_rows(model: Torus | Subgroup) -> bool:
    """Whether the rows are an orthonormal basis as well as the columns (D filters of D pixels, no weights given).

    Which of them are the filters is then decided by their purity under a group.
    """
    return isinstance(model, Torus) and real_columns(model.filters).shape[1] == model.dimension


def _with_group(file: ModelFile, action: Group, on_progress: ProgressCallback | None) -> OpenedModel:
    """The model in a file whose group is known; the weights of the file, if they fit the group."""
    model, spectra = file.model, None
    if not isinstance(model, Subgroup) or model.parameters != action.parameters:
        spectra = spectra_of(model.filters, action, on_progress)
        model = Subgroup(model.filters, weights_of_spectra(spectra, action), model.noise)
    return OpenedModel(file, model, action, file.note, spectra)


def _with_identified(file: ModelFile, found: IdentifiedGroup, trouble: str) -> OpenedModel:
    """The model in a file without a usable group (`trouble` says why); its weights, if they fit the group found."""
    given, action = file.model, found.action
    known = (
        f"The file does not name a group. The best fit is {action.words}: on average, {100 * found.purity:.0f} % of"
        " a filter has a single weight."
        if found.known
        else "No known group acts on these filters: under every action tried, they mix many weights."
    )
    weights, spectra = "", found.spectra if found.model is given else None
    if isinstance(given, Subgroup) and given.parameters == action.parameters:
        weights, model = "The weights are those of the file.", given
    else:
        if isinstance(given, Subgroup):
            weights = "The weights in the file have a different number of parameters, so they were estimated again."
        model, spectra = Subgroup(found.model.filters, found.weights, given.noise), found.spectra
    note = " ".join(part for part in (file.note, trouble, known, weights) if part)
    return OpenedModel(file, model, action, note, spectra)
