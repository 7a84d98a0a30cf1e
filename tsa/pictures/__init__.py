"""From images to patches: files, shapes, digits, the camera that turns exactly, crops and centring.

And pictures in a world that closes at its edges, with windows on it.
"""

from tsa.pictures import datasets, periodic, shapes
from tsa.pictures.camera import (
    SPOKES,
    patch_of,
    patches_of_images,
    patches_of_pictures,
    pixels_behind,
    to_disc,
    turn_disc,
    turned_patches,
)
from tsa.pictures.centring import centred
from tsa.pictures.datasets import Digits, Patches, gallery, rotated, upright
from tsa.pictures.frames import frame_pairs, open_frames, read_clips, read_pictures
from tsa.pictures.images import (
    EXTENSIONS,
    CropCircle,
    PictureError,
    crop,
    luminance,
    open_picture,
    patch,
    picture,
    rotate,
    whole_picture,
)
from tsa.pictures.notch import notched
from tsa.pictures.periodic import (
    PERIODIC_PICTURES,
    draw_periodic,
    motion_from_shift,
    round_window,
    shift_from_motion,
)
from tsa.pictures.random_patches import TRAINING_PATCHES, random_patches, white_patches
from tsa.pictures.shapes import SHAPES, draw

__all__ = [
    "EXTENSIONS",
    "PERIODIC_PICTURES",
    "SHAPES",
    "SPOKES",
    "TRAINING_PATCHES",
    "CropCircle",
    "Digits",
    "Patches",
    "PictureError",
    "centred",
    "crop",
    "datasets",
    "draw",
    "draw_periodic",
    "frame_pairs",
    "gallery",
    "luminance",
    "motion_from_shift",
    "notched",
    "open_frames",
    "open_picture",
    "patch",
    "patch_of",
    "patches_of_images",
    "patches_of_pictures",
    "periodic",
    "picture",
    "pixels_behind",
    "random_patches",
    "read_clips",
    "read_pictures",
    "rotate",
    "rotated",
    "round_window",
    "shapes",
    "shift_from_motion",
    "to_disc",
    "turn_disc",
    "turned_patches",
    "upright",
    "white_patches",
    "whole_picture",
]
