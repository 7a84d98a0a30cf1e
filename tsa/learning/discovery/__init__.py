"""A group from pairs alone: whitening, planes, relations between phases, characters, refusal."""

from tsa.learning.discovery._coupling import Coupling, coupling_of
from tsa.learning.discovery._planes import coherence, complement, em, invariant_planes
from tsa.learning.discovery._relations import MIN_HEIGHT, MIN_Z
from tsa.learning.discovery._watching import DiscoveryStep
from tsa.learning.discovery._whitening import Whitening, leading_directions, whitening_of
from tsa.learning.discovery.discovery import discover
from tsa.learning.discovery.result import Discovery, DiscoveryEvidence, patch_shape

__all__ = [
    "MIN_HEIGHT",
    "MIN_Z",
    "Coupling",
    "Discovery",
    "DiscoveryEvidence",
    "DiscoveryStep",
    "Whitening",
    "coherence",
    "complement",
    "coupling_of",
    "discover",
    "em",
    "invariant_planes",
    "leading_directions",
    "patch_shape",
    "whitening_of",
]
