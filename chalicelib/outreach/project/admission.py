"""Starts in table A: each is admitted once under the company's limits, and its outcome is stored.

One transaction admits a start: it writes the start's event row, and one row per limit that counts
it (`once.ledger.layout`, kinds `event` and `quota`)::

    evt:start:{hash}              status received, payload_sha256, ...   as every event
    rate:{company_id}:m:29385540  count 17     starts of that minute
    rate:{company_id}:d:20406     count 1204   starts of that day
    rate:{company_id}:o:20406     open {...}   starts of that day that have not ended

A repeated request finds its event row and is not counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from chalicelib.clock import epoch_of, parsed
from chalicelib.once import keys
from chalicelib.once.event import EventFacts, EventStatus, Lease
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ledger.layout import required
from chalicelib.once.ledger.rows import MINE
from chalicelib.once.ports import UNDECIDED, Clock
from chalicelib.once.retry import Attempts
from chalicelib.once.store import (
    ConditionFailed,
    Item,
    Store,
    TransactionConflict,
    TransactionRefused,
)
from chalicelib.outreach.conversations.records import NEVER_OPENED
from chalicelib.outreach.project.fields import RateLimits

if TYPE_CHECKING:  # the Router's door admits starts without it
    from chalicelib.outreach.conversations.store import Conversations

CONFLICT_PAUSES_SECONDS = (0.02, 0.04, 0.06, 0.08, 0.1)
"""Pauses before a transaction is repeated that collided with another one on the same counters."""
_MINUTE, _DAY = 60, 86_400


START_FAILED = "failed:"
"""Prefix of the outcome of a start whose approved opening was not sent; the reason follows."""


@dataclass(frozen=True, slots=True)
class Admitted:
    """The result for an admitted start whose job must be put on the queue.

    The start is new (`is_new`); or it was accepted before, no worker has claimed its event, and the
    event waits for no time.
    """

    received_at: str
    is_new: bool


@dataclass(frozen=True, slots=True)
class AcceptedBefore:
    """The result for a start that was accepted before and whose job needs no queueing."""

    received_at: str


@dataclass(frozen=True, slots=True)
class ReusedId:
    """The result for a start whose request id came before with another payload: it is refused."""


@dataclass(frozen=True, slots=True)
class Limited:
    """The result for a start that is refused as its company is over a limit: which, and when to retry."""

    limit: str
    retry_after_seconds: int


@dataclass(frozen=True, slots=True)
class StartOutcome:
    """Status and outcome of a start, for the company that sent it; `opaque_id` names its conversation."""

    status: EventStatus
    reason: str | None
    outcome: str | None
    delivery: str | None
    delivery_reason: str | None
    received_at: str
    updated_at: str
    opaque_id: str = ""


class Starts:
    """Admits starts (requests to begin a conversation), and reads and writes their rows."""

    def __init__(self, *, table: Store, ledger: Ledger, clock: Clock) -> None:
        self._table = table
        self._ledger = ledger
        self._clock = clock

    def admit(
        self,
        event: EventFacts,
        company_id: str,
        limits: RateLimits,
        also: Sequence[Item] = (),
    ) -> Admitted | AcceptedBefore | ReusedId | Limited:
        """Admit a start once, unless its company is over a limit; idempotent by the event's key.

        A start is admitted again where its row has expired, or it failed before a conversation was opened.

        Args:
            event: the start's event.
            company_id: the company whose limits count the start.
            limits: the project's limits.
            also: unconditional writes to other tables, in the same transaction.

        Returns:
            `Admitted`, `AcceptedBefore` where it was accepted before, `ReusedId` or `Limited` where it is
            refused.
        """
        writes = [
            self._table.putting(
                {**self._ledger.received_item(event), "company_id": company_id},
                condition="attribute_not_exists(#event_id) OR #expires_at <= :now"
                " OR (#status = :failed AND #reason = :never_opened)",
                now=self._clock.now().timestamp(),
                failed=EventStatus.FAILED.value,
                never_opened=NEVER_OPENED,
            ),
            *self._counting_writes(event, company_id, limits),
            *also,
        ]
        attempts = Attempts(self._clock, CONFLICT_PAUSES_SECONDS)
        while True:
            try:
                self._table.transact(writes)
            except TransactionRefused as refused:
                return self._result_of_refusal(refused, event)
            except TransactionConflict as conflict:
                attempts.wait_or_raise(conflict)
            else:
                return Admitted(event.received_at, is_new=True)

    def fallback_row_write(self, event: EventFacts, company_id: str) -> Item:
        """The transaction write of the row of a start on a fallback channel, after another channel failed.

        The write fails if the row exists.  It counts against no limit, as the company asked only for the
        first start.
        """
        return self._table.putting(
            {**self._ledger.received_item(event), "company_id": company_id},
            condition="attribute_not_exists(#event_id)",
        )

    def outcome(self, event_key: str) -> StartOutcome | None:
        """The stored status and outcome of a start; None where its row is missing or expired."""
        row = self._table.get({"event_id": event_key})
        if row is None or row["expires_at"] <= self._clock.now().timestamp():
            return None
        return StartOutcome(
            status=EventStatus(row["status"]),
            reason=row.get("reason"),
            outcome=row.get("outcome"),
            delivery=row.get("delivery"),
            delivery_reason=row.get("delivery_reason"),
            received_at=row["received_at"],
            updated_at=row["last_processed_at"],
            opaque_id=row["conversation_id"],
        )

    def note_outcome(
        self,
        event_key: str,
        *,
        outcome: str | None = None,
        delivery: tuple[str, int] | None = None,
        reason: str | None = None,
    ) -> None:
        """Store a start's outcome, and its first message's delivery with a rank.

        Where a delivery with this rank or a higher one is stored, or the row has expired, nothing is
        stored.
        """
        status, rank = delivery or (None, None)
        condition = "attribute_exists(#event_id)"
        values: dict[str, Any] = {} if rank is None else {"rank": rank}
        if rank is not None:
            condition += " AND (attribute_not_exists(#delivery_rank) OR #delivery_rank < :rank)"
        try:
            self._table.update(
                {"event_id": event_key},
                set_={
                    "outcome": outcome,
                    "delivery": status,
                    "delivery_rank": rank,
                    "delivery_reason": reason,
                },
                condition=condition,
                **values,
            )
        except ConditionFailed:
            return  # a higher rank is stored, or the row has expired

    def ended_write(self, company_id: str, event_key: str, received_at: str) -> Item:
        """The transaction write that removes a start from its company's open conversations.

        A limit counts these.
        """
        key = _counter_key(company_id, "o", epoch_of(received_at) // _DAY)
        return self._table.updating(
            {"event_id": key},
            set_={},
            keep=self._required_attributes(
                company_id, received_at
            ),  # creates the row if it has expired
            discard={"open": frozenset({_mark(event_key)})},
        )

    def free(self, company_id: str, event_key: str, received_at: str) -> None:
        """Remove a start from its company's open conversations, which a limit counts; idempotent."""
        self._table.transact([self.ended_write(company_id, event_key, received_at)])

    def lease_check_write(self, lease: Lease) -> Item:
        """The transaction write that fails unless this worker's lease still holds the start's event.

        Thus a worker that was paused creates no conversation after the company was informed of a
        failure.
        """
        return self._table.updating(
            {"event_id": lease.event.event_key},
            set_={"owner": lease.owner},
            condition=MINE,
            owner=lease.owner,
            fence=lease.fence,
        )

    def abandon(self, event_key: str) -> None:
        """Remove a start, by its event key alone, from its company's open conversations; idempotent.

        Does nothing where no row has the key.
        """
        row = self._table.get({"event_id": event_key})
        if row is not None and "company_id" in row:
            self.free(row["company_id"], event_key, row["received_at"])

    def _counting_writes(
        self, event: EventFacts, company_id: str, limits: RateLimits
    ) -> list[Item]:
        at = epoch_of(event.received_at)
        rows = [
            (_counter_key(company_id, "m", at // _MINUTE), limits.requests_per_minute),
            (_counter_key(company_id, "d", at // _DAY), limits.requests_per_day),
        ]
        counting = [
            self._table.updating(
                {"event_id": key},
                set_={},
                keep=self._required_attributes(company_id, event.received_at),
                add={"count": 1},
                condition="attribute_not_exists(#count) OR #count < :limit",
                limit=limit,
            )
            for key, limit in rows
        ]
        opening = self._table.updating(
            {"event_id": _counter_key(company_id, "o", at // _DAY)},
            set_={},
            keep=self._required_attributes(company_id, event.received_at),
            add={"open": frozenset({_mark(event.event_key)})},
            condition="attribute_not_exists(#open) OR size(#open) < :limit",
            limit=limits.concurrent_conversations,
        )
        return [*counting, opening]

    def _required_attributes(self, company_id: str, received_at: str) -> Mapping[str, Any]:
        """The attributes that each row of a company's counters must have; the row expires after two days."""
        expires = (parsed(received_at) or self._clock.now()) + timedelta(days=2)
        return {
            **required(
                now=received_at,
                received_at=received_at,
                expires_at=int(expires.timestamp()),
                conversation_id=f"company:{company_id}",
                modes=UNDECIDED,
            ),
            "status": EventStatus.PROCESSED.value,
            "payload_sha256": keys.digest(company_id),
            "payload_bytes": 0,
        }

    def _result_of_refusal(
        self, refused: TransactionRefused, event: EventFacts
    ) -> Admitted | AcceptedBefore | ReusedId | Limited:
        there, *counters = refused.found
        if there is not None:
            if there.get("payload_sha256") != event.payload_sha256:
                return ReusedId()
            needs_message = there["status"] == EventStatus.RECEIVED and "until" not in there
            return (
                Admitted(there["received_at"], is_new=False)
                if needs_message
                else AcceptedBefore(there["received_at"])
            )
        limit = next(n for n, row in enumerate(counters) if row is not None)
        name = ("requests_per_minute", "requests_per_day", "concurrent_conversations")[limit]
        return Limited(name, _seconds_until_next(limit, epoch_of(event.received_at)))


def _seconds_until_next(limit: int, at: int) -> int:
    """Seconds until a limit's next minute or day begins.

    For open conversations, which may end at any time, it is 30.
    """
    window = (_MINUTE, _DAY, 0)[limit]
    return window - at % window if window else 30


def _counter_key(company_id: str, kind: str, window: int) -> str:
    return keys.joined("rate", company_id, kind, str(window))


def _mark(event_key: str) -> str:
    return keys.digest(event_key)[:16]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationStores:
    """The stores of conversations, starts and events, passed around together."""

    conversations: Conversations
    starts: Starts
    ledger: Ledger
