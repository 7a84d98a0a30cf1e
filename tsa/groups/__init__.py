"""Group actions that move patches: rotation, shifts, permutations, hues, products, and actions of one's own.

Each action applies group elements to patches and makes reproducible streams of training pairs.
"""

from tsa.groups._named import Group, named_group
from tsa.groups.action import Action, LatticeAction, white_noise
from tsa.groups.custom import CustomAction, as_lattice_action, check_action
from tsa.groups.hue import HueRotation, shift_and_hue
from tsa.groups.log_polar import LogPolar
from tsa.groups.of_model import ModelAction
from tsa.groups.permutation import Permutation
from tsa.groups.product import Product
from tsa.groups.rotation import ImageRotation
from tsa.groups.shift import CyclicShift
from tsa.groups.torus_path import UNITS, ExactWeight, TorusPath

__all__ = [
    "UNITS",
    "Action",
    "CustomAction",
    "CyclicShift",
    "ExactWeight",
    "Group",
    "HueRotation",
    "ImageRotation",
    "LatticeAction",
    "LogPolar",
    "ModelAction",
    "Permutation",
    "Product",
    "TorusPath",
    "as_lattice_action",
    "check_action",
    "named_group",
    "shift_and_hue",
    "white_noise",
]
