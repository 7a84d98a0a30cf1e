"""Which group acts on filters of unknown origin, and which of their columns form planes."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tsa._base import Array, ProgressCallback, split_progress
from tsa.analysis.spectra import _correlations, _spectrum, spectra, weights_of_spectra
from tsa.groups import CyclicShift, Group, ImageRotation
from tsa.model import Subgroup, Torus, Weights, complex_filters, real_columns

_MIN_PAIRING_PURITY = 0.99  # mean purity from which another pairing of the columns is preferred to the given one


@dataclass(frozen=True, eq=False)
class IdentifiedGroup:
    """The group under which filters are purest, and their spectra under it.

    `model` has the filters given, or the same columns paired otherwise if only that makes them pure.
    """

    action: Group
    model: Torus | Subgroup
    spectra: Array  # (J, n), of the filters of `model`

    @cached_property
    def weights(self) -> Weights:
        """The weights of the filters under the group, with their purities as confidence."""
        return weights_of_spectra(self.spectra, self.action)

    @property
    def purity(self) -> float:
        """Mean purity of the filters: 1 if each of them is irreducible."""
        return float(self.weights.confidence.mean())

    @property
    def known(self) -> bool:
        """Whether the group acts on these filters: on average more than half of each is of one weight.

        The mean purity of a random basis of 12 samples is 0.26, and was below 0.4 in 1000 draws; of 16×16 pixels it is
        0.05. The paper's algorithm reaches 0.86, and 0.96 after refinement. With fewer than 12 pixels the answer is not
        reliable.
        """
        return self.purity > 0.5


def identify_group(
    model: Torus | Subgroup, shape: tuple[int, ...], on_progress: ProgressCallback | None = None
) -> IdentifiedGroup:
    """The group that acts on these filters: shifts, or rotation of square patches, whichever gives higher purity.

    A file rarely states whether 256 numbers are a picture or a row, so shifts of a row are tried for pictures too. The
    shape of the patches is then `action.shape`.
    """
    candidates: list[Group] = [CyclicShift(shape[0] if len(shape) == 1 else (shape[0], shape[1]))]
    if len(shape) == 2 and shape[0] == shape[1] > 1:
        candidates += [CyclicShift(model.dimension), ImageRotation(shape[0])]
    # Only rotation takes noticeable time, and only its spectra report progress.
    weighing, pairing, weighing_pairs, done = split_progress(on_progress, 1, 1, 1, 1e-9)
    found = [IdentifiedGroup(action, model, spectra(model.filters, action, weighing)) for action in candidates]
    unknown = not any(one.known for one in found)
    for action in candidates:
        if unknown or isinstance(action, CyclicShift):
            paired = pair_neighbours(model, action, pairing)
            if paired is not model:
                found.append(IdentifiedGroup(action, paired, spectra(paired.filters, action, weighing_pairs)))
    done(1.0)
    # Filters stay paired as given unless only another pairing makes them known, or all of them pure.
    return max(
        found, key=lambda one: (one.known, one.purity > _MIN_PAIRING_PURITY, one.model is model, round(one.purity, 6))
    )


def pair_neighbours(
    model: Torus | Subgroup, action: Group, on_progress: ProgressCallback | None = None
) -> Torus | Subgroup:
    """The same real columns in the same order, split into neighbouring pairs and single lines of the highest purity.

    A real DFT in its usual order begins 1, cos, sin, cos, sin: split two by two, every pair would mix two frequencies.
    Returns the model itself if no pairing can be pure.
    """
    columns = real_columns(model.filters)
    n = columns.shape[1]
    if isinstance(action, ImageRotation):
        own, across = _correlations(columns, action, on_progress)
        single, pair = (
            _spectrum(own, action).max(axis=1),
            _spectrum(own[:-1] + own[1:] + 1j * across, action).max(axis=1),
        )
    else:
        single = spectra(columns, action).max(axis=1)
        pair = 2 * spectra(columns[:, :-1] + 1j * columns[:, 1:], action).max(axis=1)
    if single.mean() <= 0.25:  # a plane is at most as pure as its two columns together: on average below one half
        return model
    # best[i]: the largest sum of purities over the first i columns, a plane counting for both of its columns.
    best, takes_two = np.zeros(n + 1), np.zeros(n + 1, bool)
    for i in range(1, n + 1):
        best[i] = best[i - 1] + single[i - 1]
        if i > 1 and best[i - 2] + pair[i - 2] > best[i]:
            best[i], takes_two[i] = best[i - 2] + pair[i - 2], True
    planes, i = list[bool](), n
    while i > 0:
        planes.append(bool(takes_two[i]))
        i -= 1 + planes[-1]
    return Torus(complex_filters(columns, planes[::-1]), model.noise)
