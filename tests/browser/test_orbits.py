"""The orbits page as a person uses it: sliders, keys, mouse and finger in real Chromium."""

from fractions import Fraction

import pytest

from explorer.state import STOPS
from tests.shared.browser import address_has, choose, lab, silent

PUSH = "(slider, value) => { slider.value = value; slider.dispatchEvent(new Event('input')); }"


@pytest.fixture(scope="module")
def opened(browser, server):
    """The page, reached from the lab and playing by itself, then at rest."""
    with lab(browser, server, reduced_motion="no-preference") as tab:
        tab.get_by_role("link", name="Orbits", exact=True).click()
        moved = "root => Number(root.dataset.turn) > 40"  # it starts at 30°
        tab.wait_for_function(moved, arg=tab.wait_for_selector(".orbit[data-drawn]"))
        tab.locator(".play").click()
        yield tab


@pytest.fixture
def orbits(opened):
    """The page at rest, with the weights it opens with."""
    preset(opened, "2 3")
    opened.locator(".turn").evaluate(PUSH, 30)
    return opened


def number(page, name):
    return float(page.locator(".orbit").get_attribute(f"data-{name}"))


def preset(page, pair):
    page.locator(f"[data-pair='{pair}']").click()


def test_all_of_it_is_seen_without_scrolling(orbits):
    for card in orbits.locator(".orbit .card").all():
        box = card.bounding_box()
        assert box["y"] + box["height"] <= 900
        assert box["x"] + box["width"] <= 1440
    for canvas in orbits.locator(".orbit canvas").all():
        assert canvas.get_attribute("role") == "img"
        assert len(canvas.get_attribute("aria-label")) > 40


def test_the_words_are_true_of_every_pair_of_weights(orbits):
    read = """([root, n]) => {
        const names = ['sentence', 'because', 'closes', 'winds', 'identity', 'within'];
        const find = (name) => root.querySelector('.' + name);
        return Array.from({ length: n * n }, (_, i) => {
            find('first').value = Math.floor(i / n);
            find('second').value = i % n;
            find('second').dispatchEvent(new Event('input'));
            return names.map((name) => find(name).textContent);
        });
    }"""
    rows = iter(orbits.evaluate(read, [orbits.locator(".orbit").element_handle(), len(STOPS)]))
    for first, _ in STOPS.values():
        for second, _ in STOPS.values():
            check(first, second, *next(rows))


def check(first, second, sentence, because, closes, winds, identity, within):
    """Against the first return to the start, found by trying."""
    moving = {weight.unit for weight in (first, second) if weight.factor}
    if not moving:
        assert (sentence.split(":")[0], closes, identity) == ("Nothing moves", "does not move", "all turns")
        return
    if len(moving) == 2:
        assert sentence.startswith("The path never closes")
        assert (closes, winds, identity) == ("never", "unlimited", "only 0°")
        return
    period = smallest_return(first.factor, second.factor)  # in turns, if the unit is one
    p, q = first.factor * period, second.factor * period
    assert winds == f"{p} × and {q} ×"
    if moving != {""}:
        assert "not a whole number of turns" in sentence
    elif period.numerator > 1:
        assert "one whole turn does not" in sentence
        assert identity == f"multiples of {round(float(360 * period))}°"
    elif period == 1:
        assert sentence == "The path closes after exactly one turn of s."
    else:
        assert sentence.startswith(f"The path closes after {period} of a turn")
        assert f"order {period.denominator}." in because
        whole = {7: "360°/7", 11: "360°/11"}.get(period.denominator, f"{360 * period}°")
        assert identity == f"multiples of {whole}"
    assert float(within.rstrip("°")) == pytest.approx(180 / max(p, q), abs=0.1)


def smallest_return(a, b):
    """The smallest s > 0 for which both a·s and b·s are whole."""
    candidates = sorted({Fraction(k) / weight for weight in (a, b) if weight for k in range(1, 37)})
    return next(s for s in candidates if (a * s).denominator == (b * s).denominator == 1)


def test_playing_needs_no_network(orbits):
    preset(orbits, "1 golden")
    address_has(orbits, "orbit=1-golden")
    silent(orbits)
    start = number(orbits, "turn")
    orbits.traffic.clear()
    orbits.locator(".play").click()
    orbits.wait_for_function(
        "([root, start]) => Number(root.dataset.turn) > start + 20",
        arg=[orbits.locator(".orbit").element_handle(), start],
    )
    assert [asked for asked in orbits.traffic if "/media/" not in asked] == []  # the icon may still be on its way
    orbits.locator(".play").click()
    rest = number(orbits, "turn")
    assert orbits.locator(".turn-value").inner_text() == f"{int(rest // 360)} turns + {int(rest % 360)}°"


def test_a_longer_path_meets_more_phases(orbits):
    preset(orbits, "1 golden")
    reached = []
    for turn in (0, 720, 3600, 21960):
        orbits.locator(".turn").evaluate(PUSH, turn)
        reached.append(orbits.locator(".within").inner_text())
    assert reached[0] == "–"
    degrees = [float(text.split("°")[0]) for text in reached[1:]]
    assert degrees == sorted(degrees, reverse=True)
    assert degrees[-1] < 3


