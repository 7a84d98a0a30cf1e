"""From images to patches: files, shapes, digits, the camera that turns exactly, crops and centring."""

from tsa.pictures import datasets, shapes
from tsa.pictures.camera import SPOKES, patch_of, patches_of_images, to_disc, turn_disc, turned_patches
from tsa.pictures.centring import centred
from tsa.pictures.datasets import Digits, Patches, gallery, rotated, upright
from tsa.pictures.images import EXTENSIONS, CropCircle, PictureError, crop, open_picture, patch, picture, rotate
from tsa.pictures.notch import notched
from tsa.pictures.random_patches import random_patches
from tsa.pictures.shapes import SHAPES, draw

__all__ = [
    "EXTENSIONS",
    "SHAPES",
    "SPOKES",
    "CropCircle",
    "Digits",
    "Patches",
    "PictureError",
    "centred",
    "crop",
    "datasets",
    "draw",
    "gallery",
    "notched",
    "open_picture",
    "patch",
    "patch_of",
    "patches_of_images",
    "picture",
    "random_patches",
    "rotate",
    "rotated",
    "shapes",
    "to_disc",
    "turn_disc",
    "turned_patches",
    "upright",
]
