"""Whether somebody asked to stop: the question to a person, and what becomes of it.

A message of a proven sender that may be a wish to get no further one asks the question, one for each
address and company.  Until its ``stop_at`` nothing unasked leaves to the person, and nothing that no
person sends; from then on it blocks as a STOP does.  Each read decides that by the time alone: no run
has to come for it.  One comes to tell the company (`events.silence`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from chalicelib.clock import iso
from chalicelib.once.store import ConditionFailed, Item
from chalicelib.outreach.conversations.do_not_contact import DoNotContact
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.conversations.register_entries import (
    LIFTED,
    Reason,
    RegisterEntry,
    end_of_entry,
)
from chalicelib.outreach.conversations.register_keys import (
    addresses_of,
    doubts_of,
    key_of,
    marks_of,
)

DECIDED_WITHIN = timedelta(days=3)
"""How long a person may decide; then the silence is a STOP."""


class Doubts(DoNotContact):
    """Asks, and shows what is asked."""

    def doubt(self, address: str, company_id: str, *, said_at: str) -> None:
        """Ask whether an address is to be stopped.

        A doubt beside an open question joins it and makes it no later.  One that was said after the
        question was answered asks again.

        Args:
            address: the one that the message came from, or another one of the person.
            company_id: the company.
            said_at: ISO time of the message.
        """
        now = self._clock.now()
        key = key_of(address, company_id, Reason.DOUBT)
        said = {"reason": Reason.DOUBT.value, "said_at": said_at, "ttl": end_of_entry(now)}
        asked = {"since": iso(now), "stop_at": iso(now + DECIDED_WITHIN)}
        try:
            self._table.update(
                key,
                set_=said,
                keep=asked,
                condition="attribute_not_exists(#lifted_at)"
                " AND (attribute_not_exists(#said_at) OR #said_at <= :at)",
                reading=False,
                at=said_at,
            )
        except ConditionFailed:  # it was answered, or a newer message has joined it
            with suppress(ConditionFailed):
                self._table.update(
                    key,
                    set_={**said, **asked},
                    remove=LIFTED,
                    condition="attribute_exists(#lifted_at) AND #said_at < :at",
                    reading=False,
                    at=said_at,
                )

    def wishes(self, record: Record) -> list[RegisterEntry]:
        """What the recipient of a conversation has asked for by text, or may have, and is in force."""
        keys = [
            key for address in addresses_of(record) for key in _said_of(address, record.company_id)
        ]
        return self._in_force(keys)

    def questions(self, asked: Sequence[tuple[str, str]]) -> dict[tuple[str, str], RegisterEntry]:
        """The open question of each address and company that has one; one read for all of them."""
        keys = {pair: _said_of(*pair) for pair in asked}
        found = self._in_force([key for them in keys.values() for key in them])
        by_key = {tuple(one.item[name] for name in _KEY): one for one in found}
        theirs = {
            pair: [by_key[at] for key in them if (at := tuple(key.values())) in by_key]
            for pair, them in keys.items()
        }
        return {pair: one for pair, them in theirs.items() if (one := open_among(them))}


def open_among(wishes: Sequence[RegisterEntry]) -> RegisterEntry | None:
    """The question that is due first; None where none is open, or a wish is clear already."""
    if not wishes or not all(one.is_open for one in wishes):
        return None
    return min(wishes, key=lambda one: one.stop_at)


def silent_among(wishes: Sequence[RegisterEntry]) -> RegisterEntry | None:
    """The question that was the first to become a STOP; None where a wish was clear before, or none has."""
    if any(one.reason != Reason.DOUBT for one in wishes):
        return None
    silent = [one for one in wishes if not one.is_open]
    return min(silent, key=lambda one: one.stop_at, default=None)


def stopping(
    record: Record, wishes: Sequence[RegisterEntry], *, by: str, now: datetime
) -> list[Mapping[str, Any]]:
    """The updates by which a person marks another one, which answers the questions; see `Store.updating`.

    Args:
        record: the conversation, with the person's addresses.
        wishes: see `Doubts.wishes`.
        by: the person of the company.
        now: the time.
    """
    mark = {"reason": Reason.ASKED.value, "by": by, "said_at": iso(now), "ttl": end_of_entry(now)}
    marks = [
        {
            "key": key_of(one, record.company_id, Reason.ASKED),
            "set_": mark,
            "keep": {"since": iso(now)},
            "remove": LIFTED,
        }
        for one in addresses_of(record)
    ]
    asked = [one for one in wishes if one.reason == Reason.DOUBT]
    return [*marks, *(_lifting(one, {"lifted_at": iso(now), "lifted_by": by}) for one in asked)]


def lifting(
    wishes: Sequence[RegisterEntry], *, by: str, because: str, now: datetime
) -> list[Mapping[str, Any]]:
    """The updates by which a person lifts what is no wish, or is one no more; see `Store.updating`."""
    lifted = {"lifted_at": iso(now), "lifted_by": by, "lifted_because": because}
    return [_lifting(one, lifted) for one in wishes]


def _lifting(one: RegisterEntry, lifted: Mapping[str, str]) -> Mapping[str, Any]:
    """The update that lifts an entry as it was read: not one that has a newer word."""
    said_at = one.item.get("said_at")
    known = {} if said_at is None else {"said": said_at}
    unchanged = "attribute_not_exists(#said_at)" if said_at is None else "#said_at = :said"
    return {
        "key": {name: one.item[name] for name in _KEY},
        "set_": lifted,
        "condition": f"attribute_not_exists(#lifted_at) AND {unchanged}",
        **known,
    }


_KEY = ("primary_channel", "conversation_id")


def _said_of(address: str, company_id: str) -> tuple[Item, ...]:
    return (*marks_of(address, company_id), *doubts_of(address, company_id))
