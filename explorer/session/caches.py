"""Caches that all visitors share: thin wrappers around `tsa`, each bounded, keyed by names and digests."""

import math
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import TypeVar

import numpy as np
import streamlit as st
from numpy.typing import NDArray
from streamlit.runtime.uploaded_file_manager import UploadedFile

from explorer import limits
from explorer.components.filters import Relative, pack_filters, shown_filters
from explorer.components.recognise import pack_votes
from explorer.components.symmetry import pack_symmetry
from explorer.components.teaching.film import pack_film
from explorer.session import view
from explorer.session.kept import KeptModels
from explorer.session.reports import Reports, Task
from explorer.state import LAB_MODEL, Digit, Film, NamedModel, Shape, Source, open_as, open_named
from explorer.training import EXAMPLES, DiscoveryRequest, Jobs, pairs_of_files
from explorer.training import turned_pictures as secretly_turned
from tsa._base import ProgressCallback
from tsa.analysis import (
    Comparison,
    Cost,
    FilterReport,
    Inspection,
    compare,
    cost_of,
    frequencies,
    inspect,
    nearest_in,
    refine,
    report_filters,
)
from tsa.files import ModelFile
from tsa.groups import CyclicShift, ImageRotation, named_group
from tsa.model import Subgroup, fourier_model
from tsa.pictures import (
    PERIODIC_PICTURES,
    TRAINING_PATCHES,
    datasets,
    draw_periodic,
    open_picture,
    patch,
    shapes,
    to_disc,
)
from tsa.pictures import white_patches as whitened
from tsa.recognition import DigitSearch
from tsa.registration import Calibration, calibration
from tsa.stage import Compared, MotionScene, Scene, data_url, filters_image, pack_motion, png_address, symmetry_of

Picture = NDArray[np.float64]
T = TypeVar("T")
_MAX_BYTES = 32 * 2**20  # of packed answers of a kind
_MAX_SEARCHES, _MAX_SEARCH_BYTES = 4, 96 * 2**20  # among the training digits, one for each model
SHOWN_PAIRS = 30  # training pairs shown before a training starts
_SHAPE_PIXELS = 128  # along a side of a drawn shape, before it is sampled as a patch


def default_model() -> str:
    """The model that `tsa-explorer --model` named, or the bundled one that shows symmetries best."""
    return os.environ.get("TSA_EXPLORER_MODEL", LAB_MODEL)


@st.cache_resource(max_entries=16, show_spinner=False)
def shared_model(name: str) -> NamedModel:
    """The bundled model of this name, or the model file given by `--model`; one object for all visitors."""
    return open_named(name)


@st.cache_resource(max_entries=16, hash_funcs={NamedModel: repr}, show_spinner=False)
def model(named: NamedModel, sigma: float) -> Subgroup:
    """The model at noise σ."""
    return named.model.with_noise(sigma)


@st.cache_data(max_entries=32, show_spinner=False)
def shape_picture(name: str) -> Picture:
    """A shape of known symmetry, drawn."""
    return shapes.draw(name, _SHAPE_PIXELS)


@st.cache_data(max_entries=1, show_spinner=False)
def digits() -> tuple[Picture, NDArray[np.uint8]]:
    """Thirty handwritten digits of the MNIST test set, in 0…1 (30, 28, 28), and their labels."""
    return datasets.gallery()


def picture(source: Source) -> Picture:
    """The square grey picture of a source, in 0…1."""
    if isinstance(source, Shape):
        return shape_picture(source.name)
    return digits()[0][source.index] if isinstance(source, Digit) else source.picture


@st.cache_data(max_entries=32, show_spinner=False)
def shape_icon(name: str) -> str:
    """A shape as a small picture in Markdown, for the label of a widget."""
    return f"![{name}]({data_url(shape_picture(name), 80)})"


@st.cache_data(max_entries=64, show_spinner=False)
def digit_icon(index: int) -> str:
    """A digit of the sample as a small picture in Markdown."""
    pictures, labels = digits()
    return f"![a handwritten {labels[index]}]({data_url(pictures[index], 80)})"


@st.cache_data(max_entries=24, max_size=_MAX_BYTES, show_spinner=False)
def packed_sweep(digest: str, _scene: Scene) -> bytes:
    """The packed sweep over all angles of the scene that has this digest."""
    return _scene.packed()


@st.cache_resource(max_entries=16, show_spinner=False)
def compared(digest: str, _scene: Scene) -> Compared:
    """The sweep over all angles of a scene that is pinned, and what is said of it."""
    return Compared.of(_scene)


@st.cache_resource(max_entries=8, show_spinner=False)
def fourier(side: int) -> Subgroup:
    """The Fourier model of a world of side×side pixels; its tables are computed once."""
    return fourier_model((side, side))


@st.cache_resource(max_entries=8, hash_funcs={NamedModel: repr}, show_spinner=False)
def shift_model(named: NamedModel) -> Subgroup:
    """A learned model of shifts; its tables are computed once."""
    return named.model


@st.cache_data(max_entries=64, show_spinner=False)
def world(name: str, side: int) -> Picture:
    """A picture of the motion page."""
    return draw_periodic(name, side)


