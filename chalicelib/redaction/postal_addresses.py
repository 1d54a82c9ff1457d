"""Street addresses of US, UK, Canadian, Australian, German, French, Spanish and Italian form.

The search starts at the house number: it reads the words after it for English and French, the words
before it for German, Dutch, Nordic, Spanish, Portuguese and Italian.
"""

import re
from functools import cached_property

from chalicelib.redaction.patterns import holds_any, lazily, words_of
from chalicelib.redaction.places import extended_span
from chalicelib.redaction.routes import (
    BRITISH_END,
    POSTCODE_DIGITS,
    ROAD_WORDS,
    after_address_word,
    before_postcode,
    has_postcode,
    is_announced,
    is_phone_part,
    numbered_street,
    street_with_side,
)
from chalicelib.redaction.sheet import Kind, Sheet
from chalicelib.redaction.street_words import (
    ALONE,
    ENDINGS,
    FRENCH,
    GERMANIC,
    LEADS,
    NEVER,
    PARTICLES,
    PLACES,
    ROMANCE_HINTS,
    ROMANCE_SIGNS,
    ROMANCE_WORDS,
    ROMANCE_WRITTEN,
    SIDES,
    STREETS,
    SURE,
    TRIMMED,
)

MASK = "[ADDRESS]"

_HOUSE = re.compile(
    r"[0-9](?<![0-9a-z$€£+].)\d{0,5}(?: ?1/2|[\-/](?:\d{1,4}(?![\d/\-])|[a-z](?![\w\-]))|(?: ?(?:bis|ter|quater)|[a-z])(?![a-z0-9]))?"
    r"(?![0-9a-z:]|[.,]\d)"
)
_PO_BOX = lazily(
    r"(?:p\.? ?o\.? ?box|post office box|postfach|ap(?:artado|do\.?)(?: postal| de correos)?|boîte postale|caixa postal|(?<!\w)bp|"
    r"casella postale|locked bag|gpo box)[ #:]{1,2}\d{1,8}(?: \d{2}){0,2}\b"
    r"|\b(?:r\.? ?r|h\.? ?c|r\.? ?f\.? ?d|rural route|star route)\.? ?(?:no\.? ?)?#? ?\d{1,4},? {1,2}"
    r"box #?\d{1,6}[a-z]?\b"
    r"|\b[nsew]\d{2,3} ?[nsew]\d{3,5}(?: [a-z][\w'\-]*){1,4}"
    r"|\b(?:psc|unit|cmr) \d{3,5},? box \d{1,5}\b(?:\s{1,3}(?:apo|dpo|fpo),? a[aep],? \d{5}\b)?"
)
_BOX_HINTS = ("postfach", "apartado", "apdo", "postal", "bp ", "locked bag")

_ROMANCE = lazily(
    r"(?<!\w)(?:(?:carrer|avinguda|passeig|calle|avenida|alameda|avda|paseo|plaza|pza|camino|carrera|ronda|travesía|bulevar|blvd|"
    r"calzada|calz|strada|urbanizaci[óo]n|urb|cerrada|cda|privada|priv|prolongación|prol|carretera|circuito|andador|eje|"
    r"rua|travessa|largo|praça|via|viale|corso|piazza|vicolo|ulica|aleja)(?!\w)\.?|"
    r"c/|cl\.|av\.|pº|ul\.|al\.) ?"
    r"(?P<name>(?:[^\W\d_]|\d{1,2} ).{1,40})$"
)
_NUMBER_SIGN = re.compile(
    r"[ ,]*(?:n[º°.ro]{0,3}|núm(?:ero)?\.?|nr\.?|num\.?|no\.|km\.?|mz\.?|manzana|#)?[ ,#]*$"
)


def mask_addresses(sheet: Sheet) -> None:
    """Mask street addresses, with flat, town and postcode where they follow, and PO boxes."""
    low = sheet.low
    if _may_hold_box(sheet):
        for match in _PO_BOX().finditer(low):
            sheet.claim(match.start(), extended_span(sheet, *match.span())[1], Kind.ADDRESS, MASK)
        sheet.settle()
        low = sheet.low
    done = 0
    present = _Present(sheet)
    for match in _HOUSE.finditer(low):
        start, end = match.span()
        if start < done or (
            start > done + 1 and low[start - 1] in ".,-/" and low[start - 2].isdigit()
        ):
            continue
        if is_phone_part(low, start, end):
            continue
        if low[start - 1 : start] == "#":
            span = _number_last(sheet, start, end, done)
        else:
            span = _any_form(sheet, start, end, done, present)
        if span is None or span[0] < done:
            continue
        start, end = extended_span(sheet, *span, floor=done)
        sheet.claim(start, end, Kind.ADDRESS, MASK)
        done = end
    sheet.settle()


