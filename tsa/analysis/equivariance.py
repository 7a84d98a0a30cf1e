"""How far a model is from representing an action exactly, with the model's error separated from interpolation's.

Rotations of pixels are interpolated, so an error can be the model's or the action's. Pictures on a disc can be turned
exactly (`tsa.pictures.camera`), which separates the two.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from tsa._base import Array, ProgressCallback, checks
from tsa.groups import ImageRotation, LatticeAction
from tsa.model import Subgroup, squared_norm
from tsa.pictures import datasets, patch_of, to_disc, turn_disc

_MAX_UNIT_VECTORS = 1024


class Moves(Protocol):
    """Anything that moves patches x (n, D) by s."""

    def apply(self, x: Array, s: Array) -> Array:
        """The moved patches."""


def equivariance_error(model: Subgroup, action: Moves, angles: ArrayLike, patches: ArrayLike | None = None) -> Array:
    """How far the model is from ρ_s being the action, at each s: ‖z(s·x) − e^{iωs} z(x)‖ / ‖z(x)‖, root mean square.

    The mean is over `patches` (m, D) if given, else over all unit vectors, which is the expectation for white noise, or
    over a sample of white noise if the vectors are too many. `angles` is (n,), or (n, 2) for a two-parameter group; the
    result is (n,).

    >>> model, action = tsa.load("rotation-16-refined"), tsa.groups.ImageRotation(16)
    >>> tsa.equivariance_error(model, action, np.radians([0, 90])).round(3)
    array([0., 0.])
    """
    if patches is not None:
        x = checks.real(patches, "patches")
    elif model.dimension <= _MAX_UNIT_VECTORS:
        x = np.eye(model.dimension)
    else:
        x = np.random.default_rng(0).standard_normal((_MAX_UNIT_VECTORS // 4, model.dimension))
    z = model.coordinates(x)
    scale = np.sqrt(squared_norm(z).sum())
    errors = []
    for s in np.atleast_1d(checks.real(angles, "angles")):
        moved = model.coordinates(action.apply(x, s))
        errors.append(np.sqrt(squared_norm(moved - model.irreps.phases(s).astype(z.dtype) * z).sum()) / scale)
    return np.array(errors)


_ROTATION_COUNT = 36  # rotations at which equivariance is measured: every 10°, quarter turns among them
_SHIFT_COUNT = 24  # about as many shifts


@dataclass(frozen=True, eq=False)
class Equivariance:
    """The error of z(s·x) ≈ e^{iωs} z(x) against s, as a fraction of ‖z(x)‖ (root mean square): each curve is (n,).

    With A_s the action on patches, T_s the exact turn of a picture p, and C the camera, which samples it as x = Cp,

        z(A_s x) − e^{iωs} z(x)  =  [z(A_s x) − z(C T_s p)]  +  [z(C T_s p) − e^{iωs} z(x)]
               `total`                  `interpolation`                  `model`

    so no curve exceeds the sum of the other two. The pictures are the bundled digits. Quarter turns permute pixels, and
    there `interpolation` is zero. Whole cyclic shifts permute samples: for them it is zero throughout, and the patches
    are white noise. `on_white_noise` is the total error on white noise, which contains finer detail than any picture of
    a camera: for rotations most of it is interpolation.
    """

    angles: Array  # (n,), or (n, 2) for a two-parameter group
    on_white_noise: Array
    total: Array
    interpolation: Array
    model: Array


def digits_on_disc() -> Array:
    """The bundled digits as pictures on a disc: (30, rings, spokes)."""
    return np.stack([to_disc(image) for image in datasets.gallery()[0]])


def total_energy(z: Array) -> float:
    """Σ|z|² over the whole array."""
    return float(np.square(np.abs(z)).sum())


def measure_equivariance(model: Subgroup, action: LatticeAction, on_progress: ProgressCallback) -> Equivariance:
    """The errors of a model under an action, at some 30 elements of its lattice."""
    number = _ROTATION_COUNT if isinstance(action, ImageRotation) else _SHIFT_COUNT
    angles = action.lattice[:: max(1, len(action.lattice) // number)]
    noise = equivariance_error(model, action, angles)
    if not isinstance(action, ImageRotation):
        return Equivariance(angles, noise, noise, np.zeros(len(angles)), noise)
    pictures = digits_on_disc()
    x = patch_of(pictures, action.size)
    still = model.coordinates(x)
    scale = max(np.sqrt(total_energy(still)), 1e-300)  # filters in the corners are zero on the disc
    errors = np.empty((3, len(angles)))
    for i, s in enumerate(angles):
        promised = model.irreps.phases(s) * still
        interpolated = model.coordinates(action.apply(x, s))
        exact = model.coordinates(patch_of(turn_disc(pictures, float(s)), action.size))
        gaps = (interpolated - promised, interpolated - exact, exact - promised)
        errors[:, i] = [np.sqrt(total_energy(gap)) / scale for gap in gaps]
        on_progress((i + 1) / len(angles))
    return Equivariance(angles, noise, *errors)