@st.cache_data(max_entries=24, show_spinner=False)
def world_icon(name: str) -> str:
    """A picture of the motion page in Markdown, for the label of a widget."""
    if name not in PERIODIC_PICTURES:
        return "your own"
    return f"![{name}]({data_url(draw_periodic(name), 80)})"


@st.cache_data(max_entries=24, max_size=_MAX_BYTES, show_spinner=False)
def packed_motion(digest: str, _scene: MotionScene) -> bytes:
    """The packed motion scene that has this digest."""
    return pack_motion(_scene)


@st.cache_data(max_entries=16, max_size=_MAX_BYTES, show_spinner=False)
def packed_film(digest: str, _film: Film) -> bytes:
    """The packed film that has this digest."""
    return pack_film(_film)


@st.cache_data(max_entries=24, max_size=_MAX_BYTES, show_spinner=False)
def symmetry(digest: str, _model: Subgroup, _picture: Picture) -> bytes:
    """The packed symmetry of a picture under a model at its noise, which together have this digest."""
    return pack_symmetry(symmetry_of(_model, patch(_picture, math.isqrt(_model.dimension))), _picture)


# By name too, which the title shows: another visitor may have the same filters under another name.
@st.cache_data(max_entries=8, max_size=_MAX_BYTES, hash_funcs={NamedModel: lambda named: (named.name, named.digest)})
def filters(named: NamedModel, picture: Picture, sigma: float, angle: int, other: NamedModel | None = None) -> bytes:
    """The packed filters of a model, and their responses to a picture if the patches are square.

    `other` is a model under the same group, whose nearest filters are shown beside.
    """
    square = len(named.shape) == 2 and named.shape[0] == named.shape[1]
    x = patch(picture, named.shape[0]) if square else None
    spectra = named.spectra if named.report is None else named.report.heights
    known = frequencies(named.action)
    weights = named.model.irreps if named.report is None else named.report.weights
    # Frequencies that the patch resolves, and those of the model's weights, in order.
    limit = max(np.abs(named.action.characters).max(), np.abs(weights.values).max())
    near = np.flatnonzero(np.abs(known.reshape(len(known), -1)).max(axis=1) <= limit)
    near = near[np.lexsort(known[near].reshape(len(near), -1).T[::-1])]
    beside = None if other is None else _relative(named, other)
    return pack_filters(named, spectra[:, near], known[near], x, sigma=sigma, angle=angle, relative=beside)


@st.cache_data(max_entries=24, max_size=_MAX_BYTES, hash_funcs={NamedModel: repr}, show_spinner=False)
def filters_picture(named: NamedModel, order: NDArray[np.int64], columns: int, dark: bool) -> str:
    """A picture of some filters of a model, in this order, as an address that holds its pixels."""
    model = named.model
    some = Subgroup(model.filters[:, order], model.weights[order], model.noise)
    return png_address(
        filters_image(some, named.shape, columns=columns, tile=56, order=np.arange(len(order)), dark=dark)
    )


@st.cache_resource(max_entries=8, hash_funcs={NamedModel: repr}, show_spinner=False)
def filter_report(named: NamedModel) -> FilterReport:
    """The report on each filter of a model, or of the set it was made from."""
    return named.report or report_filters(named.model.filters, named.action)


def _relative(named: NamedModel, other: NamedModel) -> Relative:
    """For each filter that is shown the nearest one of another model."""
    nearest, cosine = nearest_in(filter_report(named), filter_report(other))
    theirs = shown_filters(other)
    numbers = np.argsort(theirs.order) if other.report is None else np.arange(theirs.filters.shape[1])
    return Relative(other.name, theirs.filters[:, nearest], np.where(nearest < 0, -1, numbers[nearest]) + 1, cosine)


@st.cache_resource(max_entries=1)
def _searches() -> Reports:
    return Reports(_MAX_SEARCHES, _MAX_SEARCH_BYTES)


def digit_search(named: NamedModel) -> Task[DigitSearch]:
    """A search with this model among the bundled training digits, each turned once at random as in the experiment."""
    digits, size = _training_digits(), named.shape[0]

    def prepared(on_progress: ProgressCallback) -> DigitSearch:
        turned = datasets.rotated(digits, seed=0, size=size)
        return DigitSearch(named.model, turned, size, on_progress)

    return _searches().begin(("search", named.digest), prepared, _count_report)


@st.cache_resource(max_entries=1, show_spinner=False)
def _training_digits() -> datasets.Digits:
    return datasets.sample("train")


@st.cache_data(max_entries=24, max_size=_MAX_BYTES, hash_funcs={NamedModel: repr}, show_spinner=False)
def votes(
    named: NamedModel, picture: Picture, label: int | None, only: int | None, _search: DigitSearch
) -> bytes | None:
    """The packed votes on a picture at all angles, or at one (in degrees); None for an empty picture.

    `_search` is the `digit_search` of the model.
    """
    return voting(_search, label)(picture, only)


