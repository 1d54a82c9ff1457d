"""Why an event is stuck, as one cause that many events can share; pure.

A cause is a vendor, a code and a place: ``richpanel.unavailable.tickets``.  One outage shows itself as
refused connections, error pages, an open breaker, lost answers and messages that were given up: all of
these are one code, ``unavailable``.

An event's row carries its cause from the write that says why it is stuck to the write that ends it, so
the rows of `INDEX` are, at any time, those that a cause holds up.  The time in the index is that of the
event's receipt, so a further attempt with the same cause changes no index, and an event that ends at its
first attempt never has a cause.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Self

from chalicelib.once import reasons
from chalicelib.once.event import EventStatus
from chalicelib.once.store import Item

INDEX = "stuck-index"
SHARD = "stuck_shard"
CAUSE = "stuck_by"
SHARDS = 4
"""Partitions of the index of causes; stored rows depend on the number."""
NAMES = (SHARD, CAUSE)
"""The attributes of a cause; a row without them is not in the index."""
US = "us"
UNAVAILABLE = "unavailable"
REFUSES_KEY = "refuses_key"
RATE_LIMITED = "rate_limited"
VENDORS = frozenset(
    (
        "richpanel",
        "twilio",
        "ses",
        "openai",
        "bedrock",
        "shopify",
        "powerbi",
        "onelake",
        "hubspot",
        "aloware",
        "sqs",
        "s3",
        "aws",
        "model",
        "company",
        "ai_config",
        "dynamodb",
        "conversations",
        "secrets",
        "writer",
    )
)
"""Names of `errors.ProviderError.provider`."""
_NO_ANSWER = (
    "breaker_open",
    "model_breaker_open",
    "connect_failed",
    "connect_timeout",
    "timeout",
    "connection_broken",
    "unexpected_answer",
    "answer_is_a_page",
    "answer_too_large",
    "answer_not_json",
    "answer_not_an_object",
    "answer_without_id",
    "http_408",
    "server_error",
    "server_is_overloaded",
)
_NO_KEY = ("http_401", "http_403", "20003", "no_credentials", "secret_unavailable")
_CODES = {
    **dict.fromkeys(_NO_ANSWER, UNAVAILABLE),
    **dict.fromkeys(_NO_KEY, REFUSES_KEY),
    **dict.fromkeys(("http_429", "20429", "throttled", "paced", "local_rate_limit"), RATE_LIMITED),
}
_SERVER_ERROR = re.compile(r"http_5\d\d")
_OURS = (reasons.BUG, reasons.SWITCHES_UNREADABLE, reasons.SWITCHES_STALE)
"""Beginnings of reason codes that name no vendor and yet mean that a waiting event is stuck."""
_PLACES = {"rp": "tickets", "tell": "companies"}


@dataclass(frozen=True, slots=True)
class Cause:
    """Why events are stuck, in a form that many events share: ``richpanel.unavailable.tickets``.

    Attributes:
        vendor: one of `VENDORS`, or `US`.
        code: a family of codes such as ``unavailable``, or a single code.
        place: which events are stuck: those of ``tickets``, ``outreach`` or ``companies``.
    """

    vendor: str
    code: str
    place: str

    def __str__(self) -> str:
        return f"{self.vendor}.{self.code}.{self.place}"

    @classmethod
    def parsed(cls, text: str) -> Self:
        """The cause in a text such as ``richpanel.unavailable.tickets``; raises `ValueError` otherwise."""
        vendor, code, place = text.split(".")
        return cls(vendor, code, place)


def of(
    event_key: str, status: EventStatus, reason: str | None, *, vendor: str = ""
) -> Cause | None:
    """The cause that keeps an event from ending, or for which it was given up; None where there is none.

    An event that was refused for good is with a person already, and one that waits for its hour or
    its turn waits as intended: neither has a cause.

    Args:
        event_key: names the place.
        status: the event's present one.
        reason: the stored code that says why the event is in that status.
        vendor: at which an outcome is unknown, where the reason does not name it.
    """
    text = reason or ""
    given_up, unknown = text.startswith(reasons.DEAD_LETTER), text.startswith(reasons.UNKNOWN)
    if status == EventStatus.FAILED and not given_up:
        return None
    for prefix in (reasons.DEAD_LETTER, reasons.UNKNOWN, reasons.INTERRUPTED):
        text = text.removeprefix(prefix)
    named = next((name for name in VENDORS if text.startswith(f"{name}_")), "")
    code = text[len(named) + 1 :] if named else text
    family = UNAVAILABLE if _SERVER_ERROR.fullmatch(code) else _CODES.get(code, code)
    is_stuck = status in (EventStatus.FAILED, EventStatus.PARKED)
    if not is_stuck and (family == RATE_LIMITED or not (named or text.startswith(_OURS))):
        return None
    at = named or (vendor if unknown else "") or US
    place = _PLACES.get(event_key.partition(":")[2].partition(":")[0], "outreach")
    return Cause(at, re.sub(r"[^A-Za-z0-9_]", "_", family) or "no_reason", place)


def attributes(cause: Cause, event_key: str, since: str) -> Item:
    """The attributes that put an event's row into the index of stuck events.

    Args:
        cause: why the event is stuck.
        event_key: of the row.
        since: when the event was received, ISO time.
    """
    return {SHARD: shard(event_key), CAUSE: f"{cause}#{since}"}


def shard(event_key: str) -> str:
    """The index partition of an event's row, by a hash of its key, so that an outage has no hot partition."""
    number = int(hashlib.sha256(event_key.encode()).hexdigest()[:8], 16) % SHARDS
    return f"stuck#{number}"
