"""One report of everything that was re-run: the paper's claim, our number, a verdict, figures, seed and time.

Each section is kept in its folder as JSON beside its figures (PNG and SVG); a second run with the same settings reads
them instead of computing again. `report.html` holds everything in one file and loads nothing.
"""

import base64
import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from html import escape
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal

from PIL import Image

from tsa._base import InputError
from tsa.stage import Chart, charts_image, charts_svg, exports

Verdict = Literal["holds", "holds in part", "does not hold", "better"]


@dataclass(frozen=True)
class Claim:
    """What the paper says (with its section), what was measured here, and what follows."""

    paper: str
    ours: str
    verdict: Verdict


@dataclass(frozen=True)
class Figure:
    """A picture as SVG text and PNG bytes; `name` is that of its files, without ending."""

    name: str
    caption: str
    svg: str
    png: bytes

    @classmethod
    def of_charts(cls, name: str, caption: str, charts: list[Chart]) -> "Figure":
        """Charts side by side."""
        return cls(name, caption, charts_svg(charts, caption), exports.png(charts_image(charts)))

    @classmethod
    def of_picture(cls, name: str, caption: str, svg: str, picture: Image.Image) -> "Figure":
        """A picture that was drawn both ways."""
        return cls(name, caption, svg, exports.png(picture))


@dataclass(frozen=True)
class Section:
    """One experiment: claims and figures, the seed of its random numbers, and the seconds it took."""

    name: str
    title: str
    claims: tuple[Claim, ...]
    figures: tuple[Figure, ...]
    seed: int
    seconds: float = 0.0


def run_section(folder: Path, name: str, settings: dict[str, Any], make: Callable[[], Section]) -> Section:
    """The section in `folder`, if it was made with these settings; otherwise made now and written there."""
    settings = {**settings, "version": _version()}
    kept = _read(folder, name, settings)
    if kept is not None:
        return kept
    begun = time.perf_counter()
    section = replace(make(), name=name)
    section = replace(section, seconds=round(time.perf_counter() - begun, 2))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for figure in section.figures:
            (folder / f"{figure.name}.svg").write_text(figure.svg, encoding="utf-8")
            (folder / f"{figure.name}.png").write_bytes(figure.png)
        content = {
            "settings": settings,
            "title": section.title,
            "claims": [asdict(claim) for claim in section.claims],
            "figures": [{"name": figure.name, "caption": figure.caption} for figure in section.figures],
            "seed": section.seed,
            "seconds": section.seconds,
        }
        # Last, and by renaming: a section without this file was interrupted, and is made again.
        partial = folder / f"{name}.json.partial"
        partial.write_text(json.dumps(content, indent=1, ensure_ascii=False), encoding="utf-8")
        partial.replace(folder / f"{name}.json")
    except OSError as error:
        raise InputError(f"Cannot write to {folder}: {error.strerror}.") from error
    return section


def _version() -> str:
    try:
        return version("tsa-explorer")
    except PackageNotFoundError:
        return "unknown"


def _read(folder: Path, name: str, settings: dict[str, Any]) -> Section | None:
    try:
        content = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        if content["settings"] != json.loads(json.dumps(settings)):
            return None
        figures = tuple(
            Figure(
                str(one["name"]),
                str(one["caption"]),
                (folder / f"{one['name']}.svg").read_text(encoding="utf-8"),
                (folder / f"{one['name']}.png").read_bytes(),
            )
            for one in content["figures"]
        )
        claims = tuple(Claim(**claim) for claim in content["claims"])
        return Section(name, content["title"], claims, figures, content["seed"], content["seconds"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_report(folder: Path, sections: list[Section], quick: bool) -> Path:
    """Write `report.html` of these sections; returns its path."""
    path = folder / "report.html"
    path.write_text(html(sections, quick), encoding="utf-8")
    return path


def html(sections: list[Section], quick: bool) -> str:
    """The report as one HTML file: no scripts, no addresses, pictures included."""
    body = "".join(map(_section_html, sections))
    total = sum(section.seconds for section in sections)
    note = "Quick version: smaller samples, bundled models and digits." if quick else "Full version."
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Toroidal Subgroup Analysis, re-run</title><style>{_STYLE}</style></head><body><main>"
        "<h1>Toroidal Subgroup Analysis, re-run</h1>"
        "<p>Claims of Cohen &amp; Welling, <i>Learning the Irreducible Representations of Commutative Lie Groups</i> "
        f"(ICML 2014), beside what this package measures. {note} tsa {escape(_version())}, {total:.0f} seconds.</p>"
        f"{body}</main></body></html>\n"
    )


def _section_html(section: Section) -> str:
    rows = "".join(
        f'<tr><td>{escape(claim.paper)}</td><td>{escape(claim.ours)}</td><td class="{claim.verdict.replace(" ", "-")}">'
        f"{claim.verdict}</td></tr>"
        for claim in section.claims
    )
    figures = "".join(
        f'<figure><img alt="{escape(figure.caption)}" src="data:image/svg+xml;base64,'
        f'{base64.b64encode(figure.svg.encode()).decode()}"><figcaption>{escape(figure.caption)}</figcaption></figure>'
        for figure in section.figures
    )
    return (
        f'<section id="{section.name}"><h2>{escape(section.title)}</h2>'
        f"<table><thead><tr><th>The paper</th><th>Measured here</th><th>Verdict</th></tr></thead><tbody>{rows}</tbody>"
        f"</table>{figures}<p class=small>Seed {section.seed}, {section.seconds:.1f} seconds.</p></section>"
    )


_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;margin:0;color:#222;background:#fff}"
    "main{max-width:60rem;margin:auto;padding:1rem 1.5rem}"
    "h2{margin-top:2.5rem;border-top:1px solid #ddd;padding-top:1rem}"
    "table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;padding:.4rem .6rem;"
    "border-bottom:1px solid #ddd}td:last-child{white-space:nowrap;font-weight:600}.holds,.better{color:#006b4f}"
    ".does-not-hold{color:#a33300}.holds-in-part{color:#7a5b00}figure{margin:1.5rem 0}img{max-width:100%;height:auto}"
    "figcaption,.small{color:#555;font-size:.9rem}"
)
