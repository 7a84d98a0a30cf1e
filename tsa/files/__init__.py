"""Model files, filters written by other programs, and the one way to open a model.

Everything read here is untrusted until checked; nothing is unpickled.
"""

from tsa.files._formats import SUFFIXES
from tsa.files._npz import json_array, read_arrays, write_arrays, write_model, zip_arrays
from tsa.files.filter_file import OpenedFilters, list_arrays, open_file, open_filters
from tsa.files.model_file import ModelFile, bundled, bundled_path, load, pack_model, read, save
from tsa.files.opened_model import NO_HINTS, Hints, OpenedModel, open_model
from tsa.files.pairs import only_array, pairs_of_arrays

__all__ = [
    "NO_HINTS",
    "SUFFIXES",
    "Hints",
    "ModelFile",
    "OpenedFilters",
    "OpenedModel",
    "bundled",
    "bundled_path",
    "json_array",
    "list_arrays",
    "load",
    "only_array",
    "open_file",
    "open_filters",
    "open_model",
    "pack_model",
    "pairs_of_arrays",
    "read",
    "read_arrays",
    "save",
    "write_arrays",
    "write_model",
    "zip_arrays",
]
