"""The perception of motion: published numbers, the closed form as an integral, and pictures against both."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from tsa import InputError, fourier_model
from tsa.cli import main
from tsa.experiments import motion
from tsa.pictures import shift_from_motion


def test_the_thin_rhombus():
    """Veridical when clear, across its edges when faint (issue of the motion page)."""
    assert [round(motion.thin_rhombus(noise), 1) for noise in (1, 5, 10, 20)] == [-0.9, -14.7, -27.5, -34.5]
    assert motion.thin_rhombus(1e-4) == pytest.approx(0.0, abs=1e-6)


def test_the_type_two_plaid():
    """Beyond, at and short of the vector sum of its components; the true direction when clear."""
    assert [round(motion.type_two_plaid(ratio), 1) for ratio in (0.54, 1, 1.84)] == [11.1, 6.7, 2.9]
    angles, speeds = np.radians([0, 15]), np.array(motion.PLAID_SPEEDS)
    normals = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    assert motion.direction(speeds @ normals) == pytest.approx(motion.type_two_plaid(1), abs=1e-3)
    true = motion.direction(np.linalg.solve(normals, speeds))
    assert true < 0
    for ratio in (0.54, 1, 1.84):
        assert motion.type_two_plaid(ratio, noise=1e-5) == pytest.approx(true, abs=1e-3)


def test_the_closed_form_is_the_mean_of_the_posterior():
    """By summing over a grid of velocities."""
    rng = np.random.default_rng(0)
    normals, speeds, noise, prior_sd = rng.normal(size=(3, 2)), rng.normal(size=3), rng.uniform(0.5, 2, 3), 1.3
    v = np.stack(np.meshgrid(*[np.linspace(-12, 12, 401)] * 2), axis=-1).reshape(-1, 2)
    log_p = -(((v @ normals.T - speeds) / noise) ** 2).sum(-1) / 2 - (v**2).sum(-1) / (2 * prior_sd**2)
    p = np.exp(log_p - log_p.max())
    expected = p @ v / p.sum()
    np.testing.assert_allclose(motion.percept(normals, speeds, noise, prior_sd), expected, atol=1e-9)


@pytest.mark.parametrize("noise", [0.3, 1.0])
def test_pictures_by_brute_force(noise):
    """The thin rhombus: x moved by a grid of motions, each compared with y, weighted by a Gaussian prior."""
    stimulus = motion.small_motions()["Rhombi moving right"][0]
    model, x = fourier_model((64, 64)), np.sum(stimulus.parts, axis=0).ravel()
    steps = np.linspace(-2, 3, 51) if noise < 1 else np.linspace(-4, 4, 41)
    v = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
    y = model.act(x, shift_from_motion(stimulus.motion, (64, 64)))
    moved = model.act(x, shift_from_motion(v, (64, 64)))
    seen = motion.WINDOW.ravel()
    log_p = -(seen * (y - moved) ** 2).sum(-1) / (2 * noise**2) - (v**2).sum(-1) / (2 * stimulus.prior_sd**2)
    p = np.exp(log_p - log_p.max())
    assert stimulus.from_pictures(noise)[0] == pytest.approx(motion.direction(p @ v / p.sum()), abs=0.2)


@pytest.mark.slow
def test_pictures_agree_with_the_closed_form_where_it_holds():
    for stimuli in motion.small_motions().values():
        for stimulus in stimuli:
            for noise in motion.NOISES:
                outcome = motion.Outcome.of(stimulus, noise)
                assert outcome.mean == pytest.approx(outcome.closed_form, abs=2), (stimulus.name, noise)
                assert outcome.mode == pytest.approx(outcome.closed_form, abs=2), (stimulus.name, noise)


@pytest.mark.slow
def test_pictures_differ_from_the_closed_form_where_it_does_not_hold():
    found = [motion.Outcome.of(stimulus, noise) for stimulus, noise, _ in motion.other_motions()]
    rhombus, half, more, clear_pole, faint_pole = found
    assert abs(rhombus.mean - rhombus.closed_form) > 3
    assert abs(half.mean - half.closed_form) > 30
    assert abs(half.mode - half.closed_form) < 3
    assert abs(more.mode) > 90  # backwards
    assert clear_pole.mean == pytest.approx(90, abs=1)
    assert clear_pole.closed_form == pytest.approx(45)
    assert 45 < faint_pole.mean < 85


@pytest.mark.slow
def test_the_command_writes_a_table_and_a_figure(tmp_path, capsys):
    assert main(["reproduce", "motion", "--out", str(tmp_path / "new")]) == 0
    table = (tmp_path / "new" / "table.txt").read_text(encoding="utf-8")
    assert capsys.readouterr().out.startswith(table)
    for numbers in ("-0.9       -14.7       -27.5       -34.5", "11.1         6.7         2.9"):
        assert numbers in table
    svg = ET.parse(tmp_path / "new" / "directions.svg").getroot()
    words = {element.text for element in svg.iter() if element.tag.endswith("text")}
    assert {"thin rhombus", "fat rhombus", "plaid 0.54", "plaid 1", "plaid 1.84"} <= words
    assert len([e for e in svg.iter() if e.tag.endswith("circle")]) == 5 * len(motion.NOISES)


def test_wrong_input_is_told():
    with pytest.raises(InputError, match="positive number of pixels"):
        motion.slow_prior(0, (8, 8))
