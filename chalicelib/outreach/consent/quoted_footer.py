"""Our footer in a reply: a mail program whose quotation is not recognised leaves it in the text; pure.

Its words would be heard as the recipient's.  Each language says "our", as no recipient does.
"""

from __future__ import annotations

import re
from functools import cache

from chalicelib.outreach.languages import written

UNSUBSCRIBE_LINE = written("unsubscribe_line")


def without_footer(text: str) -> str:
    """A reply without the line and the link of a footer that it quotes, in any language."""
    return _quoted().sub("", text).strip()


@cache
def _quoted() -> re.Pattern[str]:
    """Such a line, with or without marks of a quotation, brackets and its link."""
    lines = "|".join(
        re.escape(one.rstrip(".")).replace(r"\ ", r"\s+") for one in UNSUBSCRIBE_LINE.values()
    )
    link = r"[<(\[]*https?://\S+/unsubscribe/\S+"
    mark = r"[ \t>|*]*"
    return re.compile(
        rf"^{mark}(?:[<(\[*_]*(?:{lines})\.?[>)\]*_]*\s*(?:{mark}{link})?|{link})[ \t]*$",
        re.MULTILINE | re.IGNORECASE,
    )
