"""What is written beside a card number: its expiry and its check number."""

import re

from chalicelib.redaction.evidence import Sign
from chalicelib.redaction.patterns import Hints, lazily
from chalicelib.redaction.sheet import Kind, Sheet

MASK = "***"
_REACH = 90

_GAP = r"[\s\x1f,;:|/()\[\]\-–.*#=\"'’]{0,4}"
_WORD = (
    r"(?:exp|expir\w{0,6}|expiry|valid|thru|through|until|till|date|good|mm/yy|mm/yyyy|vto|vence|vencimiento|caduca|"
    r"caducidad|v[áa]lid[oa]|hasta|fecha|de|el|es|y|e|et|und|and|with|con|mit|avec|com|the|is|it|its|ist|la|le|der|die|on|am|"
    r"to|on the back|back|gültig|g[üu]ltig|bis|ablauf|ablaufdatum|verfall|scad\w{0,6}|fino|al|validade|validit[ée]|jusqu|"
    r"è|é|cad|venc|thats|that's|this|cvv2?|cvc2?|csc|cvn|cid|cvd|sec|security|code|c[óo]digo|codice|seguridad|sicherheitscode|pr[üu]fziffer|pr[üu]fnummer|"
    r"valable|fin|jusqu'?|au|läuft|lauft|ab|até|ate|fino|entro|mese|mes|expira|number|no|num|pin|digits|three|four|last|3|4|seguran[çc]a|sicurezza|s[ée]curit[ée]|cryptogramme)"
)
_CARD = r"(?:card|credit|debit|visa|master\w*|amex|pan|tarjeta|karte\w*|kreditkarte\w*|carte|carta|cart[ãa]o|nr|n[úu]mero|my|mi|meine|ma)"
_MONTH = r"(?:0?[1-9]|1[0-2])"
_NAMED_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|ene|abr|ago|dic|okt|dez|gen|mag|giu|lug|set|ott|fev|out)[a-z]{0,7}"
_EXPIRY = rf"(?:20[2-4]\d[\-/](?:0[1-9]|1[0-2])(?![\d/\-])|{_MONTH}[ ]?[/\-.][ ]?(?:20)?[2-4]\d(?![\d/\-])|(?:0[1-9]|1[0-2])[2-4]\d(?!\d)|{_NAMED_MONTH}\.?[ ,']{{1,2}}(?:20)?[2-4]\d(?!\d))"
_ITEM = rf"(?P<item>{_EXPIRY}|\d{{3,4}}(?![\d%€$£]|[.,]\d|[/\-:]\d))"
_AFTER = lazily(rf"(?:{_GAP}(?:{_WORD}|{_CARD})(?!\w)){{0,7}}{_GAP}(?<!\w){_ITEM}(?!\w)")
_WORDS = rf"{_GAP}(?:(?:{_WORD}|{_CARD})(?!\w){_GAP}){{0,4}}"
_BEFORE = lazily(
    rf"(?<![\w/.\-])(?<!\d )(?:(?P<code>\d{{3,4}}){_WORDS}(?P<expiry>{_EXPIRY}){_WORDS}|(?P<date>{_EXPIRY}){_WORDS}(?:(?P<check>\d{{3,4}}){_WORDS})?)$"
)
# An expiry or a code with its word, anywhere in a text with a card.
_ANYWHERE = lazily(
    rf"(?<!\w)(?:exp\w*|valid|vence|venc|vto|caduca|cad|val|v[áa]lid[oa]|validade|g[üu]ltig|scad\w*)\.?(?: (?:date|thru|until|to|till|hasta|bis|at[ée]|il))?"
    rf"{_GAP}(?P<expiry>{_EXPIRY})"
    r"|(?<!\w)(?:sec|security|crypto\w*|cvv2?|cvc2?|csc|cid|digit|code|c[óo]digo|codice|pr[üu]f\w*)\.?(?:[ \-](?:code|number|nr|no|is|es|ist|est))?"
    rf"{_GAP}(?P<code>\d{{3,4}})(?![\w]|[.,/\-]\d| \d)"
)
_DETAIL_HINTS = Hints(
    "code", "código", "codigo", "codice", "digit",
    anywhere=("exp", "vali", "válid", "venc", "vto", "cad", "gült", "gult", "scad", "sec", "crypto", "cvv", "cvc", "csc", "cid", "prüf", "pruf"),
)  # fmt: skip
_MOST = 4


def mask_card_details(sheet: Sheet) -> None:
    """Mask the expiry date and check number of a card, in a text that holds a masked card number.

    They are found right beside the card number, and anywhere after a word for them.
    """
    cards = [claim for claim in sheet.claims if claim.kind is Kind.CARD]
    if not cards:
        return
    words = sheet.words
    taken = bytearray(len(words))  # 1 where a claim is: constant time to look up
    for claim in sheet.claims:
        taken[claim.start : claim.end] = b"\1" * (claim.end - claim.start)
    for card in cards:
        position = card.end
        for _ in range(_MOST):
            match = _AFTER().match(words, position, position + _REACH)
            if match is None:
                break
            position = match.end()
            _claim(sheet, taken, match)
        before = _BEFORE().search(words, max(0, card.start - _REACH), card.start)
        if before:
            _claim(sheet, taken, before)
    for match in _ANYWHERE().finditer(words) if sheet.holds(_DETAIL_HINTS) else ():
        _claim(sheet, taken, match)
    sheet.settle()


def _claim(sheet: Sheet, taken: bytearray, match: re.Match[str]) -> None:
    """Mark the named groups of a match to be masked, except those that overlap a marked span."""
    for name in match.groupdict():
        start, end = match.span(name)
        if start >= 0 and 1 not in taken[start:end]:
            sheet.claim(start, end, Kind.SECRET, MASK, (Sign.BESIDE_A_CARD,))
            taken[start:end] = b"\1" * (end - start)
