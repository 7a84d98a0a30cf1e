"""Learning from pairs: the training loop, the estimator, fine-tuning, repeatable runs, groups found in pairs."""

from tsa.learning._sgd import TrainingProgress, sgd, sgd_step
from tsa.learning.adaptation import adapt, fine_tune
from tsa.learning.discovery import Discovery, DiscoveryEvidence, DiscoveryStep, discover, patch_shape
from tsa.learning.estimator import TSA
from tsa.learning.runs import BUNDLED, Checkpoint, TrainingRun, patches_digest, train_run

__all__ = [
    "BUNDLED",
    "TSA",
    "Checkpoint",
    "Discovery",
    "DiscoveryEvidence",
    "DiscoveryStep",
    "TrainingProgress",
    "TrainingRun",
    "adapt",
    "discover",
    "fine_tune",
    "patch_shape",
    "patches_digest",
    "sgd",
    "sgd_step",
    "train_run",
]
