"""A motion scene as bytes for the browser: map, region, waves and words of one posterior."""

from dataclasses import replace

import numpy as np

from tsa._base import Array
from tsa.pictures import draw_periodic
from tsa.stage.motion import MAP_PER_PIXEL, REGION, MotionAnswer, MotionScene
from tsa.stage.packing import as_bytes, pack_arrays
from tsa.stage.words import motion as words

_DENSITY_POWER = 0.55  # opacity of a map: density^0.55, so that faint parts are seen
_OPAQUE_AREA = 70.0  # squared pixels of the region up to which its peak is opaque
_AREA_POWER = 0.3  # how the opacity of the peak falls with the area: the same mass over more shifts is fainter
_MAX_NATS = 10.0  # below the peak that the bytes of a map cover, if the edge of the region is not lower than that
MAX_SHOWN_WAVE = 8  # periods per world along each axis
_SUMS = (1, 2, 8)  # numbers of waves whose partial sums are shown
_OTHERS = ("grating", "plaid", "corner", "dot", "texture", "bar")
_MAX_OTHERS = 3


def pack_motion(scene: MotionScene, whole: bool = True) -> bytes:
    """What the page shows of a scene; without `whole`, while a hand is moving, only what follows the hand.

    `map` (4n, 4n) has the log density as bytes, 255 at its highest; `opacity` (256,) says how opaque each of these
    bytes is drawn, and `edge` is where the outline of the 95 % region runs. Small maps are bytes of opacity, (2n, 2n).
    `waves` has periods to the right and up, certainty and phase; `fan` has motions.
    """
    answer, texts = scene.answer, words.motion_words(scene)
    levels, opacity, edge = log_map(answer)
    low, high = float(scene.x.min()), float(scene.x.max())

    def grey(values: Array) -> Array:
        return as_bytes((values - low) / (high - low))

    arrays = {
        "x": grey(scene.x),
        "y": grey(scene.y),
        "after": grey(scene.after),
        "laid": grey(scene.laid),
        "left": as_bytes(0.5 + 0.5 * scene.left_over / (high - low)),
        "seen": as_bytes(scene.seen),
        "map": levels,
        "opacity": opacity,
        "right": _relative(answer.marginals[0]),
        "up": _relative(answer.marginals[1]),
        "fan": answer.fan.astype(np.float32),
        "waves": _waves(answer),
    }
    header: dict[str, object] = {
        "side": scene.side,
        "edge": edge,
        "motion": scene.motion,
        "window": scene.window,
        "windowAt": scene.window_at,
        "mode": answer.mode,
        "slowest": answer.slowest,
        "masses": _masses(answer),
        "shown": scene.shown_motion,
        "isTried": scene.tried is not None,
        "words": {
            "question": words.QUESTION,
            "headline": texts.headline,
            "second": texts.second,
            "kind": texts.kind,
            "waves": texts.waves,
            "numbers": texts.numbers,
            "tried": _tried(scene),
            "templates": words.TEMPLATES,
            "labels": words.MARKERS,
        },
    }
    if whole:
        header["waveLabels"] = _wave_labels(answer)
        header["sums"], sums = _partial_sums(answer)
        header["others"], others = _others(scene)
        header["steps"] = words.window_answers(scene)
        arrays |= {"sumMaps": sums, "otherMaps": others}
    return pack_arrays(header, arrays)


def _masses(answer: MotionAnswer) -> list[tuple[float, float, str]]:
    """Where each piece of the region is highest, and its probability, if there are several and not too many."""
    pieces = answer.pieces
    if not 1 < len(pieces) <= words.MAX_NAMED:
        return []
    return [(*piece.peak, f"{100 * piece.mass:.0f} %") for piece in pieces]


def log_map(answer: MotionAnswer) -> tuple[Array, Array, float]:
    """The log density on the map as bytes (4n, 4n), the opacity of each byte (256,), and the byte at the region's edge.

    The bytes span what there is between the highest and the lowest density, at most `_MAX_NATS` or, if it is more,
    enough for the outline.
    """
    edge = answer.edge_nats
    nats = max(1e-3, min(max(_MAX_NATS, 1.25 * -edge), -float(answer.log_map.min())))
    peak = min(1.0, (_OPAQUE_AREA / max(answer.area, 1e-9)) ** _AREA_POWER)
    opacity = peak * np.exp(_DENSITY_POWER * nats * (np.arange(256) / 255 - 1))
    if nats >= _MAX_NATS:
        opacity[0] = 0.0  # this byte also stands for everything below it
    return as_bytes(1 + answer.log_map / nats), as_bytes(opacity), 255 * (1 + edge / nats)


