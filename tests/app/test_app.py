"""The app, without a browser."""

from pathlib import Path

from streamlit.testing.v1 import AppTest

import explorer


def test_the_placeholder_says_what_it_is():
    app = AppTest.from_file(Path(explorer.__file__).with_name("app.py")).run()
    assert not app.exception
    assert app.title[0].value == "TSA Explorer"
    assert "not built yet" in app.markdown[0].value
