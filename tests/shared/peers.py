"""Where models that other people have published lie, if they are there; they are not part of the project."""

from pathlib import Path

import pytest

PEERS = Path(__file__).parents[3] / "shared" / "data" / "peers"
needs_peers = pytest.mark.skipif(not PEERS.exists(), reason="the published models are not part of the project")
