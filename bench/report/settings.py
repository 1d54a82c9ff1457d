"""Writes what applies where a project's setting cannot be read: `python -m bench.report.settings`.

It is a table of ``docs/outreach-settings.md``; the texts are beside each part of `Project`.
"""

from __future__ import annotations

from bench.report import marked
from chalicelib.outreach.project.project import parts

PAGE = marked.ROOT / "docs" / "outreach-settings.md"


def page() -> str:
    """The new text of the page."""
    rows = [(f"`{name}`", part.rule) for name, part in parts().items()]
    table = marked.table(("setting", "where it cannot be read"), rows)
    marks = ("<!-- settings -->", "<!-- end of settings -->")
    return marked.replaced(PAGE.read_text(), *marks, ["", *table, ""])


if __name__ == "__main__":
    PAGE.write_text(page())
