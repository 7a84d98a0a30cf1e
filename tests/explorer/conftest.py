"""What the tests of the app share."""

import pytest

from explorer.pages.controls import progress


@pytest.fixture(autouse=True)
def patient_pages(monkeypatch):
    """Pages wait for their reports: without a browser nobody asks for them again."""
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 60.0)
