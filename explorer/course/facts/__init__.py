"""What checks and claims of lessons can say: facts about a view, computed by `tsa`; a class for each kind of page."""

from explorer.course.facts.dft import DFT_NOISE, DftFacts, drawn_dft, drawn_posterior
from explorer.course.facts.lab import LabFacts
from explorer.course.facts.learning import (
    OrbitFacts,
    TrainFacts,
    learned_filters,
    learned_phases,
    main_waves,
    training_pairs,
)
from explorer.course.facts.motion import MotionFacts
from explorer.course.facts.pages import FACTS
from explorer.course.facts.subject import TRAINING, About, HiddenPairs, Subject, picture_of

__all__ = [
    "DFT_NOISE",
    "FACTS",
    "TRAINING",
    "About",
    "DftFacts",
    "HiddenPairs",
    "LabFacts",
    "MotionFacts",
    "OrbitFacts",
    "Subject",
    "TrainFacts",
    "drawn_dft",
    "drawn_posterior",
    "learned_filters",
    "learned_phases",
    "main_waves",
    "picture_of",
    "training_pairs",
]
