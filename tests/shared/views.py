"""Views of every kind, for tests with hypothesis."""

import numpy as np
from hypothesis import strategies as some

from explorer.state import (
    DRAWING_PIXELS,
    GREY_LEVELS,
    HIDEABLE,
    PHOTO_PIXELS,
    STOPS,
    Digit,
    Pixels,
    Shape,
    ViewState,
)
from tsa import bundled
from tsa.pictures import SHAPES


def noise_of(seed, photo):
    """A picture of any kind: mostly blank, or all noise."""
    rng = np.random.default_rng(seed)
    side, most = (PHOTO_PIXELS, 255) if photo else (DRAWING_PIXELS, GREY_LEVELS - 1)
    return Pixels((rng.random((side, side)) ** (seed % 9) > 0.5).astype(np.uint8).tobytes() if seed % 2 else
                  rng.integers(0, most + 1, (side, side), np.uint8).tobytes(), photo)  # fmt: skip


sources = some.one_of(
    some.sampled_from(sorted(SHAPES)).map(Shape),
    some.integers(0, 29).map(Digit),
    some.builds(noise_of, some.integers(0, 2**32 - 1), some.booleans()),
)
natural = some.complex_numbers(max_magnitude=1e2, allow_nan=False, width=64)
seen = some.one_of(
    some.just((0, ())), some.tuples(some.integers(1, 1000), some.lists(natural, min_size=1, max_size=64).map(tuple))
)


@some.composite
def states(draw):
    observations, prior = draw(seen)
    return ViewState(
        x=draw(sources),
        y=draw(some.none() | sources),
        angle=draw(some.integers(0, 359)),
        noise=draw(some.integers(0, 20).map(lambda n: round(0.05 * n, 6))),
        sigma=draw(some.integers(0, 36).map(lambda n: round(0.2 + 0.05 * n, 6))),
        strength=draw(some.integers(0, 20).map(lambda n: 0.5 * n)),
        centre=draw(some.integers(0, 359)),
        observations=observations,
        prior=tuple(complex(value) for value in np.array(prior, np.complex64)),
        model=draw(some.sampled_from(["", *bundled()])),
        log=draw(some.booleans()),
        circle=draw(some.none() | some.integers(0, 9999)),
        filter=draw(some.none() | some.integers(0, 9999)),
        orbit=draw(some.tuples(some.sampled_from(sorted(STOPS)), some.sampled_from(sorted(STOPS)))),
        hide=draw(some.frozensets(some.sampled_from(HIDEABLE))),
    )
