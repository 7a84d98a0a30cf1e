"""A film: frames of a picture that turns or slides, with noise and gaps, and what `tsa` says of each of them.

A slide is a shift to the right in a world that closes at its edges; 360° of it are the width of the picture.
"""

import math
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from PIL import Image

from tsa._base import Array, InputError
from tsa.density import VonMises
from tsa.model import RandomWalk, Subgroup, Track, fourier_model, track, track_best_guess
from tsa.pictures import patch_of, to_disc, turned_patches

OWN_FILM, UPLOADED = "own", "upload"  # the picture x of the lab; frames from a file
FILMS = ("S", "square", "F", "triangle", "bar", OWN_FILM, UPLOADED)  # shapes, and the two
SLIDES = ("grating", "face", "plaid", "bar", OWN_FILM, UPLOADED)  # periodic pictures, and the two
SLIDE_SIDE = 16  # pixels of a sliding picture
FILM_FRAMES = 200
FILM_NOISES = (0.5, 8.0, 0.5)  # least, most and step of the slider; the standard deviation of a picture is 1
FILM_STEPS = (1, 20)  # degrees
FILM_GAPS = (0, 60)  # frames
MAX_FILM_SEED = 999
_GAPS_BEGIN = (0.3, 0.65)  # shares of the film
_START_DEGREES = 5.0  # standard deviation of what is known of the first angle


@dataclass(frozen=True, eq=False)
class Film:
    """Frames (T, D), nan where missing, of a template (D,); `degrees` (T,) is the true turn, None if it is not known.

    The model expects noise σ and steps of `step` degrees.
    """

    model: Subgroup
    template: Array
    frames: Array
    step: float
    degrees: Array | None = None
    slides: bool = False

    @property
    def side(self) -> int:
        """Pixels along a side of a frame."""
        return math.isqrt(len(self.template))

    @property
    def missing(self) -> Array:
        """Which frames are missing, (T,)."""
        return np.isnan(self.frames[:, 0])

    @property
    def motion(self) -> RandomWalk:
        """How the turn is expected to change from frame to frame."""
        return RandomWalk(float(np.radians(self.step) ** -2.0))

    @property
    def start(self) -> VonMises:
        """What is known of the first turn."""
        return VonMises(np.radians(_START_DEGREES) ** -2.0)

    @cached_property
    def track(self) -> Track:
        """Filter and smoother."""
        return track(self.model, self.frames, self.template, self.motion, start=self.start)

    @cached_property
    def best_guess(self) -> Array:
        """The turns of one that keeps only its best guess, in degrees (T,)."""
        guesses = track_best_guess(self.model, self.frames, self.template, self.motion, start=self.start)
        return np.degrees(guesses) % 360


@cache
def sideways_model() -> Subgroup:
    """Shifts to the right of square pictures: the waves of the Fourier model, by their frequency across alone.

    Left out are waves that such a shift does not move, and the highest frequency, of which half is not seen.
    """
    waves = fourier_model((SLIDE_SIDE, SLIDE_SIDE))
    weights = np.asarray(waves.irreps.values)[:, 1]
    moved = (weights != 0) & (np.abs(weights) < SLIDE_SIDE // 2)
    return Subgroup(waves.filters[:, moved], weights[moved])


def turning_film(model: Subgroup, picture: Array, noise: float, step: int, gap: int, seed: int) -> Film:
    """A film of a square picture that turns by random steps, with noise in every frame and two gaps."""
    side = math.isqrt(model.dimension)
    views = turned_patches(to_disc(picture), side)
    if views[0].std() < 1e-6:
        raise InputError("This picture is the same everywhere, so nobody could see it turn. Choose another one.")
    return _walk(model, views / views[0].std(), noise, step, gap, seed)


def sliding_film(picture: Array, noise: float, step: int, gap: int, seed: int) -> Film:
    """A film of a square picture that slides to the right and back by random steps, with noise and two gaps."""
    shifts = np.rint(np.arange(360) * picture.shape[1] / 360).astype(int)
    views = np.stack([_flat_patch(np.roll(picture, shift, axis=1)) for shift in shifts])
    moved = np.ptp(views, axis=0).max()
    if moved < 1e-6:
        raise InputError("This picture looks the same however far it slides. Choose another one.")
    return _walk(sideways_model(), views / views[0].std(), noise, step, gap, seed, slides=True)


def _walk(model: Subgroup, views: Array, noise: float, step: int, gap: int, seed: int, slides: bool = False) -> Film:
    """A film that wanders over views (360, D), one for each degree."""
    rng = np.random.default_rng(seed)
    walk = rng.vonmises(0.0, np.radians(step) ** -2.0, FILM_FRAMES)
    walk[0] = 0.0
    degrees = np.rint(np.degrees(np.cumsum(walk))).astype(np.int64) % 360
    frames = views[degrees] + noise * rng.standard_normal((FILM_FRAMES, model.dimension))
    return Film(model.with_noise(noise), views[0], _with_gaps(frames, gap), float(step), degrees, slides)


def film_of_frames(model: Subgroup | None, pictures: Array, noise: float, step: int, gap: int, seed: int) -> Film:
    """A film of pictures (n, h, w) from a file: the square in the middle of each, with noise and gaps added.

    The first one is the template. What the model cannot explain counts as noise too. Without a model they slide.
    """
    if len(pictures) < 2:
        raise InputError("A film needs at least two frames; this has one.")
    height, width = pictures.shape[1:]
    square = min(height, width)
    top, left = (height - square) // 2, (width - square) // 2
    seen = pictures[:FILM_FRAMES, top : top + square, left : left + square]
    if model is None:
        patches = np.stack([_flat_patch(one) for one in seen])
    else:
        patches = np.stack([patch_of(to_disc(one), math.isqrt(model.dimension)) for one in seen])
    spread = patches[0].std()
    if spread < 1e-6:
        raise InputError("The first frame is the same everywhere, so nobody could see it move. Choose another film.")
    patches = patches / spread
    frames = patches + noise * np.random.default_rng(seed).standard_normal(patches.shape)
    moves = sideways_model() if model is None else model
    expected = moves.with_noise(max(noise, 1.0))
    return Film(expected, patches[0], _with_gaps(frames, gap), float(step), slides=model is None)


def _flat_patch(picture: Array) -> Array:
    """The means over SLIDE_SIDE × SLIDE_SIDE tiles of a square picture, about their own mean (D,)."""
    image = Image.fromarray(picture.astype(np.float32))
    small = np.asarray(image.resize((SLIDE_SIDE, SLIDE_SIDE), Image.Resampling.BOX), np.float64).ravel()
    return small - small.mean()


def _with_gaps(frames: Array, gap: int) -> Array:
    for share in _GAPS_BEGIN:
        first = max(1, round(share * len(frames)))
        frames[first : first + gap * len(frames) // FILM_FRAMES] = np.nan
    return frames