def _opacity(density: Array, area: float) -> Array:
    """A map relative to its peak as bytes of opacity."""
    peak = min(1.0, (_OPAQUE_AREA / max(area, 1e-9)) ** _AREA_POWER)
    return as_bytes(peak * (density / density.max()) ** _DENSITY_POWER)


def _relative(marginal: Array) -> Array:
    return (marginal / marginal.max()).astype(np.float32)


def _waves(answer: MotionAnswer) -> Array:
    """(W, 4) of the waves that are shown: periods right and up, certainty, phase; the most certain first."""
    order = shown_waves(answer)
    columns = (answer.waves[order], answer.certainty(order)[:, None], np.angle(answer.eta[order])[:, None])
    return np.concatenate(columns, axis=1).astype(np.float32)


def shown_waves(answer: MotionAnswer) -> Array:
    """Indices of the waves of few enough periods to be shown, the most certain first."""
    low = np.flatnonzero(np.abs(answer.waves).max(axis=1) <= MAX_SHOWN_WAVE)
    return low[np.argsort(-np.abs(answer.eta[low]), kind="stable")]


def _wave_labels(answer: MotionAnswer) -> list[str]:
    return [
        words.wave_label(
            (int(answer.waves[i, 0]), int(answer.waves[i, 1])), float(np.angle(answer.eta[i])),
            float(np.abs(answer.eta[i])), answer.side,
        )
        for i in shown_waves(answer)
    ]  # fmt: skip


def _partial_sums(answer: MotionAnswer) -> tuple[list[dict[str, object]], Array]:
    """Labels and maps of what the 1, 2, 8 most certain waves say, and all of them."""
    labels = ("1 wave", "2 waves", "8 waves", "all: the posterior")
    densities = [answer.partial_map(count) for count in _SUMS] + [_halved(answer.map)]
    maps, edges = zip(*(_small(density) for density in densities), strict=True)
    return [{"label": label, "edge": edge} for label, edge in zip(labels, edges, strict=True)], np.stack(maps)


def _halved(density: Array) -> Array:
    """A map (4n, 4n) at half its size: means of 2×2 cells."""
    n, factor = 2 * len(density) // MAP_PER_PIXEL, MAP_PER_PIXEL // 2
    return np.asarray(density.reshape(n, factor, n, factor).mean(axis=(1, 3)))


def _small(density: Array) -> tuple[Array, float]:
    """A map as bytes of opacity, and the byte on the outline of its 95 % region."""
    ordered = np.sort(density, axis=None)[::-1]
    count = int(np.searchsorted(np.cumsum(ordered), REGION * ordered.sum()))
    opacity = _opacity(density, (count + 1) / 4)
    level = (float(ordered[count]) / float(ordered[0])) ** _DENSITY_POWER
    return opacity, float(opacity.max()) * level


def _others(scene: MotionScene) -> tuple[list[dict[str, object]], Array]:
    """What other pictures would say of the same motion, noise and σ: names, answers and small maps."""
    base = replace(scene, tried=None)
    pictures = {name: draw_periodic(name, scene.side) for name in _OTHERS}
    shown = [name for name, x in pictures.items() if not np.allclose(x, scene.x)][:_MAX_OTHERS]
    scenes: list[tuple[str, dict[str, object], MotionScene]] = [
        (name, {"world": name}, replace(base, x=pictures[name])) for name in shown
    ]
    wide = round(0.92 * scene.side)
    scenes.append(("wider window", {"window": float(wide)}, scene.through(wide)))
    away = (-0.3 * scene.side, -0.25 * scene.side)
    hidden = replace(base, x=pictures["dot"], window=scene.side / 2, window_at=away)
    place = [round(a, 1) for a in away]
    scenes.append(("dot out of sight", {"world": "dot", "window": scene.side / 2, "window_at": place}, hidden))
    listed: list[dict[str, object]] = []
    maps: list[Array] = []
    for name, fields, one in scenes:
        opacity, edge = _small(_halved(one.answer.map))
        listed.append({"name": name, "answer": words.motion_words(one).short, "fields": fields, "edge": edge})
        maps.append(opacity)
    return listed, np.stack(maps)


def _tried(scene: MotionScene) -> str:
    """What the motion that is laid over y leaves over, in words."""
    seen = scene.seen * (scene.y - np.mean(scene.x)) ** 2
    share = float(np.sum(scene.left_over**2)) / max(float(seen.sum()), 1e-300)
    place, left = words.place(scene.shown_motion), f"{100 * share:.0f} %"
    if scene.tried is None:
        return words.TEMPLATES["untried"].format(place=place, left=left)
    density = 100 * scene.answer.density_at(scene.tried)
    return words.TEMPLATES["tried"].format(place=place, left=left, density=f"{density:.0f} %")
