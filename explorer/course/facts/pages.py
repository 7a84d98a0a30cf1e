"""Which facts there are about which page."""

from collections.abc import Mapping

from explorer.course.facts.dft import DftFacts
from explorer.course.facts.lab import LabFacts
from explorer.course.facts.learning import OrbitFacts, TrainFacts
from explorer.course.facts.motion import MotionFacts
from explorer.course.facts.subject import About

FACTS: Mapping[str, type[About]] = {
    "lab": LabFacts,
    "motion": MotionFacts,
    "dft": DftFacts,
    "train": TrainFacts,
    "orbits": OrbitFacts,
}
