"""Films: what turns, what is missing, and what the posterior makes of it."""

import numpy as np
import pytest
from PIL import Image

from explorer.components.teaching.film import pack_film
from explorer.state import (
    FILM_FRAMES,
    LAB_MODEL,
    ViewState,
    decode_link,
    film_of_frames,
    open_named,
    sliding_film,
    turning_film,
)
from tests.shared.apps import unpack
from tsa import InputError, shapes
from tsa.density import GridDensity
from tsa.pictures import draw_periodic, patch_of, to_disc, turn_disc
from tsa.stage.words import film as film_words


@pytest.fixture(scope="module")
def model():
    return open_named(LAB_MODEL).model


@pytest.fixture(scope="module")
def opening(model):
    """The film that the page opens with."""
    view = ViewState()
    return turning_film(
        model, shapes.draw(view.film, 128), view.film_noise, view.film_step, view.film_gap, view.film_seed
    )


def test_frames_are_turned_copies_with_noise(model):
    film = turning_film(model, shapes.draw("F", 128), 0.5, 5, 10, 3)
    assert film.frames.shape == (FILM_FRAMES, 256)
    assert film.missing.sum() == 2 * 10
    clean = np.stack([patch_of(turn_disc(to_disc(shapes.draw("F", 128)), np.radians(d)), 16) for d in film.degrees])
    clean = clean / patch_of(to_disc(shapes.draw("F", 128)), 16).std()
    off = (film.frames - clean)[~film.missing]
    assert off.std() == pytest.approx(0.5, rel=0.02)
    assert abs(off.mean()) < 0.01


def test_the_first_film_shows_how_a_single_guess_gets_lost(opening):
    """The best guess ends on the wrong side of the S; the truth stays in the posterior."""
    lost = film_words.lost_from(opening.best_guess, opening.degrees)
    assert lost is not None
    truth = np.radians(opening.degrees)
    assert opening.track.filtered.contains(truth).mean() > 0.85
    near = np.abs(np.angle(np.exp(1j * (opening.track.filtered.points - truth[-1])))) < np.pi / 3
    assert opening.track.filtered.masses[-1][near].sum() > 0.4


def test_what_is_said_of_the_first_film_is_true(opening):
    sentence, explanation = film_words.headline(opening.track.filtered, opening.best_guess, opening.degrees)
    lost = film_words.lost_from(opening.best_guess, opening.degrees)
    assert f"from frame {lost + 1} on" in sentence
    off = np.abs((opening.best_guess - opening.degrees + 180) % 360 - 180)
    assert (off[lost:] > 45).all()
    assert off[lost - 1] <= 45
    assert f"{off[-1]:.0f}° off" in explanation


def test_a_film_without_symmetry_keeps_both(model):
    film = turning_film(model, shapes.draw("F", 128), 2.0, 8, 20, 1)
    assert film_words.lost_from(film.best_guess, film.degrees) is None
    assert "stays with the truth" in film_words.headline(film.track.filtered, film.best_guess, film.degrees)[0]


def test_packed_waterfalls_are_the_posterior(opening):
    header, arrays = unpack(pack_film(opening))
    columns = arrays["filtered"].reshape(header["frames"], header["angles"]) / 255
    masses = opening.track.filtered.masses
    np.testing.assert_allclose(columns**2, masses / masses.max(axis=1, keepdims=True), atol=0.006)
    assert arrays["pictures"].size == FILM_FRAMES * header["side"] ** 2
    assert len(header["texts"]) == FILM_FRAMES
    heaviest = [int(text.split(": ")[1].split("°")[0]) for text in header["texts"] if "nearly" not in text]
    assert len(heaviest) > 100


