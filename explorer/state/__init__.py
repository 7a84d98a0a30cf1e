"""The view as a value: `ViewState`, its link, its scene and digest, messages of components; no Streamlit."""

from explorer.state.link import decode_link, encode_link
from explorer.state.messages import (
    FIELDS,
    EditMessage,
    read_circle,
    read_drawing,
    read_edit,
    read_orbit_weights,
    read_view,
)
from explorer.state.models import LAB_MODEL, MAX_LAB_SIDE_PIXELS, NamedModel, open_as, open_named
from explorer.state.question import digest_of, scene, scene_digest
from explorer.state.scenarios import SCENARIOS, Scenario, scenario_of
from explorer.state.stops import STOPS
from explorer.state.view import (
    DRAWING_PIXELS,
    GREY_LEVELS,
    HIDEABLE,
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
    "PHOTO_PIXELS",
    "SCENARIOS",
    "STOPS",
    "Digit",
    "EditMessage",
    "NamedModel",
    "Pixels",
    "Scenario",
    "Shape",
    "Source",
    "ViewState",
    "decode_link",
    "digest_of",
    "encode_link",
    "open_as",
    "open_named",
    "read_circle",
    "read_drawing",
    "read_edit",
    "read_orbit_weights",
    "read_view",
    "scenario_of",
    "scene",
    "scene_digest",
]
