"""Folders of pictures and moving pictures: untrusted files to grey frames, and frames to pairs of patches."""

import io
import os
from itertools import islice
from pathlib import Path

import numpy as np
from PIL import Image, ImageSequence, UnidentifiedImageError

from tsa._base import Array, InputError, checks
from tsa.pictures.images import EXTENSIONS, PictureError, open_picture

_MAX_FILES = 1000
_MAX_FILE_BYTES = 20 * 2**20
_MAX_FRAMES = 2000
_MAX_FRAME_PIXELS = 4_000_000
_MAX_TOTAL_PIXELS = 200_000_000
_MAX_FRAME_SIDE = 256  # larger frames are scaled down
_MAX_PAIRS = 20_000


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a picture file; an error, before anything is read, if it is too large."""
    path = Path(path)
    try:
        size = path.stat().st_size
        if size > _MAX_FILE_BYTES:
            raise PictureError(f"{path} has {size >> 20} MB; pictures up to {_MAX_FILE_BYTES >> 20} MB are read.")
        return path.read_bytes()
    except OSError as error:
        raise PictureError(f"{path} cannot be read: {error.strerror}.") from error


def picture_files(folder: str | os.PathLike[str]) -> list[Path]:
    """The picture files right in a folder, by name."""
    folder = Path(folder)
    if not folder.is_dir():
        raise PictureError(f"{folder} is not a folder.")
    found = sorted(p for p in folder.iterdir() if p.is_file() and p.suffix.lower().lstrip(".") in EXTENSIONS)
    if not found:
        raise PictureError(f"{folder} holds no pictures ({', '.join(EXTENSIONS)}).")
    if len(found) > _MAX_FILES:
        raise PictureError(f"{folder} holds {len(found):,} pictures; at most {_MAX_FILES:,} are read.")
    return found


def read_pictures(folder: str | os.PathLike[str]) -> list[Array]:
    """All pictures of a folder, by name, as grey values 0…1 (height, width)."""
    return [_with_name(path) for path in picture_files(folder)]


def _with_name(path: Path) -> Array:
    try:
        return open_picture(read_bytes(path))
    except PictureError as error:
        raise PictureError(f"{path.name}: {error}") from error


def open_frames(data: bytes) -> Array:
    """The frames of a moving GIF or WebP as grey values 0…1 (n, height, width), at most 256 pixels a side.

    Size and number are checked before a frame is decoded.
    """
    try:
        with Image.open(io.BytesIO(data), formats=("GIF", "WEBP", "PNG")) as image:
            width, height = image.size
            count = getattr(image, "n_frames", 1)
            if width * height > _MAX_FRAME_PIXELS or count > _MAX_FRAMES or count * width * height > _MAX_TOTAL_PIXELS:
                raise PictureError(
                    f"This film has {count} frames of {width} × {height} pixels; at most {_MAX_FRAMES} frames of 4 "
                    "megapixels are read, 200 megapixels in all."
                )
            frames = []
            for frame in islice(ImageSequence.Iterator(image), _MAX_FRAMES):
                layered = frame.convert("RGBA")
                grey = Image.alpha_composite(Image.new("RGBA", layered.size, "black"), layered).convert("L")
                grey.thumbnail((_MAX_FRAME_SIDE, _MAX_FRAME_SIDE), Image.Resampling.BOX)
                frames.append(np.asarray(grey, np.float64) / 255)
            return np.stack(frames)
    except UnidentifiedImageError:
        raise PictureError("This is not a moving GIF or WebP.") from None
    except (OSError, ValueError, SyntaxError, EOFError, Warning, MemoryError, Image.DecompressionBombError) as error:
        raise PictureError("This film is damaged and cannot be read.") from error


def read_clips(path: str | os.PathLike[str]) -> list[Array]:
    """The clips of a film or of a folder: (n, height, width) each.

    A folder of films has one clip for each; a folder of still pictures is one clip, its frames by name.
    """
    path = Path(path)
    if not path.is_dir():
        return [_film(path)]
    films = [p for p in picture_files(path) if p.suffix.lower() == ".gif"]
    if films:
        return [_film(film) for film in films]
    stills = read_pictures(path)
    if len({still.shape for still in stills}) > 1:
        raise PictureError(f"The pictures of {path} have different sizes; the frames of a clip have one.")
    return [np.stack(stills)]


def _film(path: Path) -> Array:
    try:
        return open_frames(read_bytes(path))
    except PictureError as error:
        raise PictureError(str(error) if str(path) in str(error) else f"{path.name}: {error}") from error


def frame_pairs(clips: list[Array], size: int, lag: int, windows: int, rng: checks.Rng = 0) -> tuple[Array, Array]:
    """Pairs (n, size²) of frames of a clip that are 1 to `lag` frames apart, x before y.

    Each frame is scaled to size×size pixels; or, if `windows` is not 0, so many windows of size×size pixels are taken
    at the same random places of both frames.
    """
    rng, places = checks.generator(rng), list[tuple[int, int, int]]()
    for number, clip in enumerate(clips):
        n = len(clip)
        places += [(number, i, i + step) for step in range(1, min(lag, n - 1) + 1) for i in range(n - step)]
    if not places:
        raise InputError("Pairs need clips of at least two frames; these have one.")
    most = max(1, _MAX_PAIRS // max(1, windows))
    if len(places) > most:
        places = [places[i] for i in np.sort(rng.choice(len(places), most, replace=False))]
    if windows:
        if min(min(clip.shape[1:]) for clip in clips) < size:
            raise InputError(f"Windows of {size}×{size} pixels do not fit into these frames; choose a smaller size.")
        return _windows(clips, places, size, windows, rng)
    small = [np.stack([_scaled(frame, size) for frame in clip]) for clip in clips]
    return np.stack([small[c][i] for c, i, _ in places]), np.stack([small[c][j] for c, _, j in places])


def _scaled(frame: Array, size: int) -> Array:
    image = Image.fromarray(frame.astype(np.float32)).resize((size, size), Image.Resampling.BOX)
    return np.asarray(image, np.float64).ravel()


def _windows(
    clips: list[Array], places: list[tuple[int, int, int]], size: int, windows: int, rng: np.random.Generator
) -> tuple[Array, Array]:
    x, y = list[Array](), list[Array]()
    for clip, i, j in places:
        height, width = clips[clip].shape[1:]
        for top, left in zip(
            rng.integers(height - size + 1, size=windows), rng.integers(width - size + 1, size=windows), strict=True
        ):
            part = clips[clip][:, top : top + size, left : left + size]
            x.append(part[i].ravel())
            y.append(part[j].ravel())
    return np.stack(x), np.stack(y)
