"""The parts of an address around its street: flat, town, state, postcode."""

from chalicelib.redaction.patterns import holds_any, lazily
from chalicelib.redaction.sheet import Sheet

_UNIT = lazily(
    r"(?:,?[ \n\x1f]{1,2}|,)(?:(?:apartment|apt|suite|ste|unit|flat|floor|fl|level|room|rm|bldg|"
    r"building|app|appt|appartement|wohnung|whg|piso|puerta|interno|int)\b\.?[ #]{0,2}|#[ ]?)[a-z0-9\-]{1,6}\b"
)
_COLONY = lazily(
    r"(?:,? (?:int|interior|depto|dpto|lt|lote|letra|edif)\.? ?#?[a-z0-9\-]{1,5}\b)?"
    r"(?:,? {1,2}(?:col|colonia|fracc|barrio)\.?(?: (?!c\.?p)[^\W\d_][^\W\d_.'\-]{0,20}){1,5}"
    r"(?:,[ ](?!c\.?p)[^\W\d_]{2,20}){0,1})?"
    r"(?:,? {1,2}(?:c\.? ?p\.? ?)\d{5}\b)?"
)
_FLOOR = lazily(r",?[ ]\d{1,2}[ºª°o]?[ ]?(?:[a-d]|izq|dcha|piso)\b[ºª]?\.?")
_UNIT_BEFORE = lazily(
    r"(?<![a-z0-9])(?:flat|apartment|apt|unit|suite|level|shop)\.? ?#?[a-z0-9\-]{1,6}[,/ ]{1,2}$"
)
_UNITS = ("flat", "apartment", "apt", "unit", "suite", "level", "shop")
_STATE = (
    r"(?:al|ak|az|ar|ca|co|ct|de|fl|ga|hi|id|il|in|ia|ks|ky|la|me|md|ma|mi|mn|ms|mo|mt|ne|nv|nh|nj|"
    r"nm|ny|nc|nd|oh|ok|or|pa|ri|sc|sd|tn|tx|ut|vt|va|wa|wv|wi|wy|dc|on|qc|bc|ab|mb|sk|ns|nb|nl|pe|"
    r"nsw|vic|qld|sa|tas|act|nt)(?![a-z])\.?"
)
_CODE = (
    r"(?:\d{5}(?:-\d{4})?|[a-z]{1,2}\d[a-z\d]? ?\d[a-z]{2}|[a-z]\d[a-z][ \-]?\d[a-z]\d|"
    r"\d{4}|\d{2}-\d{3}|\d{3} \d{2})(?![\w]|[-.,]\d)"
)
_TOWN = r"[^\W\d_](?:[^\W\d_]|[.'\-]){1,20}"
_GAP = r"[,\n \x1f]{1,3}"
_TOWN_STATE_CODE = lazily(
    rf"(?P<towns>(?:{_GAP}{_TOWN}){{0,5}}?)(?:{_GAP}(?P<state>{_STATE}))?{_GAP}{_CODE}"
)
_TOWN_STATE = lazily(rf",[ ]?(?P<towns>{_TOWN}(?: {_TOWN}){{0,2}}),[ ]?{_STATE}")
_CODE_TOWN = lazily(
    rf"{_GAP}(?:(?:d|a|ch|de|at|f|nl|e|i)-)?(?:\d{{5}}|\d{{4}}(?: ?[a-z]{{2}})?|\d{{2}}-\d{{3}}|\d{{3}} \d{{2}}|"
    rf"\d{{4}}-\d{{3}})[ ](?P<towns>{_TOWN})(?:[ ](?:am|an der|bei|im|a\.d\.) {_TOWN})?"
)


def extended_span(sheet: Sheet, start: int, end: int, *, floor: int = 0) -> tuple[int, int]:
    """The span of a street address with the flat beside it and the town, state and postcode after it."""
    low = sheet.low
    window = low[max(floor, start - 20) : start]
    unit = _UNIT_BEFORE().search(window) if holds_any(window, _UNITS) else None
    if unit:
        start -= len(window) - unit.start()
    end += low[end : end + 2] == ".,"
    for pattern in (_UNIT(), _FLOOR(), _COLONY()):
        match = pattern.match(low, end)
        end = match.end() if match else end
    for pattern in (_CODE_TOWN(), _TOWN_STATE_CODE(), _TOWN_STATE()):
        match = pattern.match(low, end)
        if match and _are_names(sheet, *match.span("towns")):
            return start, _without_full_stop(low, match.end())
    return start, _without_full_stop(low, end)


def _without_full_stop(low: str, end: int) -> int:
    """The end of an address, before the full stop that ends its sentence ("Roma."); that of "Ave." stays."""
    word = low[max(0, end - 12) : end].replace(",", " ").split(" ")[-1]
    return end - 1 if word.endswith(".") and word[:-1] not in _ABBREVIATED else end


_ABBREVIATED = frozenset(
    """st str ave av rd ln dr blvd ct pl sq cir hwy pkwy ter cres cl pde gdns trl apt ste n s e w ne
    nw se sw no a b c d""".split()
)


def _are_names(sheet: Sheet, start: int, end: int) -> bool:
    """Whether the words in this span, after a street, may be the names of a town.

    All of them have capitals, or the text before them has none either.
    """
    words = sheet.cased[start:end].replace(",", " ").split()
    return all(word[0].isupper() for word in words) or sheet.cased[start - 12 : end].islower()