_GRID = re.compile(r"[0-9] ?[nsew]\d{3,5} [a-z]")  # `W211 N16601 Glencoe Ln`
_GRID_SIDES = frozenset("nsew")
_BOX_NUMBER = re.compile(r"box[ #:]{1,2}[0-9]")


def _may_hold_box(sheet: Sheet) -> bool:
    low = sheet.low
    if "box" in low and _BOX_NUMBER.search(low):
        return True
    is_grid = any(low[start - 1 : start] in _GRID_SIDES for start, _ in sheet.runs)
    return (is_grid and _GRID.search(low) is not None) or holds_any(low, _BOX_HINTS)


class _Present:
    """The parts of addresses that a text holds anywhere; a form that needs a missing part is not tried."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet

    @cached_property
    def has_postcode(self) -> bool:
        """Whether five digits, or the end of a British postcode, are in the text."""
        if any(end - start >= POSTCODE_DIGITS for start, end in self._sheet.runs):
            return True
        return BRITISH_END.search(self._sheet.low) is not None

    @cached_property
    def has_ending(self) -> bool:
        """Whether a word that streets end with, such as "road", is in the text."""
        return not _ALL_ENDINGS.isdisjoint(self._sheet.vocabulary)


def _any_form(
    sheet: Sheet, start: int, end: int, done: int, present: _Present
) -> tuple[int, int] | None:
    """The span of a street address around one house number, or None.

    Each form of address is tried only where it can begin.
    """
    low = sheet.low
    if low[end : end + 1] not in {" ", ",", "\x1f"}:
        return _number_last(sheet, start, end, done)
    following = _NEXT_WORD.match(low, end)
    first = following[1] if following else ""
    if first in NEVER and first not in {"the", "business"} and not _is_title(sheet, following):
        return _number_last(sheet, start, end, done)
    span = numbered_street(sheet, start, end) if first in ROAD_WORDS else None
    if span is None and present.has_ending:
        # The form has six words at most.
        line = " ".join(low[end : end + _FAR].split(maxsplit=6)[:6])
        if not _ALL_ENDINGS.isdisjoint(words_of(line)):
            span = _number_first(sheet, start, end)
    return (
        span
        or _number_last(sheet, start, end, done)
        or street_with_side(sheet, start, end)
        or (before_postcode(sheet, start, end) if present.has_postcode else None)
        or after_address_word(sheet, start, end)
    )


_NEXT_WORD = re.compile(r"[ ,\x1f]{1,3}([^\W\d_]+)")
_ALL_ENDINGS = ENDINGS | FRENCH
_FAR = 110


_FOLLOWING = re.compile(r"[^\W\d_][\w'’.\-]*|\d{1,3}(?:st|nd|rd|th)")
_REACH = 64


def _number_first(sheet: Sheet, start: int, end: int) -> tuple[int, int] | None:
    """The span of an address that begins with its number: `123 Main Street`, `12 rue de la Paix`; or None."""
    low = sheet.low
    if low[end : end + 1] not in {" ", ",", "\x1f"}:
        return None
    position = end + (low[end] == ",")
    spans: list[tuple[int, int]] = []
    found: tuple[int, int] | None = None  # a later ending wins: "12 Green Park Road"
    for _ in range(6):
        while low[position : position + 1] in {" ", "\x1f"} and position - end < _REACH:
            position += 1
        word = _FOLLOWING.match(low, position)
        if word is None:
            break
        spans.append(word.span())
        position = word.end()
        text = word.group().strip(".'")
        if len(spans) == 1 and text in FRENCH and low[position : position + 1] == " ":
            return _french(sheet, start, position)
        if text in ENDINGS and _is_street(sheet, spans, text):
            found = start, _with_side(low, position)
        elif found and not _is_name(sheet.cased[word.start() : word.end()]):
            break
        if (text in NEVER and not _is_title(sheet, word)) or low[position : position + 1] not in {
            " ",
            "\x1f",
        }:
            break
    return found


def _is_title(sheet: Sheet, word: re.Match[str] | None) -> bool:
    """Whether a word's first letter alone is a capital, as in a street's name: "1500 Big Horn Avenue".

    False for None, and for words of towns such as "29 Palms".
    """
    if word is None:
        return False
    text = sheet.cased[word.start() : word.end()].strip(" ,")
    return text.istitle() and text.lower() not in PLACES


def _is_street(sheet: Sheet, spans: list[tuple[int, int]], suffix: str) -> bool:
    if len(spans) == 1:
        return suffix in ALONE
    if suffix in STREETS or all(_is_name(sheet.cased[a:b]) for a, b in spans[:-1]):
        return True
    first, last = spans[0][0], spans[-1][1]
    if sheet.low[first : first + 2].rstrip(" .") in SIDES and len(spans) == 3:
        return True
    return len(spans) <= 4 and (is_announced(sheet, first) or has_postcode(sheet, last))


def _is_name(word: str) -> bool:
    return word[0].isupper() or word[0].isdigit()


def _with_side(low: str, end: int) -> int:
    side = _FOLLOWING.match(low, end + 1) if low[end : end + 1] == " " else None
    return side.end() if side and side.group().strip(".") in SIDES else end


def _french(sheet: Sheet, start: int, position: int) -> tuple[int, int] | None:
    low = sheet.low
    named = 0
    end = position
    for _ in range(8):
        gap = position + (low[position : position + 1] in {" ", "\x1f"})
        word = _FOLLOWING.match(low, gap)
        if word is None:
            break
        text = word.group()
        is_particle = text.strip("'") in PARTICLES or text.startswith(("d'", "l'"))
        if not is_particle and not sheet.cased[word.start()].isupper() and named:
            break
        if not is_particle or "'" in text:
            named += 1
            end = word.end()
        position = word.end()
        if text.endswith(".") and len(text) > 4:
            break
    return (start, end) if named else None


def _has_romance(tail: str) -> bool:
    is_led = not ROMANCE_WORDS.isdisjoint(words_of(tail)) or holds_any(tail, ROMANCE_SIGNS)
    return is_led and holds_any(tail, ROMANCE_WRITTEN)


def _number_last(sheet: Sheet, start: int, end: int, floor: int) -> tuple[int, int] | None:
    """The span of an address that ends with its number: `Hauptstraße 12a`, `Calle Mayor, 12`; or None."""
    low = sheet.low
    if low[start - 1 : start] not in {" ", ",", "\x1f", "º", ".", "#"}:
        return None
    tail = low[max(floor, start - _REACH) : start]
    name_tail = tail.rstrip(" ,.nr\x1f")[-3:]
    if (
        name_tail not in TRIMMED
        and not _GERMAN_TOWN().match(low, end)
        and not name_tail.endswith("st")
        and not (sheet.holds(ROMANCE_HINTS) and _has_romance(tail))
    ):
        return None
    sign = _NUMBER_SIGN.search(tail, max(0, len(tail) - 8))
    name_end = start - len(tail) + (sign.start() if sign else len(tail))
    tail = tail[: len(tail) - (start - name_end)]
    led = _german_lead(sheet, tail, name_end, end)
    if led:
        return led
    if tail.endswith(GERMANIC):
        return _germanic(sheet, tail, name_end, end)
    match = _ROMANCE().search(tail)
    if match is None:
        return None
    first = name_end - len(tail) + match.start()
    name = name_end - len(tail) + match.start("name")
    words = sheet.cased[name:name_end].replace(",", " ").split()
    if not words or len(words) > 6:
        return None
    is_lower = any(w.islower() and w not in PARTICLES for w in words[1:])
    if is_lower and not is_announced(sheet, first):
        return None
    is_marked = sheet.cased[first].isupper() or match.group().startswith(("calle", "c/", "avenida"))
    is_named = _is_name(words[0]) or words[0] in PARTICLES
    if (is_marked and is_named) or is_announced(sheet, first):
        return first, end
    return None


_LEAD = lazily(
    r"(?<!\w)(?:an der|an den|an dem|am|auf dem|auf der|im|in der|in den|zum|zur|hinter der|hinter dem|unter den|unter der|bei der) "
    r"[^\W\d_][\w\-]{2,30}(?: [^\W\d_][\w\-]{2,30})?$"
)
_GERMAN_TOWN = lazily(r",?[ \n]{1,2}(?:d-)?\d{5} [^\W\d_]{2}")


def _german_lead(sheet: Sheet, tail: str, name_end: int, end: int) -> tuple[int, int] | None:
    """The span of `An der Mühle 4, 37073 Göttingen`, a street named by its place; or None.

    The postcode after it proves it.
    """
    if not _GERMAN_TOWN().match(sheet.low, end):
        return None
    match = _LEAD().search(tail)
    if match is None:
        return None
    name = name_end - len(match.group().rpartition(" ")[2])
    if not sheet.cased[name].isupper():
        return None
    return name_end - len(tail) + match.start(), end


def _germanic(sheet: Sheet, tail: str, name_end: int, end: int) -> tuple[int, int] | None:
    last = _last_word(tail)
    if not last:
        return None
    first = name_end - len(last)
    ending = next(e for e in GERMANIC if last.endswith(e))
    is_alone = last == ending
    rest = tail[: len(tail) - len(last)]
    lead = _last_word(rest[:-1]) if rest.endswith(" ") else ""
    lead_start = first - 1 - len(lead)
    if lead and (is_alone or lead in LEADS) and sheet.cased[lead_start].isupper():
        return lead_start, end
    if is_alone or len(last) - len(ending) < 3:
        return None
    if sheet.cased[first].isupper() or ending in SURE:
        return first, end
    return (first, end) if is_announced(sheet, first) else None


_REVERSED_WORD = re.compile(r"[\w.'\-]*[^\W\d_]")


def _last_word(text: str) -> str:
    match = _REVERSED_WORD.match(text[::-1])
    return match.group()[::-1] if match else ""
