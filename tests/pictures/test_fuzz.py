"""Damaged pictures open, or are refused in one sentence; `TSA_FUZZ=40000` tries so many."""

import io
import random

import numpy as np
import pytest
from PIL import Image, ImageOps

from tests.shared.mutations import TIMES, mutate
from tsa.pictures import PictureError, open_picture


def picture(rng, kind):
    """The bytes of a small picture, with EXIF data if its format has them."""
    exif = Image.Exif()
    exif.update({0x0112: rng.randrange(1, 9), 0x010F: "maker", 0x011A: 72.0, 0x8769: {36867: "2020"}})
    extra = {"exif": exif} if kind in ("PNG", "JPEG", "WEBP") else {}
    buffer = io.BytesIO()
    Image.fromarray(np.frombuffer(rng.randbytes(324), np.uint8).reshape(12, 9, 3)).save(buffer, kind, **extra)
    return buffer.getvalue()


@pytest.mark.fuzz
@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "BMP", "GIF"])
def test_damaged_pictures_are_refused_in_one_sentence(kind):
    rng, sentences = random.Random(kind), set()
    for _ in range(max(100, TIMES // 5)):
        try:
            found = open_picture(mutate(rng, picture(rng, kind)), colour=rng.random() < 0.5)
        except PictureError as error:
            sentences.add(str(error))
        else:
            assert 0 <= found.min() <= found.max() <= 1
    assert sentences
    assert not any("\n" in sentence for sentence in sentences)


# (tag, type, count, value) of the one entry of an EXIF block, after which Pillow could not write it back.
@pytest.mark.parametrize("entry", [(0x011A, 2, 4, b"abcd"), (0x0112, 2, 4, b"6\0\0\0"), (0x8769, 2, 4, b"abcd")])
def test_odd_exif_data_leave_the_picture_as_it_is(entry):
    tag, kind, count, value = entry
    number = lambda n, size: n.to_bytes(size, "little")  # noqa: E731
    block = (
        b"II*\0" + number(8, 4) + number(1, 2) + number(tag, 2) + number(kind, 2) + number(count, 4) + value + bytes(4)
    )
    buffer = io.BytesIO()
    Image.new("RGB", (30, 20), "white").save(buffer, "JPEG", exif=b"Exif\0\0" + block)
    assert open_picture(buffer.getvalue()).shape == (20, 30)


@pytest.mark.parametrize("orientation", range(1, 9))
def test_pictures_are_turned_as_pillow_would(orientation):
    exif = Image.Exif()
    exif[0x0112] = orientation
    buffer = io.BytesIO()
    Image.fromarray(np.arange(600, dtype=np.uint8).reshape(20, 30)).save(buffer, "PNG", exif=exif)
    expected = ImageOps.exif_transpose(Image.open(io.BytesIO(buffer.getvalue())))
    np.testing.assert_array_equal(open_picture(buffer.getvalue()), np.asarray(expected) / 255)
