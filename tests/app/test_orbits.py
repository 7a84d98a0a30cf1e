"""The orbits page, without a browser."""

from fractions import Fraction
from itertools import pairwise

import pytest
from streamlit.testing.v1 import AppTest

from explorer.components.orbit import STOPS, decode, describe
from tsa.orbits import Orbit, Weight


def script():
    import streamlit as st

    from explorer.components.orbit import orbit

    st.write(" ".join(orbit(1, "4", "golden")))


def test_the_page_opens():
    page = AppTest.from_string("from explorer.views import orbits; orbits.page()").run()
    assert not page.exception
    assert len(page.get("bidi_component")) == 1


def test_weights_come_back_if_they_are_weights():
    app = AppTest.from_function(script).run()
    for sent, shown in [
        (None, "4 golden"),
        ({"first": "2pi", "second": "0"}, "2pi 0"),
        ({"first": "13", "second": "0"}, "4 golden"),
    ]:
        if sent:
            app.session_state["orbit"] = {"weights": sent}
            app.run()
        assert not app.exception
        assert app.markdown[0].value == shown


@pytest.mark.parametrize(
    "bad",
    [None, "2 3", [], {}, {"first": "2"}, {"first": "2", "second": 3}, {"first": "2", "second": ["3"]},
     {"first": "2", "second": "-1"}, {"first": "2", "second": "3", "third": ""}, {"first": "x" * 10**6, "second": "3"}],
)  # fmt: skip
def test_what_the_sliders_did_not_send_is_ignored(bad):
    assert decode(bad) is None


def test_every_stop_is_read_and_stands_in_order():
    assert all(decode({"first": name, "second": "0"}) == (name, "0") for name in STOPS)
    values = [float(weight) for weight, _ in STOPS.values()]
    assert values == sorted(set(values))


def test_what_is_sent_of_an_orbit():
    square = describe(Orbit(Weight(Fraction(4)), Weight(Fraction(8))))
    assert square == {"windings": (1, 2), "period": 0.25, "wholeTurns": 1, "kernel": 4, "gaps": [[2, 180.0]]}
    endless = describe(Orbit(Weight(Fraction(1)), Weight(Fraction(1), "Φ")))
    assert [endless[name] for name in ("windings", "period", "wholeTurns", "kernel")] == [None] * 4
    # The golden ratio leaves gaps that shrink only at Fibonacci numbers of windings, by the golden ratio.
    windings, widths = zip(*endless["gaps"], strict=True)
    assert windings == (1, 2, 3, 5, 8, 13, 21, 34, 55, 89)
    assert all(after / before == pytest.approx(0.618, abs=2e-3) for before, after in pairwise(widths))
