"""`tsa`, the command line: a module for each family of commands."""

from tsa.cli._main import main

__all__ = ["main"]
