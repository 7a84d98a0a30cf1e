"""A comparison as tables: the posteriors side by side, and the answers in numbers."""

import json
from collections.abc import Sequence

import numpy as np

from tsa.stage.comparison.compared import Compared, comparison_words
from tsa.stage.exports import DEGREES, summary, table_csv
from tsa.stage.scene import Scene


def compare_csv(scenes: Sequence[Scene]) -> str:
    """The posteriors at whole degrees as CSV: a column for each pin, densities per radian."""
    columns = [scene.posterior().density(np.radians(DEGREES)).tolist() for scene in scenes]
    header = ("degrees", *(f"pin_{i}" for i in range(1, 1 + len(scenes))))
    return table_csv(header, zip(DEGREES.tolist(), *columns, strict=True))


def compare_json(scenes: Sequence[Scene], labels: Sequence[str]) -> str:
    """What the comparison says, and the summary of each pin, as JSON."""
    certainty, shared = comparison_words([Compared.of(scene, whole=False) for scene in scenes])[0]
    pins = [
        {"pin": i, "label": label, **summary(scene)}
        for i, (label, scene) in enumerate(zip(labels, scenes, strict=True), 1)
    ]
    return json.dumps({"in words": f"{certainty} {shared}", "pins": pins}, indent=1)
