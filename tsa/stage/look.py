"""Sizes and opacities that the drawings in Python and those in the browser share; they travel in the packed header."""

import math

LOG_RANGE = 20.0  # nats below the peak that a drawing of a density on a logarithmic scale keeps

# The dial, as shares of its outer radius, or in pixels of a dial with an outer radius of 215.
PICTURE_RADIUS = 0.625  # share of the outer radius
RIM_OVER_PICTURE = 1.05  # radius of the hue circle over that of the picture
RIM_HALF_WIDTH = 3.5  # pixels
PETAL_MARGIN = 10.0  # pixels between the longest possible petal and the edge
# Petals have area A·mass: r(s) = √(r₀² + 2A·p(s)) for a density p per radian and the outer edge r₀ of the rim. A is the
# same all around a dial, and is made smaller as p_max grows, so that the tip of the sharpest petal stays on the dial.
PETAL_DENSITY = 1.7  # density per radian at which A has shrunk to 1/√2 of what it is for a flat posterior
AREA_SAMPLE = 0.05  # probability that the grey square beside the dial stands for
PALE_OPACITY = 0.35  # of the strip outside the credible set

# The circle of a subspace with certainty c = |E[e^{iφ}]|, as shares of its radius.
MIN_CERTAINTY = 0.03  # below it, only the empty circle is drawn
MIN_COLOURED_CERTAINTY = 0.15  # below it, the circle's line has the colour of a border
OPACITY_RANGE = (0.12, 1.0)  # at c = 0 and c = 1
TICK_OPACITY_RANGE = (0.25, 0.85)
TICK_RADII = (0.82, 1.12)
BAND_HEIGHT = 0.5  # of the density drawn around the circle, at its mean, for c = 1


def petal_scale(rim: float, edge: float, peak: float) -> float:
    """A, in squared pixels per unit of probability; `rim` is r₀, `edge` the radius that no petal exceeds.

    A = A₀ / √(1 + (p_max / p₀)²) with A₀ = (edge² − r₀²) / 2p₀ and p₀ = `PETAL_DENSITY`.
    """
    return (edge**2 - rim**2) / (2 * PETAL_DENSITY) / math.hypot(1.0, peak / PETAL_DENSITY)


def opacity(limits: tuple[float, float], certainty: float) -> float:
    """The opacity at a certainty between 0 and 1, linear between its limits."""
    return limits[0] + (limits[1] - limits[0]) * certainty


def as_header() -> dict[str, object]:
    """All of them by the names that the scripts use."""
    return {
        "logRange": LOG_RANGE,
        "pictureRadius": PICTURE_RADIUS,
        "rimOverPicture": RIM_OVER_PICTURE,
        "rimHalfWidth": RIM_HALF_WIDTH,
        "petalMargin": PETAL_MARGIN,
        "petalDensity": PETAL_DENSITY,
        "areaSample": AREA_SAMPLE,
        "paleOpacity": PALE_OPACITY,
        "minCertainty": MIN_CERTAINTY,
        "minColouredCertainty": MIN_COLOURED_CERTAINTY,
        "opacityRange": OPACITY_RANGE,
        "tickOpacityRange": TICK_OPACITY_RANGE,
        "tickRadii": TICK_RADII,
        "bandHeight": BAND_HEIGHT,
    }
