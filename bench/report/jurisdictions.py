"""Writes the rules of each jurisdiction: `python -m bench.report.jurisdictions`.

The tables are in ``docs/jurisdictions-rules.md``, one for each file of ``chalicelib/outreach/jurisdictions``.
"""

from __future__ import annotations

from bench.report import marked
from chalicelib.outreach.jurisdictions.rulebook import Jurisdiction, jurisdictions

PAGE = marked.ROOT / "docs" / "jurisdictions-rules.md"
MARKS = ("<!-- rules -->", "<!-- end of rules -->")


def page() -> str:
    """The new text of the page."""
    lines = [line for jurisdiction in jurisdictions() for line in _section(jurisdiction)]
    return marked.replaced(PAGE.read_text(), *MARKS, ["", *lines])


def _section(jurisdiction: Jurisdiction) -> list[str]:
    rows = [
        (
            f"`{rule.id}`",
            ", ".join(rule.requirement.channels),
            ", ".join(rule.requirement.purposes),
            rule.requirement.says,
            f"`{rule.code}`",
            "; ".join(_source(jurisdiction, name) for name in rule.requirement.sources),
        )
        for rule in jurisdiction.rules
    ]
    heads = ("rule", "channels", "purposes", "what it asks for", "refuses with", "source")
    table = marked.table(heads, rows)
    return [
        f"### {jurisdiction.file.title}",
        "",
        f"`{jurisdiction.stamp}`, of {jurisdiction.file.date}.",
        "",
        *table,
        "",
    ]


def _source(jurisdiction: Jurisdiction, name: str) -> str:
    source = jurisdiction.file.sources[name]
    return f"[{source.name}]({source.url}), {source.section}"


if __name__ == "__main__":
    PAGE.write_text(page())
