"""One report of everything that was re-run: the paper's claim, our number, a verdict, figures, seed and time.

Each section is kept in its folder as JSON beside its figures (PNG and SVG); a second run with the same settings reads
them instead of computing again. `report.html` holds everything in one file and loads nothing.
"""

import base64
import json
import re
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from html import escape
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal, get_args

from PIL import Image

from tsa._base import InputError, write_atomically
from tsa.stage import Chart, charts_image, charts_svg, exports

Verdict = Literal["holds", "better", "holds in part", "does not hold", "no claim"]
FigureKind = Literal["chart", "chart single", "picture"]


@dataclass(frozen=True)
class Claim:
    """What the paper says (with its section), what was measured here, and what follows.

    "no claim" marks what others report, for comparison.
    """

    paper: str
    ours: str
    verdict: Verdict


@dataclass(frozen=True)
class Figure:
    """A picture as SVG text and PNG bytes; `name` is that of its files, without ending.

    `kind` says how the report shows it: a chart takes on the colours of the page, a picture does not.
    """

    name: str
    caption: str
    svg: str
    png: bytes
    kind: FigureKind = "chart single"

    @classmethod
    def of_charts(cls, name: str, caption: str, charts: list[Chart]) -> "Figure":
        """Charts side by side."""
        picture = any(chart.pictures or chart.ground is not None for chart in charts)
        kind: FigureKind = "picture" if picture else "chart" if len(charts) > 1 else "chart single"
        return cls(name, caption, charts_svg(charts, caption), exports.png(charts_image(charts)), kind)

    @classmethod
    def of_picture(cls, name: str, caption: str, svg: str, picture: Image.Image) -> "Figure":
        """A picture that was drawn both ways."""
        return cls(name, caption, svg, exports.png(picture), "picture")


@dataclass(frozen=True)
class Section:
    """One experiment: claims and figures, the seed of its random numbers, and the seconds it took.

    `run_section` adds the seconds that making it takes to those given.
    """

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
    section = replace(section, seconds=round(section.seconds + time.perf_counter() - begun, 2))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for figure in section.figures:
            write_atomically(folder / f"{figure.name}.svg", figure.svg)
            write_atomically(folder / f"{figure.name}.png", figure.png)
        content = {
            "settings": settings,
            "title": section.title,
            "claims": [asdict(claim) for claim in section.claims],
            "figures": [{"name": f.name, "caption": f.caption, "kind": f.kind} for f in section.figures],
            "seed": section.seed,
            "seconds": section.seconds,
        }
        # Last, and by renaming: a section without this file was interrupted, and is made again.
        write_atomically(folder / f"{name}.json", json.dumps(content, indent=1, ensure_ascii=False))
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
                one["kind"],
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
    write_atomically(path, html(sections, quick))
    return path


def html(sections: list[Section], quick: bool) -> str:
    """The report as one HTML file: no scripts, no addresses, pictures included."""
    body = "".join(map(_section_html, sections))
    total = sum(section.seconds for section in sections)
    note = "Quick version: smaller samples, bundled models and digits." if quick else "Full version."
    verdicts = [claim.verdict for section in sections for claim in section.claims]
    claims = len(verdicts) - verdicts.count("no claim")
    counts = "".join(
        f"<li><b>{verdicts.count(verdict)}</b> {_pill(verdict)}</li>"
        for verdict in get_args(Verdict)
        if verdict in verdicts
    )
    contents = "".join(
        f'<li><a href="#{section.name}">{escape(section.title)}</a> '
        + "".join(f'<i class="{_kind(claim.verdict)}" title="{claim.verdict}"></i>' for claim in section.claims)
        + "</li>"
        for section in sections
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Toroidal Subgroup Analysis, re-run</title><style>{_STYLE}</style></head><body><main>"
        "<header><h1>Toroidal Subgroup Analysis, re-run</h1>"
        f"<p>{claims} claims of Cohen &amp; Welling, <i>Learning the Irreducible Representations of Commutative "
        "Lie Groups</i> (ICML 2014), each beside what this package measures. A number after ± is a standard error.</p>"
        f"<ul class=counts>{counts}</ul><nav><ol>{contents}</ol></nav>"
        f"<p class=small>{note} Made by <code>tsa reproduce all{' --quick' if quick else ''}</code>, tsa "
        f"{escape(_version())}, in {total:.0f} seconds.</p></header>"
        f"{body}</main></body></html>\n"
    )


def _kind(verdict: Verdict) -> str:
    """The class of a verdict in the style sheet."""
    return verdict.replace(" ", "-")


def _pill(verdict: Verdict) -> str:
    return f'<span class="verdict {_kind(verdict)}">{verdict}</span>'


