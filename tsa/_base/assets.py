"""Paths of the data that come with the package: bundled models and digits."""

from pathlib import Path


def assets(folder: str) -> Path:
    """A folder of `assets`, inside the installed package or beside it in a checkout."""
    package = Path(__file__).parents[1]
    inside = package / "assets" / folder
    return inside if inside.is_dir() else package.parent / "assets" / folder
