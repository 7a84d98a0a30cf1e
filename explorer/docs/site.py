"""All files of the site, by path; `write_site` writes them into a folder, the app serves them one by one."""

import html
import re
from functools import cache
from pathlib import Path

import tsa
from explorer.docs.gallery import DRAWINGS, figure_html, gallery_html
from explorer.docs.markup import Names, docstring_html, markdown_html
from explorer.docs.reference import CHAPTERS, addresses, chapter_html, index_html
from tsa._base import InputError, assets, write_atomically

_HERE = Path(__file__).parent
# The menu: pages of text (`pages/NAME.md`), then those made from the code.
_GUIDES = {
    "tutorial": "Ten minutes with tsa",
    "own-data": "Use your own data",
    "own-lessons": "Write a lesson",
    "own-actions": "Bring your own action",
    "deployment": "Serve a class or the world",
    "measured": "What was measured",
    "theory": "The theory on a page",
}
_OTHERS = {"gallery": "Gallery", "conventions": "Conventions", "readme": "README"}
_README_PICTURES = re.compile(
    r"^(?:\|.*\]\(assets/.*\n|!\[[^\]]*\]\(assets/[^)]*\)\n|\| dark \| phone \|\n\|---\|---\|\n)", re.MULTILINE
)
_FIGURE = re.compile(r"^<!-- figure: (\w+) -->$", re.MULTILINE)


def page_names() -> tuple[str, ...]:
    """The names of all pages, in the order of the menu."""
    return ("index", *_GUIDES, *_OTHERS, "reference", *CHAPTERS)


def files() -> tuple[str, ...]:
    """The paths of all files of the site."""
    pictures = (f"pictures/{name}-{theme}.svg" for name, drawing in DRAWINGS.items() for theme in drawing.themes)
    return (*(f"{name}.html" for name in page_names()), "style.css", "icon.png", *pictures)


@cache
def content(path: str) -> bytes | None:
    """A file of the site, None if there is none of this path."""
    if path not in files():
        return None
    if path == "style.css":
        return (_HERE / path).read_bytes()
    if path == "icon.png":
        return (assets("") / path).read_bytes()
    if path.endswith(".svg"):
        name, _, theme = path.removeprefix("pictures/").removesuffix(".svg").rpartition("-")
        return DRAWINGS[name].svg(theme).encode()
    return _page(path.removesuffix(".html")).encode()


def write_site(folder: Path) -> int:
    """Write all files into a folder; returns their number."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; the documentation needs a folder.")
    for path in files():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(target, content(path) or b"")
    return len(files())


def _page(name: str) -> str:
    body, sections = _body(name)
    title = "TSA Explorer" if name == "index" else f"{_title(name)} · TSA Explorer"
    inside = "".join(f'<li><a href="#{anchor}">{html.escape(text)}</a></li>' for anchor, text in sections)
    on_page = f'<nav class="sections" aria-label="On this page"><ul>{inside}</ul></nav>' if len(sections) > 2 else ""
    template = (_HERE / "page.html").read_text(encoding="utf-8")
    parts = {"title": html.escape(title), "menu": _menu(name), "body": body, "sections": on_page}
    return re.sub(r"\{(\w+)\}", lambda slot: {**parts, "version": tsa.__version__}[slot[1]], template)


def _body(name: str) -> tuple[str, list[tuple[str, str]]]:
    """The HTML of a page, and the anchors and titles of its sections."""
    names = Names(addresses())
    if name == "gallery":
        return gallery_html(), []
    if name == "reference":
        return index_html(), [(chapter, title) for chapter, (title, _) in CHAPTERS.items()]
    if name in CHAPTERS:
        return chapter_html(name), []
    if name == "conventions":
        return f"<h1>Conventions</h1>{docstring_html(tsa.__doc__ or '', names)}", []
    if name == "readme":
        return markdown_html(_README_PICTURES.sub("", _readme()), names)
    text = (_HERE / "pages" / f"{name}.md").read_text(encoding="utf-8")
    body, sections = markdown_html(_FIGURE.sub(r"FIGURE-\1", text), names)
    return re.sub(r"<p>FIGURE-(\w+)</p>", lambda mark: figure_html(mark[1]), body), sections


def _readme() -> str:
    """The README: inside the installed package, or beside it in a checkout."""
    package = Path(tsa.__file__).parent
    inside = package / "README.md"
    return (inside if inside.exists() else package.parent / "README.md").read_text(encoding="utf-8")


def _title(name: str) -> str:
    chapters = {chapter: title for chapter, (title, _) in CHAPTERS.items()}
    return {**_GUIDES, **_OTHERS, **chapters, "reference": "Reference"}[name]


def _menu(shown: str) -> str:
    groups = [("", ("index",)), ("Guides", _GUIDES), ("About", _OTHERS), ("Reference", ("reference", *CHAPTERS))]
    parts = []
    for heading, pages in groups:
        links = []
        for name in pages:
            here = ' aria-current="page"' if name == shown else ""
            text = {"index": "Start", "reference": "All names"}.get(name) or _title(name)
            links.append(f'<li><a href="{name}.html"{here}>{html.escape(text)}</a></li>')
        parts.append((f"<h2>{heading}</h2>" if heading else "") + f"<ul>{''.join(links)}</ul>")
    return "".join(parts)