def _section_html(section: Section) -> str:
    rows = "".join(
        f'<tr><td data-label="The paper">{_text(claim.paper)}</td><td data-label="Measured here">{_text(claim.ours)}'
        f"</td><td>{_pill(claim.verdict)}</td></tr>"
        for claim in section.claims
    )
    figures = "".join(
        f'<figure class="{figure.kind}"><div class=scroll><img alt="{escape(figure.caption)}" '
        f'src="data:image/svg+xml;base64,{base64.b64encode(figure.svg.encode()).decode()}"></div>'
        f"<figcaption>{_text(figure.caption)}</figcaption></figure>"
        for figure in section.figures
    )
    return (
        f'<section id="{section.name}"><h2>{escape(section.title)}</h2>'
        f"<table><thead><tr><th>The paper</th><th>Measured here</th><th>Verdict</th></tr></thead><tbody>{rows}</tbody>"
        f"</table>{figures}<p class=small>Seed {section.seed}, {section.seconds:.1f} seconds."
        "</p></section>"
    )


_MARKUP = (
    ("`([^`]*)`", r"<code>\1</code>"),
    (r"_([a-z])(?![a-z])", r"<sub>\1</sub>"),  # x_j
    (r" (±) ", r"&nbsp;\1&nbsp;"),  # a number, its error and its unit stay on one line
    (" %", "&nbsp;%"),
    (r"\^\{([^}]*)\}", r"<sup>\1</sup>"),  # e^{is}
    (r"\b(\d(?:\.\d+)?)e-0*(\d+)", r"\1&#8239;·&#8239;10<sup>−\2</sup>"),  # 3e-08
)


def _text(words: str) -> str:
    """HTML of a sentence, with code, subscripts and exponents."""
    html = escape(words)
    for pattern, replacement in _MARKUP:
        html = re.sub(pattern, replacement, html)
    return html


_STYLE = """
:root{--paper:#fbfaf7;--card:#fff;--text:#262422;--quiet:#676564;--border:#dedcd8;--holds:#00694d;--better:#0a5f9e;
--in-part:#815300;--not:#a83300;color-scheme:light dark}
@media (prefers-color-scheme:dark){:root{--paper:#141413;--card:#1d1d1b;--text:#edebe8;--quiet:#a8a7a4;
--border:#373735;--holds:#4fc79f;--better:#74bdf0;--in-part:#e2ac4b;--not:#ff8d63}
.chart img{filter:invert(.886) hue-rotate(180deg)}}
*{box-sizing:border-box}
body{font:16px/1.55 system-ui,"Segoe UI",Helvetica,Arial,sans-serif;margin:0;color:var(--text);background:var(--paper)}
main{max-width:70rem;margin:auto;padding:2.5rem 1.5rem 4rem}
h1{font-size:2.1rem;line-height:1.2;margin:0 0 .75rem;letter-spacing:-.01em}
h2{font-size:1.35rem;margin:0 0 .75rem}
header p{max-width:46rem}a{color:inherit}
section{margin-top:3rem;border-top:1px solid var(--border);padding-top:1.75rem}
table{border-collapse:collapse;width:100%;background:var(--card);border:1px solid var(--border);border-radius:10px;
border-spacing:0;overflow:hidden}
th{font-size:.8rem;font-weight:600;color:var(--quiet)}
td,th{text-align:left;vertical-align:top;padding:.7rem .9rem}
tbody tr{border-top:1px solid var(--border)}
td:first-child{width:36%}td:last-child{white-space:nowrap;width:1%}
sub,sup{font-size:.75em;line-height:0}
code{font:.92em ui-monospace,Menlo,Consolas,monospace;overflow-wrap:anywhere}
.verdict{display:inline-block;padding:.05rem .6rem;border:1px solid;border-radius:1rem;font-size:.86rem;font-weight:600;
color:var(--kind)}
.holds{--kind:var(--holds)}.better{--kind:var(--better)}.holds-in-part{--kind:var(--in-part)}
.does-not-hold{--kind:var(--not)}.no-claim{--kind:var(--quiet)}
.counts,nav ol{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.5rem 1.5rem;margin:1rem 0}
.counts b{font-size:1.6rem;margin-right:.3rem}
nav i{display:inline-block;width:.6rem;height:.6rem;border-radius:50%;margin-left:.2rem;background:var(--kind)}
figure{margin:1.25rem 0 0;background:var(--card);border:1px solid var(--border);border-radius:10px;padding:.9rem}
figure.single{display:grid;grid-template-columns:minmax(0,3fr) minmax(0,2fr);gap:1.5rem;align-items:center}
.scroll{overflow-x:auto}img{display:block;max-width:100%;height:auto;margin:auto}
.picture img{border-radius:4px}
figcaption{color:var(--quiet);font-size:.92rem;margin-top:.6rem}.small{color:var(--quiet);font-size:.88rem}
@media (max-width:46rem){main{padding:1.5rem 1rem 3rem}h1{font-size:1.6rem}
figure.single{grid-template-columns:minmax(0,1fr);gap:0}
figure:not(.single) img{max-width:none;width:46rem}
thead{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}
table,tbody,tr,td{display:block}td,td:first-child,td:last-child{width:auto;padding:.35rem .9rem}
td:first-child{padding-top:.8rem}td:last-child{padding-bottom:.8rem}
td[data-label]::before{content:attr(data-label);display:block;font-size:.8rem;font-weight:600;color:var(--quiet)}}
@media print{section{break-inside:avoid}.scroll{overflow:visible}}
"""
