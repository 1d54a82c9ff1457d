"""What the writer of an e-mail says about being contacted, without what they have not said; pure.

Greeting and signature are left out, and so is the line by which our own e-mails tell how to opt out:
a mail program whose quotation is not recognised leaves it in the text.
"""

from __future__ import annotations

import re

from chalicelib.outreach.consent.words import Heard, Word, heard
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
    rf"|(?i:{_WHY}) .{{0,120}}\b(?i:{_VERB}) (?:\w+ ){{0,3}}{_STOP}\.?\s*)$",
    re.MULTILINE,
)
"""A sender tells its recipients what to do; a recipient who wishes an end does not explain how."""
_FEW_WORDS = 3
_MOST_LINES = 20


def heard_in(reply: Reply) -> Heard:
    """What is said about being contacted.

    A keyword alone on a line of what looks like the signature counts as well: it may stand below one.
    """
    said = heard(_without_instructions(reply.said))
    if said.word is not None:
        return said
    below = reply.signature.splitlines()[:_MOST_LINES]
    signed = (heard(one) for one in below if _is_short(one))
    return next((one for one in signed if one.word == Word.STOP), said)


def heard_by_mail(text: str) -> Heard:
    """Likewise of a text that was stored, whose quotation was cut before."""
    return heard_in(parse(text))


def _without_instructions(text: str) -> str:
    return _INSTRUCTION.sub("", text).strip()


def _is_short(line: str) -> bool:
    return 0 < len(line.split()) <= _FEW_WORDS and not line.startswith(">")
