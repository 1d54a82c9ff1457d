"""Last lines of a mail that may only name its writer: name, title, company; pure.

A short list of things looks like such lines, so they are not left out as `reply_signatures` leaves out
others: they count as a sign-off only below a message that is complete without them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from chalicelib.vendors import reply_signatures as signatures

MOST_LINES = 5
_MOST_CHARACTERS = 60
_MOST_PARTED = 160
"""The most characters of a line with bars between its parts and a number or an address."""
_MOST_WORDS = 6


def is_sign_off(lines: Sequence[str]) -> bool:
    """Whether the last lines of a mail only name its writer.

    The first line is a closing such as "Regards", a name or a rule.  Below it, a word in small
    letters may be a title, and words in quotation marks a motto.

    Args:
        lines: without empty ones.
    """
    lines = [line for line in lines if not _PICTURE.fullmatch(line)]
    if not 0 < len(lines) <= MOST_LINES:
        return False
    if _RULE.fullmatch(lines[0]) and _RULE.fullmatch(lines[-1]) and shows_a_writer(lines[1:-1]):
        return all(
            len(line) <= _MOST_CHARACTERS for line in lines
        )  # any script counts between two rules
    return _may_be_sign_off(lines[0]) and all(
        _may_be_sign_off(line)
        or (line.islower() and _TITLE.fullmatch(line))
        or _MOTTO.fullmatch(line)
        for line in lines[1:]
    )


def shows_a_writer(lines: Sequence[str]) -> bool:
    """Whether lines show a mail's writer, as no list of things does.

    A closing, a contact, a rule, a title, an initial, a bar or a legal form shows one.
    """
    return any(
        signatures.closing().fullmatch(line)
        or signatures.contact().search(line)
        or _RULE.fullmatch(line)
        or _MARKED.search(line)
        for line in lines
    )


def _may_be_sign_off(line: str) -> bool:
    """Whether a line may be part of a sign-off.

    Such are a closing, a rule, a number, an address, and words that may all be parts of a name.
    """
    if _RULE.fullmatch(line):
        return True
    line = line.strip("*_ ")
    has_contact = (signatures.contact().search(line) or _PHONE.search(line)) is not None
    if len(line) > (_MOST_PARTED if has_contact and _BAR.search(line) else _MOST_CHARACTERS):
        return False
    if signatures.closing().fullmatch(line):
        return True
    if _NUMBER.fullmatch(line) or has_contact:
        return "?" not in line
    words = _SMILE.sub("", line).replace("|", " ").replace("/", " ").replace("\u00ae", "").split()
    return (
        0 < len(words) <= _MOST_WORDS
        and not any(
            character.isdigit() or character in "!?:;\u00bf\u00a1" for character in "".join(words)
        )
        and not _BEFORE_A_THING.match(line)
        and any(word[0].isupper() for word in words)
        and all(_may_be_name_word(word) for word in words)
    )


def _may_be_name_word(word: str) -> bool:
    bare = word.strip(".,()&+-\u2013\u2014\u00b7\u2022'\"")
    return not bare or bare[0].isupper() or _JOINING.fullmatch(word) is not None


_JOINING = re.compile(
    r"of|for|and|the|at|und|im|bei|der|die|von|zu|f.r|van|den|het|voor|en|de|du|des|la|le|les|l|et|del|y"
    r"|las?|los|el|e|da|do|d[ao]s|di|dell[ao]|de[il]|degli|per|i|og|och|af|av"
    r"|(?:drs|ing|ir|mr|ppa|dr|dott|i\.\s?[av])\.",
    re.IGNORECASE,
)
"""A pattern of words in small letters that may be inside a name or a title."""
_BEFORE_A_THING = re.compile(
    r"(?:the|this|that|my|your|our|a|an|all|to|from|on|at|in|die|das|den|dem|diese\w*|mein\w*|ihr\w*|eine?\w*"
    r"|el|la|los|las|mi|mis|su|sus|este|esta|un|una|le|les|ce|cette|mon|ma|mes|votre|vos|une|il|lo|gli|mio|mia"
    r"|il mio|o|os|as|meu|minha|seu|sua|het|een|mijn|uw|deze|dit|det|den|min|mitt|order|delivery"
    r"|subscription|booking|appointment)\b",
    re.IGNORECASE,
)
"""A pattern of first words of a line that names a thing, as "my order", and not a person."""
_TITLE = re.compile(r"[^\W\d_]{3,20}\.?|\(?(?:she|he|they|sie|er|elle|il|ella|él)/[^\W\d_]{2,6}\)?")
_PICTURE = re.compile(r"(?:\[(?:image|cid|logo)[^\]]{0,60}\]\s*)+", re.IGNORECASE)
_MOTTO = re.compile(r"[\"\u201c\u201e\u00ab][^?]{5,100}[\"\u201d\u00bb]")
_BAR = re.compile(r" [|\u00b7\u2022] ")
_SMILE = re.compile(r"\s[:;]-?[)(DP]+|<3|\^\^")
_RULE = re.compile(r"[-_=*~\u2013\u2014]{2,}")
_PHONE = re.compile(r"(?<!\d)\d{3}[\s.-]\d{3}[\s.-]\d{3,4}(?!\d)")
_NUMBER = re.compile(r"[(+]?\d[\d\s()/.-]{5,18}\d")
_MARKED = re.compile(
    r"\b(?:Dr|Prof|Ing|Mag|Dipl|Mrs?|Ms|Mme|Sr|Sra|Dott|Avv|Arch|Rag|Lic|drs|ir|ppa)\b\.?"
    r"|\b(?:CPA|MBA|PhD|MSc|BSc|RN)\b|(?<!\w)[^\W\d_a-z]\.(?=\s|-|$)| [|\u00b7\u2022] "
    r"|\b(?:GmbH|Ltd|Inc|LLC|AG|KG|e\.?K|S\.?A\.?S?|S\.?L|S\.?r\.?l|S\.?p\.?A|B\.?V|Lda|Oy|AB|AS|ApS|Sp)\b"
)
"""A pattern of a title, an initial, a bar, or a company's legal form."""
