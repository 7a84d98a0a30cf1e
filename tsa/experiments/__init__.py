"""Figures and tables of the paper and of what builds on it, the report of all of them, and benchmarks."""

from tsa.experiments import (
    adaptation,
    bench,
    dft,
    filters,
    mnist,
    motion,
    orbits,
    posteriors,
    registration,
    report,
    sequences,
    tracking,
)
from tsa.experiments.discovery import DISCOVERY_PARTS, discovery_benchmark

__all__ = [
    "DISCOVERY_PARTS",
    "adaptation",
    "bench",
    "dft",
    "discovery_benchmark",
    "filters",
    "mnist",
    "motion",
    "orbits",
    "posteriors",
    "registration",
    "report",
    "sequences",
    "tracking",
]
