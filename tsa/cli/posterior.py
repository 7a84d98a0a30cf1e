"""`tsa posterior`: the posterior over the turn between two pictures, as a page, a picture, numbers or words."""

import argparse
from collections.abc import Callable

from tsa.cli._arguments import add_json, add_table_out, ending, to_standard_output, write
from tsa.stage import Scene, exports, show, stage_page

_WRITERS: dict[str, Callable[[Scene], str | bytes]] = {  # by the ending of the file
    ".html": stage_page,
    ".png": exports.picture_png,
    ".svg": exports.picture_svg,
    ".webp": exports.turning,
    ".gif": lambda scene: exports.turning(scene, "gif"),
    ".csv": exports.posterior_csv,
    ".json": exports.summary_json,
}


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command `posterior`."""
    command = commands.add_parser(
        "posterior",
        help="by how much was a picture turned? the whole posterior, as a page, a picture or numbers",
        epilog="example: tsa posterior square --angle 30 --out report.html",
    )
    command.add_argument("x", help="an image file, or the name of a shape (square, F, pinwheel, …)")
    command.add_argument("y", nargs="?", help="a second picture; without it, x turned by --angle")
    command.add_argument(
        "--angle", type=float, help="degrees by which the second is turned (default 30; 0 if y is given)"
    )
    command.add_argument("--model", default="rotation-16-refined", help="a bundled name or a file of a rotation model")
    command.add_argument("--sigma", type=float, default=0.5, help="model noise σ (default 0.5)")
    command.add_argument("--pixel-noise", type=float, default=0.0, help="noise added to the pixels of y (default 0)")
    add_table_out(command, _WRITERS, "what to write instead of answer, why and fit")
    add_json(command)
    command.set_defaults(run=_posterior)


def _posterior(options: argparse.Namespace) -> None:
    view = show(
        options.x,
        options.y,
        angle=options.angle,
        model=options.model,
        noise=options.sigma,
        pixel_noise=options.pixel_noise,
    )
    if options.json or options.out is None:
        print(exports.summary_json(view.scene) if options.json else exports.in_words(view.scene))
    if options.out is not None:
        write(options.out, _WRITERS[ending(options, _WRITERS)](view.scene))
        if not (options.json or to_standard_output(options.out)):
            print(f"wrote {options.out}")
