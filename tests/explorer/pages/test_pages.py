"""The pages besides the lab, without a browser: every state, and what strangers upload."""

import json
import threading
import uuid
from xml.etree import ElementTree

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from explorer.components.filters import pack_filters
from explorer.pages import report_json, rows_to_csv, train
from explorer.session import caches
from explorer.state import NamedModel, open_as
from explorer.training import State, requested_run
from tests.shared.apps import opened, unpack, upload
from tests.shared.model_files import HOSTILE, npy
from tsa import Subgroup, fourier_model, load
from tsa._base import TSAError
from tsa.analysis import frequencies, inspect, spectra
from tsa.files import ModelFile, OpenedModel
from tsa.groups import CyclicShift, ModelAction
from tsa.stage import filters_image, filters_svg
from tsa.stage.words.filters import weight_label


@pytest.fixture(scope="module")
def refined():
    return load("rotation-16-refined")


@pytest.fixture
def model_page():
    return opened("model")


@pytest.mark.parametrize("page", ["lab", "filters", "model", "train", "orbits"])
def test_every_page_opens(page):
    assert not opened(page).exception


@pytest.mark.slow
def test_the_filters_of_every_model():
    app = opened("filters")
    for name in app.selectbox(key="filters_model").options:
        if name != "rotation-28":  # seconds of spectra; the browser test has it
            app.selectbox(key="filters_model").set_value(name).run()
            assert not app.exception
            assert app.selectbox(key="filters_model").value == name


def packed(named, **options):
    known = frequencies(named.action)
    heights = spectra(named.model.filters, named.action)
    return (*unpack(pack_filters(named, heights, known, None, **options)), heights, known)


def test_packed_filters_are_the_model(refined):
    named = caches.shared_model("rotation-16-refined")
    heights, known = spectra(refined.filters, named.action), frequencies(named.action)
    x = np.random.default_rng(0).normal(size=256)
    response = refined.coordinates(x)
    header, arrays = unpack(pack_filters(named, heights, known, x))
    assert header["weights"] == sorted(header["weights"], key=abs)
    assert ": 48 filter pairs and 7 single filters, " in header["words"]["titles"]["weight"]
    np.testing.assert_allclose(header["purity"], heights.max(axis=1)[refined.irreps.order()], atol=1e-4)
    assert arrays["filters"].size == 55 * 2 * 256
    loud = np.abs(response) * (refined.weights != 0)
    assert header["chosen"] == refined.irreps.order().tolist().index(int(loud.argmax()))


@pytest.mark.parametrize("name", ["rotation-16", "shift-32", "shift-16x16"])
def test_packed_spectra_are_the_spectra_to_their_quantum(name):
    named = caches.shared_model(name)
    header, arrays, heights, known = packed(named)
    heights = np.clip(heights, 0, None)[named.model.irreps.order()]
    seen = arrays["spectrum"].reshape(heights.shape) / 255
    np.testing.assert_allclose(
        np.sqrt(heights), seen * np.sqrt(np.array(header["top"]))[:, None], atol=0.5 / 255 + 1e-6
    )
    for j, (own, opposite) in enumerate(header["own"]):
        assert known[own].tolist() == header["weights"][j]
        assert (known[opposite] == known[own]).all() or header["lines"][j]
        others = np.delete(heights[j], [own, opposite])
        assert header["runnerHeight"][j] == pytest.approx(others.max(), abs=1e-4)
        assert header["words"]["runners"][j] not in [weight_label(known[place]) for place in (own, opposite)]


def test_a_real_filter_is_as_pure_as_both_its_peaks():
    """A cosine is half ω and half −ω; the alternating line of a lattice has one peak, whichever sign it goes by."""
    waves = fourier_model(8)
    lines = np.stack([np.sqrt(2) * waves.filters[:, 2].real, waves.filters[:, 4].real], axis=1)
    lines /= np.linalg.norm(lines, axis=0)
    named = open_as("lines", ModelFile(Subgroup(lines + 0j, [2, -4]), (8,), {"group": "shift"}))
    header, _, _, known = packed(named)
    assert header["purity"] == pytest.approx([1, 1])
    assert [known[pair].tolist() for pair in header["own"]] == [[2, -2], [4, 4]]
    assert max(header["runnerHeight"]) < 1e-4


