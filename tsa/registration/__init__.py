"""Two noisy pictures: by how much is one moved against the other, how sure is that, and how much noise do they have?"""

from tsa.registration.hyperprior import (
    FreeSpectrum,
    Hyperprior,
    Hypotheses,
    NoisyPair,
    PhotographicSpectrum,
    SpectrumPrior,
)
from tsa.registration.noise import estimate_noise, find_noise, pairs_of_patches
from tsa.registration.photographs import measure_spectrum, photographic_power, spectrum_table
from tsa.registration.planes import Camera, NoisyPlanes
from tsa.registration.posterior import PairPosterior, PlanePair, noisy_pair, pair_posterior
from tsa.registration.register import Registration, Turn, register

__all__ = [
    "Camera",
    "FreeSpectrum",
    "Hyperprior",
    "Hypotheses",
    "NoisyPair",
    "NoisyPlanes",
    "PairPosterior",
    "PhotographicSpectrum",
    "PlanePair",
    "Registration",
    "SpectrumPrior",
    "Turn",
    "estimate_noise",
    "find_noise",
    "measure_spectrum",
    "noisy_pair",
    "pair_posterior",
    "pairs_of_patches",
    "photographic_power",
    "register",
    "spectrum_table",
]
