"""Training runs that can be repeated: what they learn from, with which settings, and how they resume.

A `Recipe` is all that a model depends on; `BUNDLED` are those of the models in `assets/models`.
"""

import importlib.metadata
import json
import platform
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from tsa import checks, files
from tsa.checks import Array
from tsa.errors import InputError, ModelFileError
from tsa.files import ModelFile
from tsa.groups import CyclicShift, ImageRotation
from tsa.learning import PAIRS_PER_PASS, Progress, check_room, initial_basis, sgd
from tsa.model import Subgroup, Torus
from tsa.progress import Report
from tsa.recovery import recovery
from tsa.refinement import refine
from tsa.stiefel import settled
from tsa.weights import Group, as_subgroup

_CHECKPOINT_EVERY = 500  # steps


def group(name: str, shape: tuple[int, ...]) -> Group:
    """The action of this name on patches of this shape."""
    if name == "rotation":
        if len(shape) == 2 and shape[0] != shape[1]:
            raise InputError(f"Rotation needs square patches; got {shape}.")
        return ImageRotation(shape[0])
    if name == "shift":
        return CyclicShift(shape if len(shape) == 2 else shape[0])
    raise InputError(f"The group is `rotation` or `shift`; got {name!r}.")


@dataclass(frozen=True)
class Recipe:
    """One training run on white noise, and whether its result is refined."""

    group: str
    shape: tuple[int, ...]
    n_subspaces: int
    n_pairs: int = 250_000
    noise: float = 1.0
    learning_rate: float = 0.25
    batch_size: int = 100
    seed: int = 0
    refined: bool = False

    def __post_init__(self) -> None:
        counts = {"subspaces": self.n_subspaces, "pairs": self.n_pairs, "pairs per step": self.batch_size}
        for name, count in counts.items():
            if not isinstance(count, int) or count < 1:
                raise InputError(f"The number of {name} must be a whole number from 1 on; got {count!r}.")
        if not isinstance(self.seed, int) or self.seed < 0:
            raise InputError(f"The seed must be a whole number from 0 on; got {self.seed!r}.")
        checks.positive(self.noise, "The noise")
        checks.positive(self.learning_rate, "The learning rate")
        if self.action.shape != self.shape:
            raise InputError(f"{self.action} needs patches of shape {self.action.shape}; got {self.shape}.")
        check_room(self.n_subspaces, self.action.support.size)

    @cached_property
    def action(self) -> Group:
        """What makes the pairs."""
        return group(self.group, self.shape)

    @property
    def steps(self) -> int:
        """Minibatches in all."""
        return -(-self.n_pairs // self.batch_size)

    def train(self, basis: Array | None = None, step: int = 0) -> Iterator[Progress]:
        """Train from the start, or from the basis of an earlier step exactly as if never stopped."""
        support = self.action.support
        # Pixels that are always zero need no arithmetic: train without them.
        stream = self.action.stream(self.seed, self.batch_size, start=step, on_support=True)
        if basis is None:
            inner = initial_basis(np.ones((1, support.size)), self.n_subspaces, np.random.default_rng(self.seed))
        else:
            inner = np.ascontiguousarray(basis[support])
        settings = {"noise": self.noise, "learning_rate": self.learning_rate, "pairs_per_pass": PAIRS_PER_PASS}
        for progress in sgd(islice(stream, self.steps - step), inner, step=step, **settings):  # type: ignore[arg-type]
            full = np.zeros((self.action.dimension, 2 * self.n_subspaces), np.float32)
            full[support] = progress.basis
            yield replace(progress, basis=full)

    def finish(self, filters: Array, curve: list[tuple[int, float]], report: Report | None = None) -> ModelFile:
        """The trained filters as a model with weights (refined if asked), and its provenance."""
        torus = Torus(settled(filters), self.noise)
        # One BLAS thread, as in training: faster on products this small, and the bits do not depend on the cores.
        with threadpool_limits(1, "blas"):
            model: Subgroup = (
                refine(torus, self.action, report) if self.refined else as_subgroup(torus, self.action, report=report)
            )
            score = recovery(model, self.action)
        about = {
            "group": self.group,
            "recipe": asdict(self),
            "curve": curve,
            "recovery": {"score": score.score, "least relative purity": float(score.relative_purity.min())},
            "versions": {name: importlib.metadata.version(name) for name in ("tsa-explorer", "numpy", "scipy")}
            | {"python": platform.python_version()},
        }
        return ModelFile(model, self.shape, about)


def run(recipe: Recipe, checkpoint: Path | None = None, resume: bool = False, report: Any = None) -> ModelFile:
    """Carry a recipe out. With a checkpoint file it can be killed at any moment and resumed to the same bits.

    `report(progress)` is called every so often. An interrupt (Ctrl-C) ends the training early with what it has. The
    checkpoint stays until somebody has put the result away.
    """
    basis, step, curve = None, 0, list[tuple[int, float]]()
    if resume and checkpoint is not None and checkpoint.exists():
        basis, step, curve = _resumed(recipe, checkpoint)
    try:
        for progress in recipe.train(basis, step):
            basis = progress.basis
            curve.append((progress.pairs, progress.log_evidence))
            if report is not None:
                report(progress)
            if checkpoint is not None and progress.step % _CHECKPOINT_EVERY == 0:
                _write_checkpoint(checkpoint, recipe, progress, curve)
    except KeyboardInterrupt:
        if basis is None:
            raise
    assert basis is not None
    return recipe.finish(basis.view(np.complex64), curve)


def _write_checkpoint(path: Path, recipe: Recipe, progress: Progress, curve: list[tuple[int, float]]) -> None:
    about = files.json_array({"recipe": asdict(recipe), "step": progress.step})
    files.write_arrays(path, {"basis": progress.basis, "curve": np.array(curve), "about": about})


def _resumed(recipe: Recipe, path: Path) -> tuple[Array, int, list[tuple[int, float]]]:
    arrays = files.read_arrays(path)
    try:
        about = json.loads(arrays["about"].tobytes())
        if about["recipe"] != json.loads(json.dumps(asdict(recipe))):
            raise ModelFileError(f"{path} belongs to a run with other settings: {about['recipe']}.")
        curve = [(int(pairs), float(value)) for pairs, value in arrays["curve"]]
        return np.ascontiguousarray(arrays["basis"], np.float32), int(about["step"]), curve
    except (KeyError, ValueError, TypeError) as error:
        raise ModelFileError(f"{path} is not a checkpoint of ours.") from error


_ROTATION = Recipe("rotation", (16, 16), n_subspaces=50)

BUNDLED = {
    "rotation-16": _ROTATION,  # the paper's: 100 filters, 250,000 pairs
    "rotation-16-refined": replace(_ROTATION, refined=True),
    # Three times the pixels: noisier gradients, so larger batches, and more pairs until the span is invariant.
    "rotation-28": Recipe(
        "rotation", (28, 28), n_subspaces=150, n_pairs=1_000_000, learning_rate=0.5, batch_size=400, refined=True
    ),
    "shift-32": Recipe("shift", (32,), n_subspaces=16, refined=True),
    "shift-16x16": Recipe("shift", (16, 16), n_subspaces=128, refined=True),
}
