"""How often `tsa.discover` is right: groups whose truth is known, controls without a group, and a benchmark of both."""

from tsa.experiments.discovery.bench import DISCOVERY_PARTS, discovery_benchmark

__all__ = ["DISCOVERY_PARTS", "discovery_benchmark"]