def voting(search: DigitSearch, label: int | None) -> Callable[[Picture, int | None], bytes | None]:
    """`votes` without the cache, as a function of picture and angle: for pictures that change many times a second."""
    images = _training_digits().images

    def vote(picture: Picture, only: int | None) -> bytes | None:
        found = search.search(to_disc(picture), only=only)
        return None if found is None else pack_votes(found, search, images, picture, label, only)

    return vote


def inspection(named: NamedModel) -> Task[Inspection]:
    """The report on a model."""
    model, action, about = named.model, named.action, named.file.about
    return _reports().begin(
        ("inspection", named.digest),
        lambda progress: inspect(model, action, about=about, on_progress=progress),
        _count_report,
    )


def coverage(named: NamedModel, on_progress: ProgressCallback) -> Calibration:
    """How often the credible sets of a rotation model hold the truth; the callback is called with the progress."""
    return _report("coverage", named, lambda: calibration(named.model, on_progress=on_progress))


def refined(named: NamedModel, name: str, on_progress: ProgressCallback) -> NamedModel:
    """The model split into irreducibles, under another name."""
    model = _report("refined", named, lambda: refine(named.model, named.action, on_progress))
    known = {ImageRotation: "rotation", CyclicShift: "shift"}.get(type(named.action))
    about = ({"group": known} if known else {}) | {"refined from": named.name} | named.file.about
    return open_as(name, ModelFile(model, named.shape, about))


def cost(named: NamedModel) -> Cost:
    """What the model made from a set of filters costs."""
    made = named.made
    assert made is not None
    with st.spinner("Measuring the model …"):
        return _report("cost", named, lambda: cost_of(made))


@st.cache_resource(max_entries=32, hash_funcs={NamedModel: repr})
def comparison(first: NamedModel, second: NamedModel) -> Comparison:
    """Two models, weight by weight."""
    return compare(first.model, second.model)


@st.cache_data(max_entries=16, show_spinner=False)
def training_pairs(group: str, shape: tuple[int, ...], seed: int) -> tuple[Picture, Picture]:
    """Some pairs like those of a training, (n, D) each."""
    return named_group(group, shape).pairs(SHOWN_PAIRS, seed)[:2]


@st.cache_resource(max_entries=8, show_spinner="Making the pairs …")
def example_pairs(name: str) -> DiscoveryRequest:
    """The pairs of an example, for a search that is not told what moved them."""
    return EXAMPLES[name]()


@st.cache_resource(max_entries=4, show_spinner="Reading the pairs …")
def uploaded_pairs(ids: tuple[str, ...], size: int, lag: int, _files: Sequence[UploadedFile]) -> DiscoveryRequest:
    """The pairs in uploaded files, which `ids` identify."""
    return pairs_of_files([(file.name, file.getvalue()) for file in _files], size, lag)


@st.cache_resource(max_entries=4, show_spinner="Turning the pictures …")
def turned_pictures(ids: tuple[str, ...], _files: Sequence[UploadedFile]) -> DiscoveryRequest:
    """Patches of uploaded pictures and the same turned, for a search that is not told so."""
    return secretly_turned([open_picture(file.getvalue()) for file in _files])


@st.cache_resource(max_entries=4, show_spinner="Whitening the pictures …")
def white_patches(ids: tuple[str, ...], size: int, seed: int, _files: Sequence[UploadedFile]) -> NDArray[np.float32]:
    """The patches that `tsa train --images` makes of a folder with these files."""
    named = sorted(_files, key=lambda file: file.name)
    return whitened([open_picture(file.getvalue()) for file in named], size, TRAINING_PATCHES, seed)


@st.cache_resource(max_entries=1)
def kept_models() -> KeptModels:
    """The models of all visitors, for tabs that are reloaded."""
    return KeptModels()


@st.cache_resource(max_entries=1)
def jobs() -> Jobs:
    """The trainings of all visitors."""
    return Jobs()


@st.cache_resource(max_entries=1)
def _reports() -> Reports:
    return Reports()


def _report(kind: str, named: NamedModel, work: Callable[[], T]) -> T:
    """The report of this kind on a model; if it has to be computed, it counts among those of this visitor."""

    def counted() -> T:
        _count_report()
        return work()

    return _reports().get((kind, named.digest), counted)


def _count_report() -> None:
    limits.spend(view.visitor(), "reports")


def forget() -> None:
    """Drop what was computed for visitors, when none is left; what any first visitor needs stays."""
    for cache in (
        *(
            packed_sweep,
            compared,
            packed_motion,
            packed_film,
            symmetry,
            filters,
            filters_picture,
            filter_report,
            _searches,
            votes,
        ),
        *(comparison, training_pairs, example_pairs, uploaded_pairs, turned_pictures, white_patches, _reports),
    ):
        cache.clear()


def warm() -> None:
    """Load what the first visitor would otherwise wait for: imports, the camera, the default model."""
    with suppress(ImportError):
        import_module("pandas")  # Streamlit imports it when a component is first given a dictionary
    first = shared_model(default_model())
    Scene((first if first.turns else shared_model(LAB_MODEL)).model, shapes.draw("square", _SHAPE_PIXELS)).packed()
