"""The script that Streamlit runs, and the HTML that loads it. The script has a folder of its own, because Streamlit
would take the modules of a folder `pages` beside it for pages of the app, and serve them at the addresses of ours.
"""

from pathlib import Path

from explorer.app.index import Index

__all__ = [
    "SCRIPT",
    "Index",
]

SCRIPT = Path(__file__).with_name("script.py")
