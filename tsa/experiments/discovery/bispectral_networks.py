"""Bispectral Networks (Sanborn, Shewmake, Olshausen & Hillar, 2023) learning cyclic shifts from the patches we get.

They learn a complex matrix whose bispectrum is equal for all patches of one orbit, by gradient descent; for shifts its
rows become waves. They remove the mean of each patch, so that the frequency 0 is out of their reach. There is no
package: the repository has to be on the path of Python, with torch and cplxmodule.
"""

import time
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from tsa._base import Array

_ORBITS_PER_BATCH = 10
_SETTINGS = ((0.005, 10.0), (0.002, 150.0))  # rate and share of reconstruction; theirs are the second
_MOST_SECONDS = 90.0  # of one training
_LEAST_RATE = 1e-6  # of their schedule, which halves the rate where the loss no longer falls: then training ends


class BispectralNetworks(NamedTuple):
    """The modules that are used here."""

    torch: ModuleType
    model: ModuleType
    loss: ModuleType
    normalizer: ModuleType


def import_bispectral_networks() -> BispectralNetworks | None:
    """The modules, or None where they are missing."""
    names = ("torch", *(f"bispectral_networks.{name}" for name in ("nn.model", "loss", "normalizer")))
    try:
        return BispectralNetworks(*(import_module(name) for name in names))
    except ImportError:
        return None


class LearnedShifts(NamedTuple):
    """The number of right frequencies of the best training, and the seconds of it until it had them."""

    frequencies: int
    seconds: float


def learn_shifts(peer: BispectralNetworks, orbits: Array, waves: set[int], seed: int) -> LearnedShifts:
    """Train on orbits (classes, members, D) with one setting after the other, until all of these waves are found."""
    best = LearnedShifts(0, 0.0)
    for rate, reconstruction in _SETTINGS:
        for filters, seconds in _training(peer, orbits, seed, rate, reconstruction):
            right = len(frequencies(filters) & waves)
            if right > best.frequencies:
                best = LearnedShifts(right, seconds)
            if right == len(waves):
                return best
            if seconds > _MOST_SECONDS:
                break
    return best


def frequencies(filters: Array) -> set[int]:
    """The frequencies, without their sign, of the filters (D, J) that have 0.9 of their power at one."""
    power = np.square(np.abs(np.fft.fft(filters, axis=0)))
    size = len(filters)
    folded = np.stack([power[k] + (power[-k] if 0 < 2 * k < size else 0) for k in range(size // 2 + 1)])
    share = folded / folded.sum(axis=0)
    return set(share.argmax(axis=0)[share.max(axis=0) > 0.9].tolist())


def _training(
    peer: BispectralNetworks, orbits: Array, seed: int, rate: float, reconstruction: float
) -> Iterator[tuple[Array, float]]:
    """The matrix (D, D), a filter in each column, after each pass over the orbits, and the seconds since the start.

    It ends with their schedule.
    """
    torch: Any = peer.torch
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    orbits = orbits - orbits.mean(axis=-1, keepdims=True)
    orbits = orbits / orbits.std(axis=-1, keepdims=True)
    classes, members, size = orbits.shape
    network = peer.model.BispectralEmbedding(size, size)
    collapse = peer.loss.OrbitCollapse(peer.loss.LpDistance())
    normalize = peer.normalizer.L2Normalizer(["layers.0.W"])
    optimizer = torch.optim.Adam(network.parameters(), lr=rate)
    schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=2, min_lr=_LEAST_RATE)
    begun = time.perf_counter()
    while optimizer.param_groups[0]["lr"] > 1.01 * _LEAST_RATE:
        total = 0.0
        for rows in np.array_split(rng.permutation(classes), max(1, classes // _ORBITS_PER_BATCH)):
            patches = torch.tensor(orbits[rows].reshape(-1, size), dtype=torch.float32)
            labels = torch.tensor(np.repeat(np.arange(len(rows)), members))
            optimizer.zero_grad()
            embedded, reconstructed = network(patches)
            loss = abs(collapse(embedded, labels))
            loss = loss + reconstruction * torch.nn.functional.mse_loss(reconstructed, patches)
            loss.backward()
            optimizer.step()
            normalize(dict(network.named_parameters()))
            total += loss.item()
        schedule.step(total)
        matrix = network.layers[0].W
        yield (matrix.real + 1j * matrix.imag).detach().numpy().T, time.perf_counter() - begun
