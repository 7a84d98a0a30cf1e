"""The pictures of the README are taken when the page is whole: looked at in the picture itself."""

import io

import numpy as np
import pytest
from PIL import Image

from explorer.tools import shots
from tests.shared.browser import TIMEOUT_MS
from tsa.pictures import SHAPES


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_shape_of_the_gallery_is_in_the_picture(browser, server, scheme):
    page = browser.new_page(viewport={"width": 1440, "height": 900}, color_scheme=scheme)
    page.set_default_timeout(TIMEOUT_MS)
    page.goto(server)
    shots.wait_until_whole(page, ".stage[data-drawn]")
    picture = Image.open(io.BytesIO(page.screenshot())).convert("L")
    assert page.locator("[data-testid=stSkeleton]").count() == 0
    boxes = [one.bounding_box() for one in page.locator(".st-key-gallery_shape_x button").all()]
    assert len(boxes) == len(SHAPES)
    for box in boxes:
        middle = np.asarray(picture.crop((box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"])))
        assert np.ptp(middle[4:-4, 4:-4]) > 100  # a grey box is flat
    for label in ("Picture x", "Picture y", "Model"):
        assert page.get_by_text(label, exact=True).first.is_visible()
    page.close()