def test_the_noise_is_the_labs_where_the_lab_uses_the_model():
    for name, noise in (("rotation-16", 1.5), ("shift-32", caches.shared_model("shift-32").model.noise)):
        header = packed(caches.shared_model(name), sigma=1.5, angle=120)[0]
        of_lab = "the lab’s" in header["words"]["response"]
        assert (header["noise"], of_lab, header["angle"]) == (noise, name == "rotation-16", 120)
        other = packed(caches.shared_model(name), sigma=0.5, angle=120)[0]
        assert (other["digest"] != header["digest"]) == of_lab


def test_many_spectra_are_half_as_large_as_their_pictures():
    """As for all 2048 pairs of 64×64 pixels, where they would be tens of megabytes."""
    named = open_as("waves", ModelFile(fourier_model((20, 20)), (20, 20), {"group": "shift"}))
    header, arrays, *_ = packed(named)
    assert arrays["spectrum"].nbytes <= arrays["filters"].nbytes / 2
    assert len(json.dumps(header)) < 100 * 400


@pytest.mark.slow
def test_the_model_page_reports_and_refines(model_page):
    model_page.selectbox(key="model_menu").set_value("rotation-16").run()
    assert not model_page.exception
    values = {row["quantity"]: row["value"] for _, row in model_page.table[0].value.iterrows()}
    assert values["subspaces"] == "50 planes, 0 lines"
    model_page.button[0].click().run()  # refine
    assert not model_page.exception
    assert "rotation-16 (refined)" in model_page.selectbox(key="model_menu").options
    assert model_page.selectbox(key="model_menu").value == "rotation-16"  # not yet used elsewhere
    both = next(table.value for table in model_page.table if "after" in table.value)
    confirmed = both.set_index("quantity").loc["confirmed weights"]
    assert confirmed["after"].split(" of ")[0] == confirmed["after"].split(" of ")[1]


