"""Plain text of an HTML message body, in time linear in its length."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

_TAG = re.compile(r"(</?[a-zA-Z!?][^<>]*>)")
_BREAKS = frozenset(
    {"br", "hr", "p", "div", "section", "article", "blockquote", "pre", "ol", "ul", "li", "table"}
    | {"tr", "h1", "h2", "h3", "h4", "h5", "h6"}
)
_CELLS = frozenset({"td", "th"})
_SILENT = frozenset({"style", "script", "title"})
"""Elements whose content is not displayed.  A page's `head` holds no other text, and its end tag may
be omitted, so it is not listed."""
_NAME = re.compile(r"</?([a-zA-Z][a-zA-Z0-9]*)")


def plain_text(body: str) -> str:
    r"""The text of an HTML body without tags, with entities resolved and each block on its own line.

    Table cells are separated.  It is no sanitiser.

    Example:
        ``<p>Hi,<br>where is it &amp; why?</p>`` gives ``Hi,\nwhere is it & why?``.
    """
    if "<" not in body:
        return html.unescape(body).strip()
    text = html.unescape("".join(_visible(_without_comments(body)))).replace("\xa0", " ")
    lines = [" ".join(line.split()) for line in text.split("\n")]
    return "\n".join(line for line in lines if line)


def _visible(body: str) -> Iterator[str]:
    silent = ""
    for piece in _TAG.split(body):
        found = _NAME.match(piece)
        if found is None:
            if not silent and not _TAG.fullmatch(piece):
                yield re.sub(r"\s", " ", piece)
            continue
        name = found[1].lower()
        if silent:
            silent = "" if piece.startswith("</") and name == silent else silent
        elif name in _SILENT and not piece.endswith("/>"):
            silent = "" if piece.startswith("</") else name
        elif name in _BREAKS:
            yield "\n"
        elif name in _CELLS:
            yield " "


def _without_comments(body: str) -> str:
    kept = []
    at = 0
    while (start := body.find("<!--", at)) >= 0:
        kept.append(body[at:start])
        end = body.find("-->", start)
        at = len(body) if end < 0 else end + len("-->")
    return "".join([*kept, body[at:]])
