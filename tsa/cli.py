"""`tsa`: the command line."""

import argparse
import sys

from tsa import bench
from tsa.errors import TSAError


def main(argv: list[str] | None = None) -> int:
    """Run one command; errors we know are one sentence on stderr and exit code 2."""
    parser = argparse.ArgumentParser(prog="tsa", description="Toroidal Subgroup Analysis.")
    commands = parser.add_subparsers(dest="command", required=True)

    command = commands.add_parser(
        "bench",
        help="measure speed, as ratios to the bare operations underneath",
        epilog="example: tsa bench densities",
    )
    command.add_argument("what", choices=["densities"])
    command.set_defaults(run=lambda options: getattr(bench, options.what)())

    options = parser.parse_args(argv)
    try:
        options.run(options)
    except TSAError as error:
        print(f"tsa: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