@pytest.mark.slow
def test_somebody_elses_filters(model_page, refined):
    """A random W, a DFT, and a shuffled, phase-shifted copy of a bundled model, each made without our code."""
    rng = np.random.default_rng(5)
    upload(model_page, "random.npy", npy(np.linalg.qr(rng.normal(size=(64, 64)))[0]))
    assert any("No known group" in info.value for info in model_page.info)
    n = 24
    waves = np.array([wave(2 * np.pi * k * np.arange(n) / n) for k in range(1, n // 2) for wave in (np.cos, np.sin)]).T
    upload(model_page, "dft.npy", npy(waves / np.linalg.norm(waves, axis=0)))
    assert not model_page.exception
    dft = model_page.session_state["models"].by_name["dft"]
    assert sorted(np.abs(dft.model.weights)) == list(range(1, n // 2))
    planes = np.flatnonzero(refined.weights != 0)
    order = rng.permutation(planes)
    filters = refined.filters[:, order] * np.exp(2j * np.pi * rng.random(order.size))
    upload(model_page, "copy.npy", npy(np.stack([filters.real, filters.imag], -1).reshape(256, -1)))
    copy = model_page.session_state["models"].by_name["copy"]
    np.testing.assert_array_equal(np.abs(copy.model.weights), np.abs(refined.weights[order]))
    original = open_as("o", caches.shared_model("rotation-16-refined").file)
    whole = Subgroup(refined.filters[:, planes], refined.weights[planes])
    same = caches.comparison(copy, NamedModel("o", OpenedModel(original.file, whole, original.action)))
    assert same.verdict.startswith("The same representation")
    model_page.selectbox(key="compare_with").set_value("rotation-16-refined").run()
    assert model_page.warning[0].value.startswith(
        "Not the same representation: different multiplicities at 1 weight: 0"
    )


@pytest.mark.slow
def test_a_skewed_w_is_reported_and_mended(model_page, refined):
    columns = np.stack([refined.filters.real, refined.filters.imag], -1).reshape(256, -1)
    columns = columns[:, np.linalg.norm(columns, axis=0) > 0.5]
    skewed = columns + 0.02 * np.random.default_rng(0).normal(size=columns.shape)
    upload(model_page, "skewed.npy", npy(skewed))
    assert not model_page.error
    assert any("These filters are not orthonormal" in info.value for info in model_page.info)
    report = model_page.session_state["models"].by_name["skewed"].report
    assert report.filters.shape == columns.shape
    assert model_page.selectbox(key="model_menu").value == "skewed"
    next(button for button in model_page.button if "nearest" in button.label).click().run()
    assert not model_page.exception
    assert model_page.selectbox(key="model_menu").value == "skewed"
    assert any("departed from orthonormal by up to" in info.value for info in model_page.info)


# Files that are no models, but sets of filters.
SETS = {"too many filters", "beyond squaring", "several tables"}


@pytest.mark.slow
def test_hostile_model_files_are_one_sentence_and_change_nothing(model_page):
    cases = [case for case in HOSTILE[::5] if case[0] not in SETS]
    assert len(cases) >= 20
    for i, (name, data) in enumerate(cases):
        upload(model_page, f"{i}.npz", data)
        assert not model_page.exception, name
        assert len(model_page.error) == 1, name
        assert "\n" not in model_page.error[0].value
        assert model_page.selectbox(key="model_menu").value == "rotation-16-refined"


def test_odd_provenance_is_shown_or_left_out(refined):
    odd = [{"curve": "x"}, {"curve": [[1, 2, 3]]}, {"curve": [[1, None]]}, {"group": 7}]
    for about in [*odd, {"group": "rotation", "curve": [[1, 2]]}]:
        named = open_as("odd", ModelFile(refined, (16, 16), about))
        assert named.turns
        assert len(named.curve) <= 1


def training_of(app):
    """What the training component was sent last."""
    return unpack(app.get("bidi_component")[0].proto.bytes)


def wait_for(job):
    pulse = threading.Event()
    while job.status().state in (State.WAITING, State.RUNNING):
        pulse.wait(0.05)


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({}, "my rotation 16x16, 50 planes, 100k pairs"),
        ({"pairs": 1_250_000, "rate": 0.3, "seed": 1_234_567}, "1.25M pairs, rate 0.3, seed 1234567"),
        ({"pairs": 600, "noise": 0.5, "refined": True}, "600 pairs, noise 0.5, refined"),
    ],
)
def test_other_settings_are_another_name(changes, name):
    recipe = requested_run(**{"kind": "rotation", "size": 16, "subspaces": 50, "pairs": 100_000} | changes)
    assert train._name(recipe, recipe.n_pairs).endswith(name)


def test_a_frame_is_sent_once():
    def script():
        import numpy as np
        import streamlit as st

        from explorer.components.training import TrainingDisplay, show_training
        from explorer.session import training
        from explorer.training import FilterSnapshot

        pairs = st.session_state["pairs"]
        snapshots = [FilterSnapshot(n, np.full((3, 2, 4), n % 256, np.uint8)) for n in pairs]
        name = st.session_state["name"]
        shown = TrainingDisplay(name, "", "", snapshots, (2, 2), total=100, weights=np.array([2, -1, 0]))
        show_training(shown, training.known_snapshots(name, pairs), "ticket", "")

    app = AppTest.from_function(script)
    for name, pairs, known, lost in [
        ("a", [1], 0, None),
        ("a", [1, 5], 1, None),
        ("a", [1, 5, 7], 2, None),
        ("a", [1, 5, 8, 9], 2, None),
        ("a", [1, 5, 8, 9], 4, None),
        ("a", [1, 5, 8, 9], 0, 17),
        ("a", [1, 5, 8, 9], 4, 17),
        ("b", [1, 5, 8, 9], 0, 17),
    ]:
        app.session_state["name"], app.session_state["pairs"] = name, pairs
        if len(pairs) > 1:
            app.session_state["training"] = {"before": None, "lost": lost}
        app.run()
        assert not app.exception
        header, arrays = training_of(app)
        assert (header["known"], header["pairs"]) == (known, pairs)
        assert arrays["filters"].tolist() == [n for n in pairs[known:] for _ in range(24)]
        assert header["order"] == [2, 1, 0]


@pytest.mark.slow
@pytest.mark.parametrize("bad", [None, 5, "", "x", ["a" * 32], "a" * 31, "a" * 10**6, "A" * 32, "é" * 32, {"a": 1}])
def test_only_a_ticket_is_a_name_from_before(bad):
    def script(said):
        import streamlit as st

        from explorer.session import training

        st.session_state["training"] = {"before": said}
        st.write(f"[{training.earlier_visitor()}]")

    assert AppTest.from_function(script, args=(bad,)).run().markdown[0].value == "[]"
    good = uuid.uuid4().hex
    assert AppTest.from_function(script, args=(good,)).run().markdown[0].value == f"[{good}]"


@pytest.mark.slow
def test_a_training_comes_back_to_a_reloaded_page(monkeypatch):
    jobs = caches.jobs()
    monkeypatch.setattr(jobs, "clock", lambda: now)
    now = 0.0
    before = uuid.uuid4().hex
    job = jobs.submit(requested_run("shift in 1-D", 16, 8, 2_000), before)
    wait_for(job)
    app = opened("train")
    assert training_of(app)[0]["title"] == "Pairs to learn from"
    app.session_state["training"] = {"before": before, "lost": None}
    app.run()
    header, _ = training_of(app)
    assert (header["title"], header["before"]) == ("Pairs to learn from", "")  # not yet
    now = 3.0
    app.run()
    header, _ = training_of(app)
    assert header["title"].startswith("The filters as they are now")
    assert header["before"] == before
    assert jobs.of(app.session_state["visitor"]) is job
    job.discard()


@pytest.mark.slow
def test_training_on_the_page():
    app = opened("train")
    app.pills(key="train_kind").set_value("shift in 1-D").run()
    app.slider(key="train_size_shift in 1-D").set_value(16).run()
    app.select_slider(key="train_pairs").set_value(2_000)
    app.button[0].click().run()
    assert not app.exception
    job = caches.jobs().of(app.session_state["visitor"])
    wait_for(job)
    app.run()
    assert not app.exception
    header, _ = training_of(app)
    assert header["resting"]
    assert header["pairs"] == [100, 2_000]
    assert sorted(header["order"]) == list(range(8))
    assert "pairs/s" in header["caption"]
    next(button for button in app.button if button.label == "Use on all pages").click().run()
    assert not app.exception
    name = app.session_state["view"].view.model
    assert name == "my shift 16, 8 planes, 2k pairs"
    named = app.session_state["models"].by_name[name]
    assert named.model.subspaces == 8
    assert isinstance(named.action, CyclicShift)
    next(button for button in app.button if button.label == "Discard").click().run()
    assert not app.exception
    assert caches.jobs().of(app.session_state["visitor"]) is None


@pytest.mark.slow
def test_a_search_on_the_page():
    app = opened("train")
    app.pills(key="train_kind").set_value("unknown").run()
    header, _ = training_of(app)
    assert header["caption"] == "the first of 7,000 pairs"
    app.selectbox(key="train_example").set_value("8 colours, shifted and their hue turned").run()
    app.button[0].click().run()
    assert not app.exception
    job = caches.jobs().of(app.session_state["visitor"])
    wait_for(job)
    app.run()
    assert not app.exception
    header, _ = training_of(app)
    assert header["words"]["seen"][-1] == "13 subspaces, 10 relations: 2 parameters left"
    assert header["coherence"][-1] == [1.0] * 13
    assert np.shape(header["relations"]) == (10, 11)
    assert header["found"] == sorted(header["found"])
    assert app.success[0].value.startswith("This is a product of circles and cyclic groups (Z/8 × circle)")
    assert "10 relations between the phases of 11 planes" in app.text[0].value
    next(button for button in app.button if button.label == "Use on all pages").click().run()
    named = app.session_state["models"].by_name["my group of colours"]
    assert isinstance(named.action, ModelAction)
    assert not app.exception
    header, *_ = packed(named)
    assert min(header["purity"]) > 0.999
    assert "s₂ = {s}°" in "".join(header["words"]["movements"])
    assert inspect(named.model, named.action, pairs=4).equivariance.total.max() < 1e-5
    job.discard()


@pytest.mark.slow
@pytest.mark.parametrize("source", ["own pictures", "own pairs"])
def test_without_files_nothing_can_be_started(source):
    app = opened("train")
    app.pills(key="train_source").set_value(source).run()
    assert not app.exception
    assert app.button[0].disabled
    assert training_of(app)[0]["title"] == "No training pairs"


def test_impossible_settings_are_one_sentence():
    with pytest.raises(TSAError):
        requested_run("rotation", 16, 500)


def test_sheets_to_take_away(refined):
    picture = filters_image(refined, (16, 16))
    drawing = filters_svg(refined, (16, 16))
    root = ElementTree.fromstring(drawing)
    assert root.get("viewBox") == f"0 0 {picture.width} {picture.height}"
    names = [element.tag.rpartition("}")[2] for element in root]
    assert names.count("image") == 2 * 48 + 7
    assert names.count("text") == 55


def test_the_report_can_be_taken_away(refined):
    named = caches.shared_model("shift-32")
    task = caches.inspection(named)
    assert task.wait(60)
    report = json.loads(report_json(named, task.result()))
    assert len(report["subspaces"]) == 17
    assert report["equivariance"]["model"]
    rows = rows_to_csv(report["subspaces"]).splitlines()
    assert rows[0].startswith("subspace,weight,kind,purity")
    assert len(rows) == 18
