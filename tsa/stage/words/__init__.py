"""Every sentence on the pages about a result, and the thresholds that select it; the browser has none."""

from tsa.stage.words import digits, filters, orbits, training
from tsa.stage.words.filters import weight_label
from tsa.stage.words.lab import NUMBERS, SweepWords, is_flat, modes, numbers, reason, sentence, sweep_words, templates

__all__ = [
    "NUMBERS",
    "SweepWords",
    "digits",
    "filters",
    "is_flat",
    "modes",
    "numbers",
    "orbits",
    "reason",
    "sentence",
    "sweep_words",
    "templates",
    "training",
    "weight_label",
]
