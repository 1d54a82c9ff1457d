"""JSON-like values: dicts, lists, keys, numbers, and JSON inside strings."""

import re
from typing import Any

from chalicelib.redaction import phones
from chalicelib.redaction.email_addresses import MASK as EMAIL_MASK
from chalicelib.redaction.key_names import Meaning, meaning
from chalicelib.redaction.redactor import DROPPED, redact
from chalicelib.redaction.sheet import last_four

MAX_DEPTH = 40

_UNKNOWN_NUMBER = 10**9  # ten digits or more may be a person's number
_EPOCHS = (range(10**9, 2 * 10**9), range(10**12, 2 * 10**12), range(10**15, 2 * 10**15))
_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
# The usual values of log lines: names, UUIDs, times, hashes, and keys made of these.
_SAFE_VALUE = re.compile(
    rf"[A-Za-z_.:/\-]*|{_UUID}"
    rf"|(?:evt|act)(?::(?:{_UUID}|(?=[0-9]{{0,9}}[a-f])[0-9a-f]{{16,128}}|[A-Za-z_\-]{{1,64}}))++"
    r"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)?"
    r"|(?=[0-9]{0,9}[a-f])[0-9a-f]{32,128}"
)
# With a full stop in the text, this may be a link or a spelled-out address.
_LINK_OR_SPELLED_ADDRESS = re.compile(r"/|[_\-]at[_\-]")


# A reason such as `fail:http_400`, and a name such as `worker.skipped`, `order-status` or `F_Tickets`.
_CODE = re.compile(r"\S*+")
_THING = re.compile(r"[A-Za-z0-9]*+(?:[_.:/\-][A-Za-z0-9]*+)++|[A-Z0-9]{2,}+|\*{3}")
_OPEN = frozenset({Meaning.PLAIN, Meaning.LABEL})


def redact_mapping(value: Any) -> Any:  # noqa: ANN401 - JSON enters here
    """A JSON-like value with personal data masked: same shape, still valid JSON; never raises.

    Everything deeper than 40 levels is dropped. A value under a key such as `message` or `body` is
    message text and is dropped whole; under `message_id` it is an identifier and stays.

    >>> redact_mapping({"order_id": 1234567, "note_id": "a1", "to": "jo@example.com"})
    {'order_id': '***4567', 'note_id': 'a1', 'to': '***@***'}
    """
    try:
        return _value(value, Meaning.PLAIN, 0)
    except Exception:  # noqa: BLE001 - an unreadable value is dropped, never passed on
        return DROPPED


def _value(value: Any, means: Meaning, depth: int) -> Any:  # noqa: ANN401
    if isinstance(value, str):
        return _text(value, means, depth)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return _integer(value, means)
    if isinstance(value, float):
        return _float(value, means)
    if depth >= MAX_DEPTH:
        return DROPPED
    if isinstance(value, dict):
        return _dict(value, means, depth + 1)
    if isinstance(value, list):
        return [_value(item, means, depth + 1) for item in value]
    if isinstance(value, tuple):
        return tuple(_value(item, means, depth + 1) for item in value)
    return _text(str(value), means, depth)


def _dict(value: dict[Any, Any], means: Meaning, depth: int) -> dict[Any, Any]:
    redacted: dict[Any, Any] = {}
    for key, item in value.items():
        name = key if isinstance(key, str) else str(key)
        own = meaning(name)
        is_inherited = means is Meaning.TEXT or (means in _BY_MEANING and _is_identity(name))
        if own in _OPEN and is_inherited:
            own = means
        shown = redact(name) if not name.isidentifier() or len(name) > 24 else name
        shown = key if shown == name else shown
        redacted[_free_key(shown, redacted) if shown is not key else key] = _value(item, own, depth)
    return redacted


def _is_identity(name: str) -> bool:
    """Whether a key takes its meaning from the key of the dict around it.

    Under `order`, the key `id` holds the order's number.
    """
    return name in {"id", "ID", "number", "no", "name", "value", "code", "url"}


def _free_key(key: str, taken: dict[Any, Any]) -> str:
    """The key, or the key with `~2`, `~3`, ... behind it, if the dict holds it already.

    Two keys may get the same mask, and no entry may be lost.
    """
    if key not in taken:
        return key
    count = 2
    while f"{key}~{count}" in taken:
        count += 1
    return f"{key}~{count}"


def _text(text: str, means: Meaning, depth: int) -> str:
    if not text:
        return text
    if means in _BY_MEANING:
        return _masked(text, means)
    if means is Meaning.TEXT:
        return DROPPED
    if (means is Meaning.PROSE and not _CODE.fullmatch(text)) or (
        means is Meaning.LABEL and not _THING.fullmatch(text)
    ):
        return DROPPED
    if _SAFE_VALUE.fullmatch(text) and not ("." in text and _LINK_OR_SPELLED_ADDRESS.search(text)):
        return text
    if text[0] in '{["' or text[0].isspace():
        parsed = _json(text, means, depth)
        if parsed is not None:
            return parsed
    return redact(text)


def _json(text: str, means: Meaning, depth: int) -> str | None:
    """The JSON inside a string, redacted as a value so that it still parses; None if it is not JSON."""
    body = text.strip()
    if len(body) < 2 or body[0] + body[-1] not in {"{}", "[]", '""'}:
        return None
    import json  # noqa: PLC0415 - a third of the import time, needed by few values

    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    redacted = _value(value, means, depth + 1)
    if redacted == value:
        return text
    return json.dumps(redacted, ensure_ascii=False, separators=(",", ":"))


_BY_MEANING = frozenset({Meaning.EMAIL, Meaning.PHONE, Meaning.ORDER, Meaning.TRACKING,
                         Meaning.CARD, Meaning.ADDRESS, Meaning.NAME, Meaning.SECRET})  # fmt: skip
_MIN_PHONE = 5


def _masked(text: str, means: Meaning) -> str:
    digits = sum(map(str.isdigit, text))
    if "***" in text or text == "[ADDRESS]":
        return redact(text)
    match means:
        case Meaning.EMAIL:
            return EMAIL_MASK if "@" in text else redact(text)
        case Meaning.PHONE:
            kept = [char for char in text if char.isdigit()]
            return phones.mask("".join(kept)) if len(kept) >= _MIN_PHONE else redact(text)
        case Meaning.TRACKING:
            return "***" if digits or "://" in text else redact(text)
        case Meaning.ORDER | Meaning.CARD:
            return last_four(text) if digits else redact(text)
        case Meaning.ADDRESS:
            return "[ADDRESS]"
        case _:
            return DROPPED


def _integer(number: int, means: Meaning) -> int | str:
    if means is Meaning.READABLE:
        return number
    if number.bit_length() > 256:
        return DROPPED
    digits = str(abs(number))
    if means in _BY_MEANING and means is not Meaning.NAME:
        return _masked(digits, means) if len(digits) > 1 else number
    is_epoch = any(number in epoch for epoch in _EPOCHS)
    if number >= _UNKNOWN_NUMBER and not is_epoch:
        return redact(digits)
    return number


def _float(number: float, means: Meaning) -> float | str:
    if number.is_integer():
        masked = _integer(int(number), means)
        return masked if isinstance(masked, str) else number
    return number
