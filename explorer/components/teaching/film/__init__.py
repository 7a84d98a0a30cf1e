"""The component of the film page: a frame in its dial, and the posterior over time, by filter and by smoother."""

import numpy as np

from explorer.components import component
from explorer.state import Film
from tsa._base import Array
from tsa.density import GridDensity
from tsa.stage import as_bytes, pack_arrays, words

_mount = component(__name__)


def show_film(data: bytes) -> None:
    """Show what `session.view.data_for("film", …)` has prepared; the body is a packed film."""
    _mount(key="film", data=data, default={"message": None}, on_message_change=lambda: None, height="content")


def pack_film(film: Film) -> bytes:
    """A film of T frames: pictures (T, D), posteriors of filter and smoother on their grid, guesses, texts.

    A column of a waterfall is the square root of the density over its maximum. Angles are in degrees, of
    which 360 are the width of a picture that slides; `truth` is empty if it is not known.
    """
    filtered, smoothed = film.track.filtered, film.track.smoothed
    assert smoothed is not None
    seen = film.frames[~film.missing]
    low, high = np.quantile(seen, [0.005, 0.995]) if seen.size else (0.0, 1.0)
    movement = words.film.sideways(film.side) if film.slides else words.film.TURN
    sentence, explanation = words.film.headline(filtered, film.best_guess, film.degrees, movement)
    lost = None if film.degrees is None else words.film.lost_from(film.best_guess, film.degrees)
    arrays = {
        "pictures": as_bytes((np.nan_to_num(film.frames, nan=low) - low) / max(high - low, 1e-9)),
        "template": as_bytes((film.template - film.template.min()) / max(np.ptp(film.template), 1e-9)),
        "filtered": _columns(filtered),
        "smoothed": _columns(smoothed),
        "guesses": film.best_guess.astype(np.float32),
        "truth": np.empty(0, np.float32) if film.degrees is None else film.degrees.astype(np.float32),
        "missing": film.missing.astype(np.uint8),
    }
    header = {
        "frames": len(film.frames),
        "side": film.side,
        "slides": film.slides,
        "angles": filtered.sides[0],
        "lost": lost,
        "headline": sentence,
        "explanation": explanation,
        "texts": words.film.frame_texts(filtered, film.best_guess, film.missing, movement),
    }
    return pack_arrays(header, arrays)


def _columns(density: GridDensity) -> Array:
    """The density of each frame over its maximum, square root, as bytes (T, angles)."""
    return as_bytes(np.sqrt(density.masses / density.masses.max(axis=1, keepdims=True)))
