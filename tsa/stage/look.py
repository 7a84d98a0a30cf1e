"""Sizes and opacities that the drawings in Python and those in the browser share; they travel in the packed header."""

LOG_RANGE = 20.0  # nats below the peak that a drawing of a density on a logarithmic scale keeps

# The dial, as shares of its outer radius, or in pixels of a dial with an outer radius of 215.
PICTURE_RADIUS = 0.56  # share of the outer radius
RIM_OVER_PICTURE = 1.09  # radius of the hue circle over that of the picture
RIM_HALF_WIDTH = 2.5  # pixels
RIM_TO_PETALS = 6.0  # pixels between the hue circle and the density
FLAT_PETALS = 0.12  # height of a posterior without named modes, as a share of the full height
FLAT_STRIP = 0.35  # the same for the strip
PALE_OPACITY = 0.35  # of the strip outside the credible set

# The circle of a subspace with certainty c = |E[e^{iφ}]|, as shares of its radius.
MIN_CERTAINTY = 0.03  # below it, only the empty circle is drawn
MIN_COLOURED_CERTAINTY = 0.15  # below it, the circle's line has the colour of a border
OPACITY_RANGE = (0.12, 1.0)  # at c = 0 and c = 1
TICK_OPACITY_RANGE = (0.25, 0.85)
TICK_RADII = (0.82, 1.12)
BAND_HEIGHT = 0.5  # of the density drawn around the circle, at its mean, for c = 1


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
        "rimToPetals": RIM_TO_PETALS,
        "flatPetals": FLAT_PETALS,
        "flatStrip": FLAT_STRIP,
        "paleOpacity": PALE_OPACITY,
        "minCertainty": MIN_CERTAINTY,
        "minColouredCertainty": MIN_COLOURED_CERTAINTY,
        "opacityRange": OPACITY_RANGE,
        "tickOpacityRange": TICK_OPACITY_RANGE,
        "tickRadii": TICK_RADII,
        "bandHeight": BAND_HEIGHT,
    }
