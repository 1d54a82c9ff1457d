"""Masks the personal data in one text."""

import re
from collections import Counter
from collections.abc import Mapping
from operator import itemgetter
from typing import NamedTuple

from chalicelib.redaction.births import mask_births
from chalicelib.redaction.card_details import mask_card_details
from chalicelib.redaction.cards import mask_ibans
from chalicelib.redaction.checked_ids import mask_checked_identities
from chalicelib.redaction.dictated import mask_dictated, may_be_dictated
from chalicelib.redaction.digit_groups import mask_numbers
from chalicelib.redaction.email_addresses import mask_emails, may_be_spelled
from chalicelib.redaction.grouped_cards import mask_broken_cards, mask_by_check_digit
from chalicelib.redaction.letter_codes import mask_codes
from chalicelib.redaction.links import mask_links
from chalicelib.redaction.named_codes import mask_named_codes
from chalicelib.redaction.named_ids import mask_named_identities
from chalicelib.redaction.national_ids import mask_identities
from chalicelib.redaction.normalise import (
    CAP_BYTES,
    View,
    has_no_markers,
    normalise,
    within_cap,
)
from chalicelib.redaction.one_time_codes import mask_security_codes
from chalicelib.redaction.order_numbers import mask_orders
from chalicelib.redaction.passwords import mask_passwords
from chalicelib.redaction.pasted_secrets import mask_credentials, may_hold_password
from chalicelib.redaction.plates import mask_plates
from chalicelib.redaction.postal_addresses import mask_addresses
from chalicelib.redaction.readable import shield_readable, shield_uuids
from chalicelib.redaction.sheet import BLANK, Claim, Kind, Sheet
from chalicelib.redaction.tracking import mask_marked_formats

Counts = Mapping[Kind, int]

BESIDE_CHARACTERS = 40  # letters
MOST_READINGS = 4  # readings of one text, as long as each masks something
DROPPED = "***"  # replaces a text that could not be read

_MASKS = re.compile(
    r"\*{3,}+(?:@\*{3}|-\*{3}-\d{4}(?!\d)|[a-z0-9]{4}(?![a-z0-9]))?|\[address\]|<redacted>"
)


def redact(text: str) -> str:
    """A text with every identifier masked, cut at 256 KB; idempotent, never raises.

    >>> redact("Where is order #1234567? Call 212-555-0142 or write to jo@example.com")
    'Where is order #***4567? Call ***-***-0142 or write to ***@***'
    """
    return redact_counted(text)[0]


def redact_counted(text: str) -> tuple[str, Counts]:
    """A text with every identifier masked, and how many of each kind were masked in it."""
    redacted, edits = _masked(text)
    return redacted, Counter(edit.kind for edit in edits)


class Mask(NamedTuple):
    """A masked span of the original text and its kind.

    `evidence` has the weight of each sign for or against the mask, by the sign's code.
    """

    start: int
    end: int
    kind: str
    evidence: dict[str, int]


def redact_explained(text: str) -> tuple[str, list[Mask]]:
    """A text with every identifier masked, and each mask with its span and the evidence for it.

    >>> redact_explained("call 2125550142")[1]
    [Mask(start=5, end=15, kind='phone', evidence={'seven digits': 2, 'ten digits': 3, 'word before': 6})]
    """
    redacted, edits = _masked(text)
    return redacted, [
        Mask(
            edit.start,
            edit.end,
            edit.kind.value,
            {sign.code: sign.weight for sign in edit.evidence},
        )
        for edit in edits
    ]


def _masked(text: str) -> tuple[str, list[Claim]]:
    """The redacted text, and its masks with their spans in the original text.

    A text that cannot be read is dropped as a whole: `***` and no masks.
    """
    try:
        text, end = within_cap(text)
        if has_no_markers(text) and not _is_spelled(text.lower()):
            return text[:end], []
        view = normalise(text)
        edits = [
            claim._replace(start=start, end=stop)
            for claim in sorted(masked_sheet(view).claims, key=itemgetter(0, 1))
            for start, stop in [view.span(claim.start, claim.end)]
            if start < end
        ]
        return _with_masks(text, end, edits), edits
    except Exception:  # noqa: BLE001 - a text that cannot be read is dropped, never passed on
        return DROPPED, []


