"""`ViewState`: everything that is chosen, on all pages, as one value."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

# What a link can leave out: controls beside the stage or the world of motion, and parts of the stage itself.
CONTROLS = ("x", "y", "noise", "sigma", "prior", "model", "observe", "save", "symmetry", "window")
STAGE_PARTS = ("scenes", "tools", "pins", "player", "try", "waves")
HIDEABLE = CONTROLS + STAGE_PARTS
SIGMA = (0.05, 2.0, 0.05)  # least and greatest expected noise in the lab, and the step of its slider
PHOTO_PIXELS = 64  # side of a cropped photo in a link
DRAWING_PIXELS = 48  # side of a drawing
GREY_LEVELS = 8  # of a drawing: few, so that it fits into a link
SIGNAL_LENGTH, SIGNAL_LEVELS = 16, 10  # of the signal on the page of the DFT
LESSON_STEPS = ("predict", "do", "reveal", "question")
OWN_WORLD = "own"  # the motion page shows the picture x of the lab, instead of one of `PERIODIC_PICTURES`


@dataclass(frozen=True)
class Shape:
    """A shape of known symmetry (`tsa.pictures.SHAPES`)."""

    name: str


@dataclass(frozen=True)
class Digit:
    """A digit of the bundled sample, by its index."""

    index: int


@dataclass(frozen=True)
class Pixels:
    """Bytes of a square picture, row by row: a drawing (0…`GREY_LEVELS` − 1) or a cropped photo (0…255)."""

    values: bytes
    photo: bool = False

    @property
    def side(self) -> int:
        """Pixels along a side."""
        return PHOTO_PIXELS if self.photo else DRAWING_PIXELS

    @property
    def picture(self) -> NDArray[np.float64]:
        """The grey values in 0…1, (side, side)."""
        most = 255 if self.photo else GREY_LEVELS - 1
        return np.frombuffer(self.values, np.uint8).reshape(self.side, self.side) / most

    @classmethod
    def of(cls, picture: NDArray[np.float64], photo: bool = False) -> "Pixels":
        """A picture of the right size, rounded to what a link holds."""
        most = 255 if photo else GREY_LEVELS - 1
        return cls(np.rint(picture * most).astype(np.uint8).tobytes(), photo)


Source = Shape | Digit | Pixels


@dataclass(frozen=True)
class ViewState:
    """What is chosen. Angles are whole degrees.

    `noise` is the standard deviation of the pixel noise on y, `sigma` the noise of the model; with `both` these are on
    x as well. `strength` and `centre` are those of a von Mises prior over s; `prior` holds the natural parameters that
    `observations` have led to, and takes its place. `notch` is the share of the way from the picture x to the same
    picture with a notch, which breaks its symmetry. `without` has the weights that are switched off; `tried` is the
    turn by which the lab lays x over y, None for the first answer; `predict` hides every answer until it is asked for.
    `model` is empty for the default model; `circle` is the subspace chosen in the lab and `filter` the one chosen on
    the page of filters, None for the one with the largest response.

    On the motion page `world` is the picture, `shift` its true motion and `window_at` the centre of the window, all
    (right, up) in pixels; `window` is its diameter; `tried_shift` is the motion by which x is laid over y; `on_torus`
    says that the posterior is drawn on a torus. `shift_noise` and `shift_sigma` are the pixel noise and σ there, `slow`
    the width of a prior for slow motion (0 for none), `looks` the number of observations, and `shift_model` names a
    Fourier model by its side or a model of two parameters.

    `lesson` is the lesson that is open and `step` its step, from 1. `signal` has the values of a signal on a ring,
    each from 0 to `SIGNAL_LEVELS` − 1, and `shifted` the number of places by which it is shifted.

    `pins` are scenes to compare, each a view that differs from the default in the fields of a scene only (`pins.py`);
    `comparing` shows them in place of the stage. `describe` shows the text that a screen reader gets beside the
    picture; `presenting` opens the stage on the whole window.

    `film` is what turns in the film, or slides to the side if `film_slides`; `film_noise` is the noise of a frame (a
    picture's own is 1), `film_step` the standard deviation of a step in degrees, `film_gap` how many frames are missing
    in each of two gaps, `film_seed` the draw of steps and noise, and `frame` the frame that is shown.
    """

    x: Source = Shape("square")
    y: Source | None = None
    angle: int = 30
    noise: float = 0.0
    sigma: float = 0.5
    both: bool = False
    strength: float = 0.0
    centre: int = 0
    observations: int = 0
    prior: tuple[complex, ...] = ()
    notch: float = 0.0
    without: tuple[int, ...] = ()
    tried: int | None = None
    predict: bool = False
    model: str = ""
    log: bool = False
    circle: int | None = None
    filter: int | None = None
    orbit: tuple[str, str] = ("2", "3")
    world: str = "bar"
    shift: tuple[float, float] = (6.4, 2.6)
    window: float = 24.0
    window_at: tuple[float, float] = (0.0, 0.0)
    tried_shift: tuple[float, float] | None = None
    on_torus: bool = False
    shift_noise: float = 0.2
    shift_sigma: float = 1.0
    slow: float = 0.0
    looks: int = 1
    shift_model: str = "fourier-48"
    lesson: str = ""
    step: int = 1
    signal: tuple[int, ...] = (0, 0, 1, 5, 9, 5, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    shifted: int = 3
    film: str = "S"
    film_slides: bool = False
    film_noise: float = 4.0
    film_step: int = 12
    film_gap: int = 40
    film_seed: int = 6
    frame: int = 0
    hide: frozenset[str] = frozenset()
    pins: tuple["ViewState", ...] = ()
    comparing: bool = False
    describe: bool = False
    presenting: bool = False

    @property
    def effective(self) -> "ViewState":
        """The same without settings that change nothing: observations replace the prior, a flat prior has no centre."""
        strength = 0.0 if self.observations else self.strength
        return replace(self, strength=strength, centre=self.centre if strength else 0)
