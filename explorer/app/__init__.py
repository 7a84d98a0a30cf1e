"""The script that Streamlit runs. It has a folder of its own, because Streamlit would take the modules of a folder
`pages` beside it for pages of the app, and serve them at the addresses of ours.
"""

from pathlib import Path

__all__ = [
    "SCRIPT",
]

SCRIPT = Path(__file__).with_name("script.py")
