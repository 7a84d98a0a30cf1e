"""The component of the page of the DFT: a signal, its shifted copy, circles of its frequencies, numpy.fft beside."""

from dataclasses import replace

import numpy as np

from explorer.components import component
from explorer.course import DFT_NOISE, drawn_dft, drawn_posterior
from explorer.state import SIGNAL_LENGTH, SIGNAL_LEVELS, ViewState
from tsa._base import Array
from tsa.stage import pack_arrays

_mount = component(__name__)
_PER_PLACE = 12  # points of the posterior between two shifts
_FREQUENCIES = SIGNAL_LENGTH // 2 - 1  # those that have a circle: 0 and 8 have one number each
_LEAST_MASS = 0.01  # of an answer that is named
_MAX_NAMED = 8
_CODE = (
    "X, Y = np.fft.fft(x), np.fft.fft(y)",
    f"kappa = 2 * abs(X * Y) / ({SIGNAL_LENGTH} * {DFT_NOISE:g}**2)",
    "mu = np.angle(X * Y.conj())",
)


def dft(data: bytes) -> None:
    """Show what `session.view.data_for("dft", …)` has prepared; the body is what `pack_dft` returns."""
    _mount(key="dft", data=data, default={"message": None}, on_message_change=lambda: None, height="content")


def pack_dft(signal: tuple[int, ...]) -> bytes:
    """The results for all shifts of a signal, so that the slider needs no server.

    For each of 16 shifts: arrows of y (7, 2), the posterior (16·12), κ and μ of each frequency by `tsa` (7, 2) and by
    numpy.fft (7, 2), and a sentence. Arrows are on the scale of the longest one of x.
    """
    views = [replace(ViewState(), signal=signal, shifted=m) for m in range(SIGNAL_LENGTH)]
    posteriors = [drawn_posterior(view) for view in views]
    x = np.array(signal, float) / max(max(signal), 1)
    z = drawn_dft().coordinates(np.stack([np.roll(x, m) for m in range(SIGNAL_LENGTH)]))
    order = np.argsort(np.abs(np.asarray(drawn_dft().weights)), kind="stable")
    turning = [j for j in order if 0 < abs(drawn_dft().weights[j]) <= _FREQUENCIES]
    arrows = np.where(np.asarray(drawn_dft().weights)[turning] < 0, z[:, turning].conj(), z[:, turning])
    arrows = arrows / max(float(np.abs(arrows[0]).max()), 1e-9)
    points = 2 * np.pi * np.arange(SIGNAL_LENGTH * _PER_PLACE) / (SIGNAL_LENGTH * _PER_PLACE)
    density = np.stack([p.density(points) for p in posteriors])
    ours = np.stack([_pairs(p.eta[:_FREQUENCIES]) for p in posteriors])
    arrays = {
        "arrows": np.stack([arrows.real, arrows.imag], -1).astype(np.float32),
        "density": (density / density.max()).astype(np.float32),
        "ours": ours.astype(np.float32),
        "theirs": np.stack([_by_fft(x, np.roll(x, m)) for m in range(SIGNAL_LENGTH)]).astype(np.float32),
    }
    header = {
        "length": SIGNAL_LENGTH,
        "levels": SIGNAL_LEVELS,
        "frequencies": _FREQUENCIES,
        "perPlace": _PER_PLACE,
        "code": _CODE,
        "answers": [_answer(p, bool(np.ptp(x))) for p in posteriors],
    }
    return pack_arrays(header, arrays)


def _pairs(eta: Array) -> Array:
    """κ and μ in degrees, (K, 2); −1 degree where there is nothing to measure."""
    kappa = np.abs(eta)
    return np.stack([kappa, np.where(kappa > 1e-9, np.degrees(np.angle(eta)) % 360, -1)], axis=-1)


def _by_fft(x: Array, y: Array) -> Array:
    """The same by `numpy.fft`, as `_CODE` says."""
    first, second = np.fft.fft(x), np.fft.fft(y)
    product = (first * second.conj())[1 : 1 + _FREQUENCIES]
    return _pairs(product * 2 / (len(x) * DFT_NOISE**2))


def _answer(posterior: object, varies: bool) -> str:
    """By how much the signal was shifted, in words."""
    if not varies:
        return "This signal is the same everywhere: any shift fits."
    angles, masses = posterior.modes()[:2]  # type: ignore[attr-defined]  # a density over the circle
    places = np.rint(angles * SIGNAL_LENGTH / (2 * np.pi)).astype(int) % SIGNAL_LENGTH
    named = sorted((int(p), float(m)) for p, m in zip(places, masses, strict=True) if m >= _LEAST_MASS)
    if not named or len(named) > _MAX_NAMED:
        return "Nearly every shift fits."
    if len(named) == 1:
        return f"Shifted by {named[0][0]}."
    equal = max(m for _, m in named) - min(m for _, m in named) < 0.02
    if equal:
        listed = [str(place) for place, _ in named]
        return f"Shifted by {', '.join(listed[:-1])} or {listed[-1]}: {len(named)} shifts fit equally well."
    listed = [f"{place} ({100 * mass:.0f} %)" for place, mass in named]
    return f"Shifted by {', '.join(listed[:-1])} or {listed[-1]}."
