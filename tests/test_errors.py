"""Mistakes at the public surface are answered by errors of this package, which say what was expected."""

import numpy as np
import pytest

import tsa
from tsa.groups import CyclicShift, ImageRotation

MODEL = tsa.load("rotation-16-refined")

MISTAKES = {
    "weights of another size": (
        lambda: tsa.estimate_weights(MODEL, CyclicShift(8)),
        "not the same patches",
    ),
    "rotation of another size": (lambda: tsa.estimate_weights(MODEL, ImageRotation(8)), "not the same patches"),
    "finite difference": (lambda: tsa.finite_difference_weights(MODEL, ImageRotation(8)), "not the same patches"),
    "act on other batches": (lambda: MODEL.act(np.ones((3, 256)), np.ones(4)), "do not fit together"),
    "rotate other batches": (lambda: ImageRotation(16).apply(np.ones((3, 256)), np.ones(4)), "do not fit together"),
    "shift other batches": (lambda: CyclicShift(256).apply(np.ones((3, 256)), np.ones(4)), "do not fit together"),
    "weights as text": (lambda: tsa.Subgroup(MODEL.filters, "2x0"), "Weights.parse"),
    "names as weights": (lambda: tsa.Weights(["a", "b"]), "must be integers"),
    "ragged weights": (lambda: tsa.Weights([[1, 2], [1]]), "different lengths"),
    "save with arguments exchanged": (lambda: tsa.save("model.npz", MODEL), r"save\(model, path\)"),
    "load a number": (lambda: tsa.load(3), "bundled name or a path"),
    "half a pixel": (lambda: ImageRotation(15.5), "whole number from 2 on; got 15.5"),
    "a size as text": (lambda: ImageRotation("16"), "whole number"),
    "half a sample": (lambda: CyclicShift(15.5), "whole number"),
    "half a row": (lambda: CyclicShift((3.5, 2)), "whole number"),
    "half a wave": (lambda: tsa.fourier_model((3.5, 2)), "whole number"),
    "a patch of half a pixel": (lambda: tsa.patch("S", 15.5), "whole number"),
    "a turn as text": (lambda: tsa.rotate(np.ones((9, 9)), "a"), "real numbers"),
    "compare with a number": (lambda: tsa.compare(MODEL, 3), "two Subgroup models"),
    "split a number": (lambda: tsa.principal(3), "of a Subgroup"),
    "leading directions": (lambda: tsa.Bispectrum(MODEL, leading=1.5), "direction"),
}


@pytest.mark.parametrize(("mistake", "message"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_has_an_error_of_ours(mistake, message):
    with pytest.raises(tsa.TSAError, match=message):
        mistake()
