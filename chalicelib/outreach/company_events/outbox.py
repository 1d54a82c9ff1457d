"""The outbox: the events of each conversation in order, and the state of each endpoint.

The rows are in the `conversations` table, in partitions that no request can name, outside every index::

    events#{opaque id}                head               count: events written; posted: events posted,
                                                         from the first without a gap; tried: number
                                                         and first attempt's time of an event that
                                                         failed; ids of company, project and request
    events#{opaque id}                event#00000004     one event: its id, name, time and facts
    events#{opaque id}                seen#{event id}    the number under which an event was written
    endpoint#{company}#{project}      state              failing_since, failures, open_until,
                                                         paused_at, pause_reason; chosen: the events
                                                         that the company wants, all without it
    endpoint#{company}#{project}      stopped#{opaque}   a conversation whose events are posted no more
    endpoint#{company}#{project}      attempt#{time}#{event id}   one request and the status of its
                                                         answer, for a week (`post_attempt`)

The first three are kept as long as the conversation's messages (`conversations.items.TTL`). Erasing a
person finds them by the opaque id.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chalicelib.clock import iso
from chalicelib.errors import TransientError
from chalicelib.once.reasons import CONTENDED
from chalicelib.once.retry import Attempts, no_pauses
from chalicelib.once.store import ConditionFailed, Item, TransactionConflict, TransactionRefused
from chalicelib.outreach.company_events import post_attempt
from chalicelib.outreach.company_events.event_names import CompanyEvent, EventName
from chalicelib.outreach.company_events.post_attempt import PostAttempt
from chalicelib.outreach.conversations import items
from chalicelib.outreach.conversations.records import Record

TRIES = 8
"""Attempts to append an event while other workers append to the same conversation."""
STOPPED, ATTEMPT = "stopped#", "attempt#"


@dataclass(frozen=True, slots=True)
class Head:
    """The state of a conversation's events for its company: how many were written and how many posted.

    Attributes:
        count: number of events written.
        posted: number of events posted, from the first one without a gap.
        resumed_epoch: when an operator last resumed the posts; epoch seconds, or 0.
        tried: the number of the event that failed last, and epoch seconds of its first attempt.
        about: the ids of company, project and request, and the channel.
    """

    opaque_id: str
    count: int
    posted: int
    resumed_epoch: float
    tried: tuple[int, float]
    about: Mapping[str, str]

    @property
    def company_id(self) -> str:
        """Id of the company to which the conversation's events are posted."""
        return self.about["company_id"]

    @property
    def project_id(self) -> str:
        """Id of the project to which the conversation belongs; its settings name the endpoint for events."""
        return self.about["project_id"]


@dataclass(frozen=True, slots=True)
class EndpointState:
    """The state of one endpoint of a company: its failures, its breaker, its pause, its choice of events.

    Attributes:
        failing_since: epoch seconds of the first failure since the endpoint last accepted an event.
        paused_at: ISO time since which nothing is posted, until an operator resumes the endpoint.
        open_until: epoch seconds until which the circuit breaker lets nothing pass (see
            `endpoint_breaker`); None where the endpoint accepts events.
        chosen: the names of the events that the company chose; None for all.
    """

    failing_since: float | None = None
    paused_at: str | None = None
    open_until: float | None = None
    chosen: frozenset[str] | None = None

    def takes(self, name: EventName) -> bool:
        """Whether events of the given name are posted to the endpoint; those of a tool's call always are."""
        return self.chosen is None or name.value in self.chosen or name is EventName.TOOL_CALLED


