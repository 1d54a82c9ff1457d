"""Street addresses of US, UK, Canadian, Australian, German, French, Spanish and Italian form."""

import re

from chalicelib.redaction.sheet import Kind, Sheet

MASK = "[ADDRESS]"

_PLAIN = (
    "street|avenue|road|lane|boulevard|terrace|highway|parkway|crescent|expressway|turnpike|mews|"
    "esplanade|causeway"
)
_SHORT = (
    "str|st|ave|av|rd|ln|blvd|dr|drive|ct|court|pl|place|way|sq|square|cir|circle|trl|trail|pkwy|"
    "hwy|ter|cres|close|gardens|grove|park|row|walk|hill|view|loop|run|pike|point|ridge|plaza|"
    "parade|pde|cl|gdns|heights|green|wharf|quay|alley|crossing|bend|path|pass|cove|landing"
)
_WORD = r"[^\W\d_][\w.'\-]{0,24}|\d{1,3}(?:st|nd|rd|th)"
_ENGLISH = re.compile(
    rf"\d{{1,6}}(?:[a-z]|[\-/]\d{{1,5}}|[ ]?1/2)?,?[ \x1f]{{1,2}}"
    rf"(?P<name>(?:(?:{_WORD})[ \x1f]{{1,2}}){{0,4}}?(?:{_WORD}))[ \x1f]{{1,2}}"
    rf"(?:(?P<plain>{_PLAIN})|(?P<short>{_SHORT}))\b\.?(?P<side>[ ](?:nw|ne|sw|se|n|s|e|w|north|south|east|west)\b\.?)?"
)
_UNIT = re.compile(
    r"(?:,?[ \n\x1f]{1,2}|,)(?:(?:apartment|apt|suite|ste|unit|flat|floor|fl|level|room|rm|bldg|building)\b\.?[ #]{0,2}|#[ ]?)"
    r"[a-z0-9\-]{1,6}\b"
)
_UNIT_BEFORE = re.compile(
    r"(?:flat|apartment|apt|unit|suite|level|c/o)\.? ?#?[a-z0-9\-]{1,6}(?:,| ?/)? ?$"
)
_STATES = (
    "al|ak|az|ar|ca|co|ct|de|fl|ga|hi|id|il|in|ia|ks|ky|la|me|md|ma|mi|mn|ms|mo|mt|ne|nv|nh|nj|nm|"
    "ny|nc|nd|oh|ok|or|pa|ri|sc|sd|tn|tx|ut|vt|va|wa|wv|wi|wy|dc|on|qc|bc|ab|mb|sk|ns|nb|nl|pe|"
    "nsw|vic|qld|wa|sa|tas|act|nt"
)
_POSTCODE = (
    r"\d{5}(?:-\d{4})?|[a-z]{1,2}\d[a-z\d]? ?\d[a-z]{2}|[a-z]\d[a-z][ \-]?\d[a-z]\d|\d{4}(?: ?[a-z]{2})?"
)
_PLACE = re.compile(
    rf"(?:[,\n ]{{1,3}}(?!and\b|but\b|or\b|is\b)[^\W\d_][^\W\d_.'\-]{{1,20}}(?:[ \-][^\W\d_][^\W\d_.'\-]{{1,20}}){{0,2}}?){{0,2}}?"
    rf"[,\n ]{{1,3}}(?:(?:{_STATES})\b\.?[, ]{{1,2}})?(?:{_POSTCODE})(?!\w)"
)
_STATE_ONLY = re.compile(
    rf",[ ](?:[^\W\d_][^\W\d_.'\-]{{1,20}}[ ]?){{1,3}},[ ](?:{_STATES})(?!\w)"
)
_PO_BOX = re.compile(r"(?:p\.? ?o\.? ?box|post office box|postfach|apartado(?: postal)?|boîte postale|casella postale)[ #:]{1,2}\d{1,8}(?: \d{2}){0,2}\b")
_STOP = frozenset(
    """the a an of in on at for to my your our their his her this that is are was were have has had
    and or but with from by minutes minute hours hour days day weeks week months month years year
    miles mile km percent times items item orders order pieces people more less than about per
    stars star dollars bucks euros pounds different small big large pairs boxes i we you they it
    only just not no if when then so as down up next step steps ways other another each every""".split()
)

_GERMAN_SUFFIX = (
    r"str(?:aße|asse|\.|\b)|weg\b|platz\b|allee\b|gasse\b|ring\b|damm\b|ufer\b|steig\b|chaussee\b|"
    r"stieg\b|straat\b|laan\b|gracht\b|plein\b|markt\b|berg\b|hof\b|kai\b|promenade\b|vej\b|gatan\b|"
    r"vägen\b|gade\b|gata\b"
)
_GERMAN = re.compile(
    rf"(?<![\w])(?P<name>(?:[^\W\d_][\w.\-]{{1,24}}[ \-]){{0,2}}[^\W\d_\x00][^\W\d_\x00\-]{{0,30}}?)[ \-]?(?:{_GERMAN_SUFFIX})"
    r"[ ,\x1f]{1,2}(?:nr\.? ?)?(?P<number>\d{1,4}(?: ?[a-h]\b)?(?:[\-/]\d{1,4})?)(?![\d:]|[.,]\d| ?(?:uhr|€|eur|%)\b)"
)
_GERMAN_HINTS = (
    "str", "weg", "platz", "allee", "gasse", "ring", "damm", "ufer", "steig", "chaussee", "straat",
    "laan", "gracht", "plein", "markt", "kai", "promenade", "berg", "hof", "vej", "gatan", "vägen",
    "gade", "gata",
)  # fmt: skip
_POST_DE = re.compile(
    r"[,\n ]{1,3}(?:(?:d|a|ch|de|at)-)?\d{4,5}(?: [a-z]{2}\b)?[ ][^\W\d_][^\W\d_.\-]{2,24}(?:[ ](?:am|an der|bei|im|a\.) [^\W\d_]{2,20}\.?)?"
)

