"""Figures and tables of the paper, and benchmarks."""

from tsa.experiments import bench, mnist

__all__ = [
    "bench",
    "mnist",
]
