"""Removes our own footer from a reply, where the mail program's quotation was not recognised; pure.

The footer's words would be read as the recipient's.  In every language it says "our", as no recipient
does.
"""

from __future__ import annotations

import re
from functools import cache

from chalicelib.outreach.languages import fixed_text

UNSUBSCRIBE_LINE = fixed_text("unsubscribe_line")


def without_footer(text: str) -> str:
    """A reply's text without the footer of our e-mail (unsubscribe line and link), in any language."""
    return _quoted().sub("", text).strip()


@cache
def _quoted() -> re.Pattern[str]:
    """The pattern that finds our e-mails' footer (unsubscribe line or link) where a reply quotes it.

    Quotation marks and brackets around it are found as well.
    """
    lines = "|".join(
        re.escape(line.rstrip(".")).replace(r"\ ", r"\s+") for line in UNSUBSCRIBE_LINE.values()
    )
    link = r"[<(\[]*https?://\S+/unsubscribe/\S+"
    mark = r"[ \t>|*]*"
    return re.compile(
        rf"^{mark}(?:[<(\[*_]*(?:{lines})\.?[>)\]*_]*\s*(?:{mark}{link})?|{link})[ \t]*$",
        re.MULTILINE | re.IGNORECASE,
    )
