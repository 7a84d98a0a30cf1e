"""The DFT as a special case (paper, section 3.2): concentration is modulus, mean is phase."""

import numpy as np

from tsa.experiments.report import Claim, Figure, Section
from tsa.model import fourier_model
from tsa.stage import Chart, ChartLine


def section(seed: int = 0, samples: int = 32) -> Section:
    """The posterior of the phases from the vector e = W(1, 0, …, 1, 0)ᵀ to x, beside numpy.fft; shifts as rolls."""
    rng = np.random.default_rng(seed)
    signal = np.cumsum(rng.standard_normal(samples))
    x = signal - signal.mean()
    model = fourier_model(samples)
    unit = model.reconstruct(np.ones(model.subspaces))
    posterior = model.torus.posterior(unit, x)
    j = np.mod(-np.asarray(model.irreps)[:, None][:, 0], samples)
    coefficients = np.fft.fft(x)[j] * np.where(model.lines, 1, np.sqrt(2)) / np.sqrt(samples)
    moving = np.abs(coefficients) > 1e-9
    modulus = np.abs(posterior.kappa - np.abs(coefficients)).max()
    gap = np.exp(1j * posterior.mu[moving]) - coefficients[moving] / np.abs(coefficients[moving])
    phase = np.abs(gap).max()
    rolled = max(float(np.abs(model.act(x, 2 * np.pi * m / samples) - np.roll(x, m)).max()) for m in range(samples))
    order = np.argsort(j)
    chart = Chart(
        "Modulus of the DFT and concentration",
        "frequency",
        "",
        [
            ChartLine("κ̂", j[order].tolist(), posterior.kappa[order].tolist()),
            ChartLine("|X|", j[order].tolist(), np.abs(coefficients)[order].tolist(), dots=True),
        ],
    )
    return Section(
        "dft",
        "The discrete Fourier transform",
        (
            Claim(
                "If W holds the waves of a DFT, κ̂_j = |X_j| and μ̂_j = arg X_j (section 3.2).",
                f"A random signal of {samples} samples, X_j of numpy.fft scaled to orthonormal filters: largest "
                f"difference of moduli {modulus:.0e}, of phases {phase:.0e}.",
                "holds" if max(modulus, phase) < 1e-9 else "does not hold",
            ),
            Claim(
                "The group is that of cyclic shifts.",
                f"ρ(2πm/{samples})x is numpy.roll(x, m) for every m, up to {rolled:.0e}.",
                "holds" if rolled < 1e-9 else "does not hold",
            ),
        ),
        (
            Figure.of_charts(
                "dft", "The concentrations κ̂ of the phases (line) lie on the moduli of numpy.fft (dots).", [chart]
            ),
        ),
        seed,
    )
