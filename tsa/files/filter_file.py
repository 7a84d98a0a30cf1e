"""Filters of any kind from files that people have: which array, which layout, which group; then a report on them.

Unlike a model, filters need not be orthonormal, nor fewer than their pixels.
"""

import json
import math
import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from tsa._base import Array, ModelFileError, NotOrthonormalError, ProgressCallback, split_progress
from tsa.analysis import FilterReport, mean_purity, report_filters
from tsa.files._formats import contents, tables
from tsa.files._kernels import MAX_FILTERS, kernels_of
from tsa.files._tables import Table, choose
from tsa.files.opened_model import NO_HINTS, Hints, OpenedModel, open_model
from tsa.groups import CyclicShift, Group, ImageRotation, named_group

_MAX_PIXELS = 128 * 128
_MAX_NUMBERS = 2**22  # in a set of filters: 4,096 of 32×32 pixels
_TRIED_FILTERS = 256  # of a set, on which groups are tried
_CLEAR_GAIN = 0.1  # of mean purity above that of noise, from which a group is called the best fit


@dataclass(frozen=True, eq=False)
class OpenedFilters:
    """A set of filters ready for use: `report` has the filters, the group that acts on them and what it says.

    `array` is the name of the array in the file, `arrays` lists all of them with their shapes, and `note` says in words
    what was inferred. `about` is the provenance, if the file is one of our own.
    """

    report: FilterReport
    array: str
    arrays: tuple[str, ...]
    note: str
    about: dict[str, Any]


def list_arrays(source: str | os.PathLike[str] | bytes) -> list[Table]:
    """The arrays in a file: names, shapes and types; nothing is allocated for them before `read`."""
    return tables(contents(source))


def open_filters(
    source: str | os.PathLike[str] | bytes,
    hints: Hints = NO_HINTS,
    array: str | None = None,
    channel: int | str | None = None,
    on_progress: ProgressCallback | None = None,
) -> OpenedFilters:
    """Open filters from a file, given by its path or its bytes, and report on them.

    `array` names the array to read; without it the likeliest is taken, and `note` says why. Kernels are arrays
    (n, channels, h, w): `channel` is the number of one channel, "each" for all of them as filters of their own, or
    "mean", which is what None stands for. `hints` take precedence over what the file says.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "w.npy"
    >>> np.save(path, np.fft.fft(np.eye(8)))
    >>> opened = tsa.open_filters(path)
    >>> str(opened.report.weights)
    '1x0 + 2x1 + 2x2 + 2x3 + 1x4'
    """
    found = list_arrays(source)
    table, why = choose([one for one in found if one.name not in _COMPANIONS or one.name == array], array)
    extra = {one.name: one for one in found if one.name in _COMPANIONS and one is not table}
    about = _provenance(extra)
    notes = [why]
    shape, group = hints.shape or _shape(extra), hints.group or about.get("group")
    group = group if group in ("rotation", "shift") else None
    layouts, words = _layouts(table, shape, channel, ours=table.name == "filters" and "noise" in extra)
    notes.append(words)
    choosing, reporting = split_progress(on_progress, 1, 4)
    filters, action, words = _best_fit(layouts, group, choosing)
    notes.append(words)
    claimed, words = _claimed(extra, filters.shape[1], action)
    notes.append(words)
    report = report_filters(filters, action, claimed=claimed, on_progress=reporting)
    return OpenedFilters(report, table.name, tuple(map(str, found)), " ".join(filter(None, notes)), about)


def open_file(
    source: str | os.PathLike[str] | bytes,
    hints: Hints = NO_HINTS,
    array: str | None = None,
    channel: int | str | None = None,
    on_progress: ProgressCallback | None = None,
) -> OpenedModel | OpenedFilters:
    """The model in a file, or else its filters: as they are if they are not orthonormal, or not those of a model."""
    if channel is not None:
        return open_filters(source, hints, array, channel, on_progress)
    try:
        return open_model(source, hints=hints, on_progress=on_progress, array=array)
    except ModelFileError as trouble:
        oblique = isinstance(trouble.__cause__, NotOrthonormalError)
        # One of our own files that is wrong in another way is damaged; it is not a set of filters.
        missing = not isinstance(source, bytes) and not os.path.isfile(source)
        if missing or (not oblique and _is_ours(source)):
            raise
        try:
            return open_filters(source, hints, array, channel, on_progress)
        except ModelFileError as error:
            raise (error if oblique or array is not None else trouble) from error


def _is_ours(source: str | os.PathLike[str] | bytes) -> bool:
    return any(table.name == "filters" for table in list_arrays(source))


_COMPANIONS = ("weights", "noise", "shape", "about", "basis", "curve")  # of the filters, in our own files


@dataclass(frozen=True, eq=False)
class _Layout:
    """One way to read an array: filters (D, n), and the shape of their patches."""

    filters: Array
    shape: tuple[int, ...]
    words: str


def _shape(extra: dict[str, Table]) -> tuple[int, ...] | None:
    if "shape" not in extra:
        return None
    numbers = extra["shape"].read().ravel().real
    whole = 1 <= numbers.size <= 2 and bool(np.all((numbers >= 1) & (numbers <= _MAX_PIXELS)))
    if not whole:
        raise ModelFileError("The shape in this file is not that of a patch.")
    return tuple(int(n) for n in numbers)


