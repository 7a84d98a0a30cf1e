"""Distances between patches and exact nearest neighbours: Euclidean, tangent, torus, manifold, bispectral."""

from tsa.recognition import cluster, neighbours
from tsa.recognition.bispectrum import BispectralDistance, Bispectrum
from tsa.recognition.classifier import NearestClassifier, majority, vote_counts
from tsa.recognition.digits import ALIGNMENTS, DISTANCES, STEP_DEGREES, DigitSearch, Votes
from tsa.recognition.invariants import InvariantFeatures, max_pooled, phase_differences
from tsa.recognition.manifold import ManifoldDistance
from tsa.recognition.metric import Euclidean, Metric, TorusDistance
from tsa.recognition.neighbours import Neighbours, nearest
from tsa.recognition.tangent import TangentDistance

__all__ = [
    "ALIGNMENTS",
    "DISTANCES",
    "STEP_DEGREES",
    "BispectralDistance",
    "Bispectrum",
    "DigitSearch",
    "Euclidean",
    "InvariantFeatures",
    "ManifoldDistance",
    "Metric",
    "NearestClassifier",
    "Neighbours",
    "TangentDistance",
    "TorusDistance",
    "Votes",
    "cluster",
    "majority",
    "max_pooled",
    "nearest",
    "neighbours",
    "phase_differences",
    "vote_counts",
]
