"""The density over s for a given number of parameters: one on the circle, two or three on the torus."""

import numpy as np

from tsa._base import Array, InputError
from tsa.density.generalized import GeneralizedVonMises
from tsa.density.protocol import Density
from tsa.density.torus import TorusVonMises


def from_harmonics(eta: Array, harmonics: Array) -> Density:
    """The density with natural parameters `eta` (..., H) at the integer `harmonics` (H, p); 1…H in order if p = 1."""
    parameters = harmonics.shape[1]
    if parameters == 1 and np.array_equal(harmonics[:, 0], np.arange(1, len(harmonics) + 1)):
        return GeneralizedVonMises(eta)
    if parameters in (2, 3):
        return TorusVonMises(eta, harmonics)
    raise InputError(
        f"There is a density for harmonics 1…K of one parameter, and for any of two or three; got p = {parameters}, "
        f"harmonics {harmonics[:4].tolist()}…"
    )
