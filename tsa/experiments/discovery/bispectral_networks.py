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

_ORBITS_PER_BATCH, _RATE, _RECONSTRUCTION = 10, 0.005, 10.0  # of their settings the best of two that were tried
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


def learn_waves(peer: BispectralNetworks, orbits: Array, seed: int) -> Iterator[tuple[Array, float]]:
    """Train on orbits (classes, members, D): the matrix (D, D), a filter in each column, after each pass over them.

    With the seconds since the start, until the schedule has ended.
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
    optimizer = torch.optim.Adam(network.parameters(), lr=_RATE)
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
            loss = loss + _RECONSTRUCTION * torch.nn.functional.mse_loss(reconstructed, patches)
            loss.backward()
            optimizer.step()
            normalize(dict(network.named_parameters()))
            total += loss.item()
        schedule.step(total)
        matrix = network.layers[0].W
        yield (matrix.real + 1j * matrix.imag).detach().numpy().T, time.perf_counter() - begun
