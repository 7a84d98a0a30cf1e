"""Learning from pairs of patches: the training loop, the estimator, fine-tuning, repeatable training runs."""

from tsa.learning._sgd import TrainingProgress, sgd, sgd_step
from tsa.learning.adaptation import fine_tune
from tsa.learning.estimator import TSA
from tsa.learning.runs import BUNDLED, Checkpoint, TrainingRun, train_run

__all__ = [
    "BUNDLED",
    "TSA",
    "Checkpoint",
    "TrainingProgress",
    "TrainingRun",
    "fine_tune",
    "sgd",
    "sgd_step",
    "train_run",
]
