"""Learning from pairs: the training loop, the estimator, fine-tuning, repeatable runs, groups found in pairs."""

from tsa.learning._blas import one_blas_thread
from tsa.learning._sgd import TrainingProgress, sgd, sgd_step
from tsa.learning.adaptation import adapt, fine_tune
from tsa.learning.discovery import Discovery, DiscoveryEvidence, DiscoveryStep, discover, patch_shape
from tsa.learning.estimator import TSA
from tsa.learning.runs import BUNDLED, Checkpoint, TrainingRun, patches_digest, train_run
from tsa.learning.starts import Mapper, TrainedRun, best_discovery, discover_starts, train_runs

__all__ = [
    "BUNDLED",
    "TSA",
    "Checkpoint",
    "Discovery",
    "DiscoveryEvidence",
    "DiscoveryStep",
    "Mapper",
    "TrainedRun",
    "TrainingProgress",
    "TrainingRun",
    "adapt",
    "best_discovery",
    "discover",
    "discover_starts",
    "fine_tune",
    "one_blas_thread",
    "patch_shape",
    "patches_digest",
    "sgd",
    "sgd_step",
    "train_run",
    "train_runs",
]
