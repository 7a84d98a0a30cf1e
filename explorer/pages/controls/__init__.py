"""Controls that several pages share: pictures, noise, the model menu, downloads, progress, charts."""

from explorer.pages.controls import charts
from explorer.pages.controls.filter_set import show_set
from explorer.pages.controls.model_menu import choose_model
from explorer.pages.controls.noise import noise_controls
from explorer.pages.controls.picture import choose
from explorer.pages.controls.progress import awaited, progress_bar
from explorer.pages.controls.save import offline_page, save, save_comparison
from explorer.pages.controls.symmetry import symmetry_panel
from explorer.pages.controls.training import Wanted, choose_training

__all__ = [
    "Wanted",
    "awaited",
    "charts",
    "choose",
    "choose_model",
    "choose_training",
    "noise_controls",
    "offline_page",
    "progress_bar",
    "save",
    "save_comparison",
    "show_set",
    "symmetry_panel",
]
