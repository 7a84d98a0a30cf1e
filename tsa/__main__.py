"""`python -m tsa`: the command line without the installed script."""

import sys

from tsa.cli import main

if __name__ == "__main__":
    sys.exit(main())
