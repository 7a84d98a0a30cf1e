"""The entry point of `tsa`: parses the command line and runs one command.

Known errors are one sentence on stderr and exit code 2; an interrupt is exit code 130, a reader of the output that has
left is 141. A command may return its own.
"""

import argparse
import os
import sys

import tsa
from tsa._base import InputError, TSAError, allow_any_console, end_loading
from tsa.cli import bench, discover, filters, models, posterior, register, reproduce, train


def main(argv: list[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    try:
        end_loading()
        allow_any_console()
        options = _parser().parse_args(argv)
        code = int(options.run(options) or 0)
        sys.stdout.flush()
        return code
    except TSAError as error:
        print(f"tsa: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt as stopped:
        print(f"tsa: stopped. {stopped}".rstrip(), file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what Python flushes when it ends
        return 141
    except OSError as error:  # of a file or a folder: no room, no permission, a name that is too long
        where = f"{str(error.filename)[:200]}: " if error.filename else ""
        print(f"tsa: {where}{error.strerror or error}.", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tsa", description="Toroidal Subgroup Analysis.")
    parser.add_argument("--version", action="version", version=f"tsa {tsa.__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    for family in (train, discover, models, filters, posterior, register, reproduce, bench):
        family.add_parser(commands)
    command = commands.add_parser(
        "completion",
        help="print a script that completes commands and options in a shell; needs the package shtab",
        epilog="example: tsa completion bash > ~/.local/share/bash-completion/completions/tsa",
    )
    command.add_argument("shell", choices=["bash", "zsh", "tcsh"])
    command.set_defaults(run=lambda options: _print_completion(parser, options.shell))
    return parser


def _print_completion(parser: argparse.ArgumentParser, shell: str) -> None:
    try:
        import shtab
    except ImportError:
        raise InputError("Completion is written by the package shtab: pip install shtab, then once more.") from None
    print(shtab.complete(parser, shell))