_FRENCH_TYPE = (
    "rue|avenue|boulevard|bd|allée|allee|allées|impasse|chemin|place|quai|cours|route|square|"
    "passage|faubourg|sentier|ruelle|rond-point|villa|esplanade"
)
_FRENCH = re.compile(
    rf"\d{{1,4}}(?:[ ]?(?:bis|ter|quater|[a-d]))?,?[ ]{{1,2}}(?:{_FRENCH_TYPE})[ ]"
    r"(?:(?:de|du|des|la|le|les|d'|l'|saint|sainte|st|général|docteur|dr|président|maréchal|jean)[ ]?){0,3}"
    r"[^\W\d_][\w'\-]{1,24}(?:[ ](?:et|de|du|des|la|[^\W\d_][\w'\-]{2,24}(?<=[^\W\d_])))?"
)
_ROMANCE = re.compile(
    r"(?:calle|c/|avenida|avda\.?|av\.|paseo|plaza|pza\.?|camino|carrera|ronda|travesía|rua|travessa|largo|"
    r"praça|via|viale|corso|piazza|vicolo|ulica|ul\.|aleja|al\.)[ ]?(?:(?:de|del|la|las|los|el|da|do|dos|das|della|dei|di|san|santa)[ ]){0,3}"
    r"[^\W\d_][\w.'\-]{1,24}(?:[ ][^\W\d_][\w.'\-]{1,24}){0,3}?,?[ ](?:n[º°o.]{0,2}[ ]?|nº[ ]?|núm\.? ?|#)?\d{1,5}(?:[ ]?[a-h]\b)?(?!\d|[.,:]\d)"
)
_ROMANCE_HINTS = (
    "calle", "c/", "avenida", "avda", "av.", "paseo", "plaza", "pza", "camino", "carrera", "ronda",
    "travesía", "rua", "travessa", "largo", "praça", "via", "corso", "piazza", "vicolo", "ulica",
    "ul.", "aleja", "al.",
)  # fmt: skip
_FLOOR = re.compile(r",?[ ]\d{1,2}[ºª°]?[ ]?(?:[a-d]|izq|dcha|piso)\b[ºª]?\.?")


def mask_addresses(sheet: Sheet) -> None:
    """Claim street addresses with unit, place and postcode where they follow."""
    low = sheet.low
    _each(sheet, _ENGLISH, _is_english)
    if "box" in low or "postfach" in low or "apartado" in low or "postale" in low:
        _each(sheet, _PO_BOX, _always)
    _each(sheet, _FRENCH, _always)
    if any(hint in low for hint in _GERMAN_HINTS):
        _each(sheet, _GERMAN, _is_german)
    if any(hint in low for hint in _ROMANCE_HINTS):
        _each(sheet, _ROMANCE, _is_romance)


def _each(sheet: Sheet, pattern: re.Pattern[str], is_address: "_Judge") -> None:
    low = sheet.low
    done = 0
    for match in pattern.finditer(low):
        start, end = match.span()
        if start < done or (start and low[start - 1].isalnum()) or not is_address(sheet, match):
            continue
        if start and low[start - 1] in "#$€£-./":
            continue
        before = _UNIT_BEFORE.search(low, max(done, start - 24), start)
        start = before.start() if before else start
        for more in (_UNIT, _FLOOR, _PLACE, _POST_DE, _STATE_ONLY):
            rest = more.match(low, end)
            end = rest.end() if rest else end
        sheet.claim(start, end, Kind.ADDRESS, MASK)
        done = end
    sheet.settle()


def _always(sheet: Sheet, match: re.Match[str]) -> bool:  # noqa: ARG001 - one judge among several
    return True


_Judge = type(_always)


def _is_english(sheet: Sheet, match: re.Match[str]) -> bool:
    names = match["name"].split()
    if any(name.strip(".,'") in _STOP for name in names):
        return False
    if match["plain"]:
        return True
    start, end = match.span("name")
    words = sheet.cased[start:end].split()
    return all(word[0].isupper() or word[0].isdigit() for word in words)


def _is_german(sheet: Sheet, match: re.Match[str]) -> bool:
    return sheet.cased[match.start("name")].isupper()


def _is_romance(sheet: Sheet, match: re.Match[str]) -> bool:
    start = match.start()
    return sheet.cased[start].isupper() or match.group().startswith(("calle", "avenida", "c/", "rua"))
