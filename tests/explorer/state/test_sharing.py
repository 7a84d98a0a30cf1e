"""Links to hand out: what they open is what was chosen."""

import html
import re
from dataclasses import replace
from urllib.parse import parse_qsl, urlsplit

import pytest

from explorer.state import (
    CONTROLS,
    FORMS,
    HIDEABLE,
    NOW,
    SCENARIOS,
    SHARED_PAGES,
    STAGE_PARTS,
    Shape,
    Shared,
    ViewState,
    choices,
    decode_link,
    pin_of,
)

ROOT = "http://a.school:8501/"
VIEW = ViewState(Shape("F"), angle=77, sigma=1.2, describe=True, hide=frozenset({"model"}))


def opened(address):
    """The page, the view and the other parameters of an address."""
    parts = urlsplit(address)
    assert address.startswith(ROOT)
    parameters = dict(parse_qsl(parts.query))
    embed = parameters.pop("embed", None)
    return parts.path[1:], decode_link(parameters), embed


@pytest.mark.parametrize("page", SHARED_PAGES)
@pytest.mark.parametrize("form", FORMS)
def test_a_link_to_a_page_opens_the_view_as_it_is(page, form):
    where, view, embed = opened(Shared(page, form=form).address(ROOT, VIEW))
    assert where == page
    assert embed == ("true" if form == "embedded" else None)
    window = form == "window" and page == ""
    assert view == replace(VIEW, hide=frozenset(), describe=False, presenting=window)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.name)
def test_a_link_can_start_with_a_scene(scenario):
    shared = Shared(start=scenario.name, leave_out=frozenset({"tools", "x"}), describe=True)
    _, view, _ = opened(shared.address(ROOT, VIEW))
    assert view == replace(scenario.view, hide=frozenset({"tools", "x"}), describe=True)


def test_the_link_of_the_lab_is_never_bare():
    """A bare first visit opens Home."""
    assert Shared().address(ROOT, ViewState()) == f"{ROOT}?angle=30"


def test_a_link_leaves_out_only_what_its_page_has():
    everything = frozenset(HIDEABLE)
    for page in SHARED_PAGES:
        for form in FORMS:
            _, view, _ = opened(Shared(page, leave_out=everything, form=form).address(ROOT, VIEW))
            assert view.hide == choices(page, form).keys()
    assert choices("", "page").keys() == everything - {"window"}
    assert choices("", "embedded").keys() == set(STAGE_PARTS)  # it has no controls at the side
    assert choices("motion", "page").keys() <= set(CONTROLS)
    assert choices("film", "page") == {}


def test_the_frame_shows_the_embedded_page_and_nothing_breaks_out_of_it():
    code = Shared(leave_out=frozenset({"try"})).frame(ROOT, VIEW)
    match = re.fullmatch(r'<iframe src="([^"]*)"( [a-z]+="[^"<>]*")*></iframe>', code)
    where, view, embed = opened(html.unescape(match[1]))
    assert (where, embed, view.hide, view.x) == ("", "true", {"try"}, Shape("F"))


def test_pins_are_handed_out_too():
    view = replace(VIEW, pins=(pin_of(VIEW), pin_of(ViewState())), comparing=True)
    _, back, _ = opened(Shared(start=NOW, form="window").address(ROOT, view))
    assert (back.pins, back.comparing, back.presenting) == (view.pins, True, False)