def test_the_server_hears_of_weights_when_they_are_let_go(orbits):
    slider = orbits.get_by_label("Weight ω₂")
    box = slider.bounding_box()
    silent(orbits)
    orbits.mouse.move(box["x"] + box["width"] * 0.36, box["y"] + box["height"] / 2)
    orbits.mouse.down()
    orbits.traffic.clear()
    orbits.mouse.move(box["x"] + box["width"] * 0.7, box["y"] + box["height"] / 2, steps=10)
    assert orbits.locator(".second-value").inner_text() != "3"
    assert [asked for asked in orbits.traffic if "/media/" not in asked] == []  # the icon may still be on its way
    shown = orbits.locator(".second-value").inner_text()
    orbits.mouse.up()
    address_has(orbits, "orbit=")  # the server has heard, and says so
    assert orbits.locator(".second-value").inner_text() == shown


def test_the_turn_is_that_of_the_other_pages(browser, server):
    with lab(browser, f"{server}/?angle=120&x=shape.N", reduced_motion="reduce") as tab:
        tab.get_by_role("link", name="Orbits", exact=True).click()
        tab.wait_for_selector(".orbit[data-turn='120']")
        letter = tab.locator(".dials-canvas").evaluate("el => el.toDataURL()")
        tab.get_by_label("Turn s", exact=True).focus()
        tab.keyboard.press("ArrowRight")
        address_has(tab, "angle=121")
        preset(tab, "1 golden")  # shown at some length, and still turned as far
        assert number(tab, "turn") % 360 == 121
        tab.get_by_role("link", name="Lab", exact=True).click()
        tab.wait_for_selector(".stage[data-angle='121']")
        choose(tab, "square")
        tab.get_by_role("link", name="Orbits", exact=True).click()
        tab.wait_for_selector(".orbit[data-drawn]")
        preset(tab, "2 3")
        tab.locator(".turn").evaluate(PUSH, 120)
        assert tab.locator(".dials-canvas").evaluate("el => el.toDataURL()") != letter


def test_keys_move_sliders_and_turn_the_torus(orbits):
    slider = orbits.get_by_label("Weight ω₁")
    slider.focus()
    orbits.keyboard.press("ArrowRight")
    assert orbits.locator(".first-value").inner_text() == "3"
    assert slider.get_attribute("aria-valuetext") == "3"
    orbits.keyboard.press("ArrowRight")
    assert slider.get_attribute("aria-valuetext") == "π"
    assert "never closes" in orbits.locator(".sentence").inner_text()
    orbits.locator(".torus-canvas").focus()
    orbits.keyboard.press("ArrowDown")
    before = number(orbits, "pitch")
    orbits.keyboard.press("ArrowUp")
    assert number(orbits, "pitch") == pytest.approx(before - 0.1)
    orbits.get_by_label("Turn s", exact=True).focus()
    turn = number(orbits, "turn")
    orbits.keyboard.press("ArrowRight")
    assert number(orbits, "turn") == turn + 1


def test_dragging_turns_the_torus_and_changes_its_picture(orbits):
    canvas = orbits.locator(".torus-canvas")
    before, flat = (
        canvas.evaluate("el => el.toDataURL()"),
        orbits.locator(".flat-canvas").evaluate("el => el.toDataURL()"),
    )
    box = canvas.bounding_box()
    canvas.press("ArrowLeft")
    start = number(orbits, "yaw")
    orbits.mouse.move(box["x"] + 200, box["y"] + 200)
    orbits.mouse.down()
    orbits.mouse.move(box["x"] + 290, box["y"] + 230, steps=6)
    orbits.mouse.up()
    assert number(orbits, "yaw") == pytest.approx(start - 90 / 150, abs=0.02)
    assert canvas.evaluate("el => el.toDataURL()") != before
    assert orbits.locator(".flat-canvas").evaluate("el => el.toDataURL()") == flat


def test_growing_a_path_draws_what_drawing_it_at_once_draws(orbits):
    """A path without end is drawn piece by piece on a sheet that stays: nearly the same pixels as all in one go."""
    preset(orbits, "1 golden")
    turn = orbits.locator(".turn")
    flat = orbits.locator(".flat-canvas")
    ink = "el.getContext('2d').getImageData(0, 0, el.width, el.height).data"
    for degrees in range(3600, 3720, 7):
        turn.evaluate(PUSH, degrees)
    turn.evaluate(PUSH, 3720)
    flat.evaluate(f"el => {{ el.grown = {ink}; }}")
    preset(orbits, "1 1")
    preset(orbits, "1 golden")
    turn.evaluate(PUSH, 0)
    turn.evaluate(PUSH, 3720)
    apart = f"el => {ink}.reduce((n, value, i) => n + (Math.abs(value - el.grown[i]) > 40), 0) / el.grown.length"
    assert flat.evaluate(apart) < 0.002


def test_a_phone_whose_owner_wants_no_motion(browser, server):
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    context = browser.new_context(**phone, reduced_motion="reduce", color_scheme="dark")
    tab = context.new_page()
    tab.goto(f"{server}/orbits")
    tab.wait_for_selector(".orbit[data-drawn]")
    assert tab.locator(".play").get_attribute("aria-label") == "Play"  # it does not play
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    canvas = tab.locator(".torus-canvas")
    canvas.scroll_into_view_if_needed()
    top = tab.evaluate("document.querySelector('.stMain').scrollTop")
    box = canvas.bounding_box()
    finger = context.new_cdp_session(tab)
    for kind, t in [("Start", 0), *[("Move", i / 6) for i in range(1, 7)], ("End", 1)]:
        point = {"x": box["x"] + 80 + 100 * t, "y": box["y"] + 60 + 90 * t}
        finger.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": [point][: kind != "End"]})
    tab.wait_for_function("root => Number(root.dataset.yaw) < 0.2", arg=tab.wait_for_selector(".orbit[data-yaw]"))
    assert tab.evaluate("document.querySelector('.stMain').scrollTop") == top  # the page stayed where it was
    context.close()
