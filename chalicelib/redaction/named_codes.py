"""Codes of capitals and digits in groups, right after the words "tracking number" or "order number"."""

import re

from chalicelib.redaction import tracking
from chalicelib.redaction.evidence import Sign
from chalicelib.redaction.patterns import Hints, lazily
from chalicelib.redaction.sheet import Kind, Sheet, last_four

_NAMED = lazily(
    r"(?:tracking|sendungs|seguimiento|suivi|tracciamento|rastreio)[ \-]?(?:number|no\.?|code|id|nummer|#)?"
    r"(?: is| es| ist| est)?[:# ]{1,3}(?P<code>[a-z0-9]{2,20}(?:[ \-][a-z0-9]{2,20}){1,6})(?![a-z0-9])"
)
_NAMED_ORDER = lazily(
    r"(?:order|purchase|invoice|pedido|factura|commande|facture|ordine|fattura|fatura|bestell|rechnung)[a-z]{0,3}[ \-]?"
    r"(?:number|nbr|no\.?|nr\.?|id|nummer|#|n[º°]) ?:? ?(?P<code>[a-z]{1,3}(?: \d{1,8}){2,5})(?![a-z0-9])"
)
_NAMED_HINTS = Hints("tracking", "sendungs", "seguimiento", "suivi", "tracciamento", "rastreio")
_LEAST_DIGITS = 5


def mask_named_codes(sheet: Sheet) -> None:
    """Mask a code of capitals and digits after "tracking number" or "order number": "... LI 129 79072"."""
    low = sheet.low
    for match in _NAMED().finditer(low) if sheet.holds(_NAMED_HINTS) else ():
        start = end = match.start("code")
        for group in _GROUP.finditer(sheet.cased, start, match.end()):
            if not (group.group().isupper() or group.group().isdigit()):
                break
            end = group.end()
        if sum(map(str.isdigit, sheet.low[start:end])) >= _LEAST_DIGITS:
            sheet.claim(start, end, Kind.TRACKING, tracking.MASK, (Sign.WORD_BEFORE,))
    for match in _NAMED_ORDER().finditer(low) if sheet.holds(_ORDER_HINTS) else ():
        start, end = match.span("code")
        if sheet.cased[start].isupper():
            sheet.claim(
                start, end, Kind.ORDER, last_four(sheet.cased[start:end]), (Sign.WORD_BEFORE,)
            )
    sheet.settle()


_ORDER_HINTS = Hints(
    "order", "purchase", "invoice", "pedido", "factura", "commande", "facture", "ordine", "fattura",
    "fatura", "bestell", "rechnung",
)  # fmt: skip
_GROUP = re.compile(r"[^\W_]+")
