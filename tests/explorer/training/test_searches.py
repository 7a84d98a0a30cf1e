"""Searches for the group behind pairs: what a page is shown, the file of the command line, examples and own files."""

import io

import numpy as np
import pytest
from PIL import Image

from explorer.state import open_as
from explorer.training import (
    EXAMPLES,
    DiscoveryJob,
    State,
    pairs_of_files,
    requested_run,
    requested_search,
    turned_pictures,
)
from tests.shared.trainings import SHIFT, ends, until
from tsa import InputError, Subgroup, discover
from tsa.cli import main
from tsa.experiments.discovery.cases import torus_case
from tsa.files import read_arrays
from tsa.groups import CyclicShift, ModelAction
from tsa.learning import patches_digest
from tsa.stage import words

X, Y, _ = torus_case("", [1, 2, 3, 5], lines=1).pairs(1500, np.random.default_rng(0), 0.1)


def saved(array):
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def test_a_search_shows_planes_relations_and_the_rank(jobs, tmp_path, capsys):
    request = requested_search(X, Y, name="mine")
    job = ends(jobs.submit(request, "me"))
    status = job.status()
    assert isinstance(job, DiscoveryJob)
    assert status.sentence == "This is a circle, with weights 1x0 + 1x1 + 1x2 + 1x3 + 1x5."
    assert "3 relations between the phases of 4 planes" in status.report
    *steps, last = status.snapshots
    assert [s.pairs for s in status.snapshots] == list(range(len(status.snapshots)))
    assert steps[0].coherence.mean() < steps[-1].coherence.min()
    left = [s.parameters for s in steps if s.parameters]
    assert left == sorted(left, reverse=True)
    assert (left[-1], last.parameters, last.relations) == (1, 1, 3)
    assert job.relations.shape == (3, 4)
    assert len(last.pictures) == len(status.weights) == 5
    # The file is that of the command line.
    np.savez(tmp_path / "pairs.npz", X=request.x, Y=request.y)
    assert main(["discover", str(tmp_path / "pairs.npz"), "--out", str(tmp_path / "group.npz")]) == 0
    mine, theirs = read_arrays(job.download()), read_arrays(tmp_path / "group.npz")
    for name, array in mine.items():
        np.testing.assert_allclose(array, theirs[name], atol=1e-4)
    named = open_as("mine", job.result())
    assert isinstance(named.action, ModelAction)
    np.testing.assert_array_equal(named.model.weights, status.weights)


@pytest.mark.slow
def test_strangers_have_no_group_and_no_model(jobs):
    status = ends(jobs.submit(EXAMPLES["Strangers: no group at all"](), "me")).status()
    assert status.sentence.startswith("No group found: ")
    assert not status.has_model
    assert status.weights is None
    assert "pairs" in status.report


@pytest.mark.slow
def test_shifts_of_pictures_open_as_shifts(jobs):
    """What moved the pairs is recognised in the filters, and s is counted as that group counts it: for Motion."""
    x, y, _ = CyclicShift((5, 5)).pairs(2500, 0)
    job = ends(jobs.submit(requested_search(x, y), "me"))
    assert job.status().sentence.startswith("This is the finite group Z/5 × Z/5")
    named = open_as("mine", job.result())
    assert isinstance(named.action, CyclicShift)
    assert named.action.shape == (5, 5)
    turned = named.model.align(x[:20], y[:20])
    gap = named.action.apply(x[:20], turned) - y[:20]
    assert np.linalg.norm(gap) < 0.1 * np.linalg.norm(y[:20])


@pytest.mark.slow
def test_a_search_that_is_paused_begins_again(jobs):
    job = jobs.submit(EXAMPLES["Pictures of 8×8 pixels, shifted"](), "me")
    until(lambda: job.status().snapshots)
    job.pause()
    assert job.status().sentence.startswith("Paused")
    job.resume()
    assert job.status().snapshots == ()
    until(lambda: job.status().snapshots)
    job.stop()
    assert job.status().state is State.STOPPED
    assert not job.status().has_model
    job.discard()
    assert jobs.of("me") is None


