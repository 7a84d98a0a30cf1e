"""How the benchmarks print times."""

from collections.abc import Sequence

import numpy as np


def percentiles(delays: Sequence[float]) -> str:
    """Median and 95th percentile of times in milliseconds."""
    middle, late = np.percentile(delays, [50, 95])
    return f"median {middle:.0f} ms, p95 {late:.0f} ms"
