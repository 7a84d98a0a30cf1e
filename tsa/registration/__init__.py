"""Two noisy pictures: by how much is one moved against the other, how sure is that, and how much noise do they have?"""

from tsa.registration.calibration import Calibration, Reliability, calibration, covered
from tsa.registration.fitted import noise_ratio, with_fitted_noise
from tsa.registration.held_out import (
    FINE,
    crop_to_turn,
    digit_pictures,
    enlarged,
    photo_side,
    photographs_in,
    picture_files,
    slid_photo_patches,
    turned,
    turned_photo_patches,
)
from tsa.registration.hyperprior import (
    FreeSpectrum,
    Hyperprior,
    Hypotheses,
    NoisyPair,
    PhotographicSpectrum,
    SpectrumPrior,
)
from tsa.registration.noise import estimate_noise, find_noise, pairs_of_patches
from tsa.registration.odds import DECIDED, Odds
from tsa.registration.patches import PatchRegistration, register_patches
from tsa.registration.photographs import measure_spectrum, photographic_power, spectrum_table
from tsa.registration.planes import Camera, NoisyPlanes
from tsa.registration.posterior import PairPosterior, PlanePair, log_evidence, noisy_pair, pair_posterior
from tsa.registration.power import estimate_power
from tsa.registration.register import Registration, Turn, register

__all__ = [
    "DECIDED",
    "FINE",
    "Calibration",
    "Camera",
    "FreeSpectrum",
    "Hyperprior",
    "Hypotheses",
    "NoisyPair",
    "NoisyPlanes",
    "Odds",
    "PairPosterior",
    "PatchRegistration",
    "PhotographicSpectrum",
    "PlanePair",
    "Registration",
    "Reliability",
    "SpectrumPrior",
    "Turn",
    "calibration",
    "covered",
    "crop_to_turn",
    "digit_pictures",
    "enlarged",
    "estimate_noise",
    "estimate_power",
    "find_noise",
    "log_evidence",
    "measure_spectrum",
    "noise_ratio",
    "noisy_pair",
    "pair_posterior",
    "pairs_of_patches",
    "photo_side",
    "photographic_power",
    "photographs_in",
    "picture_files",
    "register",
    "register_patches",
    "slid_photo_patches",
    "spectrum_table",
    "turned",
    "turned_photo_patches",
    "with_fitted_noise",
]
