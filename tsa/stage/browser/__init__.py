"""JavaScript, CSS and HTML of the lab and of motion, what components share, and the joiner of JavaScript modules."""

from pathlib import Path

from tsa.stage.browser.join import JoinError, join

BROWSER = Path(__file__).parent

__all__ = ["BROWSER", "JoinError", "join"]
