"""The orbits page, without a browser."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from explorer import compute
from explorer.components.orbit import STOPS, decode, describe
from tests.app.test_app import unpack
from tsa.orbits import Orbit, Weight
from tsa.stage.blob import as_bytes


def script():
    import numpy as np
    import streamlit as st

    from explorer.components.orbit import orbit

    st.write(" ".join(orbit(1, 30, np.eye(8), "4", "golden")))


def test_the_page_opens():
    page = AppTest.from_string("from explorer.views import orbits; orbits.page()").run()
    assert not page.exception
    assert len(page.get("bidi_component")) == 1


def shared(link, said=None):
    """What the page sends, opened with a link, and the angle everybody goes by then."""

    def script(link, said):
        import streamlit as st

        from explorer import store
        from explorer.views import orbits

        if "link" not in st.session_state:
            st.query_params.from_dict(link)
        store.begin("orbits")
        if said is not None:
            st.session_state["orbit"] = {"angle": said, "weights": None}
        orbits.page()
        st.write(f"{store.angle()}")

    page = AppTest.from_function(script, args=(link, said)).run()
    assert not page.exception
    return unpack(page.get("bidi_component")[0].proto.bytes), int(page.markdown[0].value)


def test_angle_and_patch_are_those_of_the_other_pages():
    (header, arrays), _ = shared({"angle": "120", "x": "shape.N"})
    assert header["angle"] == 120
    np.testing.assert_array_equal(arrays["picture"].reshape(header["side"], -1), as_bytes(compute.shape_picture("N")))


@pytest.mark.parametrize(
    ("said", "angle"),
    [({"number": 1, "angle": 250}, 250), ({"number": 0, "angle": 250}, 120), ({"number": 1, "angle": "250"}, 120)],
)
def test_a_turn_let_go_here_counts_everywhere(said, angle):
    """If it answers the last command, and is an angle."""
    assert shared({"angle": "120"}, said)[1] == angle


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
