"""Where pairs come from: examples moved by a group that the search is not told, and files of one's own."""

from collections.abc import Callable, Sequence

import numpy as np

from explorer.training.request import DiscoveryRequest, requested_search
from tsa import files
from tsa._base import Array, InputError
from tsa.groups import CyclicShift, ImageRotation, LatticeAction, shift_and_hue
from tsa.pictures import frame_pairs, open_frames, random_patches

_NOISE = 0.1  # σ of the examples
_PICTURE_SIDE = 10  # pixels of patches of pictures that are turned in secret


def _moved(make: Callable[[], LatticeAction], pairs: int, permuted: bool = False) -> Callable[[], DiscoveryRequest]:
    def request() -> DiscoveryRequest:
        action, rng = make(), np.random.default_rng(0)
        x, y, _ = action.pairs(pairs, rng)
        x, y = x[:, action.support], y[:, action.support]
        order = rng.permutation(x.shape[1]) if permuted else np.arange(x.shape[1])
        y = y + _NOISE * rng.standard_normal(y.shape).astype(np.float32)
        whole = action.support.size == action.dimension and not permuted
        shape = action.shape if whole else (x.shape[1],)
        return requested_search(x[:, order], y[:, order], shape, "shifted noise")

    return request


def _coloured() -> DiscoveryRequest:
    pixels, pairs, rng = 8, 3000, np.random.default_rng(0)
    action = shift_and_hue(pixels)
    x = rng.standard_normal((pairs, action.dimension))
    s = np.stack([2 * np.pi * rng.integers(pixels, size=pairs) / pixels, rng.uniform(0, 2 * np.pi, pairs)], axis=-1)
    y = action.apply(x, s) + _NOISE * rng.standard_normal(x.shape)
    return requested_search(x, y, action.shape, "colours")


def _strangers() -> DiscoveryRequest:
    x, y = np.random.default_rng(0).standard_normal((2, 2000, 24))
    return requested_search(x, y, name="strangers")


def _turned() -> DiscoveryRequest:
    action, rng = ImageRotation(8), np.random.default_rng(0)
    x, y, _ = action.pairs(4000, rng)
    return requested_search(x, y, action.shape, "turned noise")


EXAMPLES: dict[str, Callable[[], DiscoveryRequest]] = {
    "Pictures of 8×8 pixels, shifted": _moved(lambda: CyclicShift((8, 8)), 7000),
    "32 samples, shifted, then shuffled": _moved(lambda: CyclicShift(32), 3000, permuted=True),
    "8 colours, shifted and their hue turned": _coloured,
    "Pictures of 8×8 pixels, turned": _turned,
    "Strangers: no group at all": _strangers,
}


def turned_pictures(pictures: Sequence[Array], pairs: int = 3000, seed: int = 0) -> DiscoveryRequest:
    """Patches of pictures (height, width), each turned by an angle that the search is not told."""
    action, rng = ImageRotation(_PICTURE_SIDE), np.random.default_rng(seed)
    patches = np.concatenate([random_patches(p, _PICTURE_SIDE, -(-pairs // len(pictures)), rng) for p in pictures])
    x, y, _ = action.pairs(pairs, rng, patches)
    return requested_search(x, y, action.shape, "pictures")


def pairs_of_files(named: Sequence[tuple[str, bytes]], size: int, lag: int) -> DiscoveryRequest:
    """Pairs of files as `tsa discover` reads them: X and Y in one .npz, X.npy and Y.npy, or moving GIFs.

    Frames of films are scaled to size×size pixels, and pairs are at most `lag` frames apart.
    """
    kinds = {name.rpartition(".")[2].lower() for name, _ in named}
    stem = named[0][0].rpartition(".")[0]
    if kinds == {"gif"}:
        x, y = frame_pairs([open_frames(data) for _, data in named], size, lag, 0)
        return requested_search(x, y, (size, size), stem)
    if kinds == {"npz"} and len(named) == 1:
        x, y = files.pairs_of_arrays(files.read_arrays(named[0][1]), named[0][0])
        return requested_search(x, y, name=stem)
    if kinds == {"npy"} and len(named) == 2:
        (_, first), (_, second) = sorted(named)
        x, y = (files.only_array(files.read_arrays(data), name) for name, data in (("X", first), ("Y", second)))
        return requested_search(x, y, name=stem)
    raise InputError(
        "Give one .npz with arrays X and Y, two .npy files (the first by name is X, the second Y), or moving GIFs."
    )
