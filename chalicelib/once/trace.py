"""Fields of every log line within a piece of work, without passing them through each call.

The worker opens a scope around an event, and the vendor client logs inside it, so one
``mw_trace_id`` leads from the webhook to the vendor call.  Values are identifiers that may be
logged: the trace id, and digests where an id could be an e-mail address.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache

from chalicelib.once import keys
from chalicelib.once.event import EventFacts

_NONE: Mapping[str, object] = {}
_fields: ContextVar[Mapping[str, object]] = ContextVar("trace", default=_NONE)


@contextmanager
def within(**fields: object) -> Iterator[None]:
    """Add fields to every log line written inside this block; a nested block's fields override outer ones."""
    token = _fields.set({**_fields.get(), **fields})
    try:
        yield
    finally:
        _fields.reset(token)


def current() -> Mapping[str, object]:
    """The fields that `within` blocks add to a log line at present."""
    return _fields.get()


def of_event(event: EventFacts) -> dict[str, object]:
    """The log fields of an event: its trace id, and digests of its ticket id and its key.

    A ticket id can be a Message-ID, which looks like an e-mail address.
    """
    return {
        "mw_trace_id": event.trace_id,
        "ticket_id": digest(event.conversation_id),
        "idempotency_key": digest(event.event_key),
    }


@lru_cache(maxsize=256)
def digest(identifier: str) -> str:
    """An identifier in a form that may be logged: 16 hex digits of its SHA-256."""
    return keys.digest(identifier)[:16]
