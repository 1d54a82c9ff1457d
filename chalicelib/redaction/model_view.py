"""Prepares a message for a model: readable, short, without personal data."""

import html
import re
from collections.abc import Collection
from operator import itemgetter

from chalicelib.redaction.normalise import has_no_markers, normalise
from chalicelib.redaction.patterns import lazily
from chalicelib.redaction.redactor import masked_sheet, redact
from chalicelib.redaction.sheet import Kind

MAX_CHARACTERS = 2000
REDACTED = "<redacted>"
_READ = 20_000  # longer input is cut, with room for tags and spaces to be removed

_TAG = re.compile(r"<(?!redacted>)[a-zA-Z/!?][^<>]{0,2000}>")
_LINK = lazily(r"(?:https?://|www\.)[^\s<>\"]*[^\s<>\".,;:!?)]")
_MASK = lazily(r"\*{3}@\*{3}|\*{3}-\*{3}-\d{4}|\[ADDRESS\]")
_NAME = lazily(
    r"(?P<lead>(?i:\b(?:my name is|i am called|name:|this is|me llamo|mi nombre(?: completo)? es|soy|"
    r"les? saluda|(?:les?|te) escribe|habla|hablas con|a nombre de|"
    r"(?:ship|deliver|send|shipped|addressed|enviar|envíen|entregar|liefern)(?: (?:it|them|this))? (?:to|an|a)|attn\.?:?|ich heiße|"
    r"mein name ist|je m'appelle|mon nom est|mi chiamo|meu nome é|"
    r"hi|hello|hey|dear|hola|hallo|bonjour|ciao|olá|thanks|thank you|many thanks|cheers|regards|"
    r"best wishes|sincerely|gracias|un saludo|saludos|atentamente|cordialmente|estimad[oa]|querid[oa]|buenos días|buenas tardes|"
    r"señora?|sra?\.|danke|viele grüße|mit freundlichen grüßen|merci|"
    r"cordialement|grazie|obrigado|obrigada)\b)[ ,\-–!.]{0,3}\s{1,3})"
    r"(?P<name>[^\W\d_a-zß-ÿ][\w'’\-]{1,30}(?:[ ](?:[^\W\d_a-zß-ÿ]\.(?=[ ])|[^\W\d_a-zß-ÿ][\w'’\-]{0,30})){0,2})"
)
_NO_NAME = frozenset(
    """there team all everyone everybody support sir madam guys friends folks again so for in and i
    we you my the a an this it is please can could would where when why how what who do does did have
    has no not yes ok okay any thanks thank hi hello best kind order customer service your our if
    since after before today yesterday tomorrow mein meine wo wann ich wir bitte dónde mi por où je
    nous votre ma mon de el la los las un una mi su por cliente usuario nuevo nueva quien street
    avenue po main""".split()
)


def model_view(
    text: str, *, keep_order_numbers: bool = True, needed: Collection[str] | None = None
) -> str:
    """A message for a model: at most 2,000 characters, without markup, links, names or what `redact` masks.

    Order numbers stay by default, as a model needs them to understand the question; with
    `keep_order_numbers=False` they are masked. Deterministic, never raises.

    Args:
        text: the message.
        keep_order_numbers: whether order numbers stay.
        needed: e-mail addresses and phone numbers that the answer needs and that stay readable.  With
            it, names, links and tracking numbers stay too: for a model that answers the recipient.

    >>> model_view("<p>Hi Anna, order #1234567? jo@example.com</p>")
    'Hi <redacted>, order #1234567? <redacted>'
    """
    try:
        plain = _TAG.sub(" ", html.unescape(text[:_READ]))
        if needed is None:
            plain = _mask_names(_LINK().sub(REDACTED, plain))
        shown = _masked(plain, keep_order_numbers=keep_order_numbers, needed=needed)
    except Exception:  # noqa: BLE001 - an unreadable text is dropped, never passed on
        return REDACTED
    return " ".join(shown.split())[:MAX_CHARACTERS]


def _mask_names(text: str) -> str:
    return _NAME().sub(_without_name, text)


def _without_name(match: re.Match[str]) -> str:
    words = match["name"].split(" ")
    if words[0].lower().strip(".'’-") in _NO_NAME:
        return match.group()
    return match["lead"] + REDACTED


_NEVER_NEEDED = (
    Kind.CARD,
    Kind.IBAN,
    Kind.SSN,
    Kind.ACCOUNT,
    Kind.IDENTITY,
    Kind.PLATE,
    Kind.ADDRESS,
    Kind.BIRTH,
    Kind.SECRET,
)
_CONTACTS = (Kind.EMAIL, Kind.PHONE)
_LAST_DIGITS = 9


def identifiers(text: str) -> tuple[str, ...]:
    """The identifiers in a text that a message to a person must not hold, as they are written there.

    They are cards, accounts, identity numbers, plates, addresses, birth dates and secrets.
    """
    view = normalise(text)
    claims = [claim for claim in masked_sheet(view).claims if claim.kind in _NEVER_NEEDED]
    spans = [view.span(claim.start, claim.end) for claim in claims]
    return tuple(text[start:end] for start, end in spans)


def _is_needed(text: str, kind: Kind, needed: Collection[str]) -> bool:
    if kind in (Kind.ORDER, Kind.TRACKING):
        return True
    if kind == Kind.EMAIL:
        return text.casefold() in {value.casefold() for value in needed}
    if kind not in _CONTACTS:
        return False
    digits = "".join(filter(str.isdigit, text))[-_LAST_DIGITS:]
    return any("".join(filter(str.isdigit, value)).endswith(digits) for value in needed)


def _masked(text: str, *, keep_order_numbers: bool, needed: Collection[str] | None) -> str:
    if has_no_markers(text) and redact(text) == text:
        return text
    view = normalise(text)
    sheet = masked_sheet(view)
    pieces: list[str] = []
    done = 0
    for start, end, kind, mask, _ in sorted(sheet.claims, key=itemgetter(0, 1)):
        text_start, text_end = view.span(start, end)
        pieces.append(redact(text[done:text_start]))
        if needed is not None and _is_needed(text[text_start:text_end], kind, needed):
            pieces.append(text[text_start:text_end])
        elif kind is not Kind.ORDER:
            pieces.append(REDACTED)
        else:
            pieces.append(text[text_start:text_end] if keep_order_numbers else mask)
        done = text_end
    pieces.append(redact(text[done:]))
    return _MASK().sub(REDACTED, "".join(pieces))
