"""Masks the personal data in one text."""

import re
from collections import Counter
from collections.abc import Mapping

from chalicelib.redaction.addresses import mask_addresses
from chalicelib.redaction.cards import mask_broken_cards, mask_ibans
from chalicelib.redaction.credentials import (
    mask_credentials,
    mask_security_codes,
    may_hold_password,
)
from chalicelib.redaction.emails import mask_emails, may_be_spelled
from chalicelib.redaction.identities import mask_identities
from chalicelib.redaction.links import mask_links
from chalicelib.redaction.normalise import (
    CAP_BYTES,
    View,
    cap,
    has_no_markers,
    may_hold_escapes,
    normalise,
)
from chalicelib.redaction.numbers import mask_numbers
from chalicelib.redaction.orders import mask_orders
from chalicelib.redaction.readable import keep_readable, keep_uuids
from chalicelib.redaction.sheet import Kind, Sheet
from chalicelib.redaction.tokens import mask_codes
from chalicelib.redaction.tracking import mask_marked_formats

Counts = Mapping[Kind, int]

DROPPED = "***"  # replaces a text that could not be read
_MAX_PASSES = 6

_MASKS = re.compile(
    r"\*{3,}+(?:@\*{3}|-\*{3}-\d{4}(?!\d)|[a-z0-9]{4}(?![a-z0-9]))?|\[address\]|<redacted>"
)


def redact(text: str) -> str:
    """The text with every identifier masked, cut at 256 KB; idempotent, never raises.

    >>> redact("Where is order #1234567? Call 212-555-0142 or write to jo@example.com")
    'Where is order #***4567? Call ***-***-0142 or write to ***@***'
    """
    return redact_counted(text)[0]


def redact_counted(text: str) -> tuple[str, Counts]:
    """The redacted text, and how many identifiers of each kind were masked in it."""
    counts: Counter[Kind] = Counter()
    try:
        # Masking may expose another identifier in the rest of the text: repeat until nothing changes.
        absent: set[str] = set()
        for _ in range(_MAX_PASSES):
            redacted, is_final = _pass(text, counts, absent)
            if is_final or redacted == text:
                return redacted, counts
            text = redacted
    except Exception:  # noqa: BLE001 - a text that cannot be read is dropped, never passed on
        return DROPPED, counts
    return DROPPED, counts


def _pass(text: str, counts: Counter[Kind], absent: set[str]) -> tuple[str, bool]:
    """The text after one pass, and whether a further pass could find nothing more."""
    text, end = cap(text)
    if has_no_markers(text) and not _is_spelled(text.lower()):
        return text[:end], True
    view = View(text, text.lower(), (), ()) if _PLAIN in absent else normalise(text)
    sheet = read(view, absent)
    if not sheet.claims:
        return text[:end], end == len(text)
    counts.update(kind for _, _, kind, _ in sheet.claims)
    redacted = _write(text, end, view, sheet)
    if not _stay_absent(view.low, sheet):
        absent.clear()
    elif view.cased is text and not may_hold_escapes(text):
        absent.add(_PLAIN)
    is_final = end == len(text) and has_no_markers(_MASK_WRITTEN.sub("", redacted))
    return redacted, is_final and "/" not in redacted


_PLAIN = "escape"  # the view of the text is the text


def _stay_absent(low: str, sheet: Sheet) -> bool:
    """Whether no sign can be in the masked text that was not in the text before.

    A mask ends a pattern as a space does: a sign can only appear where a mask touches a word, or where
    a mask ends with letters.
    """
    for start, end, _, mask in sheet.claims:
        if (
            low[start - 1 : start].isalnum()
            or low[end : end + 1].isalnum()
            or not (mask.endswith(("*", "]")) or mask[-4:].isdigit())
        ):
            return False
    return True


_MASK_WRITTEN = re.compile(r"\*\*\*(?:-\*\*\*-\d{4}|@\*\*\*|[A-Za-z0-9]{4}(?![A-Za-z0-9]))?")


def _is_spelled(low: str) -> bool:
    """Whether an address may be spelled out, or a link written without its scheme."""
    return may_be_spelled(low) or may_hold_password(low) or ".com/" in low or "/track" in low


def read(view: View, absent: set[str] | None = None) -> Sheet:
    """Run all passes over one view, the most certain first; each sees only what the earlier ones left.

    Args:
        view: The text to read.
        absent: Signs known to be absent from the text; those that are not found are added.
    """
    sheet = Sheet(view, absent)
    if "***" in sheet.low or "[address]" in sheet.low or "<redacted>" in sheet.low:
        for match in _MASKS.finditer(sheet.low):
            sheet.shield(*match.span())
        sheet.settle()
    mask_credentials(sheet)
    mask_links(sheet)
    mask_emails(sheet)
    runs = _DIGITS.findall(sheet.low)
    if not runs:
        return sheet
    if len(runs) > MAX_RUNS:
        _mask_all_numbers(sheet)
        return sheet
    keep_uuids(sheet)
    mask_security_codes(sheet)
    mask_marked_formats(sheet)
    mask_identities(sheet, has_long_run=max(map(len, runs)) >= 6)
    mask_ibans(sheet)
    mask_broken_cards(sheet)
    keep_readable(sheet)
    if not _DIGITS.search(sheet.low):
        return sheet
    mask_addresses(sheet)
    mask_orders(sheet)
    mask_codes(sheet)
    mask_numbers(sheet)
    return sheet


_DIGITS = re.compile(r"[0-9]+")
_ANY_NUMBER = re.compile(r"[0-9]\S*+(?:\s{1,3}+[^\s0-9]{0,8}+[0-9]\S*+)*+")

# A text with more numbers is a table or an attack; reading each of them would take too long.
MAX_RUNS = 2500


def _mask_all_numbers(sheet: Sheet) -> None:
    for match in _ANY_NUMBER.finditer(sheet.low):
        sheet.claim(*match.span(), Kind.NUMBER, DROPPED)
    sheet.settle()


def _write(text: str, end: int, view: View, sheet: Sheet) -> str:
    pieces: list[str] = []
    done = 0
    for start, stop, _, mask in sorted(sheet.claims):
        text_start, text_stop = view.span(start, stop)
        if text_start >= end:
            break
        pieces.append(text[done:text_start])
        pieces.append(mask)
        done = text_stop
    pieces.append(text[done:end])
    return _within_cap("".join(pieces))


def _within_cap(text: str) -> str:
    """Masks can be longer than the text they replace, so the result is capped as well."""
    return text if len(text) * 4 <= CAP_BYTES else text[: cap(text)[1]]
