"""The view as a value: `ViewState`, its link, its scene and digest, messages of components; no Streamlit."""

from explorer.state.link import decode_link, encode_link
from explorer.state.messages import (
    FIELDS,
    EditMessage,
    read_circle,
    read_drawing,
    read_edit,
    read_motion,
    read_orbit_weights,
    read_view,
)
from explorer.state.models import LAB_MODEL, MAX_LAB_SIDE_PIXELS, NamedModel, open_as, open_named
from explorer.state.question import digest_of, scene, scene_digest
from explorer.state.scenarios import SCENARIOS, Scenario, scenario_of
from explorer.state.shifts import (
    MAX_LOOKS,
    NOISES,
    PRESETS,
    SIDES,
    SIGMAS,
    SLOWS,
    Preset,
    fourier_side,
    preset_of,
)
from explorer.state.stops import STOPS
from explorer.state.view import (
    DRAWING_PIXELS,
    GREY_LEVELS,
    HIDEABLE,
    OWN_WORLD,
    PHOTO_PIXELS,
    Digit,
    Pixels,
    Shape,
    Source,
    ViewState,
)

__all__ = [
    "DRAWING_PIXELS",
    "FIELDS",
    "GREY_LEVELS",
    "HIDEABLE",
    "LAB_MODEL",
    "MAX_LAB_SIDE_PIXELS",
    "MAX_LOOKS",
    "NOISES",
    "OWN_WORLD",
    "PHOTO_PIXELS",
    "PRESETS",
    "SCENARIOS",
    "SIDES",
    "SIGMAS",
    "SLOWS",
    "STOPS",
    "Digit",
    "EditMessage",
    "NamedModel",
    "Pixels",
    "Preset",
    "Scenario",
    "Shape",
    "Source",
    "ViewState",
    "decode_link",
    "digest_of",
    "encode_link",
    "fourier_side",
    "open_as",
    "open_named",
    "preset_of",
    "read_circle",
    "read_drawing",
    "read_edit",
    "read_motion",
    "read_orbit_weights",
    "read_view",
    "scenario_of",
    "scene",
    "scene_digest",
]
