"""A motion scene as tables and as Python that computes the same numbers."""

import json

import numpy as np

from tsa.stage.exports import table_csv
from tsa.stage.motion import MAP_PER_PIXEL, MotionScene
from tsa.stage.words import motion as words


def motion_csv(scene: MotionScene) -> str:
    """The posterior on the map, a quarter of a pixel apart, as CSV: its density per squared pixel."""
    n = MAP_PER_PIXEL * scene.side
    axis = ((np.arange(n) - n // 2) / MAP_PER_PIXEL).tolist()
    density = (scene.answer.map / scene.side**2).tolist()
    rows = ((right, -down, density[r][c]) for r, down in enumerate(axis) for c, right in enumerate(axis))
    return table_csv(("right", "up", "density"), rows)


def motion_json(scene: MotionScene) -> str:
    """The answer in numbers and words as JSON."""
    answer, texts = scene.answer, words.motion_words(scene)
    summary = {
        "in words": f"{texts.headline} {texts.second}",
        "kind": texts.kind,
        "true motion": scene.motion,
        "most probable": answer.mode,
        "mean": answer.mean,
        "slowest that fits": answer.slowest,
        "entropy_bits": answer.bits,
        "region_95_px2": answer.area,
        "pieces": [piece._asdict() for piece in answer.pieces],
        "window": [scene.window, *scene.window_at],
        "pixel_noise": scene.pixel_noise,
        "sigma": scene.sigma,
        "prior_width_px": scene.slow,
        "looks": scene.looks,
    }
    return json.dumps(summary, indent=1)


def motion_snippet(scene: MotionScene, picture: str, model: str) -> str:
    """Python that computes the same posterior; `picture` and `model` are expressions."""
    n = scene.side
    lines = [
        "import numpy as np",
        "import tsa",
        "from tsa.pictures import draw_periodic, motion_from_shift, round_window",
        "from tsa.stage import MotionScene",
        "",
        f"x = {picture}",
        f"model = {model}",
        "scene = MotionScene(",
        f"    model, x, motion={scene.motion!r}, window={scene.window!r}, window_at={scene.window_at!r},",
        f"    pixel_noise={scene.pixel_noise!r}, sigma={scene.sigma!r}, slow={scene.slow!r}, looks={scene.looks!r},",
        f"    seed={scene.seed!r},",
        ")",
        "posterior = scene.posterior()  # a tsa.TorusVonMises over (down, right) in radians",
        f"print(motion_from_shift(posterior.mode(), ({n}, {n})))  # the most probable motion (right, up) in pixels",
        "print(scene.answer.bits, scene.answer.area, scene.answer.slowest)",
    ]
    return "\n".join(lines) + "\n"
