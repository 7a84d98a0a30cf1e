"""A scene as files: tables, numbers, pictures, patches, and Python code that computes the same numbers."""

import base64
import csv
import io
import json
import zlib
from collections.abc import Iterable

import numpy as np
from PIL import Image

from tsa._base import Array, ProgressCallback
from tsa.density import GeneralizedVonMises, mean_rotation
from tsa.stage.draw import DialView, stage_png, stage_svg, turn_animation
from tsa.stage.scene import Scene
from tsa.stage.sweep import Sweep
from tsa.stage.words import answer, fit, why

DEGREES = np.arange(360)


def posterior_csv(scene: Scene) -> str:
    """The posterior at whole degrees as CSV: its density per radian."""
    density = scene.posterior().density(np.radians(DEGREES))
    return table_csv(("degrees", "density"), zip(DEGREES.tolist(), density.tolist(), strict=True))


def subspaces_csv(scene: Scene) -> str:
    """A row for each subspace, by |weight|: its coordinates of x and y, and the von Mises density of its phase."""
    swept, model = scene.sweep(whole=False), scene.model
    z, eta = swept.coordinates, swept.eta[0]
    rows = []
    for number, j in enumerate(model.irreps.order(), 1):
        zx, zy, natural = complex(z[0, j]), complex(z[1, j]), complex(eta[j])
        mean, sure = float(np.degrees(np.angle(natural)) % 360), float(np.abs(mean_rotation(eta[j])))
        kind = "line" if model.lines[j] else "plane"
        row = (number, int(model.weights[j]), kind, zx.real, zx.imag, zy.real, zy.imag, abs(natural), mean, sure)
        rows.append(row)
    return table_csv(("subspace", "weight", "kind", "x_real", "x_imag", "y_real", "y_imag", "kappa", "mean_degrees",
                 "certainty"), rows)  # fmt: skip


def picture_svg(scene: Scene, theme: str = "light", log: bool = False) -> str:
    """The stage as SVG."""
    return stage_svg(_view(scene, theme, log), scene.model, scene.prior, scene.without)


def picture_png(scene: Scene, theme: str = "light", log: bool = False) -> bytes:
    """The stage as PNG."""
    return stage_png(_view(scene, theme, log), scene.model, scene.prior, scene.without)


def _view(scene: Scene, theme: str, log: bool) -> DialView:
    swept = scene.sweep(whole=False)
    return DialView.of(swept, scene.x, scene.angle, scene.y, look=theme, log=log, noise=scene.noise)


def turning(
    scene: Scene, kind: str = "webp", theme: str = "light", on_progress: ProgressCallback | None = None
) -> bytes:
    """The dial through a whole turn, as an animated WebP or GIF."""
    swept = scene.sweep()
    return turn_animation(
        swept, scene.x, kind=kind, other=scene.y, theme=theme, noise=scene.noise, on_progress=on_progress
    )


def in_words(scene: Scene) -> str:
    """Answer, why and fit, a line each."""
    return "\n".join(_words(scene.sweep(whole=False)))


def _words(swept: Sweep) -> tuple[str, str, str]:
    return answer(swept), why(swept), fit(swept)


def summary(scene: Scene) -> dict[str, object]:
    """The answer in numbers: modes, entropy, evidence, distances, the credible set."""
    swept = scene.sweep(whole=False)
    posterior = GeneralizedVonMises(swept.pooled[0])
    angles, masses = posterior.modes()
    torus, manifold, euclid = (float(d) for d in swept.distances[0])
    arcs = [[float(np.degrees(a)), float(np.degrees(b))] for a, b in posterior.credible_set(0.95)]
    return {
        "in words": " ".join(_words(swept)),
        "modes": [{"degrees": float(np.degrees(a)), "mass": float(m)} for a, m in zip(angles, masses, strict=True)],
        "entropy_nats": float(posterior.entropy()),
        "log_evidence": float(swept.log_evidence[0]),
        "distances": {"torus": torus, "manifold": manifold, "euclidean": euclid},
        "credible_set_95_degrees": arcs,
        "angle": scene.angle,
        "sigma": scene.model.noise,
        "pixel_noise": scene.pixel_noise,
        "noise_in": "both" if scene.both else "y",
        "prior": [[value.real, value.imag] for value in scene.prior],
    }


def summary_json(scene: Scene) -> str:
    """`summary` as JSON."""
    return json.dumps(summary(scene), indent=1)


def patch_png(values: Array, size: int, scale: int = 16) -> bytes:
    """A patch (size²,) as PNG, its smallest value black and its largest white; a value is `scale` pixels wide."""
    grey = (values - values.min()) / max(float(np.ptp(values)), 1e-12)
    image = Image.fromarray(np.rint(255 * grey).astype(np.uint8).reshape(size, size))
    return png(image.resize((size * scale, size * scale), Image.Resampling.NEAREST))


def patch_npy(values: Array) -> bytes:
    """A patch (size²,) as a NumPy file, with the exact values that the model is given."""
    buffer = io.BytesIO()
    np.save(buffer, values, allow_pickle=False)
    return buffer.getvalue()


def snippet(scene: Scene, model: str, x: str | None = None, y: str | None = None) -> str:
    """Python code that computes the posterior of the scene with the public names of `tsa`.

    `model` is what `tsa.load` opens; `x` and `y` are expressions for the pictures. Without them, the pixels are written
    out.
    """
    noise, of_x = (
        f"{scene.pixel_noise!r} * np.random.default_rng({seed}).normal(size=x.size)"
        for seed in (scene.observation, [scene.observation, 1])
    )
    both = f", noise_x={scene.model.noise!r}, power=tsa.estimate_power(model, x, y)" if scene.both else ""
    second = "picture" if scene.y is None else "other"
    lines = [
        "import base64, zlib",
        "import numpy as np",
        "import tsa",
        "",
        f"learned = tsa.load({model!r})",
        f"model = tsa.Subgroup(learned.filters, learned.weights, noise={scene.model.noise!r})",
        f"picture = {x or _literal(scene.x)}",
        *([] if scene.y is None else [f"other = {y or _literal(scene.y)}"]),
        f"x = tsa.patch(picture, {scene.size})",
        f"y = tsa.patch({second}, {scene.size}, turn=np.radians({scene.angle}))",
        *([f"y = y + {noise}"] if scene.pixel_noise else []),
        *([f"x = x + {of_x}"] if scene.pixel_noise and scene.both else []),
        f"prior = {f'tsa.GeneralizedVonMises({list(scene.prior)!r})' if scene.prior else None}",
        f"posterior = model.posterior(x, y, prior{both})",
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
    """A picture as a Python expression: its float64 values, compressed."""
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
