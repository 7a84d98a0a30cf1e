"""JavaScript, CSS and HTML of the lab and of motion, the joiner of JavaScript modules, and offline pages."""

from tsa.stage.browser.join import BROWSER, JoinError, join
from tsa.stage.browser.page import offline_page, show, stage_page

__all__ = ["BROWSER", "JoinError", "join", "offline_page", "show", "stage_page"]
