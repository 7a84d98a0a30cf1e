"""`tsa-explorer --class`: what it says on the terminal, and when it cannot begin."""

import re

import pytest

from explorer.__main__ import _begin_class, main
from explorer.app import network_addresses


@pytest.fixture
def networks(monkeypatch):
    """Sets the addresses of this machine; nothing is served."""
    monkeypatch.setattr("explorer.live.classroom._current", None)
    monkeypatch.setattr("explorer.__main__.free_port", lambda host, first: None)
    return lambda *found: monkeypatch.setattr("explorer.app.network_addresses", lambda: list(found))


def test_without_a_network_it_says_what_to_do(networks, capsys):
    networks()
    assert main(["--class", "--no-browser"]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "hotspot" in error
    assert "--host" in error


@pytest.mark.parametrize(
    ("options", "listens"), [([], "0.0.0.0"), (["--host", "192.168.1.5"], "192.168.1.5"), (["--host", "::"], "::")]
)
def test_ports_that_are_taken_are_one_sentence(networks, capsys, options, listens):
    networks("192.168.1.5")
    assert main(["--class", "--no-browser", *options]) == 2
    assert f"on {listens} are all taken; try --port" in capsys.readouterr().err


def test_the_terminal_has_every_address_and_the_key_once(networks, capsys):
    teacher = _begin_class(["192.168.1.5", "10.0.0.2"], 8501)
    said = capsys.readouterr().out
    key = re.fullmatch(r"http://192\.168\.1\.5:8501/home#teacher=([\w-]{22})", teacher)[1]
    assert said.count(key) == 1
    assert "Students open  http://192.168.1.5:8501 " in said
    assert "http://10.0.0.2:8501\n" in said
    assert "Ctrl-C stops it" in said


def test_this_machine_can_be_asked_for_its_addresses():
    assert all(re.fullmatch(r"\d+\.\d+\.\d+\.\d+", one) and not one.startswith("127.") for one in network_addresses())
