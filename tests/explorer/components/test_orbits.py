"""The orbits page, without a browser."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from explorer.components.orbits import describe
from explorer.session import caches
from explorer.state import STOPS, read_orbit_weights
from tests.shared.apps import unframe, unpack
from tsa.groups import ExactWeight, TorusPath
from tsa.stage import as_bytes, words


def script():
    import streamlit as st

    from explorer.pages import orbits
    from explorer.session import view

    view.change("link", orbit=("4", "golden"))
    orbits.page()
    st.write(" ".join(view.current().orbit))


def test_the_page_opens():
    page = AppTest.from_string("from explorer.pages import orbits; orbits.page()").run()
    assert not page.exception
    assert len(page.get("bidi_component")) == 1


def shared(link, said=None):
    """What the page sends, opened with a link, and the angle everybody goes by then."""

    def script(link, said):
        import streamlit as st

        from explorer.pages import orbits
        from explorer.session import run, view

        if "address" not in st.session_state:
            st.query_params.from_dict(link)
        run.begin("orbits")
        if said is not None:
            st.session_state["orbits"] = {
                "message": {"session": view.session(), "sequence": 1, "orbit": ["2", "3"], **said}
            }
        orbits.page()
        st.write(f"{view.current().angle}")

    page = AppTest.from_function(script, args=(link, said)).run()
    assert not page.exception
    return unframe(page.get("bidi_component")[0].proto.bytes), int(page.markdown[0].value)


def test_angle_and_patch_are_those_of_the_other_pages():
    (sent, body), _ = shared({"angle": "120", "x": "shape.N"})
    assert sent["fields"]["angle"] == 120
    header, arrays = unpack(body)
    np.testing.assert_array_equal(arrays["picture"].reshape(header["side"], -1), as_bytes(caches.shape_picture("N")))


@pytest.mark.parametrize(
    ("said", "angle"),
    [({"obeyed": 2, "angle": 250}, 250), ({"obeyed": 1, "angle": 250}, 120), ({"obeyed": 2, "angle": "250"}, 120)],
)
def test_a_turn_let_go_here_counts_everywhere(said, angle):
    """If the component has adopted the angle of the link, and sends an angle."""
    assert shared({"angle": "120"}, said)[1] == angle


def test_weights_come_back_if_they_are_weights():
    app = AppTest.from_function(script).run()
    for sent, shown in [
        (None, "4 golden"),
        (["2pi", "0"], "2pi 0"),
        (["13", "0"], "4 golden"),
    ]:
        if sent:
            stored = app.session_state["view"]
            message = {"session": stored.session, "obeyed": stored.revision, "sequence": 1, "angle": 30, "orbit": sent}
            app.session_state["orbits"] = {"message": message}
            app.run()
        assert not app.exception
        assert app.markdown[0].value == shown


@pytest.mark.parametrize(
    "bad",
    [None, "2 3", [], {}, ["2"], ["2", 3], ["2", ["3"]], ["2", "-1"], ["2", "3", ""], ["x" * 10**6, "3"],
     {"first": "2", "second": "3"}],
)  # fmt: skip
def test_what_the_sliders_did_not_send_is_ignored(bad):
    assert read_orbit_weights(bad) is None


def test_every_stop_is_read_and_stands_in_order():
    assert all(read_orbit_weights([name, "0"]) == (name, "0") for name in STOPS)
    values = [float(weight) for weight, _ in STOPS.values()]
    assert values == sorted(set(values))


def test_what_is_sent_of_an_orbit():
    square = describe(TorusPath(ExactWeight(Fraction(4)), ExactWeight(Fraction(8))))
    assert square == {"windings": (1, 2), "period": 0.25, "wholeTurns": 1, "kernel": 4}
    golden = TorusPath(ExactWeight(Fraction(1)), ExactWeight(Fraction(1), "Φ"))
    assert [describe(golden)[name] for name in ("windings", "period", "wholeTurns", "kernel")] == [None] * 4
    # The golden ratio leaves gaps that shrink only at Fibonacci numbers of windings, by the golden ratio.
    windings = [n for n, _ in words.orbits.coverage(golden)[1:]]
    assert windings == [1, 2, 3, 5, 8, 13, 21, 34, 55, 89]
    widths = [golden.gap(n) for n in windings]
    assert all(after / before == pytest.approx(0.618, abs=2e-3) for before, after in pairwise(widths))
