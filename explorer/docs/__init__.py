"""The documentation as one static site, from the docstrings of `tsa`, the README and `pages`.

Every page is made when it is asked for, so that the site of an installed version is always its own.
"""

from explorer.docs.command import docs_command
from explorer.docs.serving import ROUTES
from explorer.docs.site import content, files, page_names, write_site

__all__ = ["ROUTES", "content", "docs_command", "files", "page_names", "write_site"]