class EventRows(items.OnTable):
    """Reads and writes the rows of the outbox: events, their heads, endpoints."""

    def add(self, record: Record, event: CompanyEvent) -> int:
        """Append an event to its conversation's events, once; returns its number in either case.

        Raises:
            TransientError: other writers interfered with every attempt.
        """
        attempts = Attempts(self._clock, no_pauses(TRIES))
        while True:
            head = self._table.get(_head_key(record.opaque_id))
            count = int(head["count"]) if head else 0
            try:
                self._table.transact(self._adding(record, event, count))
            except TransactionRefused as refused:
                if refused.found[0] is not None:
                    return int(refused.found[0]["number"])
                attempts.wait_or_raise(TransientError("dynamodb", "add_event", reason=CONTENDED))
            except TransactionConflict as conflict:
                attempts.wait_or_raise(conflict)
            else:
                return count + 1

    def announcing(self, start: Record) -> Item:
        """The write that creates the head (the row that counts events) of a conversation not yet open.

        It is part of a transaction. By the head, the company can be informed of a start that fails
        before there is a conversation.
        """
        return self._table.updating(
            _head_key(start.opaque_id),
            set_={"ttl": items.ttl_at(self._clock.now())},
            keep={**_about(start), "count": 0, "posted": 0},
        )

    def head(self, opaque_id: str) -> Head | None:
        """The head of a conversation's events; None where there are none, or they were erased."""
        item = self._table.get(_head_key(opaque_id))
        return _head(item) if item else None

    def event(self, opaque_id: str, number: int) -> CompanyEvent | None:
        """One event of a conversation, by its number; None where none is stored, as after an erasure."""
        item = self._table.get(_event_key(opaque_id, number))
        if item is None:
            return None
        return CompanyEvent(item["event"], EventName(item["name"]), item["at"], item["facts"])

    def tried_since(self, head: Head, number: int) -> float:
        """Epoch seconds from which the three days of attempts at an event count.

        This is the time of the event's first failed attempt, or of an operator's later resumption.
        Called after a failed attempt; the first such call stores the time.
        """
        if head.tried[0] == number:
            return max(head.tried[1], head.resumed_epoch)
        now = int(self._clock.now().timestamp())
        self._table.update(_head_key(head.opaque_id), set_={"tried": [number, now]}, reading=False)
        return now

    def mark_posted(self, opaque_id: str, number: int) -> Head | None:
        """Store that the event with this number was posted; doing it again changes nothing.

        Returns the head (the row that counts the conversation's events); None where it was erased.
        """
        try:
            item = self._table.update(
                _head_key(opaque_id),
                set_={"posted": number},
                condition="#posted = :before",
                before=number - 1,
            )
        except ConditionFailed as found:
            return _head(found.item) if found.item else None
        return _head(item)

    # --- endpoints ----------------------------------------------------------------------------

    def endpoint(self, company_id: str, project_id: str) -> EndpointState:
        """The stored state of a project's endpoint: its failures, breaker, pause, choice of events."""
        item = self._table.get(_endpoint_key(company_id, project_id, "state"), consistent=False)
        found = item or {}
        since, until = found.get("failing_since"), found.get("open_until")
        return EndpointState(
            None if since is None else float(since),
            found.get("paused_at"),
            None if until is None else float(until),
            None if found.get("chosen") is None else frozenset(found["chosen"]),
        )

    def choose_events(self, company_id: str, project_id: str, events: Sequence[str] | None) -> None:
        """Store the names of the events that a project's endpoint is sent; None for all events."""
        self._table.update(
            _endpoint_key(company_id, project_id, "state"),
            set_={} if events is None else {"chosen": list(events)},
            remove=() if events is not None else ("chosen",),
            reading=False,
        )

    def note_failing(self, head: Head, epoch: float) -> None:
        """Store the epoch time since which an endpoint has been failing; an earlier stored time stays."""
        self._table.update(
            self._state_of(head),
            set_={},
            keep={"failing_since": int(epoch)},
            reading=False,
        )

    def count_failure(self, head: Head, epoch: float) -> int:
        """Count a failed post; returns the failures since the endpoint last accepted an event."""
        item = self._table.update(
            self._state_of(head),
            set_={},
            add={"failures": 1},
            keep={"failing_since": int(epoch)},
        )
        return int(item["failures"])

    def open_breaker(self, head: Head, until: float) -> None:
        """Open the endpoint's circuit breaker until a time, in epoch seconds."""
        self._table.update(self._state_of(head), set_={"open_until": until}, reading=False)

    def take_probe(self, head: Head, seen: float, until: float) -> bool:
        """Claim the one probe (trial post) of an endpoint whose circuit breaker has waited long enough.

        False where another worker has claimed it.

        Args:
            head: the counters of the conversation whose event is posted as the probe; they name the endpoint.
            seen: the end of the breaker's wait, as it was read.
            until: when the next probe may leave, epoch seconds.
        """
        try:
            self._table.update(
                self._state_of(head),
                set_={"open_until": until},
                condition="#open_until = :seen",
                seen=seen,
                reading=False,
            )
        except ConditionFailed:
            return False
        return True

    def clear_failures(self, head: Head) -> None:
        """Clear the failures of an endpoint that accepts events again, and close its circuit breaker."""
        gone = ["failing_since", "failures", "open_until"]
        self._table.update(self._state_of(head), set_={}, remove=gone, reading=False)

    def pause(self, company_id: str, project_id: str, reason: str) -> None:
        """Store that an endpoint is paused, and why: nothing is posted to it until an operator resumes it."""
        self._table.update(
            _endpoint_key(company_id, project_id, "state"),
            set_={"pause_reason": reason},
            keep={"paused_at": iso(self._clock.now())},
            reading=False,
        )

    def stop(self, head: Head, reason: str) -> None:
        """List a conversation as stopped: its events are not posted until an operator resumes them."""
        now = self._clock.now()
        self._table.put(
            {
                **_endpoint_key(head.company_id, head.project_id, STOPPED + head.opaque_id),
                "opaque_id": head.opaque_id,
                "reason": reason,
                "since": iso(now),
                "ttl": items.ttl_at(now),
            }
        )

    def stopped_conversations(self, company_id: str, project_id: str) -> Iterator[Item]:
        """The rows that list conversations as stopped: their events are no longer posted to this endpoint."""
        return self._table.query_pages(
            KeyConditionExpression="primary_channel = :p AND begins_with(conversation_id, :stopped)",
            values={"p": _partition(company_id, project_id), "stopped": STOPPED},
            ConsistentRead=True,
        )

    def resuming_endpoint(self, company_id: str, project_id: str) -> Item:
        """The write of a transaction (`Store.transact`) that resumes a paused endpoint."""
        return self._table.updating(
            _endpoint_key(company_id, project_id, "state"),
            set_={"resumed_at": iso(self._clock.now())},
            remove=["failing_since", "failures", "open_until", "paused_at", "pause_reason"],
        )

    def resume(self, opaque_id: str) -> Head | None:
        """Let the events of a stopped conversation be tried for three more days (`teller.GIVE_UP_AFTER`).

        Returns the head (the row that counts the events); None where the conversation has no
        events.
        """
        try:
            item = self._table.update(
                _head_key(opaque_id),
                set_={"resumed": int(self._clock.now().timestamp())},
                condition="attribute_exists(#conversation_id)",
            )
        except ConditionFailed:
            return None
        return _head(item)

    def unlist(self, company_id: str, project_id: str, opaque_id: str) -> None:
        """Take a conversation off an endpoint's list of stopped ones; only operators' IAM roles may."""
        self._table.delete(_endpoint_key(company_id, project_id, STOPPED + opaque_id))

    def store_attempt(self, company_id: str, project_id: str, attempt: PostAttempt) -> None:
        """Store the record of an attempt that was just made to post an event to an endpoint."""
        now = self._clock.now()
        own = {"at": iso(now), "ttl": int((now + post_attempt.KEPT).timestamp())}
        key = _endpoint_key(company_id, project_id, f"{ATTEMPT}{iso(now)}#{attempt.event}")
        self._table.put({**key, **attempt.row, **own})

    def attempts(self, company_id: str, project_id: str, limit: int) -> list[PostAttempt]:
        """The records of the last requests to an endpoint, newest first, `limit` at most."""
        found = self._table.query_all(
            at_most=limit,
            KeyConditionExpression="primary_channel = :p AND begins_with(conversation_id, :attempt)",
            values={"p": _partition(company_id, project_id), "attempt": ATTEMPT},
            ScanIndexForward=False,
        )
        return [PostAttempt.read(row) for row in found]

    # --- rows and keys ------------------------------------------------------------------------

    def _adding(self, record: Record, event: CompanyEvent, count: int) -> list[Item]:
        """The transaction writes that append an event to a conversation's events.

        The row that marks the event's id as ``seen`` is first, as `add` reads it when the
        transaction is refused.
        """
        now = self._clock.now()
        own = {"opaque_id": record.opaque_id, "ttl": items.ttl_at(now)}
        absent = "attribute_not_exists(#conversation_id)"
        seen = {
            "primary_channel": _events(record.opaque_id),
            "conversation_id": f"seen#{event.id}",
            "number": count + 1,
            **own,
        }
        row = {
            **_event_key(record.opaque_id, count + 1),
            "event": event.id,
            "name": event.name.value,
            "at": event.at,
            "facts": dict(event.facts),
            **own,
        }
        return [
            self._table.putting(seen, condition=absent),
            self._table.putting(row, condition=absent),
            self._table.updating(
                _head_key(record.opaque_id),
                set_={"count": count + 1, "ttl": own["ttl"]},
                keep={**_about(record), "posted": 0},
                condition="attribute_not_exists(#count) OR #count = :was",
                was=count,
            ),
        ]

    def _state_of(self, head: Head) -> Item:
        return _endpoint_key(head.company_id, head.project_id, "state")