def test_mixed_pairs_are_shown_in_their_own_coordinates(jobs):
    x, y, _ = torus_case("", [1, 2, 3], lines=1, mixed=True).pairs(2500, np.random.default_rng(0), 0.05)
    job = ends(jobs.submit(requested_search(x, y), "me"))
    found = discover(x, y)
    assert not found.orthogonal
    shown = job.status().snapshots[-1].pictures[0, 0].astype(float) - 128
    filters = found.whitening @ found.model.filters
    close = [abs(np.corrcoef(shown, part)[0, 1]) for f in filters.T for part in (f.real, f.imag) if part.any()]
    assert max(close) > 0.99


def test_own_files_are_read_as_the_command_line_reads_them():
    both = io.BytesIO()
    np.savez(both, X=X, Y=Y)
    one = pairs_of_files([("pairs.npz", both.getvalue())], 8, 1)
    two = pairs_of_files([("Y.npy", saved(Y)), ("X.npy", saved(X))], 8, 1)
    np.testing.assert_array_equal(one.x, two.x)
    np.testing.assert_array_equal(two.y, Y.astype(np.float32))
    assert (one.name, one.shape) == ("pairs", (3, 3))
    frames = [Image.fromarray(np.full((8, 8), 20 * i, np.uint8)) for i in range(5)]
    film = io.BytesIO()
    frames[0].save(film, "GIF", save_all=True, append_images=frames[1:])
    assert pairs_of_files([("a.gif", film.getvalue())], 4, 2).x.shape == (4 + 3, 16)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ([("X.npy", saved(X))], "two .npy files"),
        ([("X.npy", saved(X)), ("a.gif", b"")], "two .npy files"),
        ([("X.npy", saved(X)), ("Y.npy", saved(Y[:5]))], "one shape"),
        ([("X.npy", saved(np.ones((9, 145)))), ("Y.npy", saved(np.ones((9, 145))))], "at most 144"),
    ],
)
def test_what_is_wrong_with_own_files_is_said(files, message):
    with pytest.raises(InputError, match=message):
        pairs_of_files(files, 8, 1)


def test_of_very_many_pairs_some_are_drawn():
    request = requested_search(np.ones((20_001, 4)), np.ones((20_001, 4)))
    assert request.x.shape == (20_000, 4)


def test_own_pictures_are_what_is_learned_from(jobs, tmp_path):
    """The model of a training on patches differs from that on noise, and names the patches."""
    patches = np.random.default_rng(0).standard_normal((500, 16)).astype(np.float32)
    run = requested_run(**SHIFT, pictures=patches_digest(patches))
    job = ends(jobs.submit(run, "me", patches))
    other = ends(jobs.submit(requested_run(**SHIFT), "you"))
    assert job.result().about["recipe"]["pictures"] == patches_digest(patches)
    assert np.abs(job.result().model.filters - other.result().model.filters).max() > 1e-3
    pictures = [np.random.default_rng(i).random((40, 30)) for i in range(3)]
    assert turned_pictures(pictures, 300).x.shape == (300, 100)


@pytest.mark.parametrize(
    ("orders", "name"),
    [
        ((0,), "This is a circle, with"),
        ((0, 0), "This is a torus (circle × circle), with"),
        ((0, 0, 0), "This is a torus of 3 dimensions"),
        ((12,), "This is the cyclic group Z/12, with"),
        ((8, 0), "This is a product of circles and cyclic groups (Z/8 × circle), with"),
    ],
)
def test_groups_in_words(orders, name):
    weights = Subgroup(np.eye(4, 2) + 1j * np.eye(4, 2, -2), np.ones((2, len(orders)), int)).irreps
    assert words.training.group_found(orders, weights).startswith(name)
