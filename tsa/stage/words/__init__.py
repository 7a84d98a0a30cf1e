"""Every sentence on the pages about a result, and the thresholds that select it; the browser has none."""

from tsa.stage.words import comparison, digits, film, filters, motion, orbits, training
from tsa.stage.words.filters import weight_label
from tsa.stage.words.glossary import GLOSSARY
from tsa.stage.words.lab import (
    NUMBERS,
    QUESTION,
    SweepWords,
    answer,
    fit,
    is_flat,
    modes,
    numbers,
    question,
    sweep_words,
    templates,
    why,
)
from tsa.stage.words.symmetry import SymmetryWords, symmetry_words
from tsa.stage.words.waves import (
    LABELS,
    MIN_PRINTED_KAPPA,
    NEARLY_BEST,
    ODDS_STEP,
    kappa_label,
    odds,
    row_label,
    waves_heading,
)

__all__ = [
    "GLOSSARY",
    "LABELS",
    "MIN_PRINTED_KAPPA",
    "NEARLY_BEST",
    "NUMBERS",
    "ODDS_STEP",
    "QUESTION",
    "SweepWords",
    "SymmetryWords",
    "answer",
    "comparison",
    "digits",
    "film",
    "filters",
    "fit",
    "is_flat",
    "kappa_label",
    "modes",
    "motion",
    "numbers",
    "odds",
    "orbits",
    "question",
    "row_label",
    "sweep_words",
    "symmetry_words",
    "templates",
    "training",
    "waves_heading",
    "weight_label",
    "why",
]
