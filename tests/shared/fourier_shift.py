"""Cyclic shifts by any distance, wave by wave, and the likelihood of what was shifted: an oracle for Fourier models."""

import numpy as np

from tests.hard import TURN


def fourier_shift(x, sizes, s):
    """x̃(t_p − s) for s (m, p) by the sum over all waves: (m, D).

    A wave and its conjugate have opposite frequencies. On even sizes one that is its own conjugate has the frequency
    n/2 alone; between the pixels, `act` takes its real part.
    """
    spectrum = np.fft.fftn(x.reshape(sizes)) / x.size
    pixels = TURN * np.stack(np.unravel_index(np.arange(x.size), sizes), axis=-1) / np.array(sizes)
    moved = np.zeros((len(s), x.size), complex)
    for index in np.ndindex(*sizes):
        conjugate = tuple(-i % n for i, n in zip(index, sizes, strict=True))
        chosen = np.array(min(index, conjugate))
        frequency = np.where(2 * chosen > sizes, chosen - sizes, chosen) * (1 if index <= conjugate else -1)
        moved += spectrum[index] * np.exp(1j * ((pixels - s[:, None]) @ frequency))
    return moved.real


def log_likelihood(y, moved, m, noise):
    """log N(y | moved, σ²), each pixel to the power m."""
    return np.sum(m * (-((y - moved) ** 2) / (2 * noise**2) - np.log(TURN * noise**2) / 2), axis=-1)