def _is_spelled(low: str) -> bool:
    """Whether a text without digits or `@` may hold an identifier in words, or a link without scheme."""
    if may_be_dictated(low):
        return True
    return may_be_spelled(low) or may_hold_password(low) or ".com/" in low or "/track" in low


def masked_sheet(view: View) -> Sheet:
    """The `Sheet` of one text with its masks, after all passes, the most certain first.

    Each pass sees only the text that earlier passes left.  All passes run again, a few times at most, as
    long as they mask something and digits are left beside a mask.
    """
    sheet = Sheet(view)
    if "***" in sheet.low or "[address]" in sheet.low or "<redacted>" in sheet.low:
        for match in _MASKS.finditer(sheet.low):
            sheet.shield(*match.span())
        sheet.settle()
    for _ in range(MOST_READINGS):
        known = len(sheet.claims)
        _run_passes(sheet)
        if len(sheet.claims) == known or not _is_beside(sheet):
            break
    return sheet


def _is_beside(sheet: Sheet) -> bool:
    """Whether digits that no pass has masked are near a mask, so that another reading may mask them."""
    low = sheet.low
    return any(
        BLANK in low[max(0, start - BESIDE_CHARACTERS) : start]
        or BLANK in low[end : end + BESIDE_CHARACTERS]
        for start, end in sheet.runs
    )


def _run_passes(sheet: Sheet) -> None:
    """Run every masking pass once over the text."""
    is_table = len(sheet.runs) > MAX_RUNS
    if sheet.runs and not is_table:
        _mask_proven(sheet)
    mask_credentials(sheet)
    mask_passwords(sheet)
    mask_links(sheet)
    mask_emails(sheet)
    mask_dictated(sheet)
    if is_table:
        _mask_all_numbers(sheet)
    if not sheet.runs:
        return
    mask_named_identities(sheet)
    mask_plates(sheet)
    mask_security_codes(sheet)
    mask_marked_formats(sheet)
    mask_named_codes(sheet)
    mask_identities(sheet)
    mask_checked_identities(sheet)
    mask_births(sheet)
    shield_readable(sheet)
    if not sheet.runs:
        return
    mask_addresses(sheet)
    mask_orders(sheet)
    mask_codes(sheet)
    cards = _count_cards(sheet)
    mask_numbers(sheet)
    if _count_cards(sheet) > cards:
        mask_card_details(sheet)


def _count_cards(sheet: Sheet) -> int:
    return sum(claim.kind is Kind.CARD for claim in sheet.claims)


def _mask_proven(sheet: Sheet) -> None:
    """Mask the card numbers and IBANs that form or check digits prove; shield UUIDs.

    This comes first, so that no word such as "password" decides about them.
    """
    shield_uuids(sheet)
    mask_ibans(sheet)
    mask_broken_cards(sheet)
    mask_by_check_digit(sheet)
    mask_card_details(sheet)


_ANY_NUMBER = re.compile(r"[0-9]\S*+(?:\s{1,3}+[^\s0-9]{0,8}+[0-9]\S*+)*+")

# A text with more numbers is a table or an attack; reading each of them would take too long.
MAX_RUNS = 2500


def _mask_all_numbers(sheet: Sheet) -> None:
    for match in _ANY_NUMBER.finditer(sheet.low):
        sheet.claim(*match.span(), Kind.NUMBER, DROPPED)
    sheet.settle()


def _with_masks(text: str, end: int, claims: list[Claim]) -> str:
    pieces: list[str] = []
    done = 0
    for claim in claims:
        pieces.append(text[done : claim.start])
        pieces.append(claim.mask)
        done = claim.end
    pieces.append(text[done:end])
    return _within_cap("".join(pieces))


def _within_cap(text: str) -> str:
    """A redacted text cut to 256 KB, as masks can be longer than the text that they replace."""
    return text if len(text) * 4 <= CAP_BYTES else text[: within_cap(text)[1]]
