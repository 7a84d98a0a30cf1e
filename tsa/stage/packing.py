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
from tsa.registration import estimate_power
from tsa.stage import look
from tsa.stage.rows import WeightRow, loudness, weight_rows
from tsa.stage.sweep import Sweep, natural_parameters
from tsa.stage.words import (
    GLOSSARY,
    LABELS,
    MIN_PRINTED_KAPPA,
    NEARLY_BEST,
    NUMBERS,
    ODDS_STEP,
    SweepWords,
    odds,
    question,
    sweep_words,
    templates,
    waves_heading,
)

_NUMBER_TERMS = ("uncertainty", "evidence", "torus distance", "manifold distance", "Euclidean distance")  # of `NUMBERS`


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
    noise: Array | None = None,
    full: Subgroup | None = None,
) -> bytes:
    """A sweep of T turns (360, or one) as bytes, with the texts about each of its turns.

    `other` is the picture of y; without it y is a turned copy of x, and the dial is the true turn. `only` is the
    turn, in degrees, of a sweep of one turn. `noise` (D,) is what was added to the pixels of y. `full` is the model
    with the weights that were left out of the posterior: their circles are drawn too.

    Texts, by their names in the header: to `words.question` turn t has the answer `words.answers[answer[t]]`, which is
    also what the status region announces; `words.whys[why[t]]`, `words.fits[fit[t]]` and, where the answer has a
    symmetry, `words.equations[equation[t]]`; the numbers `words.values[t]`, named `words.numbers`; and the modes
    `named[t]`, (m, 2): whole degrees and whole percent, −1 where there are fewer. A turn without named modes has no
    answer. `words.titles[title[t]]` stands above the waves. `waves` (T, K) has the
    natural parameters that the pair gives to each weight (and to 2ω, if a line has weight ω), prior not included;
    `rows` arranges the weights, and those in `without` are not part of the posterior. `words.templates` has texts with
    {names} to fill in. `look` has the sizes that all drawings share.
    """
    shown = model if full is None else full
    order = shown.irreps.order()
    z = sweep.coordinates if full is None else full.coordinates(np.concatenate([sweep.x[None], sweep.y]))
    if full is None:
        eta = sweep.eta
    else:
        full = full.with_noise(model.noise)
        eta = natural_parameters(full, z, estimate_power(full, sweep.x, sweep.y) if sweep.both else None)
    waves = shown.irreps.pool(eta)
    if shown.moving_lines.any():
        waves = shown.with_noise(model.noise).posterior_from(z[:1], z[1:]).eta
    rows = weight_rows(np.asarray(shown.likelihood_weights), loudness(waves))
    z, eta = z[:, order], eta[:, order]
    low, high = sweep.x.min(), sweep.x.max()  # of x alone, so that x looks the same whatever y is
    peak = sweep.density.max(axis=1)
    with np.errstate(divide="ignore"):
        drop = np.log(sweep.density / peak[:, None])
    texts = sweep_words(sweep)
    all_weights, used = (set(np.abs(np.asarray(m.likelihood_weights)).tolist()) for m in (shown, model))
    without = sorted(all_weights - used)
    words, word_arrays = _packed_words(texts, without)
    wave_words, title = _wave_words(rows, texts.loud, only is None)
    arrays = {
        "first": as_bytes(picture if other is not None else np.empty(0)),
        "picture": as_bytes(picture if other is None else other),
        "x": as_bytes((sweep.x - low) / max(high - low, 1e-9)),
        "y": as_bytes((sweep.y - low) / max(high - low, 1e-9)),
        "noise": np.empty(0, np.float32) if noise is None or not noise.any() else noise.astype(np.float32),
        "density": np.rint(np.clip(1 + drop / look.LOG_RANGE, 0, 1) * 65535).astype(np.uint16),
        "level": (sweep.level / peak).astype(np.float32),
        "peak": peak.astype(np.float32),
        "waves": as_pairs(waves),
        "eta": as_pairs(eta),
        "certainty": as_bytes(np.abs(mean_rotation(eta))),
        "z": as_pairs(z),
        "filters": filter_bytes(shown.filters[:, order]),
        **word_arrays,
        **title,
    }
    header: dict[str, object] = {
        "size": size,
        "only": only,
        "copy": other is None,
        "sides": [len(picture), len(picture if other is None else other)],
        "harmonics": waves.shape[1],
        "prior": [[value.real, value.imag] for value in prior],
        "weights": shown.weights[order].tolist(),
        "lines": shown.lines[order].tolist(),
        "rows": [row._asdict() for row in rows],
        "loudest": (1 + np.argsort(-loudness(waves))).tolist()[:2],
        "without": without,
        "sigma": model.noise,
        "words": words | {"templates": templates(other is None), **wave_words},
        "look": look.as_header(),
    }
    return pack_arrays(header, arrays)


def _wave_words(rows: Sequence[WeightRow], loud: Array, whole: bool) -> tuple[dict[str, object], dict[str, Array]]:
    """Texts of the drawing of waves; those that do not change with the pair are sent with a whole sweep only.

    `loud` (T, K) says which weights are loud at each turn.
    """
    count = sum(len(row.weights) for row in rows if row.kind != "fixed")
    titles, title = distinct(waves_heading((1 + np.flatnonzero(turn)).tolist(), count) for turn in loud)
    header: dict[str, object] = {"titles": titles}
    if whole:
        header |= {"labels": LABELS, "odds": odds(), "oddsStep": ODDS_STEP, "glossary": GLOSSARY}
        header |= {"nearlyBest": NEARLY_BEST, "minPrintedKappa": MIN_PRINTED_KAPPA}
        header["meanings"] = [GLOSSARY[term] for term in _NUMBER_TERMS]
    return header, {"title": title}


def _packed_words(words: SweepWords, without: Sequence[int]) -> tuple[dict[str, object], dict[str, Array]]:
    """The words of T turns: texts for the header, and arrays with what each turn has of them."""
    answers, answer = distinct(words.answers)
    whys, why = distinct(words.whys)
    fits, fit = distinct(words.fits)
    equations, equation = distinct(words.equations)
    percent = np.where(words.masses < 0, -1, np.rint(100 * words.masses))
    named = np.stack([words.degrees, percent], axis=-1).astype(np.float32)
    header = {
        "question": question(without),
        "answers": answers,
        "whys": whys,
        "fits": fits,
        "equations": equations,
        "numbers": NUMBERS,
        "values": words.values,
        "namedPerTurn": named.shape[1],
    }
    arrays = {"answer": answer, "why": why, "fit": fit, "equation": equation, "named": named}
    return header, arrays


def data_url(picture: NDArray[np.float64], longest: int) -> str:
    """A grey picture in 0…1 as a `data:` address for an <img>, reduced if a side has more than `longest` pixels."""
    image = Image.fromarray(np.rint(255 * picture).astype(np.uint8))
    image.thumbnail((longest, longest), Image.Resampling.LANCZOS)
    buffer = io.BytesIO()
    image.save(buffer, "WEBP", quality=80, method=0)  # the fastest method
    return "data:image/webp;base64," + base64.b64encode(buffer.getvalue()).decode()
