"""Scenes to start with. Each is a link, and asks a question to be answered before the posterior is shown."""

from dataclasses import fields
from typing import Any, NamedTuple

from explorer.state.view import Digit, Shape, ViewState

# What a scenario sets. The model, the page's settings and what is hidden stay as they are.
_SCENE_FIELDS = (
    "x", "y", "angle", "noise", "sigma", "strength", "centre", "observations", "prior", "notch", "without", "tried",
)  # fmt: skip
_SIX, _NINE = Digit(18), Digit(28)  # of the bundled sample


class Scenario(NamedTuple):
    """A scene of the lab: its name in messages, its label on the page, the question that it asks, and its view."""

    name: str
    label: str
    question: str
    view: ViewState

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of the view that the scenario sets."""
        return {name: getattr(self.view, name) for name in _SCENE_FIELDS}


SCENARIOS = (
    Scenario(
        "one", "One: F",
        "y is the letter F, turned. How many turns of x could have made it?",
        ViewState(Shape("F"), angle=40),
    ),
    Scenario(
        "four", "Four: square",
        "y is a square, turned by 30°. Which other turns give the same picture?",
        ViewState(),
    ),
    Scenario(
        "break", "Break it",
        "The square has a notch. Which of its four turns is still an answer?",
        ViewState(notch=0.3),
    ),
    Scenario(
        "all", "Infinite: disc",
        "y is a disc, turned by 30°. Can the turn be found?",
        ViewState(Shape("disc")),
    ),
    Scenario(
        "noise", "Noise",
        "y is a noisy F. Can its turn be found from one observation? Observe again: from three?",
        ViewState(Shape("F"), angle=70, noise=1.0, sigma=1.0),
    ),
    Scenario(
        "digits", "6 or 9",
        "x is a 6 and y is a 9. Is there a turn that makes one of the other?",
        ViewState(_SIX, _NINE, angle=0),
    ),
)  # fmt: skip


def scenario_of(view: ViewState) -> Scenario | None:
    """The scenario that the view shows, if it shows one; another tried turn or a switched weight is still the same."""
    kept = {"tried": None, "without": ()}
    shown = {one.name: getattr(view, one.name) for one in fields(view)} | kept
    return next(
        (one for one in SCENARIOS if all(shown[name] == value for name, value in (one.fields | kept).items())), None
    )
