"""The discrete Fourier transform as a TSA model (paper, section 3.2): cyclic shifts, whose irreducibles are known."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy import fft

from tsa._base import Array, InputError, checks
from tsa.model._series import dft_places
from tsa.model.subgroup import Subgroup
from tsa.model.weights import Weights, lattice_points


def fourier_model(shape: int | tuple[int, int], noise: float = 1.0) -> Subgroup:
    """The DFT of n samples, or of h×w pixels in row-major order, as a `Subgroup`.

    z_j is the DFT coefficient X_j of numpy.fft times √(2/D) (1/√D on the lines, where X_j is real), and
    `act(x, 2πm/n)` is `numpy.roll(x, m)`. A forward shift *lowers* DFT phases, so the weights are −j. Coordinates are
    computed by FFT; the filters (D, J) are made when they are first asked for.

    >>> model = tsa.fourier_model((4, 4))
    >>> model.dimension, model.parameters, str(tsa.fourier_model(8).irreps)
    (16, 2, '1x0 + 1x1 + 1x2 + 1x3 + 1x4')
    """
    given = shape if isinstance(shape, tuple | list) else (shape,)
    if len(given) not in (1, 2):
        raise InputError(f"A Fourier model is made for n samples or for (h, w) pixels; got {shape!r}.")
    sizes = tuple(checks.size(n, "A Fourier model is made for n samples or for (h, w) pixels") for n in given)
    return FourierSubgroup(sizes, noise)


@dataclass(frozen=True, eq=False, repr=False)
class FourierSubgroup(Subgroup):
    """The `Subgroup` whose filters are the waves of a DFT: fast Fourier transforms take the place of matrix products.

    Without them, 64×64 pixels would mean 134 MB of filters to make, to check and to read for each patch.
    """

    sizes: tuple[int, ...]

    def __init__(self, sizes: tuple[int, ...], noise: float = 1.0) -> None:
        object.__setattr__(self, "sizes", sizes)
        object.__setattr__(self, "weights", checks.frozen(-np.asarray(Weights.of_dft(sizes))))
        object.__setattr__(self, "noise", checks.positive(noise, "noise"))

    @cached_property  # type: ignore[misc]
    def filters(self) -> Array:
        """√(2/D) e^{−2πi j·p/n} at pixel p; ±1/√D on the lines: complex (D, J)."""
        turns = (lattice_points(self.sizes) / np.array(self.sizes)) @ self._frequencies.T
        filters = np.exp(-2j * np.pi * turns)
        filters[:, self.lines] = np.rint(filters[:, self.lines].real)
        return checks.frozen(filters * self._scale)

    @property
    def dimension(self) -> int:
        """The number D of pixels in a patch."""
        return int(np.prod(self.sizes))

    @property
    def subspaces(self) -> int:
        """The number J of subspaces, planes and lines."""
        return len(self.weights)

    @cached_property
    def lines(self) -> Array:
        """(J,): which subspaces are one-dimensional."""
        return checks.frozen(np.all(np.mod(2 * self._frequencies, self.sizes) == 0, axis=1))

    @cached_property
    def _frequencies(self) -> Array:
        """The frequencies j of the DFT, (J, p): the weights with the other sign."""
        return -self.irreps.values

    @cached_property
    def _scale(self) -> Array:
        """(J,): a coordinate is the DFT coefficient times this."""
        return np.where(self.lines, 1.0, np.sqrt(2.0)) / np.sqrt(self.dimension)

    @cached_property
    def _own_places(self) -> Array:
        return dft_places(self._frequencies, self.sizes)

    @cached_property
    def _seen_places(self) -> Array:
        return dft_places(self._seen_grid.harmonics, self.sizes)

    @property
    def _axes(self) -> tuple[int, ...]:
        return tuple(range(-len(self.sizes), 0))

    def _transform(self, x: Array) -> Array:
        """The DFT of patches, flattened: (..., D) → complex (..., D)."""
        return np.asarray(fft.fftn(x.reshape(*x.shape[:-1], *self.sizes), axes=self._axes)).reshape(x.shape)

    def _coordinates(self, x: Array) -> Array:
        with np.errstate(invalid="ignore", over="ignore"):  # `checks.finite` reports nan and inf afterwards
            spectrum = self._transform(x)
        return spectrum[..., self._own_places] * self._scale.astype(x.dtype)

    def reconstruct(self, z: ArrayLike) -> Array:
        """x = Σ_j Re(conj(f_j) z_j): (..., J) → (..., D)."""
        z = self._checked_coordinates(z)
        return self._on_grid(z, self.sizes)

    def _on_grid(self, z: Array, shape: tuple[int, ...]) -> Array:
        """The Fourier series with coordinates z (..., J), of lines the real part, at t = 2πi/`shape`: (..., nodes)."""
        spectrum = np.zeros((*z.shape[:-1], int(np.prod(shape))), z.dtype)
        half = np.where(self.lines, z.real, z) * (self._scale / 2).astype(z.real.dtype)
        spectrum[..., dft_places(self._frequencies, shape)] = half
        spectrum[..., dft_places(-self._frequencies, shape)] += half.conj()  # at the pixels the place of a line itself
        series = fft.ifftn(spectrum.reshape(*z.shape[:-1], *shape), axes=self._axes, norm="forward")
        return np.asarray(series).real.reshape(spectrum.shape)

    def _seen_energy(self, u: Array, m: Array) -> tuple[Array, Array]:
        """As in `Subgroup`, by FFT: Σ_p m(p) g(t_p − s), where g(t) = x̃(t)² and x̃ is the Fourier series through x.

        Its coefficients are products of those of g, a series of twice the degree of x̃, with the DFT of m.
        """
        mean, square = self._seen_grid.series(self._on_grid(u, self._seen_grid.shape) ** 2)
        spectrum = self._transform(m)
        return mean * spectrum[..., 0].real, (square * spectrum[..., self._seen_places]).conj()
