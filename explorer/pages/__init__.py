"""The pages of the app, a module each; controls that several pages share are in `controls`."""

from explorer.pages import dft, film, filters, home, lab, lesson, model, motion, orbits, recognise, share, train
from explorer.pages.model import report_json, rows_to_csv

__all__ = [
    "dft",
    "film",
    "filters",
    "home",
    "lab",
    "lesson",
    "model",
    "motion",
    "orbits",
    "recognise",
    "report_json",
    "rows_to_csv",
    "share",
    "train",
]
