"""Controls that several pages share: pictures, the model menu, downloads, progress, charts."""

from explorer.pages.controls import charts
from explorer.pages.controls.model_menu import choose_model
from explorer.pages.controls.picture import choose
from explorer.pages.controls.progress import progress_bar
from explorer.pages.controls.save import save
from explorer.pages.controls.symmetry import symmetry_panel

__all__ = [
    "charts",
    "choose",
    "choose_model",
    "progress_bar",
    "save",
    "symmetry_panel",
]
