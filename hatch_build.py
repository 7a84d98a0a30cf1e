"""The README as a package index shows it: there are no files beside it, so its pictures need whole addresses.

`TSA_PICTURES` is the address that `assets/…` is taken from, as in https://host/owner/tsa-explorer/raw/v0.1.0/. Without
it the pictures are left out: an index would show broken ones.
"""

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_PICTURE = re.compile(r"!\[([^\]]*)\]\((assets/[^)]+)\)")
_PICTURE_TABLE = re.compile(r"^\| dark \| phone \|\n\|---\|---\|\n.*\n\n", re.MULTILINE)


class ReadmeHook(MetadataHookInterface):
    """Sets the field `readme` of the metadata."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Called by hatchling when it builds."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": for_index(text, os.environ.get("TSA_PICTURES", "")),
        }


def for_index(text: str, address: str) -> str:
    """The README with pictures at this address, or without pictures."""
    if address:
        return _PICTURE.sub(rf"![\1]({address.rstrip('/')}/\2)", text)
    return _PICTURE.sub("", _PICTURE_TABLE.sub("", text))
