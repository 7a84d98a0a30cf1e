"""The documentation: every link leads somewhere, every example runs, every public name is explained."""

import doctest
import inspect
import re
from collections import Counter
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urldefrag

import numpy as np
import pytest

import tsa
from explorer.__main__ import main
from explorer.docs import content, files, page_names
from tests.shared.public import public_things

PAGES = [f"{name}.html" for name in page_names()]
GUIDES = sorted((Path(inspect.getfile(main)).parent / "docs" / "pages").glob("*.md"))
OUTSIDE = re.compile(r"https://[a-z.]+/\S*")
VOID = {"meta", "link", "img", "source", "br", "hr"}


class Links(HTMLParser):
    """What a page refers to, its anchors, and elements that are not closed as they were opened."""

    def __init__(self, text):
        super().__init__()
        self.targets, self.ids, self.tags, self.open, self.wrong = [], [], Counter(), [], []
        self.feed(text)
        self.wrong += self.open

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.tags[tag] += 1
        self.open += [] if tag in VOID else [tag]
        self.targets += [given[name] for name in ("href", "src", "srcset") if name in given]
        self.ids += [given["id"]] if "id" in given else []
        if tag == "img" and "alt" not in given:
            self.wrong.append("a picture without a text")

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}>")


@cache
def parsed(page):
    return Links(content(page).decode())


def broken(page, links):
    """The links of a page that lead nowhere."""
    for target in links.targets:
        path, anchor = urldefrag(target)
        path = path or page
        if OUTSIDE.fullmatch(target):
            continue
        if path not in files() or (anchor and anchor not in parsed(path).ids):
            yield target


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_sound(page):
    links = parsed(page)
    assert list(broken(page, links)) == []
    assert links.wrong == []
    assert [name for name, count in Counter(links.ids).items() if count > 1] == []
    assert links.tags["h1"] == 1
    assert not links.tags["script"]
    text = content(page).decode()
    assert "FIGURE-" not in text
    assert not re.search(r"\{(title|menu|body|sections|version)\}", text)


def test_broken_links_are_found():
    wrong = ["nothing.html", "tutorial.html#nowhere", "pictures/none.svg", "http://insecure.example/"]
    links = Links(
        "".join(f'<a href="{target}"></a>' for target in [*wrong, "tutorial.html", "https://arxiv.org/abs/1"])
    )
    assert list(broken("index.html", links)) == wrong
    assert Links("<p><b></p></b>").wrong


def test_every_public_name_is_explained_with_an_example():
    every = "".join(content(page).decode() for page in PAGES)
    for name, thing in public_things():
        assert f'id="{name}"' in every, name
        example = re.search(rf'id="{re.escape(name)}".*?(?=<section|</section)', every, re.DOTALL)[0]
        assert ("&gt;&gt;&gt;" in example) == (">>>" in inspect.getdoc(thing)), name
        assert "&gt;&gt;&gt;" in example, name


def test_errors_are_those_that_are_raised():
    models, errors = content("models.html").decode(), content("errors.html").decode()
    entry = re.search(r'id="fourier_model".*?</section>', models, re.DOTALL)[0]
    assert "errors.html#InputError" in entry
    with pytest.raises(tsa.InputError):
        tsa.fourier_model("a")
    assert 'id="InputError"' in errors


@pytest.mark.parametrize("guide", GUIDES, ids=lambda path: path.stem)
def test_examples_of_guides_print_what_they_say(guide, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```pycon\n(.*?)```", guide.read_text(encoding="utf-8"), re.DOTALL)
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {"np": np, "tsa": tsa}, guide.name, str(guide), 0)
    told = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(test, out=told.append)
    assert not runner.failures, "".join(told)


def test_the_command_writes_every_file(tmp_path, capsys):
    folder = tmp_path / "site"
    assert main(["docs", "--out", str(folder)]) == 0
    written = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert written == set(files())
    assert (folder / "index.html").read_bytes() == content("index.html")
    out = capsys.readouterr()
    assert str(folder) in out.out
    assert out.err == ""


def test_the_command_says_what_is_wrong(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert main(["docs", "--out", str(tmp_path / "file")]) == 2
    assert capsys.readouterr().err.startswith("tsa-explorer: ")


@pytest.mark.parametrize(
    "path", ["", "..", "../site.py", "pages/index.md", "/etc/passwd", "index.html\0", "style.css/"]
)
def test_nothing_but_the_site_is_served(path):
    assert content(path) is None
