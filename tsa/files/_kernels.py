"""Kernels of convolutional layers, (n, channels, h, w) or (h, w, channels, n), as filters."""

import numpy as np

from tsa._base import Array, InputError, ModelFileError
from tsa.files._tables import Table, kernel_axes

MAX_FILTERS = 16384


def kernels_of(table: Table, channel: int | str | None) -> tuple[Array, tuple[int, int], str]:
    """Filters (D, n) of an array of kernels, their shape, and in words which channels these are.

    `channel` is a number, "each" for all channels as filters of their own, or "mean", which is what None stands for.
    """
    axes = kernel_axes(table.shape)
    if axes is None:
        raise ModelFileError(
            f"Array {table} does not hold kernels: (n, channels, h, w) or (h, w, channels, n), h = w from 5 to 128."
        )
    kernels = table.read().transpose(axes)
    h, w = kernels.shape[-2:]
    if kernels.ndim == 3:
        return kernels.reshape(-1, h * w).T, (h, w), ""
    channels = kernels.shape[1]
    if channel == "each":
        flat, words = kernels.reshape(-1, h * w), f"Each of {channels} channels is a filter of its own."
    elif channel in (None, "mean"):
        flat = kernels.mean(axis=1).reshape(-1, h * w)
        words = f"Of {channels} channels the mean was taken." if channels > 1 else ""
    elif isinstance(channel, int) and 0 <= channel < channels:
        flat, words = kernels[:, channel].reshape(-1, h * w), f"Channel {channel} of {channels} was taken."
    else:
        raise InputError(f"A channel is a number from 0 to {channels - 1}, `each` or `mean`; got {channel!r}.")
    if len(flat) > MAX_FILTERS:
        raise ModelFileError(f"At most {MAX_FILTERS:,} filters are read; array {table} has {len(flat):,}.")
    return np.ascontiguousarray(flat.T), (h, w), words
