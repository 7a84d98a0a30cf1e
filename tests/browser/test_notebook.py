"""`tsa.show` in a notebook: a frame in a page of another theme, which scrolls."""

import pytest

import tsa

BELOW = "<p style='height: 3000px'>below</p>"


@pytest.fixture
def notebook(browser):
    def opened(ground, scheme="light"):
        tab = browser.new_context(viewport={"width": 1200, "height": 700}, color_scheme=scheme).new_page()
        tab.troubles = []
        tab.on("pageerror", lambda error: tab.troubles.append(str(error)))
        page = f"<html><body style='background: {ground}'>{tsa.show('square', angle=30)._repr_html_()}{BELOW}"
        tab.set_content(page)
        tab.frames[1].wait_for_selector(".stage[data-drawn]")
        return tab

    return opened


def theme(tab):
    return tab.frames[1].evaluate("getComputedStyle(document.body).backgroundColor")


DARK, LIGHT = "rgb(20, 20, 19)", "rgb(248, 247, 243)"


@pytest.mark.parametrize(("ground", "scheme", "shown"), [("#111", "light", DARK), ("white", "dark", LIGHT)])
def test_the_notebooks_theme_counts_not_the_systems(notebook, ground, scheme, shown):
    tab = notebook(ground, scheme)
    assert theme(tab) == shown
    other = "white" if ground == "#111" else "#111"
    tab.evaluate("colour => { document.body.style.background = colour }", other)
    tab.frames[1].wait_for_function(
        "rgb => getComputedStyle(document.body).backgroundColor === rgb", arg=LIGHT if shown == DARK else DARK
    )
    assert tab.troubles == []
    tab.context.close()


def test_it_is_as_high_as_what_it_shows(notebook):
    tab = notebook("white")
    inside = "document.documentElement.scrollHeight"
    tab.wait_for_function("Math.abs(document.querySelector('iframe').clientHeight - 900) > 20")
    high = tab.evaluate("document.querySelector('iframe').clientHeight")
    assert abs(high - tab.frames[1].evaluate(inside)) <= 2
    tab.set_viewport_size({"width": 500, "height": 700})
    tab.wait_for_function("before => document.querySelector('iframe').clientHeight > before + 50", arg=high)
    assert tab.frames[1].evaluate(f"{inside} <= innerHeight + 2")
    tab.context.close()


def test_the_wheel_scrolls_the_notebook_until_the_stage_has_been_clicked(notebook):
    tab = notebook("white")
    box = tab.frames[1].locator(".dial").first.bounding_box()
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    said = tab.frames[1].locator(".answer").inner_text()
    tab.mouse.move(*middle)
    tab.mouse.wheel(0, 100)
    tab.wait_for_function("scrollY > 50")
    assert tab.frames[1].locator(".answer").inner_text() == said
    tab.evaluate("scrollTo(0, 0)")
    tab.mouse.click(*middle)
    tab.mouse.wheel(0, 100)
    tab.wait_for_timeout(300)
    assert tab.evaluate("scrollY") == 0
    tab.context.close()
