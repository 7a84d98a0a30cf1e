"""Pairs of drawings for tests of registration."""

from tsa.experiments import registration as bench
from tsa.registration import PlanePair


def noisy_drawings(planes, sigma, n=12):
    """Patches of 16×16 of drawings made up at random, and of the same turned, with white noise on both."""
    pairs = bench.make_pairs(bench.kinds()["drawings"], 16, n, seed=4)
    return PlanePair.of(planes, *bench.noisy_patches(pairs, (sigma, sigma)))
