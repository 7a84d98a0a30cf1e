"""The entry point of `tsa`: parses the command line and runs one command.

Known errors are one sentence on stderr and exit code 2; an interrupt is exit code 130. A command may return its own.
"""

import argparse
import sys

from tsa._base import TSAError, allow_any_console
from tsa.cli import bench, discover, filters, models, posterior, register, reproduce, train


def main(argv: list[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    allow_any_console()
    options = _parser().parse_args(argv)
    try:
        return int(options.run(options) or 0)
    except TSAError as error:
        print(f"tsa: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt as stopped:
        print(f"tsa: stopped. {stopped}".rstrip(), file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tsa", description="Toroidal Subgroup Analysis.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    for family in (train, discover, models, filters, posterior, register, reproduce, bench):
        family.add_parser(commands)
    return parser
