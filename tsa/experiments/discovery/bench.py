"""`tsa bench discover`: how often groups are found and refused, how long it takes, how many pairs it needs."""

import time
from collections.abc import Iterable

import numpy as np

from tsa.experiments.discovery.cases import CONTROLS, Case, named_cases, random_case, score, shift_case
from tsa.experiments.discovery.known import compare_with_refined, photos_in_words
from tsa.experiments.discovery.peers import compare_with_peers
from tsa.groups import CyclicShift, ImageRotation
from tsa.learning import Discovery, discover

_SCORING_PAIRS = 2000


DISCOVERY_PARTS = ("named", "random", "controls", "known", "photos", "curve", "peers")


def discovery_benchmark(pairs: int, groups: int, seed: int, only: str | None = None) -> None:
    """Print one line for each named group, random group, control and known action, and the curve of pairs needed."""
    if only in (None, "named"):
        print(f"named groups, {pairs:,} pairs, σ = 0.1 and 0.3", flush=True)
        for case in named_cases():
            for noise in (0.1, 0.3):
                print(f"  {case.name:34s} σ {noise}  {_line(case, noise, pairs, [seed, 1])[0]}", flush=True)
    if only in (None, "random"):
        _random_groups(pairs, groups, seed)
    if only in (None, "controls"):
        _controls(pairs, seed)
    if only in (None, "known"):
        print("known actions, learned without them, against the model refined with them", flush=True)
        for action in (CyclicShift(16), CyclicShift((6, 6)), ImageRotation(8)):
            print(f"  {compare_with_refined(action, pairs, seed)}", flush=True)
    if only in (None, "photos"):
        for n in sorted({1000, pairs}):
            print(f"  {photos_in_words(n, seed)}", flush=True)
    if only in (None, "curve"):
        _curve(seed)
    if only in (None, "peers"):
        compare_with_peers(seed)


def _line(case: Case, noise: float, pairs: int, seed: list[int]) -> tuple[str, int, int, int]:
    """The result on one group in words; whether the rank is right, planes right and planes wrong."""
    x, y, _ = case.pairs(pairs, np.random.default_rng(seed), noise)
    begun = time.perf_counter()
    found = discover(x, y)
    seconds = time.perf_counter() - begun
    if found.rank != case.rank:
        return f"RANK {found.rank}, not {case.rank}: {found.sentence}  {seconds:.1f} s", 0, 0, 0
    right, equivariance = score(found, case.pairs(_SCORING_PAIRS, np.random.default_rng([*seed, 1]), 0.0), case.period)
    words = (
        f"rank {found.rank}  {found.group:24s} {right.sum():2d} of {case.planes} planes right, {np.sum(~right)} wrong, "
        f"{found.model.lines.sum()} lines, equivariance {equivariance.min():.3f}, σ {found.model.noise:.3f}  "
        f"{seconds:.1f} s"
    )
    return words, 1, int(right.sum()), int(np.sum(~right))


def _random_groups(pairs: int, groups: int, seed: int) -> None:
    print(f"{groups} random groups of rank 1, 2, 3 in turn, {pairs:,} pairs, seed {seed}", flush=True)
    rng, rows = np.random.default_rng(seed), list[tuple[int, int, int, int]]()
    for i in range(groups):
        case, noise = random_case(rng, 1 + i % 3)
        words, rank_right, right, wrong = _line(case, noise, pairs, [seed, i])
        assert case.planes is not None
        rows.append((rank_right, right, wrong, case.planes))
        print(f"  {i:2d} {case.name}: {words}", flush=True)
    ranks, right, wrong, planes = np.sum(rows, axis=0)
    every = sum(right == planes for _, right, _, planes in rows)
    print(
        f"rank right in {ranks} of {groups}, all weights in {every}; {right} of {planes} planes right, {wrong} wrong, "
        f"{planes - right - wrong} left out",
        flush=True,
    )


def _controls(pairs: int, seed: int) -> None:
    refused = 0
    for name, make in CONTROLS.items():
        found = discover(*make(pairs, np.random.default_rng([seed, 2])))
        refused += not found.found
        print(f"  {name:34s} {found.sentence}", flush=True)
    print(f"controls refused: {refused} of {len(CONTROLS)}", flush=True)


def _curve(seed: int) -> None:
    """The planes found against the number of pairs, for shifts of several sizes."""
    print("planes found of shifts rotated in R^D, against pairs / D²", flush=True)
    for size in (12, 24, 32, 48):
        case = shift_case((size,), "rotated")
        results = [(share, _found_planes(case, int(share * size**2), seed)) for share in _shares()]
        print(
            f"  D = {size}: " + "  ".join(f"{share:g}: {planes}/{case.planes}" for share, planes in results), flush=True
        )


def _shares() -> Iterable[float]:
    return (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)


def _found_planes(case: Case, pairs: int, seed: int) -> int:
    x, y, _ = case.pairs(max(pairs, 100), np.random.default_rng([seed, 3]), 0.1)
    found: Discovery = discover(x, y)
    if found.rank != case.rank:
        return 0
    right, _ = score(found, case.pairs(_SCORING_PAIRS, np.random.default_rng([seed, 4]), 0.0), case.period)
    return int(right.sum())
