"""What is taken away from a scene, opened by readers that know nothing of us."""

import csv
import io
import json
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

from tests.hard import TURN
from tsa import InputError, Subgroup, load, show
from tsa._base import TSAError
from tsa.cli import main
from tsa.pictures import PictureError, draw, picture
from tsa.stage import Scene, exports, stage_page


@pytest.fixture(scope="module")
def model():
    learned = load("rotation-16-refined")
    return Subgroup(learned.filters, learned.weights, noise=0.5)


@pytest.fixture(params=["plain", "noisy", "prior", "other"])
def scene(request, model):
    return {
        "plain": Scene(model, draw("square"), angle=17),
        "noisy": Scene(model, draw("F", 48), angle=200, pixel_noise=0.3, observation=2),
        "prior": Scene(model, draw("pentagon"), prior=(1 + 2j, 0.5j)),
        "other": Scene(model, draw("F"), draw("N"), angle=5),
    }[request.param]


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_the_posterior_is_a_density(scene):
    rows = table(exports.posterior_csv(scene))
    assert [int(row["degrees"]) for row in rows] == list(range(360))
    density = np.array([float(row["density"]) for row in rows])
    assert density.mean() * TURN == pytest.approx(1, abs=1e-6)


def test_the_snippet_gives_the_same_numbers(scene, capsys):
    exec(exports.snippet(scene, "rotation-16-refined"), {})
    ours, theirs = table(exports.posterior_csv(scene)), table(capsys.readouterr().out)
    for a, b in zip(ours, theirs, strict=True):
        assert float(a["density"]) == pytest.approx(float(b["density"]), rel=1e-9, abs=1e-9)


def test_the_snippet_runs_by_itself(model, capsys):
    code = exports.snippet(Scene(model, draw("F"), angle=17, pixel_noise=0.3), "rotation-16-refined")
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    exec(code, {})
    assert len(table(ran.stdout)) == 360
    for a, b in zip(table(ran.stdout), table(capsys.readouterr().out), strict=True):
        assert float(a["density"]) == pytest.approx(float(b["density"]), rel=1e-9, abs=1e-9)


def test_shapes_are_named_in_the_snippet(model):
    code = exports.snippet(Scene(model, draw("square")), "rotation-16-refined", "tsa.shapes.draw('square', 128)")
    assert "base64" not in code
    assert len(code.splitlines()) < 22


def test_subspaces_are_those_of_the_model(scene):
    rows = table(exports.subspaces_csv(scene))
    assert len(rows) == scene.model.subspaces
    assert [abs(int(row["weight"])) for row in rows] == sorted(abs(int(row["weight"])) for row in rows)
    for row in rows:
        zx = complex(float(row["x_real"]), float(row["x_imag"]))
        zy = complex(float(row["y_real"]), float(row["y_imag"]))
        eta = zx.conjugate() * zy / scene.model.noise**2
        assert float(row["kappa"]) == pytest.approx(abs(eta), rel=1e-9, abs=1e-12)


def test_the_summary_is_the_posterior(scene):
    summary = json.loads(exports.summary_json(scene))
    assert sum(mode["mass"] for mode in summary["modes"]) == pytest.approx(1)
    distances = summary["distances"]
    assert distances["torus"] <= distances["manifold"] + 1e-9 <= distances["euclidean"] + 2e-9
    assert summary["entropy_nats"] == pytest.approx(float(scene.posterior().entropy()))


def test_patches_are_what_the_model_sees(scene):
    seen = scene.sweep(whole=False)
    np.testing.assert_array_equal(np.load(io.BytesIO(exports.patch_npy(seen.x)), allow_pickle=False), seen.x)
    with Image.open(io.BytesIO(exports.patch_png(seen.x, 16))) as image:
        assert image.size == (256, 256)
        small = np.asarray(image.resize((16, 16), Image.Resampling.NEAREST), float).ravel()
    assert np.corrcoef(small, seen.x)[0, 1] > 0.9999


def test_the_page_holds_everything(scene):
    page = stage_page(scene, title="a <title>", about="A & B")
    assert len(page.encode()) < 1_500_000
    assert "a &lt;title&gt;" in page
    assert "://" not in page.replace("http://www.w3.org", "")  # no network


def test_a_notebook_shows_it():
    view = show("square", angle=45)
    assert view._repr_html_().startswith("<iframe srcdoc=")
    assert show(draw("F"), draw("F")).scene.angle == 0
    with pytest.raises(InputError, match="rotation"):
        show("square", model="shift-32")


@pytest.mark.parametrize("angle", [22.7, -0.3, 359.5, 400.25])
def test_a_fraction_of_a_degree_is_a_fraction_of_a_degree(angle):
    found = np.degrees(show("F", angle=angle).scene.posterior().mode())
    assert (
        abs((found - angle + 180) % 360 - 180) < 0.1
    )  # the model's own bias; a whole degree off would be 0.25 and more
    assert show("F", angle=22.0).scene.y is None


@pytest.mark.parametrize(
    "bad", ["nowhere.png", np.zeros((3, 4, 5)), np.zeros((1, 7)), np.zeros(5), np.full((4, 4), np.nan)]
)
def test_what_is_no_picture_is_one_sentence(bad):
    with pytest.raises(TSAError) as caught:
        picture(bad)
    assert "\n" not in str(caught.value)


def test_the_command_line_writes_them_all(tmp_path, capsys):
    Image.fromarray(np.rint(255 * draw("F", 200)).astype(np.uint8)).save(tmp_path / "x.png")
    for name in ("report.html", "report.csv", "report.json", "report.png", "report.svg"):
        assert main(["posterior", str(tmp_path / "x.png"), "--angle", "50", "--out", str(tmp_path / name)]) == 0
        assert (tmp_path / name).stat().st_size > 300
    best = json.loads((tmp_path / "report.json").read_text())["modes"][0]
    assert best["degrees"] == pytest.approx(50, abs=1)
    assert main(["posterior", "square", "F"]) == 0
    assert "No turn makes x into y" in capsys.readouterr().out
    nowhere = str(tmp_path / "no" / "r.csv")
    for wrong in (["nothing.png"], ["F", "--out", str(tmp_path / "r.doc")], ["F", "--out", nowhere]):
        assert main(["posterior", *wrong]) == 2
        assert capsys.readouterr().err.count("\n") == 1
    (tmp_path / "fake.png").write_text("text")
    with pytest.raises(PictureError):
        picture(tmp_path / "fake.png")
