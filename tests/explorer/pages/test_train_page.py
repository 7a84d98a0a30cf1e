"""The train page when its job has changed since it was drawn."""

import pytest

from explorer.pages import train
from tsa import InputError


def test_a_model_that_is_gone_since_the_page_was_drawn_is_one_sentence(monkeypatch):
    class Continued:
        def result(self):
            raise InputError("There is no model yet, because this job is running. Let it finish, or stop it.")

    said = []
    monkeypatch.setattr(train.st, "toast", said.append)
    monkeypatch.setattr(train.models, "add", lambda model: pytest.fail("nothing to add"))
    train._use(Continued(), "mine")
    assert said == ["There is no model yet, because this job is running. Let it finish, or stop it."]
