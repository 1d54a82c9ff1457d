"""The footer that code adds to every e-mail: sender, postal address, unsubscribe link; pure.

Commercial e-mail needs the sender's postal address and a clearly visible way to refuse more of it:
16 CFR 316 with 15 U.S.C. 7704(a)(3) and (5), Directive 2002/58/EC, article 13(4).  Optional setting of a
project::

    company_address  "Cucumber Recruitment, 1 Main Street, Springfield, IL 62701, USA"

The footer is never shown to a writer or stored; `consent.quoted_footer` removes it from replies.
"""

from __future__ import annotations

from html import escape

from chalicelib.outreach.consent.quoted_footer import UNSUBSCRIBE_LINE
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.languages import language_of
from chalicelib.outreach.project.project import Project


def with_footer(record: Record, text: str, html: str, link: str | None) -> tuple[str, str]:
    """An e-mail's text and HTML parts, each with the footer (sender, postal address, unsubscribe link) added.

    Args:
        record: the conversation.
        text: the plain part.
        html: the HTML part.
        link: the unsubscribe link; None where the conversation offers none.
    """
    project = Project(record.item)
    sender = [project.company_name or record.company_id]
    if project.company_address:
        sender.append(project.company_address)
    line = UNSUBSCRIBE_LINE[language_of(record)]
    way_out = [line, link] if link else []
    anchor = [f'<a href="{escape(link)}">{escape(line)}</a>'] if link else []
    marked = "<br>".join([*map(escape, sender), *anchor])
    before, end, after = html.rpartition("</body>")
    body = f"{before}<p>{marked}</p>{end}{after}" if end else f"{html}<p>{marked}</p>"
    parts = [text.rstrip(), "\n".join(sender), "\n".join(way_out)]
    return "\n\n".join(part for part in parts if part), body
