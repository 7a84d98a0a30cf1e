"""A film: frames of a picture that turns, with noise and gaps, and what `tsa` says of the turn at each of them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tsa._base import Array, InputError
from tsa.density import VonMises
from tsa.model import RandomWalk, Subgroup, Track, track, track_best_guess
from tsa.pictures import patch_of, to_disc, turned_patches

OWN_FILM, UPLOADED = "own", "upload"  # the picture x of the lab; frames from a file
FILMS = ("S", "square", "F", "triangle", "bar", OWN_FILM, UPLOADED)  # shapes, and the two
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

    A model of rotation expects noise σ and steps of `step` degrees.
    """

    model: Subgroup
    template: Array
    frames: Array
    step: float
    degrees: Array | None = None

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


def turning_film(model: Subgroup, picture: Array, noise: float, step: int, gap: int, seed: int) -> Film:
    """A film of a square picture that turns by random steps, with noise in every frame and two gaps."""
    side = round(model.dimension**0.5)
    views = turned_patches(to_disc(picture), side)
    if views[0].std() < 1e-6:
        raise InputError("This picture is the same everywhere, so nobody could see it turn. Choose another one.")
    views = views / views[0].std()
    rng = np.random.default_rng(seed)
    walk = rng.vonmises(0.0, np.radians(step) ** -2.0, FILM_FRAMES)
    walk[0] = 0.0
    degrees = np.rint(np.degrees(np.cumsum(walk))).astype(np.int64) % 360
    frames = views[degrees] + noise * rng.standard_normal((FILM_FRAMES, model.dimension))
    return Film(model.with_noise(noise), views[0], _with_gaps(frames, gap), float(step), degrees)


def film_of_frames(model: Subgroup, pictures: Array, noise: float, step: int, gap: int, seed: int) -> Film:
    """A film of pictures (n, h, w) from a file: the square in the middle of each, with noise and gaps added.

    The first one is the template. What the model cannot explain counts as noise too.
    """
    if len(pictures) < 2:
        raise InputError("A film needs at least two frames; this has one.")
    side, (height, width) = round(model.dimension**0.5), pictures.shape[1:]
    square = min(height, width)
    top, left = (height - square) // 2, (width - square) // 2
    seen = pictures[:FILM_FRAMES, top : top + square, left : left + square]
    patches = np.stack([patch_of(to_disc(one), side) for one in seen])
    spread = patches[0].std()
    if spread < 1e-6:
        raise InputError("The first frame is the same everywhere, so nobody could see it turn. Choose another film.")
    patches = patches / spread
    frames = patches + noise * np.random.default_rng(seed).standard_normal(patches.shape)
    return Film(model.with_noise(max(noise, 1.0)), patches[0], _with_gaps(frames, gap), float(step))


def _with_gaps(frames: Array, gap: int) -> Array:
    for share in _GAPS_BEGIN:
        first = max(1, round(share * len(frames)))
        frames[first : first + gap * len(frames) // FILM_FRAMES] = np.nan
    return frames
