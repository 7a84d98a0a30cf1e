"""Arrays and texts as bytes for a browser: a JSON header that lists the arrays, then the arrays.

`browser/shared/unpack.js` reads what `pack_arrays` writes.
"""

import base64
import io
import json
import struct
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tsa._base import Array
from tsa.density import mean_rotation
from tsa.model import Subgroup
from tsa.stage import look
from tsa.stage.sweep import Sweep
from tsa.stage.words import NUMBERS, SweepWords, sweep_words, templates


def pack_arrays(header: Mapping[str, object], arrays: Mapping[str, Array]) -> bytes:
    """The length of the header, the header (JSON, UTF-8), then the arrays, each aligned to eight bytes."""
    listed = [[name, array.dtype.name, array.size] for name, array in arrays.items()]
    text = json.dumps({**header, "arrays": listed}, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-(len(text) + 4) % 8)
    body = b"".join(array.tobytes() + bytes(-array.nbytes % 8) for array in arrays.values())
    return struct.pack("<I", len(text)) + text + body


def framed(header: Mapping[str, object], body: bytes) -> bytes:
    """The message to a component: length of the header, header (JSON), then the bytes of `pack_arrays`, or none."""
    text = json.dumps(header).encode()
    text += b" " * (-(len(text) + 4) % 8)
    return struct.pack("<I", len(text)) + text + body


def distinct(texts: Iterable[str]) -> tuple[list[str], Array]:
    """The distinct texts in order of appearance, and the index (uint16) of each text among them."""
    place = dict[str, int]()
    index = [place.setdefault(text, len(place)) for text in texts]
    return list(place), np.array(index, np.uint16)


def as_bytes(values: Array) -> Array:
    """Values between 0 and 1 as bytes, 0 to 255."""
    return np.rint(np.clip(values, 0, 1) * 255).astype(np.uint8)


def as_pairs(values: Array) -> Array:
    """Complex numbers (…) as real and imaginary parts (…, 2), float32."""
    return np.stack([values.real, values.imag], -1).astype(np.float32)


def filter_bytes(filters: Array) -> Array:
    """Filters (D, J) as pictures (J, 2, D): 128 is zero, each pair on its own scale."""
    parts = np.stack([filters.real.T, filters.imag.T], axis=1)
    return as_bytes(0.5 + 0.5 * parts / np.abs(filters).max(axis=0)[:, None, None])


def pack_sweep(
    sweep: Sweep,
    model: Subgroup,
    picture: Array,
    size: int,
    other: Array | None = None,
    prior: Sequence[complex] = (),
    only: int | None = None,
) -> bytes:
    """A sweep of T turns (360, or one) as bytes, with the texts about each of its turns.

    `other` is the picture of y; without it y is a turned copy of x, and the dial is the true turn. `only` is the
    turn, in degrees, of a sweep of one turn.

    Texts, by their names in the header: turn t has `words.sentences[sentence[t]]`, which is also what the status region
    announces; `words.reasons[reason[t]]`; the numbers `words.values[t]`, named `words.numbers`; and the modes
    `named[t]`, (m, 2): whole degrees and whole percent, −1 where there are fewer. A turn without named modes has a
    flat posterior. `words.templates` has texts with {names} to fill in. `look` has the sizes that all drawings share.
    """
    order = model.irreps.order()
    eta = sweep.eta[:, order]
    peak = sweep.density.max(axis=1)
    with np.errstate(divide="ignore"):
        drop = np.log(sweep.density / peak[:, None])
    low, high = min(sweep.x.min(), sweep.y.min()), max(sweep.x.max(), sweep.y.max())
    words, word_arrays = _packed_words(sweep_words(sweep))
    arrays = {
        "first": as_bytes(picture if other is not None else np.empty(0)),
        "picture": as_bytes(picture if other is None else other),
        "x": as_bytes((sweep.x - low) / max(high - low, 1e-9)),
        "y": as_bytes((sweep.y - low) / max(high - low, 1e-9)),
        "density": np.rint(np.clip(1 + drop / look.LOG_RANGE, 0, 1) * 65535).astype(np.uint16),
        "level": (sweep.level / peak).astype(np.float32),
        "pooled": as_pairs(sweep.pooled),
        "eta": as_pairs(eta),
        "certainty": as_bytes(np.abs(mean_rotation(eta))),
        "z": as_pairs(sweep.coordinates[:, order]),
        "filters": filter_bytes(model.filters[:, order]),
        **word_arrays,
    }
    header: dict[str, object] = {
        "size": size,
        "only": only,
        "copy": other is None,
        "sides": [len(picture), len(picture if other is None else other)],
        "harmonics": sweep.pooled.shape[1],
        "prior": [[value.real, value.imag] for value in prior],
        "weights": model.weights[order].tolist(),
        "lines": model.lines[order].tolist(),
        "noise": model.noise,
        "words": words | {"templates": templates(other is None)},
        "look": look.as_header(),
    }
    return pack_arrays(header, arrays)


def _packed_words(words: SweepWords) -> tuple[dict[str, object], dict[str, Array]]:
    """The words of T turns: texts for the header, and arrays with what each turn has of them."""
    sentences, sentence = distinct(words.sentences)
    reasons, reason = distinct(words.reasons)
    percent = np.where(words.masses < 0, -1, np.rint(100 * words.masses))
    named = np.stack([words.degrees, percent], axis=-1).astype(np.float32)
    header = {
        "sentences": sentences,
        "reasons": reasons,
        "numbers": NUMBERS,
        "values": words.values,
        "namedPerTurn": named.shape[1],
    }
    arrays = {"sentence": sentence, "reason": reason, "named": named}
    return header, arrays


def data_url(picture: NDArray[np.float64], longest: int) -> str:
    """A grey picture in 0…1 as a `data:` address for an <img>, reduced if a side has more than `longest` pixels."""
    image = Image.fromarray(np.rint(255 * picture).astype(np.uint8))
    image.thumbnail((longest, longest), Image.Resampling.LANCZOS)
    buffer = io.BytesIO()
    image.save(buffer, "WEBP", quality=80, method=0)  # the fastest method
    return "data:image/webp;base64," + base64.b64encode(buffer.getvalue()).decode()
