"""The discrete Fourier transform as a TSA model (paper, section 3.2): cyclic shifts, whose irreducibles are known."""

import numpy as np

from tsa._base import InputError
from tsa.model.subgroup import Subgroup
from tsa.model.weights import Weights, lattice_points


def fourier_model(shape: int | tuple[int, int], noise: float = 1.0) -> Subgroup:
    """The DFT of n samples, or of h×w pixels in row-major order, as a `Subgroup`.

    z_j is the DFT coefficient X_j of numpy.fft times √(2/D) (1/√D on the lines, where X_j is real), and
    `act(x, 2πm/n)` is `numpy.roll(x, m)`. A forward shift *lowers* DFT phases, so the weights are −j.
    """
    sizes = (int(shape),) if isinstance(shape, int | np.integer) else tuple(int(n) for n in shape)
    if len(sizes) not in (1, 2) or min(sizes) < 1:
        raise InputError(f"A Fourier model is made for n samples or for (h, w) pixels; got {shape!r}.")
    frequencies = Weights.of_dft(sizes).values
    pixels = lattice_points(sizes)
    turns = (pixels / np.array(sizes)) @ frequencies.T
    filters = np.exp(-2j * np.pi * turns)
    lines = np.all(np.mod(2 * frequencies, sizes) == 0, axis=1)
    filters[:, lines] = np.rint(filters[:, lines].real)
    filters *= np.where(lines, 1.0, np.sqrt(2.0)) / np.sqrt(len(pixels))
    return Subgroup(filters, -frequencies, noise)