def test_frames_from_a_file_are_followed(model):
    """A rendered film of an F that turns by 3° a frame, wider than high."""
    angles = np.arange(0, 120, 3)
    picture = Image.fromarray((255 * shapes.draw("F", 96)).astype(np.uint8))
    frames = np.zeros((len(angles), 96, 128))
    for frame, angle in zip(frames, angles, strict=True):
        frame[:, 16:112] = np.asarray(picture.rotate(angle)) / 255
    film = film_of_frames(model, frames, 0.5, 6, 0, 0)
    assert film.degrees is None
    off = np.abs((np.degrees(film.track.filtered.mode()) - angles + 180) % 360 - 180)
    assert off.max() < 8
    assert "Nobody knows the true turn" in film_words.headline(film.track.filtered, film.best_guess, None)[1]


def test_what_cannot_turn_is_refused(model):
    with pytest.raises(InputError, match="the same everywhere"):
        turning_film(model, np.zeros((64, 64)), 1.0, 5, 0, 0)
    with pytest.raises(InputError, match="at least two frames"):
        film_of_frames(model, np.zeros((1, 20, 20)), 1.0, 5, 0, 0)


def test_sentences_name_answers_by_their_mass():
    angles = np.radians(np.arange(360))
    two = sum(m * np.exp(50 * (np.cos(angles - np.radians(a)) - 1)) for a, m in ((30, 0.75), (210, 0.25)))
    masses = np.stack([two / two.sum(), np.full(360, 1 / 360)])
    texts = film_words.frame_texts(GridDensity(masses), np.array([30.2, 7.0]), np.array([False, True]))
    assert texts[0].startswith("Posterior: 30° (75 %) or 210° (25 %)")
    assert texts[1] == "No frame: nearly any turn. Best guess: 7°."


def test_settings_are_in_the_link():
    view = decode_link({"film": "square", "filmnoise": "2.5", "steps": "4", "missing": "15", "draw": "7", "frame": "9"})
    assert (view.film, view.film_noise, view.film_step, view.film_gap, view.film_seed, view.frame) == (
        "square", 2.5, 4, 15, 7, 9,
    )  # fmt: skip
    assert decode_link({"film": "moon", "filmnoise": "99", "frame": "200"}) == ViewState()
    assert decode_link({"film": "grating", "slides": "1"}) == ViewState(film="grating", film_slides=True)


def test_a_sliding_film_is_tracked_at_its_symmetry():
    picture = draw_periodic("grating", 128)
    film = sliding_film(picture, 1.0, 8, 30, 2)
    assert film.slides
    assert film.missing.sum() == 2 * 30
    period = 360 / 4
    off = (np.degrees(film.track.smoothed.mode()) - film.degrees)[~film.missing]
    assert np.abs((off + period / 2) % period - period / 2).max() < 15
    sentence, explanation = film_words.headline(
        film.track.filtered, film.best_guess, film.degrees, film_words.sideways(film.side)
    )
    assert "turn" not in sentence + explanation


def test_a_sliding_film_shifts_its_picture_to_the_right():
    film = sliding_film(draw_periodic("face", 128), 0.5, 10, 0, 2)
    template, degrees = film.template.reshape(16, 16), film.degrees
    quarter = int(np.abs((degrees - 90 + 180) % 360 - 180).argmin())
    expected = np.roll(template, round(degrees[quarter] * 16 / 360), axis=1).ravel()
    assert np.corrcoef(film.frames[quarter], expected)[0, 1] > 0.7
    off = np.abs((np.degrees(film.track.filtered.mode()) - degrees + 180) % 360 - 180)
    assert off.max() < 15
    assert "stays with the truth" in film_words.headline(film.track.filtered, film.best_guess, degrees)[0]


def test_what_cannot_slide_is_refused():
    rows = np.repeat(np.linspace(0, 1, 64)[:, None], 64, axis=1)
    with pytest.raises(InputError, match="however far it slides"):
        sliding_film(rows, 1.0, 5, 0, 0)


def test_frames_that_slide_are_followed():
    world = draw_periodic("face", 96)
    frames = np.stack([np.roll(world, shift, axis=1) for shift in range(0, 60, 3)])
    film = film_of_frames(None, frames, 0.5, 15, 0, 0)
    truth = np.arange(0, 60, 3) * 360 / 96
    off = np.abs((np.degrees(film.track.filtered.mode()) - truth + 180) % 360 - 180)
    assert off.max() < 10
