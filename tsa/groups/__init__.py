"""Group actions that move patches: image rotation, cyclic shifts, and paths on the torus.

Each action applies group elements to patches and makes reproducible streams of training pairs.
"""

from tsa.groups._named import Group, named_group
from tsa.groups.action import Action, white_noise
from tsa.groups.rotation import ImageRotation
from tsa.groups.shift import CyclicShift
from tsa.groups.torus_path import UNITS, ExactWeight, TorusPath

__all__ = [
    "UNITS",
    "Action",
    "CyclicShift",
    "ExactWeight",
    "Group",
    "ImageRotation",
    "TorusPath",
    "named_group",
    "white_noise",
]
