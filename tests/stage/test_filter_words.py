"""The words about filters."""

import numpy as np
import pytest

from tsa.stage.words import filters, training
from tsa.stage.words.filters import FilterFacts


def facts(weights, lines=None, purity=None, shape=(16, 16), rotation=True, next_share=None, split=None):
    weights = np.array(weights)
    n = len(weights)
    return FilterFacts(
        weights,
        np.zeros(n, bool) if lines is None else np.array(lines),
        np.full(n, 0.95) if purity is None else np.array(purity),
        np.zeros(n, bool) if split is None else np.array(split),
        np.zeros(n) if next_share is None else np.array(next_share),
        shape,
        "rotation" if rotation else "shift",
    )


def said(movement, phi):
    s = phi * movement.per_degree
    return movement.template.format(s=f"{s + movement.period * (s < 0):g}")


def test_phases_are_told_as_turns():
    movements = filters.movements(facts([0, 1, 4, -4]))
    assert said(movements[0], 200) == "Weight 0: no turn of the picture changes this filter."
    assert said(movements[1], 200) == "φ = ω·s for the picture turned by s = 200°."
    assert said(movements[2], 200) == "φ = ω·s for the picture turned by s = 50° (or any multiple of 90° more)."
    assert said(movements[2], 90) == "φ = ω·s for the picture turned by s = 22.5° (or any multiple of 90° more)."
    assert said(movements[3], 200) == "φ = ω·s for the picture turned by s = 40° (or any multiple of 90° more)."


def test_phases_are_told_as_shifts():
    down, right, both, fixed = filters.movements(facts([[2, 0], [0, -1], [1, 3], [0, 0]], shape=(8, 6), rotation=False))
    assert said(down, 90) == "φ = ω·s for the picture shifted by s = 1 pixels down (or any multiple of 4 more)."
    assert said(right, 90) == "φ = ω·s for the picture shifted by s = 4.5 pixels to the right."
    assert said(both, 180) == "φ = ω·s for the picture shifted by s = 4 pixels down."
    assert fixed.template == "Weight 0: no shift changes this filter."
    [signal] = filters.movements(facts([3], shape=(1, 9), rotation=False))
    assert (
        said(signal, 180)
        == "φ = ω·s for the signal shifted by s = 1.5 pixels to the right (or any multiple of 3 more)."
    )


@pytest.mark.parametrize(
    ("purity", "next_share", "split", "text"),
    [
        (0.951, 0.0, False, "Clearly weight −3: 95.1 % of the filter has it. No other weight exceeds 0.5 %."),
        (0.75, 0.2, False, "Mostly weight −3: 75.0 % of the filter has it. The next is weight 3, with 20.0 %."),
        (0.6, 0.006, False, "Perhaps weight −3: 60.0 % of the filter has it. The next is weight 3, with 0.6 %."),
        (1, 0, True, "Clearly weight −3: 100.0 % of the filter has it (a real filter has half of it at ω and half at"
         " −ω). No other weight exceeds 0.5 %."),
    ],
)  # fmt: skip
def test_how_sure_a_weight_is(purity, next_share, split, text):
    [verdict] = filters.verdicts(facts([-3], purity=[purity], next_share=[next_share], split=[split]))
    shares = {"percent": f"{100 * purity:.1f}", "nextPercent": f"{100 * next_share:.1f}"}
    assert verdict.format(weight=filters.weight_label(np.array(-3)), next="3", **shares) == text


def test_what_happens_to_a_filter_and_headings():
    some = facts([0, 2, 8], lines=[True, False, True])
    assert filters.motions(some) == ["it does not change", "the real part at phase φ", "it changes sign"]
    assert filters.title("F", some.lines, "purity") == "F: 1 filter pair and 2 single filters, sorted by purity"
    assert filters.title("F", np.zeros(3, bool), "|ω|") == "F: 3 filter pairs, sorted by |ω|"
    assert filters.histogram(np.array([0, 1, -1, 2])).endswith(": 1 of weight 0, 2 of weight 1, 1 of weight 2")
    assert filters.histogram(np.array([[1, 1], [0, 1]])) == "Number of filters for each weight: 2 of weight 1"
    assert filters.weight_label(np.array([1, -2])) == "(1, −2)"


@pytest.mark.parametrize(("of_lab", "end"), [(True, "the lab’s σ = 0.5."), (False, "the model’s own σ = 0.5.")])
def test_the_response_to_the_patch(of_lab, end):
    text = filters.response(0.5, of_lab).format(length="1.00", rank=2, count=9, kappa="4.0")
    assert text.startswith(
        "The lab’s patch x has a coordinate of length |z| = 1.00 here, rank 2 of 9. Its invariant is κ̂"
    )
    assert text.replace("\u00a0", " ").endswith(f"= 4.0 at {end}")


def test_snapshots_of_a_training():
    seen = training.snapshots([0, 1000, 250_000], refined=True)
    assert seen == ["0 pairs", "1,000 pairs", "250,000 pairs, refined"]
    labels = training.snapshot_labels("The filters", "of pictures", [5, 5, 6], seen, training=True)
    assert labels[0] == "The filters as they were: 5 pairs. 0 pairs"
    assert labels[2] == "The filters: 6 pairs. 250,000 pairs, refined"
    assert training.snapshot_labels("Pairs", "turned", [3], ["3 pairs"], training=False) == ["Pairs: 3 pairs. turned"]
    assert training.snapshot_labels("Pairs", "turned", [], [], training=False) == []
    assert training.evidence_label([1.0, -2.34]) == "Mean log evidence, now −2.3"
    assert training.evidence_label([]) == "No evidence yet"