def _about(record: Record) -> Item:
    """The ids and channel of a conversation, as stored in the head (the row that counts its events)."""
    ids = {name: record.item[name] for name in ("company_id", "project_id", "request_id")}
    about = {**ids, "channel": record.channel.value}
    return {"about": about, "opaque_id": record.opaque_id}


def _events(opaque_id: str) -> str:
    return f"events#{opaque_id}"


def _head_key(opaque_id: str) -> Item:
    return {"primary_channel": _events(opaque_id), "conversation_id": "head"}


def _event_key(opaque_id: str, number: int) -> Item:
    return {"primary_channel": _events(opaque_id), "conversation_id": f"event#{number:08d}"}


def _partition(company_id: str, project_id: str) -> str:
    return f"endpoint#{company_id}#{project_id}"


def _endpoint_key(company_id: str, project_id: str, row: str) -> Item:
    return {"primary_channel": _partition(company_id, project_id), "conversation_id": row}


def _head(item: Mapping[str, Any]) -> Head:
    number, since = item.get("tried", (0, 0))
    return Head(
        opaque_id=str(item["opaque_id"]),
        count=int(item["count"]),
        posted=int(item["posted"]),
        resumed_epoch=float(item.get("resumed", 0)),
        tried=(int(number), float(since)),
        about={name: str(value) for name, value in item["about"].items()},
    )
