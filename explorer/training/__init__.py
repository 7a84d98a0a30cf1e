"""Trainings and searches for a group that visitors start: requests, queue, processes, the history of their filters."""

from explorer.training._process import Trainer
from explorer.training.discovery_job import DiscoveryJob
from explorer.training.history import FilterSnapshot, TrainingHistory
from explorer.training.job import Job, State, Status
from explorer.training.jobs import Jobs
from explorer.training.request import KINDS, DiscoveryRequest, requested_run, requested_search
from explorer.training.sources import EXAMPLES, pairs_of_files, turned_pictures
from explorer.training.training_job import TrainingJob

__all__ = [
    "EXAMPLES",
    "KINDS",
    "DiscoveryJob",
    "DiscoveryRequest",
    "FilterSnapshot",
    "Job",
    "Jobs",
    "State",
    "Status",
    "Trainer",
    "TrainingHistory",
    "TrainingJob",
    "pairs_of_files",
    "requested_run",
    "requested_search",
    "turned_pictures",
]
