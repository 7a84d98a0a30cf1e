"""What a package index shows, and the scripts that check a release."""

import re
from pathlib import Path

import pytest

from hatch_build import for_index

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PICTURE = re.compile(r"!\[[^\]]*\]\(([^)]*)\)")


def test_an_index_without_our_files_shows_no_broken_picture():
    shown = for_index(README, "")
    assert PICTURE.findall(README)
    assert PICTURE.findall(shown) == []
    assert "| dark | phone |" not in shown
    assert shown.count("\n#") == README.count("\n#")


@pytest.mark.parametrize("address", ["https://host.example/raw/v1", "https://host.example/raw/v1/"])
def test_pictures_get_whole_addresses(address):
    found = PICTURE.findall(for_index(README, address))
    assert found == [f"https://host.example/raw/v1/{path}" for path in PICTURE.findall(README)]
    for path in PICTURE.findall(README):
        assert (ROOT / path).exists()


def test_no_link_of_the_readme_needs_a_file_beside_it():
    links = re.findall(r"(?<!!)\[[^\]]+\]\(([^)]+)\)", README)
    assert links
    assert [link for link in links if not link.startswith("https://")] == []


def test_nothing_depends_on_the_clock_on_the_wall():
    """It may be set back, or forward by a night in which the laptop slept."""
    wall = re.compile(r"\btime\.time\(|datetime\.(now|utcnow|today)|\bDate\.now\(|new Date\(")
    sources = [path for package in ("tsa", "explorer") for path in (ROOT / package).rglob("*")]
    texts = {path: path.read_text(encoding="utf-8") for path in sources if path.suffix in (".py", ".js", ".html")}
    assert len(texts) > 300
    assert [str(path) for path, text in texts.items() if wall.search(text)] == []
    assert wall.search("started = time.time()")
