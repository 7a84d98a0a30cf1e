"""Training runs that can be repeated: their settings, checkpoints to resume them from, and the bundled ones.

A `TrainingRun` holds all settings that a model depends on; `BUNDLED` has those of the models in `assets/models`.
"""

import hashlib
import importlib.metadata
import json
import platform
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from tsa import files
from tsa._base import Array, InputError, ModelFileError, ProgressCallback, checks
from tsa.analysis import as_subgroup, recovery, refine
from tsa.files import ModelFile
from tsa.groups import Group, named_group
from tsa.learning._blas import one_blas_thread
from tsa.learning._sgd import PAIRS_PER_PASS, TrainingProgress, check_room, initial_basis, sgd
from tsa.model import Subgroup, Torus, orthonormal_again

_CHECKPOINT_STEPS = 500


@dataclass(frozen=True)
class TrainingRun:
    """One training run on white noise or on patches of pictures, and whether its result is refined.

    `pictures` identifies the patches (a digest), so that a checkpoint is continued with the same ones; empty for noise.
    """

    group: str
    shape: tuple[int, ...]
    n_subspaces: int
    n_pairs: int = 250_000
    noise: float = 1.0
    learning_rate: float = 0.25
    batch_size: int = 100
    seed: int = 0
    refined: bool = False
    pictures: str = ""

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
        """The group action that moves the training pairs."""
        return named_group(self.group, self.shape)

    @property
    def steps(self) -> int:
        """Minibatches in all."""
        return -(-self.n_pairs // self.batch_size)

    @property
    def settings(self) -> dict[str, Any]:
        """What model files and checkpoints hold of this run; `pictures` only if there are any, as in older files."""
        return {name: value for name, value in asdict(self).items() if name != "pictures" or value}

    def train(self, start: TrainingProgress | None = None, patches: Array | None = None) -> Iterator[TrainingProgress]:
        """Train from the beginning, or from an earlier report exactly as if never stopped.

        `patches` (n, D) are moved to make pairs, in place of white noise.
        """
        support, step = self.action.support, start.step if start else 0
        # Pixels that are always zero need no arithmetic: train without them.
        stream = self.action.stream(self.seed, self.batch_size, patches, start=step, on_support=True)
        if start is None:
            inner = initial_basis(np.ones((1, support.size)), self.n_subspaces, np.random.default_rng(self.seed))
        else:
            inner = np.ascontiguousarray(start.basis[support])
        reports = sgd(
            islice(stream, self.steps - step),
            inner,
            noise=self.noise,
            learning_rate=self.learning_rate,
            pairs_per_pass=PAIRS_PER_PASS,
            step=step,
            curve=start.curve if start else (),
        )
        for progress in reports:
            full = np.zeros((self.action.dimension, 2 * self.n_subspaces), np.float32)
            full[support] = progress.basis
            yield replace(progress, basis=full)

    def to_model_file(
        self, filters: Array, curve: Sequence[tuple[int, float]], on_progress: ProgressCallback | None = None
    ) -> ModelFile:
        """The trained filters as a model with weights (refined if `refined`), and its provenance."""
        torus = Torus(orthonormal_again(filters), self.noise)
        with one_blas_thread():
            model: Subgroup = (
                refine(torus, self.action, on_progress)
                if self.refined
                else as_subgroup(torus, self.action, on_progress=on_progress)
            )
            score = recovery(model, self.action)
        about = {
            "group": self.group,
            "recipe": self.settings,
            "curve": curve,
            "recovery": {"score": score.score, "least relative purity": float(score.relative_purity.min())},
            "versions": {name: importlib.metadata.version(name) for name in ("tsa-explorer", "numpy", "scipy")}
            | {"python": platform.python_version()},
        }
        return ModelFile(model, self.shape, about)


def train_run(
    run: TrainingRun,
    start: TrainingProgress | None = None,
    on_progress: Callable[[TrainingProgress], object] | None = None,
    patches: Array | None = None,
) -> ModelFile:
    """Train, from the beginning or from an earlier report, and make the model.

    `on_progress` is called with every report.
    """
    latest = start
    with one_blas_thread():
        for latest in run.train(start, patches):
            if on_progress is not None:
                on_progress(latest)
    assert latest is not None
    return run.to_model_file(latest.filters, latest.curve)


class Checkpoint:
    """A file from which a training can be resumed with bit-identical results, however it was interrupted."""

    def __init__(self, path: Path, run: TrainingRun) -> None:
        self.path, self._run = path, run

    def update(self, progress: TrainingProgress) -> None:
        """Write the file, every 500 steps; to be called with every report."""
        if progress.step % _CHECKPOINT_STEPS == 0:
            self.write(progress)

    def write(self, progress: TrainingProgress) -> None:
        """Write the file, whatever the step."""
        about = files.json_array({"recipe": self._run.settings, "step": progress.step})
        files.write_arrays(self.path, {"basis": progress.basis, "curve": np.array(progress.curve), "about": about})

    def read(self) -> TrainingProgress | None:
        """The report that was written last; None if there is no file. An error if it is of another run."""
        if not self.path.exists():
            return None
        arrays = files.read_arrays(self.path)
        try:
            about = json.loads(arrays["about"].tobytes())
            if about["recipe"] != json.loads(json.dumps(self._run.settings)):
                raise ModelFileError(f"{self.path} belongs to a run with other settings: {about['recipe']}.")
            curve = tuple((int(pairs), float(value)) for pairs, value in arrays["curve"])
            basis, (pairs, evidence) = np.ascontiguousarray(arrays["basis"], np.float32), curve[-1]
            return TrainingProgress(int(about["step"]), pairs, evidence, 0.0, basis, curve)
        except (KeyError, ValueError, TypeError, IndexError) as error:
            raise ModelFileError(f"{self.path} is not a checkpoint of ours.") from error

    def delete(self) -> None:
        """Remove the file, once the model is saved."""
        self.path.unlink(missing_ok=True)


def patches_digest(patches: Array) -> str:
    """What `TrainingRun.pictures` says of patches (n, D)."""
    return hashlib.sha256(patches.tobytes()).hexdigest()[:20]


_ROTATION = TrainingRun("rotation", (16, 16), n_subspaces=50)
BUNDLED = {
    "rotation-16": _ROTATION,  # the paper's: 100 filters, 250,000 pairs
    "rotation-16-refined": replace(_ROTATION, refined=True),
    # Three times the pixels: noisier gradients, so larger batches, and more pairs until the span is invariant.
    "rotation-28": TrainingRun(
        "rotation", (28, 28), n_subspaces=150, n_pairs=1_000_000, learning_rate=0.5, batch_size=400, refined=True
    ),
    "shift-32": TrainingRun("shift", (32,), n_subspaces=16, refined=True),
    "shift-16x16": TrainingRun("shift", (16, 16), n_subspaces=128, refined=True),
}
