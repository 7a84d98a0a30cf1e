"""`tsa-explorer docs`: the documentation as a folder of files, to read without a server or to put on one."""

import argparse
import sys
from pathlib import Path

from explorer.docs.site import write_site
from tsa._base import TSAError


def docs_command(argv: list[str]) -> int:
    """Write the site; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="tsa-explorer docs",
        description="Write the documentation as a static site, which needs no server and no network.",
        epilog="example: tsa-explorer docs --out site",
    )
    parser.add_argument("--out", metavar="FOLDER", required=True, help="folder to write to; made if it is missing")
    folder = Path(parser.parse_args(argv).out)
    try:
        count = write_site(folder)
    except TSAError as error:
        print(f"tsa-explorer: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"tsa-explorer: cannot write to {folder}: {error.strerror}.", file=sys.stderr)
        return 2
    print(f"{count} files in {folder}; open {folder / 'index.html'}")
    return 0
