"""The rows that count what models cost, in the `conversations` table, outside every index.

::

    usage:{company_id}#{project_id}   day#2026-11-23                   sums of a project's day
    internal:{company_id}#{recipient} usage#{digest}#{id of the call}  one call of a conversation
    internal:{company_id}#{recipient} spent#{digest}                   ``committed`` of a conversation
                                                                       with a budget of its own

One transaction writes a call's row and adds the call to the day's sums, so a call is counted once,
however often its outcome is recorded.  ``committed`` is what was spent and what running requests may
still cost.  It grows by an estimate before a request leaves, on condition that the budget is not
reached, and is corrected by the real cost.  Where the answer is lost the estimate stays, as the provider
may have charged for the request.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from chalicelib.clock import iso
from chalicelib.once import keys
from chalicelib.once.ports import Clock, Log
from chalicelib.once.retry import Attempts
from chalicelib.once.store import (
    ConditionFailed,
    Item,
    Store,
    TransactionConflict,
    TransactionRefused,
)
from chalicelib.outreach.conversations import items
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.spending.budget_limits import (
    BUDGET_REACHED,
    CONVERSATION_BUDGET_REACHED,
    Budget,
    BudgetReachedError,
)
from chalicelib.vendors.language_model import Usage

CONFLICT_PAUSES_SECONDS = (0.02, 0.05, 0.1)
"""Pauses before a call is counted again, where other workers write the same sums."""
SUMS = ("calls", "input_tokens", "cached_tokens", "output_tokens", "microusd", "committed")


@dataclass(frozen=True, slots=True)
class CountedCall:
    """One call of a model and its cost, to be counted.

    Attributes:
        call_id: the provider's id of the response.
        microusd: the call's cost, in millionths of a US dollar.
        estimate: what `Spending.reserve` reserved for the call.
        of_conversation: what `Spending.reserve_for_conversation` reserved; None for a conversation without
            a budget of its own.
    """

    call_id: str
    model: str
    usage: Usage
    microusd: int
    estimate: int
    of_conversation: int | None = None


class Spending:
    """Reserves budget for calls of models, counts the calls, and reads the sums."""

    def __init__(self, *, table: Store, clock: Clock, log: Log) -> None:
        self._table = table
        self._clock = clock
        self._log = log

    def reserve(self, record: Record, budget: Budget | None, estimate: int) -> int:
        """Reserve what a request may cost from the project's budget of the day; returns the amount reserved.

        The amount is 0 for a project without such a budget.

        Raises:
            BudgetReachedError: the day's budget is spent.
            TransientError: the row could not be written; no request may be sent.
        """
        if budget is None:
            return 0
        return self._reserve(self._day_key(record), record, budget, estimate, BUDGET_REACHED)

    def reserve_for_conversation(
        self, record: Record, budget: Budget | None, estimate: int
    ) -> int | None:
        """Reserve what a request may cost from the conversation's own budget; returns the amount reserved.

        None for a conversation without a budget of its own.

        Raises:
            BudgetReachedError: the conversation's budget is spent.
            TransientError: the row could not be written; no request may be sent.
        """
        if budget is None:
            return None
        reason = CONVERSATION_BUDGET_REACHED
        return self._reserve(_conversation_key(record), record, budget, estimate, reason)

    def _reserve(
        self, key: Item, record: Record, budget: Budget, estimate: int, reason: str
    ) -> int:
        try:
            row = self._table.update(
                key,
                set_={},
                add={"committed": estimate},
                keep={"ttl": items.ttl_at(self._clock.now())},
                condition="attribute_not_exists(#committed) OR #committed < :hard",
                hard=budget.hard,
            )
        except ConditionFailed:
            self._log.metric("mw.model.budget", level="hard")
            raise BudgetReachedError(reason) from None
        if row["committed"] - estimate < budget.soft <= row["committed"]:
            self._log.event("model.budget_soft", company_id=record.company_id, budget=reason)
            self._log.metric("mw.model.budget", level="soft")
        return estimate

    def release(self, record: Record, committed: int, of_conversation: int | None = None) -> None:
        """Release the amounts reserved from both budgets, for a request that surely cost nothing."""
        for key, amount in (
            (self._day_key(record), committed),
            (_conversation_key(record), of_conversation),
        ):
            if amount:
                self._table.update(key, set_={}, add={"committed": -amount}, reading=False)

    def count(self, record: Record, call: CountedCall) -> None:
        """Count one call of a model, once; never raises, as the answer is paid for and has to be used."""
        now = self._clock.now()
        row = {
            "primary_channel": items.partition(record),
            "conversation_id": f"{_call_prefix(record)}{keys.digest(call.call_id)[:32]}",
            "ttl": items.ttl_at(now),
            "at": iso(now),
            "model": call.model,
            "input_tokens": call.usage.input_tokens,
            "cached_tokens": call.usage.cached_tokens,
            "output_tokens": call.usage.output_tokens,
            "microusd": call.microusd,
        }
        writes = [
            self._table.putting(row, condition="attribute_not_exists(#conversation_id)"),
            self._table.updating(
                self._day_key(record),
                set_={},
                keep={"ttl": items.ttl_at(now)},
                add={
                    "calls": 1,
                    "input_tokens": call.usage.input_tokens,
                    "cached_tokens": call.usage.cached_tokens,
                    "output_tokens": call.usage.output_tokens,
                    "microusd": call.microusd,
                    "committed": call.microusd - call.estimate,
                },
            ),
        ]
        if call.of_conversation is not None:
            writes.append(
                self._table.updating(
                    _conversation_key(record),
                    set_={},
                    keep={"ttl": items.ttl_at(now)},
                    add={"committed": call.microusd - call.of_conversation},
                )
            )
        attempts = Attempts(self._clock, CONFLICT_PAUSES_SECONDS)
        try:
            while True:
                try:
                    self._table.transact(writes)
                except TransactionConflict as conflict:
                    attempts.wait_or_raise(conflict)
                else:
                    return
        except TransactionRefused:
            return  # this call was counted before
        except Exception as error:  # noqa: BLE001 - the paid answer is used
            self._log.event("model.count_failed", reason=type(error).__name__)
            self._log.metric("mw.model.uncounted")

    def day_sums(self, company_id: str, project_id: str, day: datetime) -> Mapping[str, int]:
        """The sums of a project's model calls on a day, by the names of `SUMS`.

        Costs are in millionths of a US dollar.
        """
        key = {
            "primary_channel": _project_partition(company_id, project_id),
            "conversation_id": _day_sort_key(day),
        }
        return _sums(self._table.get(key) or {})

    def sums_by_day(
        self, company_id: str, project_id: str, since: datetime, until: datetime
    ) -> list[tuple[str, Mapping[str, int]]]:
        """The days between two dates on which a project called models, oldest first, with their sums."""
        rows = self._table.query_pages(
            KeyConditionExpression="primary_channel = :p AND conversation_id BETWEEN :a AND :b",
            values={
                "p": _project_partition(company_id, project_id),
                "a": _day_sort_key(since),
                "b": _day_sort_key(until),
            },
        )
        return [(str(row["conversation_id"]).removeprefix("day#"), _sums(row)) for row in rows]

    def calls_of(self, record: Record) -> list[Item]:
        """The model calls of a conversation, oldest first: ``at``, ``model``, tokens and ``microusd``."""
        rows = self._table.query_pages(
            KeyConditionExpression="primary_channel = :p AND begins_with(conversation_id, :usage)",
            values={"p": items.partition(record), "usage": _call_prefix(record)},
        )
        shown = ("at", "model", "input_tokens", "cached_tokens", "output_tokens", "microusd")
        found = [{name: row.get(name, 0) for name in shown} for row in rows]
        return sorted(found, key=lambda call: str(call["at"]))

    def committed_by(self, record: Record) -> int:
        """What a conversation's model calls have cost, and what is reserved for the running ones.

        In millionths of a US dollar; 0 for a conversation without a budget of its own.
        """
        return int((self._table.get(_conversation_key(record)) or {}).get("committed", 0))

    def _day_key(self, record: Record) -> Item:
        return {
            "primary_channel": _project_partition(record.company_id, record.project_id),
            "conversation_id": _day_sort_key(self._clock.now()),
        }


def _project_partition(company_id: str, project_id: str) -> str:
    return f"usage:{company_id}#{project_id}"


def _day_sort_key(day: datetime) -> str:
    return f"day#{day.astimezone(UTC):%Y-%m-%d}"


def _conversation_key(record: Record) -> Item:
    return {
        "primary_channel": items.partition(record),
        "conversation_id": f"spent#{items.digest(record)}",
    }


def _call_prefix(record: Record) -> str:
    return f"usage#{items.digest(record)}#"


def _sums(row: Mapping[str, Any]) -> Mapping[str, int]:
    return {name: int(row.get(name, 0)) for name in SUMS}
