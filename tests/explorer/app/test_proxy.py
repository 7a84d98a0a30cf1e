"""Behind a proxy: the base path, names that a proxy gives, and the settings of other ways to start the server."""

import asyncio
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

from explorer.__main__ import main
from explorer.app import CONFIG, Proxied, base_path
from explorer.session import run

DEPLOY = Path(__file__).parents[3] / "deploy"


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ("", ""),
        ("/", ""),
        ("tsa", "/tsa"),
        ("/tsa/", "/tsa"),
        ("/a/b-c.d", "/a/b-c.d"),
        ("/a b", None),
        ("/a//b", None),
        ("/../a", None),
        ("/a?b", None),
        ("/é", None),
    ],
)
def test_base_path(given, path):
    assert base_path(given) == path


def test_a_wrong_base_path_is_one_sentence(capsys):
    assert main(["--base-path", "/a b"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("tsa-explorer: --base-path")
    assert error.count("\n") == 1


def asked(path, *headers, prefix="/tsa", behind_proxy=False, kind="http"):
    """What the app behind the middleware is asked, or the answer of the middleware itself."""
    seen = []

    async def app(scope, receive, send):
        seen.append((scope["path"], scope["raw_path"], dict(scope["headers"])[b"host"]))

    async def send(message):
        seen.append((message.get("status") or message.get("code"), dict(message.get("headers", [])).get(b"location")))

    async def receive():
        return {"type": f"{kind}.connect"}

    scope = {
        "type": kind,
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"x=1",
        "headers": [(b"host", b"inside:1"), *headers],
    }
    asyncio.run(Proxied(app, prefix, behind_proxy)(scope, receive, send))
    return seen[0]


def test_the_path_is_taken_off():
    assert asked("/tsa/live") == ("/live", b"/live", b"inside:1")
    assert asked("/tsa/", kind="websocket") == ("/", b"/", b"inside:1")
    assert asked("/tsa") == (307, b"tsa/?x=1")
    assert asked("/a/tsa", prefix="/a/tsa") == (307, b"tsa/?x=1")
    for elsewhere in ("/", "/live", "/tsalive", "/other/tsa/live"):
        assert asked(elsewhere)[0] == 404
    assert asked("/live", kind="websocket")[0] == 1008


def test_the_name_is_believed_only_from_a_proxy():
    named = (b"x-forwarded-host", b"class.example")
    assert asked("/tsa/", named)[2] == b"inside:1"
    assert asked("/tsa/", named, behind_proxy=True)[2] == b"class.example"
    assert asked("/tsa/", named, named, behind_proxy=True)[2] == b"inside:1"
    assert asked("/x", named, prefix="", behind_proxy=True) == ("/x", b"/x", b"class.example")


def test_streamlit_run_has_the_same_settings():
    """`.streamlit/config.toml` beside the script that a host runs."""
    tables = tomllib.loads((DEPLOY / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    themes = {f"theme.{name}": rows for name, rows in tables.pop("theme").items()}
    given = {f"{table}.{name}": value for table, rows in {**tables, **themes}.items() for name, value in rows.items()}
    assert given == CONFIG


def test_the_container_serves_what_it_says():
    text = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    assert "USER explorer" in text
    for word in ("--no-browser", "--host"):
        assert f'"{word}"' in text


@pytest.mark.parametrize(
    ("shown", "root"),
    [
        ("http://class.example", "http://class.example/"),
        ("http://class.example/film", "http://class.example/"),
        ("https://class.example/tsa/", "https://class.example/tsa/"),
        ("https://class.example/tsa/film", "https://class.example/tsa/"),
        ("http://class.example/motion/", "http://class.example/motion/"),  # named like a page
        ("http://class.example/e-motion/motion", "http://class.example/e-motion/"),
        ("", ""),
    ],
)
def test_the_manual_and_links_are_below_the_address_of_the_app(monkeypatch, shown, root):
    context = SimpleNamespace(context_info=SimpleNamespace(url=shown))
    monkeypatch.setattr(run, "get_script_run_ctx", lambda: context)
    assert run.root() == root
