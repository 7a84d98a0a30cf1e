"""Models with a name in the app, wherever they come from: bundled, given at the start, uploaded or trained."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tsa import files
from tsa._base import Array, InputError, ProgressCallback
from tsa.analysis import FilterModel, FilterReport, orthonormal_subset, refined_span, spectra
from tsa.files import NO_HINTS, Hints, ModelFile, OpenedFilters, OpenedModel, open_file, open_model
from tsa.groups import CyclicShift, ImageRotation, LatticeAction
from tsa.model import Subgroup

LAB_MODEL = "rotation-16-refined"  # the bundled model whose posteriors show symmetries best
MAX_LAB_SIDE_PIXELS = 64  # the lab computes all 360 turns of a patch at once


@dataclass(frozen=True, eq=False)
class NamedModel:
    """An opened model and its name. Its `repr` is that of its content, and serves as the key of caches.

    `made` is there if the model was made from a set of filters that are not orthonormal: the pages Filters and Model
    then show the whole set, and `arrays` lists what the file held.
    """

    name: str
    opened: OpenedModel
    made: FilterModel | None = None
    arrays: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"NamedModel({self.digest})"

    @property
    def file(self) -> ModelFile:
        """The content of the model file."""
        return self.opened.file

    @property
    def model(self) -> Subgroup:
        """The model, with weights."""
        return self.opened.model

    @property
    def action(self) -> LatticeAction:
        """The group that acts on its patches."""
        return self.opened.action

    @property
    def spectra(self) -> Array:
        """The character projection of each filter, (J, n)."""
        return self.opened.spectra

    @property
    def note(self) -> str:
        """What was inferred or changed when the file was read, in words."""
        return self.opened.note

    @property
    def digest(self) -> str:
        """Equal for equal models, whatever their names and files."""
        if self.made is None:
            return self.opened.digest
        sha = hashlib.sha256(self.opened.digest.encode())
        sha.update(np.ascontiguousarray(self.made.report.filters).tobytes())
        return sha.hexdigest()[:20]

    @property
    def report(self) -> FilterReport | None:
        """The report on the set of filters that the model was made from, if it was."""
        return None if self.made is None else self.made.report

    @property
    def turns(self) -> bool:
        """Whether the lab can show it: it rotates square pictures, and these are not too large."""
        return self.rotates and self.shape[0] <= MAX_LAB_SIDE_PIXELS

    @property
    def rotates(self) -> bool:
        """Whether its group is the rotation of pictures."""
        return isinstance(self.action, ImageRotation)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of its patches."""
        return self.action.shape

    @property
    def curve(self) -> list[tuple[float, float]]:
        """Its training curve, (pairs, mean log evidence); empty if the file has none, or none that is valid."""
        points = self.file.about.get("curve")
        try:
            array = np.array(points, float)
        except (TypeError, ValueError):
            return []
        usable = array.ndim == 2 and array.shape[1:] == (2,) and np.isfinite(array).all()
        return [(float(pairs), float(value)) for pairs, value in array] if usable else []

    @property
    def data(self) -> bytes:
        """The bytes of its model file."""
        return files.pack_model(self.model, self.shape, self.file.about)


def open_as(
    name: str,
    source: Path | bytes | ModelFile,
    project: bool = False,
    on_progress: ProgressCallback | None = None,
    hints: Hints = NO_HINTS,
) -> NamedModel:
    """Open a model and give it this name; see `tsa.files.open_model`."""
    return NamedModel(name, open_model(source, project, hints, on_progress))


def open_any_as(
    name: str,
    data: bytes,
    on_progress: ProgressCallback | None = None,
    hints: Hints = NO_HINTS,
    array: str | None = None,
    channel: int | str | None = None,
) -> NamedModel:
    """Open the model in a file; or a set of filters, with the model that its best orthonormal subset is."""
    opened = open_file(data, hints, array, channel, on_progress)
    if isinstance(opened, OpenedModel):
        return NamedModel(name, opened)
    try:
        return named_set(name, opened)
    except InputError:  # they span nothing: the error says why they are no model
        return NamedModel(name, open_model(data, hints=hints, array=array))


def named_set(name: str, opened: OpenedFilters) -> NamedModel:
    """A set of filters with a model made from it: its best orthonormal subset, or else the refinement of its span."""
    report = opened.report
    action = report.action
    assert isinstance(action, ImageRotation | CyclicShift)  # files have no other groups
    try:
        made = orthonormal_subset(report)
    except InputError:
        made = refined_span(report)
    group = "rotation" if isinstance(action, ImageRotation) else "shift"
    about = opened.about | {"group": group, "made from": f"{len(report.purity)} filters, array {opened.array}"}
    note = (
        f"{opened.note} These filters are not orthonormal: Model and Filters show all of them, other pages the model "
    )
    note += f"made from them. {made.summary()}"
    file = ModelFile(made.model, action.shape, about, 0.0, note)
    known = spectra(made.model.filters, action)
    return NamedModel(name, OpenedModel(file, made.model, action, note.strip(), known), made, opened.arrays)


def open_named(name: str) -> NamedModel:
    """The bundled model of this name, or the one in the file of this name."""
    return open_as(name, files.bundled_path(name) or Path(name))
