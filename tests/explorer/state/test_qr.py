"""QR codes: what the SVG draws is the code, with its white margin."""

import re

import pytest
import segno

from explorer.state import qr_svg

ADDRESSES = ["http://192.168.1.5:8501/", "http://[fd00::2]:8501/", "https://example.org/lab?x=shape.square&angle=30"]


def drawn(svg):
    """The modules that the path of the SVG covers, as (column, row)."""
    dark, path = set(), re.search(r'stroke="#000" d="([^"]+)"', svg)[1]
    x = y = 0.0
    for command, numbers in re.findall(r"([Mmh])([^Mmh]*)", path):
        values = [float(number) for number in re.findall(r"-?[\d.]+", numbers)]
        if command == "h":
            dark.update((int(x) + step, int(y)) for step in range(int(values[0])))
            x += values[0]
        else:
            x, y = values if command == "M" else (x + values[0], y + values[1])
    return dark


@pytest.mark.parametrize("address", ADDRESSES)
def test_the_drawing_is_the_code(address):
    svg = qr_svg(address)
    matrix = segno.make(address, error="m", micro=False).matrix
    side = len(matrix) + 8
    assert f'viewBox="0 0 {side} {side}"' in svg
    assert f'fill="#fff" d="M0 0h{side}v{side}h-{side}z"' in svg
    assert drawn(svg) == {(x + 4, y + 4) for y, row in enumerate(matrix) for x, dark in enumerate(row) if dark}


def test_what_is_encoded_does_not_stand_in_the_markup():
    assert "<script" not in qr_svg("<script>alert(1)</script>")


def test_another_address_is_another_code():
    first, second = map(qr_svg, ADDRESSES[:2])
    assert drawn(first) != drawn(second)
