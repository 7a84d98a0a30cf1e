"""A motion scene as it leaves Python: bytes for the browser, tables, drawings, an animation, an offline page."""

import base64
import io
import re
import zlib

import numpy as np
import pytest
from PIL import Image

from tests.shared.apps import unframe, unpack
from tsa._base import InputError
from tsa.model import fourier_model
from tsa.pictures import draw_periodic
from tsa.stage import (
    MotionScene,
    motion_animation,
    motion_csv,
    motion_json,
    motion_page,
    motion_png,
    motion_snippet,
    motion_svg,
    pack_motion,
)
from tsa.stage.words import motion as words

SIDE = 48


@pytest.fixture(scope="module")
def model():
    return fourier_model((SIDE, SIDE))


def scene(model, name="bar", **settings):
    return MotionScene(model, draw_periodic(name, int(np.sqrt(model.dimension))), **settings)


def test_packed_arrays_have_what_the_scene_has(model):
    one = scene(model, tried=(3.0, -1.0))
    header, arrays = unpack(pack_motion(one))
    live, live_arrays = unpack(pack_motion(one, whole=False))
    assert set(arrays) - set(live_arrays) == {"sumMaps", "otherMaps"}
    assert set(header) - set(live) == {"sums", "others", "waveLabels", "steps"}
    assert header["shown"] == [3.0, -1.0]
    assert header["isTried"]
    assert header["steps"] == [list(step) for step in words.window_answers(one)]
    assert header["words"]["headline"] == live["words"]["headline"]
    levels = arrays["map"].reshape(4 * SIDE, 4 * SIDE)
    mode_row, mode_column = round(4 * (24 - one.answer.mode[1])), round(4 * (24 + one.answer.mode[0]))
    assert levels[mode_row, mode_column] > header["edge"] > levels[0, 0]
    inside = np.fft.fftshift(one.answer.inside)
    assert np.mean((levels > header["edge"]) == inside) > 0.999
    assert arrays["opacity"].size == 256
    assert (np.diff(arrays["opacity"].astype(int)) >= 0).all()
    assert arrays["waves"].reshape(-1, 4)[0, 2] == pytest.approx(
        one.answer.certainty(one.answer.loudest[:1])[0], abs=1e-3
    )
    assert arrays["sumMaps"].size == 4 * (2 * SIDE) ** 2
    assert len(header["others"]) == arrays["otherMaps"].size / (2 * SIDE) ** 2 == 5


def test_pieces_are_named_with_their_masses(model):
    header, _ = unpack(pack_motion(scene(model, "plaid"), whole=False))
    assert len(header["masses"]) == 17
    assert {mass for _, _, mass in header["masses"]} <= {"5 %", "6 %"}
    assert unpack(pack_motion(scene(model, "dot"), whole=False))[0]["masses"] == []


def test_tables_hold_the_whole_posterior():
    one = scene(fourier_model((16, 16)), "dot", motion=(2.0, 1.0), window=10.0, sigma=0.3)
    rows = np.array([line.split(",") for line in motion_csv(one).splitlines()[1:]], float)
    assert rows[:, 2].sum() / 16 == pytest.approx(1)
    best = rows[np.argmax(rows[:, 2]), :2]
    assert np.abs(best - one.answer.mode).max() <= 0.25
    assert '"kind"' in motion_json(one)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_picture_marks_the_truth_and_shows_the_density(model, theme):
    one = scene(model, "dot", motion=(-10.0, 5.0))
    image = np.asarray(Image.open(io.BytesIO(motion_png(one, theme))), float)
    assert image.shape == (900, 1440, 3)
    left, top, side = 492 + 18 + 34, 136 + 40 + 44, 552 - 36 - 34 - 46  # of the plane of shifts
    row, column = round(top + side * (0.5 - 5 / SIDE)), round(left + side * (0.5 - 10 / SIDE))
    empty = image[round(top + 0.9 * side), round(left + 0.9 * side)]
    assert np.ptp(empty) < 12  # paper
    near = image[row - 15 : row + 15, column - 15 : column + 15].reshape(-1, 3)
    assert np.abs(near - empty).max() > 100
    dark = np.abs(image[row, column] - empty).max()
    assert dark > 100  # the dot of the true motion


def test_the_drawing_says_what_the_page_says(model):
    one = scene(model)
    drawing = motion_svg(one, "dark")
    assert drawing.startswith("<svg")
    assert "Every shift on one line fits: the aperture problem." in drawing
    assert drawing.count("<image") == 6  # the world, four small pictures, the map
    assert "true motion" in drawing
    assert "http" not in drawing.replace("http://www.w3.org", "")


@pytest.mark.parametrize("kind", ["webp", "gif"])
def test_the_animation_opens_the_window_and_closes_it(kind):
    one = scene(fourier_model((16, 16)), "dot", motion=(2.0, 1.0), window=10.0, sigma=0.3)
    data = motion_animation(one, kind, frames=4, size=400)
    image = Image.open(io.BytesIO(data))
    assert image.n_frames == 6
    assert image.info["loop"] == 0
    frames = []
    for i in range(6):
        image.seek(i)
        frames.append(np.asarray(image.convert("RGB"), float))
    assert np.abs(frames[0] - frames[3]).mean() > 1
    assert np.abs(frames[1] - frames[5]).mean() < 0.5  # on the way back
    with pytest.raises(InputError, match="frames"):
        motion_animation(one, kind, frames=1)
    with pytest.raises(InputError, match="webp"):
        motion_animation(one, "mp4", frames=2, size=400)


def test_the_offline_page_holds_everything_it_needs():
    one = scene(fourier_model((16, 16)), "bar", motion=(2.0, 1.0), window=8.0)
    page = motion_page(one, about="A <note>.")
    assert "A &lt;note&gt;." in page
    assert not re.search(r"""(?:src|href)=["']?(?!data:)|import\(|@import url|https?://""", page)
    data = zlib.decompress(base64.b64decode(re.search(r'atob\("([^"]+)"\)', page)[1]))
    _, body = unframe(data)
    stored, packs = unframe(body)
    assert sum(stored["bytes"]) == len(packs)
    assert stored["sizes"] == sorted(stored["sizes"])
    header, _ = unpack(packs[: stored["bytes"][0]])
    assert "others" in header
    last, _ = unpack(packs[-stored["bytes"][-1] :])
    assert last["window"] == 16.0


def test_the_snippet_computes_the_same_numbers(capsys):
    one = scene(fourier_model((16, 16)), "dot", motion=(2.0, 1.0), window=10.0)
    exec(motion_snippet(one, "draw_periodic('dot', 16)", "tsa.fourier_model((16, 16))"), {})
    mode, numbers = capsys.readouterr().out.strip().splitlines()
    assert np.allclose(np.array(mode.strip("[]").split(), float), one.answer.mode, atol=1e-5)
    assert float(numbers.split()[0]) == one.answer.bits
