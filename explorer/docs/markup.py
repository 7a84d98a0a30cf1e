"""Text to HTML: Markdown pages and docstrings, in which names of the public interface become links.

In docstrings only examples, indented formulas, lists and `code` are marked up; all else are letters, as in κ_j or a*b.
"""

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

_PARAMETERS = re.compile(r"^Parameters\n-+\n((?:\S.*\n?(?:[ ]+\S.*\n?)*)+)", re.MULTILINE)
_PARAMETER = re.compile(r"^(\S[^:\n]*) : (.*(?:\n[ ]+\S.*)*)", re.MULTILINE)
_EXAMPLE = re.compile(r"^>>> .*(?:\n.+)*", re.MULTILINE)
_NAME = re.compile(r"(?:tsa\.)?([A-Za-z_][\w.]*)(?:\(.*\))?")
_INDEX = re.compile(r"((?:(?<![A-Za-z_])[A-Za-z]|[α-ωΑ-Ω])[\u0302⁺]?)_([A-Za-z0-9])(?![A-Za-z0-9_])")  # z_j
_LOW, _HIGH = re.compile(r"_\{([^{}]*)\}"), re.compile(r"\^\{([^{}]*)\}")  # Σ_{ω=k}, e^{is}
_COMMENT = re.compile(r"(^|\s)(#.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Names:
    """Where the public names are explained: dotted names and addresses. Those of `owner` need no prefix."""

    addresses: Mapping[str, str]
    owner: str = ""

    def address(self, code: str) -> str | None:
        """The address of what a piece of code names, None if it is nothing public."""
        found = _NAME.fullmatch(code)
        if found is None:
            return None
        return self.addresses.get(f"{self.owner}.{found[1]}") or self.addresses.get(found[1])


class _Renderer(RendererHTML):
    """Tables that scroll on a narrow screen, examples in two colours, links from names, indices below the line."""

    def text(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        plain = html.escape(tokens[idx].content, quote=False)
        low = _LOW.sub(r"<sub>\1</sub>", _INDEX.sub(r"\1<sub>\2</sub>", plain))
        return _HIGH.sub(r"<sup>\1</sup>", low)

    def code_inline(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        code = tokens[idx].content
        inner = f"<code>{html.escape(code)}</code>"
        linked = any(token.type == "link_open" for token in tokens[:idx])
        address = None if linked else env["names"].address(code)
        return f'<a href="{html.escape(address)}">{inner}</a>' if address else inner

    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return _code(tokens[idx].content, tokens[idx].info.strip())

    def table_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return '<div class="wide" tabindex="0"><table>\n'

    def table_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return "</table></div>\n"


_MARKDOWN = MarkdownIt("commonmark", {"html": False}, renderer_cls=_Renderer).enable("table")
_DOCSTRING = MarkdownIt("zero", renderer_cls=_Renderer).enable(["fence", "code", "list", "backticks"])


def markdown_html(text: str, names: Names) -> tuple[str, list[tuple[str, str]]]:
    """A page as HTML, and its sections: the anchor and the title of each heading of the second level."""
    env: dict[str, object] = {"names": names}
    tokens = _MARKDOWN.parse(text, env)
    sections = []
    for heading, content in pairwise(tokens):
        if heading.type == "heading_open":
            anchor = slug(content.content)
            heading.attrSet("id", anchor)
            if heading.tag == "h2":
                sections.append((anchor, content.content.replace("`", "")))
    return _MARKDOWN.renderer.render(tokens, _MARKDOWN.options, env), sections


def docstring_html(text: str, names: Names) -> str:
    """A docstring as HTML."""
    text = _PARAMETERS.sub(lambda block: "\n" + _PARAMETER.sub(r"- `\1`: \2", block[1]), text)
    text = _EXAMPLE.sub(lambda example: f"```pycon\n{example[0]}\n```\n", text)
    return str(_DOCSTRING.render(text, {"names": names}))


def slug(title: str) -> str:
    """The anchor of a heading."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def _code(text: str, language: str) -> str:
    """An example or listing; what is printed, and comments, in a quieter colour. It can be scrolled by keyboard."""
    if language == "pycon":
        lines = [html.escape(line) for line in text.rstrip("\n").split("\n")]
        shown = "\n".join(line if line.startswith(("&gt;&gt;&gt;", "...")) else f"<i>{line}</i>" for line in lines)
    else:
        shown = _COMMENT.sub(r"\1<i>\2</i>", html.escape(text.rstrip("\n"), quote=False))
    return f'<pre tabindex="0"><code>{shown}</code></pre>\n'
