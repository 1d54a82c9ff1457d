"""Recognises STOP, START and HELP in the words that the writer of an e-mail wrote themselves; pure.

Greeting and signature are left out.  So is the line by which our own e-mails explain how to opt out,
which stays in a reply whose quotation was not recognised.  Lines that may be only a name and a title are
left out where they follow a keyword or a plain wish.
"""

from __future__ import annotations

import re

from chalicelib.outreach.consent.contact_words import Heard, HeardBy, Word, recognise
from chalicelib.outreach.consent.keywords import bare_message
from chalicelib.vendors.reply_sign_offs import MOST_LINES, is_sign_off, shows_a_writer
from chalicelib.vendors.reply_text import Reply, parse

_VERB = (
    r"(?:reply|respond|answer|text|send|write|responda|responde|conteste|env[ií]e|r[ée]pond(?:ez|s)"
    r"|envoyez|antworten?(?: sie)?|senden(?: sie)?|schreib(?:en|e)?(?: sie)?|rispond[ia]|invia|scrivi"
    r"|antwoord|stuur)"
)
_WHY = r"(?:to|if|um|wenn|pour|si|para|per|se|om|als)"
_STOP = r"[\"'“„«]?\s?\bSTOP\b\s?[\"'”“»]?"
_INSTRUCTION = re.compile(
    rf"^[ \t>*-]*(?:(?i:please |bitte )?(?i:{_VERB}) (?:\w+ ){{0,3}}{_STOP},? (?i:{_WHY})\b.{{0,120}}"
    rf"|(?i:{_WHY}) .{{0,120}}\b(?i:{_VERB}) (?:\w+ ){{0,3}}{_STOP}\.?\s*"
    r"|(?i:.{0,40}(?:\b(?:here|click|hier|klicken|aqu[ií]|clic|ici|qui|tutaj|здесь)\b|こちら|クリック|点击"
    r"|點擊|여기)).{0,40}https?://\S+\s*)$",
    re.MULTILINE,
)
"""An opt-out instruction ("reply STOP to ..."): a mailing contains it, a recipient's own STOP does not."""
_IS_STOP = re.compile(r"(?:stop+|stopall|стоп|στοπ|ストップ|스톱|스탑|ستوب|स्टॉप)\b")
"""Words for STOP that cannot be about ending a contract or a course, as "cancel" can."""
_FEW_WORDS = 3
_MOST_LINES = 20


def heard_in(reply: Reply) -> Heard:
    """What the writer of an e-mail says about being contacted, in their own words.

    Quotations and instructions do not count.  A STOP alone on a line of the signature does, as
    people write below their signature.
    """
    text = _without_instructions(reply.said)
    said = recognise(text)
    if said.word in (None, Word.DOUBT):
        said = _over_a_sign_off(text) or _below_sign_off(text) or said
    if said.word is not None:
        return said
    below = reply.signature.splitlines()[:_MOST_LINES]
    signed = (recognise(part) for part in below if _is_short(part))
    return next((part for part in signed if part.word == Word.STOP), said)


def _over_a_sign_off(text: str) -> Heard | None:
    """The STOP, or possible STOP, that makes up an e-mail's text before its sign-off; None without one.

    A sign-off is closing lines of only names, titles and companies.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for at in range(max(1, len(lines) - MOST_LINES), len(lines)):
        below = lines[at:]
        if not is_sign_off(below):
            continue
        said = recognise("\n".join(lines[:at]))
        is_end = said.word in (Word.STOP, Word.DOUBT) and said.why in _WHOLE
        if not is_end or recognise("\n".join(below)).word is not None:
            continue
        is_clear = said.why == HeardBy.PLAIN_WISH or _IS_STOP.match(bare_message(lines[0]))
        if said.word == Word.DOUBT or is_clear or shows_a_writer(below):
            return said
    return None


def _below_sign_off(text: str) -> Heard | None:
    """The STOP that is an e-mail's last line, below nothing but a sign-off; None without one.

    A sign-off is closing lines of only names, titles and companies.
    """
    *above, last = [line.strip() for line in text.splitlines() if line.strip()] or [""]
    said = recognise(last)
    is_end = said.word == Word.STOP and said.why in _WHOLE
    return said if is_end and is_sign_off(above) and shows_a_writer(above) else None


def heard_by_mail(text: str) -> Heard:
    """What the writer of a stored e-mail says about being contacted; it was stored without quotations."""
    return heard_in(parse(text))


_WHOLE = frozenset({HeardBy.CARRIERS_KEYWORD, HeardBy.KEYWORD, HeardBy.PLAIN_WISH, HeardBy.REFUSAL})
"""The rules by which all words before a sign-off are one STOP or refusal."""


def _without_instructions(text: str) -> str:
    return _INSTRUCTION.sub("", text).strip()


def _is_short(line: str) -> bool:
    return 0 < len(line.split()) <= _FEW_WORDS and not line.startswith(">")
