"""Picture files of every kind and size, damaged ones among them: a picture, or one sentence."""

import io
import struct
import warnings
import zlib
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from PIL import Image

from tests.shared.pictures import jpeg
from tsa.pictures import CropCircle, PictureError, crop, open_picture


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("png", jpeg()),
        ("grey", jpeg("L")),
        ("alpha", jpeg("RGBA")),
        ("palette", jpeg("P")),
        ("jpeg", jpeg(format="JPEG")),
        ("cmyk", jpeg("CMYK", format="JPEG")),
        ("webp", jpeg(format="WEBP")),
        ("bmp", jpeg(format="BMP")),
        ("animation", jpeg("P", format="GIF", save_all=True, append_images=[Image.new("P", (60, 40))])),
    ],
)
def test_pictures_of_all_kinds(name, data):
    picture = open_picture(data)
    assert picture.shape == (40, 60)
    assert 0 <= picture.min() < picture.max() <= 1
    square = crop(picture, CropCircle(0.5, 0.5, 0.5))
    assert square.shape == (128, 128)


def test_sixteen_bits_and_exif():
    buffer = io.BytesIO()
    Image.fromarray(np.arange(600, dtype=np.uint16).reshape(20, 30) * 100).save(buffer, format="PNG")
    assert np.ptp(open_picture(buffer.getvalue())) == pytest.approx(1.0)
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by 90°
    buffer = io.BytesIO()
    Image.new("RGB", (30, 20)).save(buffer, format="JPEG", exif=exif)
    assert open_picture(buffer.getvalue()).shape == (30, 20)


def bomb():
    """A PNG header that promises 30,000 × 30,000 pixels."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 30_000, 30_000, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(1000)))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "empty"),
        (b"just text", "not a PNG"),
        (jpeg(format="JPEG")[:200], "damaged"),
        (jpeg()[:100], "damaged"),
        (bomb(), "megapixels"),
        (jpeg(size=(1, 1)), "only 1"),
        (bytes(21 * 2**20), "MB"),
        (jpeg(format="TIFF"), "not a PNG"),
    ],
    ids=["empty", "text", "half a jpeg", "half a png", "bomb", "one pixel", "many bytes", "tiff"],
)
def test_bad_pictures_are_one_sentence(data, message):
    with pytest.raises(PictureError, match=message) as caught:
        open_picture(data)
    assert "\n" not in str(caught.value)


def test_pictures_are_opened_side_by_side_without_a_trace():
    """Warnings are a matter of the whole process; two visitors must not change them for everybody."""
    data = io.BytesIO()
    Image.new("L", (300, 200)).save(data, "PNG")
    before = list(warnings.filters)
    with ThreadPoolExecutor(4) as visitors:
        list(visitors.map(lambda _: open_picture(data.getvalue()), range(200)))
    assert warnings.filters == before


@pytest.mark.parametrize("size", [(2, 30_000), (30_000, 2), (1, 1)])
def test_a_hair_is_no_picture(size):
    data = io.BytesIO()
    Image.new("L", size).save(data, "PNG")
    with pytest.raises(PictureError, match="has only"):
        open_picture(data.getvalue())
