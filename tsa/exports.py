"""A scene to take away: tables, numbers, patches, and the few lines of Python that give these very numbers."""

import base64
import csv
import io
import json
import zlib
from collections.abc import Iterable

import numpy as np
from PIL import Image

from tsa.checks import Array
from tsa.gvm import GeneralizedVonMises
from tsa.progress import Report
from tsa.scene import Scene
from tsa.sheet import by_weight
from tsa.stage.animation import turn_animation
from tsa.stage.dial import Frame
from tsa.stage.picture import stage_png, stage_svg
from tsa.stage.words import reason, sentence
from tsa.sweep import Sweep
from tsa.vonmises import mean_rotation

DEGREES = np.arange(360)


def posterior_csv(scene: Scene) -> str:
    """The posterior at whole degrees: its density per radian."""
    density = scene.posterior().density(np.radians(DEGREES))
    return table_csv(("degrees", "density"), zip(DEGREES.tolist(), density.tolist(), strict=True))


def subspaces_csv(scene: Scene) -> str:
    """Every subspace, slowest first: its coordinates of x and y, and the von Mises density over its phase."""
    swept, model = scene.sweep(whole=False), scene.model
    z, eta = swept.coordinates, swept.eta[0]
    rows = []
    for number, j in enumerate(by_weight(model.weights), 1):
        zx, zy, natural = complex(z[0, j]), complex(z[1, j]), complex(eta[j])
        mean, sure = float(np.degrees(np.angle(natural)) % 360), float(np.abs(mean_rotation(eta[j])))
        kind = "line" if model.lines[j] else "plane"
        row = (number, int(model.weights[j]), kind, zx.real, zx.imag, zy.real, zy.imag, abs(natural), mean, sure)
        rows.append(row)
    return table_csv(("subspace", "weight", "kind", "x_real", "x_imag", "y_real", "y_imag", "kappa", "mean_degrees",
                 "certainty"), rows)  # fmt: skip


def picture_svg(scene: Scene, theme: str = "light", log: bool = False) -> str:
    """The stage as a drawing."""
    return stage_svg(_frame(scene, theme, log), scene.model)


def picture_png(scene: Scene, theme: str = "light", log: bool = False) -> bytes:
    """The stage as a picture."""
    return stage_png(_frame(scene, theme, log), scene.model)


def _frame(scene: Scene, theme: str, log: bool) -> Frame:
    return Frame.of(scene.sweep(whole=False), scene.x, scene.angle, scene.y, look=theme, log=log)


def turning(scene: Scene, kind: str = "webp", theme: str = "light", report: Report | None = None) -> bytes:
    """The dial through a whole turn, as an animated WebP or GIF."""
    return turn_animation(scene.sweep(), scene.x, kind=kind, other=scene.y, theme=theme, report=report)


def in_words(scene: Scene) -> str:
    """The answer in a sentence or two."""
    return _said(scene.sweep(whole=False))


def _said(swept: Sweep) -> str:
    return f"{sentence(swept)} {reason(swept)}".strip()


def summary(scene: Scene) -> dict[str, object]:
    """The answer in numbers: modes, entropy, evidence, distances, the credible set."""
    swept = scene.sweep(whole=False)
    posterior = GeneralizedVonMises(swept.pooled[0])
    angles, masses = posterior.modes()
    torus, manifold, euclid = (float(d) for d in swept.distances[0])
    arcs = [[float(np.degrees(a)), float(np.degrees(b))] for a, b in posterior.credible_set(0.95)]
    return {
        "in words": _said(swept),
        "modes": [{"degrees": float(np.degrees(a)), "mass": float(m)} for a, m in zip(angles, masses, strict=True)],
        "entropy_nats": float(posterior.entropy()),
        "log_evidence": float(swept.log_evidence[0]),
        "distances": {"torus": torus, "manifold": manifold, "euclidean": euclid},
        "credible_set_95_degrees": arcs,
        "angle": scene.angle,
        "sigma": scene.model.noise,
        "pixel_noise": scene.pixel_noise,
        "prior": [[value.real, value.imag] for value in scene.prior],
    }


def summary_json(scene: Scene) -> str:
    """The same as JSON."""
    return json.dumps(summary(scene), indent=1)


def patch_png(values: Array, size: int, scale: int = 16) -> bytes:
    """A patch (size²,) as a picture, its smallest value black and its largest white."""
    grey = (values - values.min()) / max(float(np.ptp(values)), 1e-12)
    image = Image.fromarray(np.rint(255 * grey).astype(np.uint8).reshape(size, size))
    return png(image.resize((size * scale, size * scale), Image.Resampling.NEAREST))


def patch_npy(values: Array) -> bytes:
    """A patch exactly as the model sees it, float64 (size²,)."""
    buffer = io.BytesIO()
    np.save(buffer, values, allow_pickle=False)
    return buffer.getvalue()


def snippet(scene: Scene, model: str, x: str | None = None, y: str | None = None) -> str:
    """Python that computes the numbers of the scene with `tsa` alone.

    `model` is what `tsa.load` opens; `x` and `y` are expressions for the pictures, whose pixels are written out if they
    are not given.
    """
    noise = f"{scene.pixel_noise!r} * np.random.default_rng({scene.observation}).normal(size=x.size)"
    second = "picture" if scene.y is None else "other"
    lines = [
        "import base64, zlib",
        "import numpy as np",
        "import tsa",
        "from tsa.polar import patch_of, to_polar, turn",
        "",
        f"learned = tsa.load({model!r})",
        f"model = tsa.Subgroup(learned.filters, learned.weights, noise={scene.model.noise!r})",
        f"picture = {x or _literal(scene.x)}",
        *([] if scene.y is None else [f"other = {y or _literal(scene.y)}"]),
        f"x = patch_of(to_polar(picture), {scene.size})",
        f"y = patch_of(turn(to_polar({second}), np.radians({scene.angle})), {scene.size})",
        *([f"y = y + {noise}"] if scene.pixel_noise else []),
        f"prior = {f'tsa.GeneralizedVonMises({list(scene.prior)!r})' if scene.prior else None}",
        "posterior = model.posterior(x, y, prior)",
        "",
        "degrees = np.arange(360)",
        "density = posterior.density(np.radians(degrees))",
        "angles, masses = posterior.modes()",
        "print('degrees,density')",
        "for d, p in zip(degrees, density):",
        "    print(f'{d},{float(p)!r}')",
    ]
    if not any("base64" in line for line in lines[1:]):
        lines = lines[1:]
    return "\n".join(lines) + "\n"


def _literal(picture: Array) -> str:
    """A picture as an expression: its numbers, packed."""
    packed = base64.b64encode(zlib.compress(np.asarray(picture, np.float64).tobytes(), 9)).decode()
    return f"np.frombuffer(zlib.decompress(base64.b64decode({packed!r}))).reshape({picture.shape})"


def table_csv(header: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """A table as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


def png(image: Image.Image) -> bytes:
    """A picture as a PNG file."""
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()
