"""The mean power spectrum of photographs, from which follows how much power a plane of any model sees on average.

The table `photographs.json` in assets holds the power by spatial frequency, in cycles per side of the picture, averaged
over directions and over crops of many photographs; `tsa reproduce photographs` measures it.
"""

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy import fft

from tsa._base import Array, assets
from tsa.pictures import luminance, pixels_behind, whole_picture
from tsa.registration.held_out import picture_files
from tsa.registration.planes import NoisyPlanes

_MAX_SIDE = 96  # pixels of the pictures through which a camera is described; more would change nothing
CROP = 84  # pixels a side of the crops that are measured
_FREQUENCIES = np.geomspace(2.0, 42.0, 16)  # cycles per side of a crop; the window hides lower ones
_LOWEST = 0.5  # cycles per side, below which the power is taken to be constant
_BAND_OCTAVES = 0.7  # standard deviation of the logarithm of the frequency in a band
_MIN_DEVIATION = 0.06  # of the grey values of a crop; others are clear sky


def photographic_power(planes: NoisyPlanes, tilt: float = 0.0) -> Array:
    """The mean power of photographs, times frequency^`tilt`, in each real dimension of each plane: (J,).

    Up to a common factor.
    """
    return _power_of(planes, tilt)


@lru_cache(maxsize=128)
def _power_of(planes: NoisyPlanes, tilt: float) -> Array:
    frequency, response = _responses(planes)
    power = response @ (spectrum_at(frequency) * np.maximum(frequency, _LOWEST) ** tilt)
    return np.asarray(power / 2 + 1e-300)


@lru_cache(maxsize=128)
def band_power(planes: NoisyPlanes, centre: float) -> Array:
    """As `photographic_power`, of pictures whose power lies about one frequency, in cycles per side: (J,)."""
    frequency, response = _responses(planes)
    octaves = np.log(np.maximum(frequency, _LOWEST) / centre) / np.log(2.0)
    return np.asarray(response @ np.exp(-((octaves / _BAND_OCTAVES) ** 2) / 2) / 2 + 1e-300)


@lru_cache(maxsize=32)
def _responses(planes: NoisyPlanes) -> tuple[Array, Array]:
    """Spatial frequencies (U,), and the squared responses of the planes to waves of each, of all directions (J, U)."""
    dimension = len(planes.filters)
    side = round(dimension**0.5)
    if planes.camera is not None:
        side = min(planes.camera.side, _MAX_SIDE)
        behind, shape = pixels_behind(planes.filters, planes.camera.size, side), (side, side)
    elif side * side == dimension and dimension > 1 and (planes.weights.parameters == 2 or side > 8):
        behind, shape = planes.filters, (side, side)
    else:
        behind, shape = planes.filters, (1, dimension)
    # Twice as many nodes as pixels: a picture does not continue periodically.
    # One row of a picture sees all frequencies across it alike.
    nodes = (1 if shape[0] == 1 else 2 * shape[0], 2 * shape[1])
    down, across = (fft.fftfreq(n) * max(shape) for n in (2 * max(shape), nodes[1]))
    # A pixel is the mean of the light on its square.
    pixel = np.sinc(down[:, None] / max(shape)) ** 2 * np.sinc(across / max(shape)) ** 2
    frequency, of_wave = np.unique(np.hypot(down[:, None], across).round(12), return_inverse=True)
    filters = behind.T.reshape(-1, *shape)
    response = np.empty((len(filters), len(frequency)))
    for found, one in zip(response, filters, strict=True):  # one by one, they stay in cache
        energy = np.abs(fft.fft2(one, nodes)) ** 2 * pixel
        found[:] = np.bincount(of_wave.ravel(), energy.ravel())
    return frequency, response


def spectrum_at(frequency: Array) -> Array:
    """The tabulated power at frequencies in cycles per side, by interpolation and extrapolation in logarithms.

    Below `_LOWEST`, where nothing can be measured on a crop, it is constant.
    """
    log_f, log_power = (np.log(_table()[name]) for name in ("frequency", "power"))
    at = np.log(np.maximum(frequency, _LOWEST))
    first, last = ((log_power[i + 3] - log_power[i]) / (log_f[i + 3] - log_f[i]) for i in (0, len(log_f) - 4))
    below, above = np.minimum(at - log_f[0], 0.0), np.maximum(at - log_f[-1], 0.0)
    return np.exp(np.interp(at, log_f, log_power) + first * below + last * above)


@lru_cache(maxsize=1)
def _table() -> dict[str, Any]:
    return json.loads((assets("") / "photographs.json").read_text(encoding="utf-8"))


def spectrum_table(folder: Path, crops: int = 400, seed: int = 0) -> dict[str, Any]:
    """The table of the photographs in a folder, with its provenance."""
    files = picture_files(folder)
    frequency, power = measure_spectrum([luminance(whole_picture(path)) for path in files], crops, seed)
    names = ", ".join(path.name for path in files)
    return {
        "what": "mean power of photographs by frequency, in cycles per side of a square crop, relative to the first",
        "source": f"{names}; {crops} random crops of {CROP}×{CROP} pixels from each, Hann window",
        "command": "tsa reproduce photographs --data FOLDER --out photographs.json",
        "frequency": [round(float(f), 4) for f in frequency],
        "power": [float(f"{p:.4g}") for p in power],
    }


def measure_spectrum(photographs: list[Array], crops: int = 400, seed: int = 0) -> tuple[Array, Array]:
    """Frequencies and mean power of random crops of grey photographs (height, width), which count alike.

    Each crop has its mean removed, weighted by a Hann window, and is scaled to the same energy before averaging.
    """
    rng = np.random.default_rng(seed)
    hann = np.hanning(CROP + 2)[1:-1]
    window = np.multiply.outer(hann, hann)
    total = np.zeros((2 * CROP, 2 * CROP))
    for photograph in photographs:
        taken = 0
        for _ in range(100 * crops):
            row, column = (rng.integers(0, n - CROP + 1) for n in photograph.shape)
            crop = photograph[row : row + CROP, column : column + CROP]
            if crop.std() < _MIN_DEVIATION:
                continue
            windowed = window * (crop - (window * crop).sum() / window.sum())
            total += np.abs(fft.fft2(windowed, total.shape)) ** 2 / (windowed**2).sum()
            taken += 1
            if taken == crops:
                break
    axis = fft.fftfreq(2 * CROP) * CROP
    frequency = np.hypot(axis[:, None], axis).ravel()
    edges = np.sqrt(_FREQUENCIES[1:] * _FREQUENCIES[:-1])
    band = np.digitize(frequency, edges)
    inside = (frequency >= 1.8) & (frequency <= CROP / 2)
    count = np.bincount(band[inside], minlength=len(_FREQUENCIES))
    power = np.bincount(band[inside], total.ravel()[inside], minlength=len(_FREQUENCIES)) / np.maximum(count, 1)
    centre = np.exp(
        np.bincount(band[inside], np.log(frequency[inside]), minlength=len(_FREQUENCIES)) / np.maximum(count, 1)
    )
    kept = count > 0
    return centre[kept], power[kept] / power[kept][0]
