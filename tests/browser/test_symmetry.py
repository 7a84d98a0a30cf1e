"""The panel "Symmetry of x" as a person uses it, in real Chromium."""

import numpy as np
import pytest
from playwright.sync_api import expect

from explorer.session import caches
from explorer.state import decode_link
from tests.shared.browser import TIMEOUT_MS, at_rest
from tsa.pictures import notched, patch

# The outermost opaque pixel of the dial in each of 720 directions, as a share of its radius; counter-clockwise from 0°.
OUTLINE = """(canvas) => {
  const { width } = canvas;
  const { data } = canvas.getContext("2d").getImageData(0, 0, width, width);
  const opaque = (x, y) => data[4 * (Math.floor(y) * width + Math.floor(x)) + 3] > 127;
  return Array.from({ length: 720 }, (_, i) => {
    const s = (i * Math.PI) / 360;
    let r = width / 2 - 1;
    while (r > 0 && !opaque(width / 2 + r * Math.cos(s), width / 2 - r * Math.sin(s))) r -= 0.25;
    return (2 * r) / width;
  });
}"""


@pytest.fixture
def panel(browser, server):
    """Opens the lab at a link, and returns the page with the panel drawn."""
    tabs = []

    def opened(query="", **options):
        tab = browser.new_page(viewport={"width": 1440, "height": 900}, device_scale_factor=4, **options)
        tabs.append(tab)
        tab.set_default_timeout(TIMEOUT_MS)
        tab.goto(f"{server}/{query}")
        tab.wait_for_selector(".symmetry[data-drawn]")
        at_rest(tab)
        return tab

    yield opened
    for tab in tabs:
        tab.close()


def outline(page):
    return np.array(page.locator(".stabiliser").evaluate(OUTLINE))


def petals(page):
    """How often the outline rises above half of the way from its least to its greatest radius."""
    radius = outline(page)
    if np.ptp(radius) < 0.05:
        return 0
    high = radius > (radius.min() + radius.max()) / 2
    return int(np.sum(high & ~np.roll(high, 1)))


def set_notch(page, percent):
    slider = page.get_by_role("slider", name="Break it: notch")
    slider.focus()
    page.keyboard.press("Home")
    for _ in range(percent // 5):
        page.keyboard.press("ArrowRight")


def test_the_notch_leads_from_four_turns_to_one(panel):
    page = panel()
    expect(page.locator(".symmetry .title")).to_have_text("4-fold")
    assert petals(page) == 4
    set_notch(page, 40)
    expect(page.locator(".symmetry .title")).to_have_text("Almost 4-fold")
    expect(page.locator(".symmetry .strength")).to_have_text(
        "The least likely of its four turns is 18 % as likely as no turn."
    )
    set_notch(page, 100)
    expect(page.locator(".symmetry .title")).to_have_text("No symmetry")
    assert petals(page) == 1
    page.wait_for_function("() => location.search.includes('notch=1')")
    set_notch(page, 0)
    expect(page.locator(".symmetry .title")).to_have_text("4-fold")
    assert petals(page) == 4


@pytest.mark.parametrize(
    ("query", "title", "count"),
    [
        ("?x=shape.triangle", "3-fold", 3),
        ("?x=shape.F", "No symmetry", 1),
        ("?x=shape.disc", "Every turn", 0),
        ("?x=shape.hexagon&sigma=2.0", "Cannot be told", 0),
    ],
)
def test_title_and_petals_agree(panel, query, title, count):
    page = panel(query)
    assert page.locator(".symmetry .title").inner_text() == title
    assert petals(page) == count
    assert page.locator(".symmetry").get_attribute("data-petals") == str(count)


@pytest.mark.parametrize("query", ["", "?x=shape.bar", "?x=shape.disc", "?sigma=2.0", "?notch=0.4"])
def test_the_area_of_a_quarter_is_its_probability(panel, query):
    """Of the area outside the rim, in pixels of the page; a pixel of 4 × 96 is 1 % of a petal's length."""
    page = panel(query)
    view = decode_link(dict(part.split("=") for part in query.removeprefix("?").split("&") if part))
    model = caches.shared_model("rotation-16-refined").model.with_noise(view.sigma)
    density = model.stabilizer(patch(notched(caches.picture(view.x), view.notch), 16)).density(
        2 * np.pi * np.arange(720) / 720
    )
    rim = 0.555 + 0.035
    half = page.locator(".stabiliser").bounding_box()["width"] / 2
    area = (np.maximum(outline(page) - 0.5 / half, rim) ** 2 - rim**2) / 2  # without the outer half of its contour
    quarter = np.arange(720) // 90 % 2  # around the axes and between them, every 45°
    for part in (0, 1):
        share = area[np.roll(quarter, 45) == part].sum() / area.sum()
        mass = density[np.roll(quarter, 45) == part].sum() / density.sum()
        assert share == pytest.approx(mass, abs=0.03)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [196, 260])
def test_nothing_is_cut_in_a_narrow_column(panel, scheme, width):
    page = panel("?notch=0.5", color_scheme=scheme)
    # Measured in one go, because the page may be laid out again between two questions.
    title, cut = page.locator(".symmetry").evaluate(
        """(el, width) => {
          el.style.width = `${width}px`;
          const box = el.getBoundingClientRect();
          const cut = [...el.querySelectorAll("canvas, h2, p, figcaption")].filter((part) => {
            const inner = part.getBoundingClientRect();
            const outside = inner.left < box.left - 0.5 || inner.right > box.right + 0.5;
            return outside || part.scrollWidth > part.clientWidth + 1;
          });
          return [el.querySelector(".title").getBoundingClientRect().height, cut.map((part) => part.outerHTML)];
        }""",
        width,
    )
    assert 0 < title < 24  # "Almost 4-fold" is not broken at its hyphen
    assert cut == []


def test_it_is_told_without_seeing_it(panel):
    page = panel()
    section = page.get_by_role("region", name="Symmetry of x")
    label = section.locator(".stabiliser").get_attribute("aria-label")
    assert label.endswith("peaks at 0°, 90°, 180°, 270°.")
    assert "weight 4 has 11.9" in section.locator(".bars").get_attribute("aria-label")
    status = section.get_by_role("status")
    assert "4-fold" in status.inner_text()
    assert "Looks the same after every 90°." in status.inner_text()


def test_the_copies_of_a_square_cover_each_other(panel):
    """A notch shows as four pale ones."""
    page = panel("?notch=1.0")
    greys = """(canvas) => {
      const { width } = canvas;
      const { data } = canvas.getContext("2d").getImageData(0, 0, width, width);
      const at = (s) => data[4 * (Math.round(width / 2 - 0.2 * width * Math.sin(s)) * width
        + Math.round(width / 2 + 0.2 * width * Math.cos(s)))];
      return [0, 1, 2, 3, 0.5].map((quarter) => at((quarter * Math.PI) / 2));
    }"""
    *notches, white = page.locator(".overlay").evaluate(greys)
    assert white > 250
    assert notches == pytest.approx([255 * 3 / 4] * 4, abs=12)
