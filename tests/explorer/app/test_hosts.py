"""Names this server answers to; `test_door.py` holds a running server against the same table."""

import pytest

from explorer.app import Hosts
from explorer.app.hosts import host_name, is_same_place
from tests.shared.hosts import HOSTS, ORIGINS


@pytest.mark.parametrize(("host", "expected"), HOSTS)
def test_a_server_of_this_machine_answers_to_its_names(host, expected):
    assert Hosts.of("127.0.0.1").admit(host) is expected


@pytest.mark.parametrize(("origin", "expected"), ORIGINS)
def test_a_page_is_ours_if_it_came_from_where_it_asks(origin, expected):
    assert is_same_place(origin, "localhost:8501") is expected


@pytest.mark.parametrize("name", ["tsa.example", "TSA.Example.", "tsa.example:443"])
def test_an_allowed_name_is_one(name):
    hosts = Hosts.of("127.0.0.1", [name])
    assert hosts.admit("tsa.example")
    assert hosts.admit("tsa.example:8501")
    assert not hosts.admit("www.tsa.example")


def test_who_listens_on_one_address_has_its_name():
    assert Hosts.of("192.168.1.5").admit("192.168.1.5:8501")
    assert Hosts.of("fe80::1").admit("[fe80::1]:8501")
    assert not Hosts.of("192.168.1.5").admit("192.168.1.6:8501")


@pytest.mark.parametrize("everywhere", ["0.0.0.0", "::", ""])
def test_who_listens_everywhere_answers_to_addresses_but_to_no_other_name(everywhere):
    hosts = Hosts.of(everywhere)
    assert hosts.admit("192.168.1.5:8501")
    assert hosts.admit("[fe80::1]:8501")
    assert not hosts.admit("evil.example:8501")


def test_a_name_is_read_from_a_header():
    assert host_name("LocalHost.:8501") == "localhost"
    assert host_name("[::1]") == "::1"
    assert host_name("a b") is None


def test_who_says_no_host_has_no_place():
    assert not is_same_place("http://", "")
    assert not is_same_place("http://None", None)
