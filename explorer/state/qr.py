"""An address as a QR code, for cameras of phones."""

import segno

_QUIET_ZONE = 4  # modules of white around the code, as ISO 18004 asks


def qr_svg(text: str) -> str:
    """The text as an SVG element that fills its place: black on white in dark themes too, as readers expect.

    A code that a finger or a reflection covers in part can still be read (15 % of it may be damaged).
    """
    code = segno.make(text, error="m", micro=False)
    return str(
        code.svg_inline(border=_QUIET_ZONE, dark="#000", light="#fff", omitsize=True, svgclass=None, lineclass=None)
    )