def _provenance(extra: dict[str, Table]) -> dict[str, Any]:
    if "about" not in extra:
        return {}
    try:
        about = json.loads(extra["about"].read().astype(np.uint8).tobytes())
    except (ValueError, RecursionError) as error:
        raise ModelFileError("The provenance in this file is not JSON; the file is damaged.") from error
    return about if isinstance(about, dict) else {}


def _layouts(
    table: Table, shape: tuple[int, ...] | None, channel: int | str | None, ours: bool
) -> tuple[list[_Layout], str]:
    """The ways to read an array as filters, and in words what was done with its channels."""
    if len(table.shape) in (3, 4):
        kernels, size, words = kernels_of(table, channel)
        return [_Layout(kernels, size, "")], words
    if len(table.shape) != 2:
        raise ModelFileError(f"Array {table} is not a set of filters: (n, pixels), (n, h, w) or (n, channels, h, w).")
    array = table.read()
    rows, columns = array.shape
    if min(rows, columns) < 1:
        raise ModelFileError(f"Array {table} holds no filters.")
    ways: list[_Layout] = []
    pixels = math.prod(shape) if shape else None
    square = [math.isqrt(n) ** 2 == n and n >= 4 for n in (rows, columns)]
    for in_rows, size, number in ((False, rows, columns), (True, columns, rows)):
        if ours and in_rows:
            continue
        if pixels is not None and size != pixels:
            continue
        if pixels is None and not ours and not square[int(in_rows)] and square[1 - int(in_rows)]:
            continue
        if size < 2 or size > _MAX_PIXELS or number > MAX_FILTERS or size * number > _MAX_NUMBERS:
            continue
        side = math.isqrt(size)
        patch = shape or ((side, side) if side * side == size else (size,))
        words = f"Its filters are in {'rows' if in_rows else 'columns'}: {number} of {size} pixels."
        ways.append(_Layout(array.T if in_rows else array, patch, "" if ours else words))
    if not ways:
        wanted = f" of {pixels} pixels" if pixels else ""
        raise ModelFileError(
            f"Array {table} cannot be filters{wanted}: up to {MAX_FILTERS:,} of 2 to {_MAX_PIXELS:,} pixels are read."
        )
    return ways, ""


def _groups(shape: tuple[int, ...], group: str | None) -> list[Group]:
    if group is not None:
        return [named_group(group, shape)]
    if len(shape) == 1:
        return [CyclicShift(shape[0])]
    some: list[Group] = [CyclicShift((shape[0], shape[1]))]
    if shape[0] == shape[1] > 1:
        some += [ImageRotation(shape[0]), CyclicShift(math.prod(shape))]
    return some


def _best_fit(layouts: list[_Layout], group: str | None, on_progress: ProgressCallback) -> tuple[Array, Group, str]:
    """The layout and group under which filters are purest, compared with noise of the same kind, and words for it."""
    tries = [(layout, action) for layout in layouts for action in _groups(layout.shape, group)]
    if len(tries) == 1:
        layout, action = tries[0]
        return layout.filters, action, layout.words
    scores = []
    for done, (layout, action) in enumerate(tries, 1):
        n = layout.filters.shape[1]
        some = layout.filters[:, np.linspace(0, n - 1, min(n, _TRIED_FILTERS)).astype(np.int64)]
        rng = np.random.default_rng(0)
        noise = rng.standard_normal((len(some), 64))
        if np.iscomplexobj(some):
            noise = noise + 1j * rng.standard_normal(noise.shape)
        purity, chance = mean_purity(some, action), mean_purity(noise, action)
        scores.append(((purity - chance) / max(1 - chance, 1e-6), purity, chance))
        on_progress(done / len(tries))
    best = max(range(len(tries)), key=lambda i: scores[i][0])
    (layout, action), (gain, purity, chance) = tries[best], scores[best]
    if group is not None:
        return layout.filters, action, layout.words
    fit = f"mean purity {100 * purity:.0f} %, where noise has {100 * chance:.0f} %"
    words = (
        f"The file does not name a group. The best fit is {action.words}: {fit}."
        if gain >= _CLEAR_GAIN
        else f"No known group acts on these filters; the report is on {action.words}: {fit}."
    )
    return layout.filters, action, f"{layout.words} {words}".strip()


def _claimed(extra: dict[str, Table], n: int, action: Group) -> tuple[Array | None, str]:
    """The weights in the file, one for each filter; and in words why they are left aside, if so."""
    if "weights" not in extra:
        return None, ""
    weights = extra["weights"].read()
    if weights.ndim and 2 * len(weights) == n:  # one for each pair of real columns
        weights = np.repeat(weights, 2, axis=0)
    fits = weights.shape == ((n,) if action.parameters == 1 else (n, action.parameters))
    if not fits or np.iscomplexobj(weights) or np.any(weights != np.rint(weights)) or np.any(np.abs(weights) > 2**31):
        return None, "The weights in the file do not fit these filters and this group; they were left aside."
    return weights, ""
