"""Pairs X, Y in files of numpy arrays."""

from tsa._base import Array, InputError


def pairs_of_arrays(arrays: dict[str, Array], name: str) -> tuple[Array, Array]:
    """The arrays X and Y of an `.npz` file of this name."""
    by_name = {key.lower(): array for key, array in arrays.items()}
    if not {"x", "y"} <= set(by_name):
        raise InputError(f"{name} holds {', '.join(sorted(arrays)) or 'nothing'}; pairs are two arrays X and Y.")
    return by_name["x"], by_name["y"]


def only_array(arrays: dict[str, Array], name: str) -> Array:
    """The one array of a file of this name."""
    if len(arrays) != 1:
        raise InputError(f"{name} holds {len(arrays)} arrays; X and Y are files of one array each.")
    return next(iter(arrays.values()))
