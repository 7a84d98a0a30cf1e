"""Trainings that visitors start: requests, queue, processes, and the history of their filters."""

from explorer.training._process import Trainer
from explorer.training.history import FilterSnapshot, TrainingHistory
from explorer.training.jobs import Job, Jobs, State, Status
from explorer.training.request import KINDS, requested_run

__all__ = [
    "KINDS",
    "FilterSnapshot",
    "Job",
    "Jobs",
    "State",
    "Status",
    "Trainer",
    "TrainingHistory",
    "requested_run",
]
