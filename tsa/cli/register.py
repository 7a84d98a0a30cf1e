"""`tsa register`: the turn between two pictures, with its uncertainty, and the first picture turned onto the second."""

import argparse
from pathlib import Path

import numpy as np
from PIL import Image

from tsa._base import InputError
from tsa.cli._arguments import add_json, print_json, to_standard_output, write
from tsa.registration import register
from tsa.stage import exports


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command `register`."""
    command = commands.add_parser(
        "register",
        help="by how much is one noisy picture turned against another, and how sure is that?",
        epilog="example: tsa register a.png b.png --out aligned.png --json",
    )
    command.add_argument("a", help="an image file, or the name of a shape")
    command.add_argument("b", help="the picture that shows the same, turned about its middle")
    command.add_argument("--sigma", type=float, help="noise of the pixels, grey values 0…1 (default: from the pair)")
    command.add_argument("--model", default="rotation-28", help="a bundled name or a file of a rotation model")
    command.add_argument("--out", type=Path, help="picture to write (.png, or - for standard output): a turned onto b")
    add_json(command)
    command.set_defaults(run=_register)


def _register(options: argparse.Namespace) -> None:
    streamed = options.out is not None and to_standard_output(options.out)
    if options.out is not None and not streamed and options.out.suffix.lower() != ".png":
        raise InputError(f"{options.out} should end in .png.")
    found = register(options.a, options.b, model=options.model, noise=options.sigma)
    if options.json:
        print_json(found.summary())
    elif not streamed:
        print(found.sentence)
    if options.out is not None:
        write(options.out, exports.png(Image.fromarray(np.rint(255 * found.aligned).astype(np.uint8))))
