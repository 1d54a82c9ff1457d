"""Find over the tables of a running schedule, as a viewer whose Richpanel does not answer.

While the schedule writes, everything that somebody may hold of a stored event is looked up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from chalicelib.errors import TransientError
from chalicelib.once import trace
from ops.inspect.explain.nothing import NothingFoundError
from ops.inspect.explain.searching import look_up
from ops.session import OpsError, Session
from tests.rigs.ops_session import OfflineServices

if TYPE_CHECKING:
    from tests.simulation.world import World

_EVERY = 5
"""Writes between two looks; all would take minutes."""
_EVENTS = 3
"""Events of one look."""


class FindLooks:
    """Looks up what a world stores, and notes what is not found as it is promised.

    Attributes:
        tried: texts that were looked up.
        wrong: what was not found, by what, and the state that it was in.
        states: of the events that were looked up.
    """

    def __init__(self, world: World) -> None:
        self.tried = 0
        self.wrong: list[str] = []
        self.states: set[str] = set()
        self._world = world
        self._session = Session.over(_Services(world))
        self._writes = 0
        wrote = world.oracle.wrote

        def looked(before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> None:
            wrote(before, after)
            self._writes += 1
            if self._writes % _EVERY == 0:
                self.look()

        world.oracle.wrote = looked  # type: ignore[method-assign]

    def look(self) -> None:
        """Look up some of the events, by everything."""
        rows = [row for key, row in self._world.ledger.rows.items() if key[0].startswith("evt:")]
        for number in range(min(_EVENTS, len(rows))):
            row = rows[(self._writes * 7 + number * 31) % len(rows)]
            self.states.add(str(row["status"]))
            for text in dict.fromkeys(self._held(row)):
                self.tried += 1
                for deep in (False, True):
                    if why := self._missing(row, text, deep=deep):
                        self.wrong.append(f"{row['event_id']} ({row['status']}) by {text}: {why}")

    def _held(self, row: Mapping[str, Any]) -> Iterator[str]:
        """What somebody may hold of an event."""
        key = str(row["event_id"])
        yield key
        yield trace.short(key)
        if row.get("trace_id"):
            yield str(row["trace_id"])
        if key.startswith("evt:rp:"):
            yield str(row["conversation_id"])
        for one in self._world.ledger.rows.values():
            if one.get("event_key") == key:
                yield str(one["event_id"])
                if str(one["event_id"]).startswith("act:send:") and one.get("ref"):
                    yield str(one["ref"])
        for record in self._world.conversations.rows.values():
            if record.get("start_event") == key:
                yield f"{record['company_id']}#{record['request_id']}"

    def _missing(self, row: Mapping[str, Any], text: str, *, deep: bool) -> str:
        """Why an answer is wrong; empty for one that is right."""
        try:
            found = look_up(self._session, text, deep=deep)
        except NothingFoundError as error:
            is_listed = "due_at" in row or "stuck_by" in row
            by_name = text == row["conversation_id"]
            if not error.unasked or (is_listed and by_name):
                return f"not found: {error}"
            return ""
        except OpsError as error:
            return str(error)
        if str(row["event_id"]) in {one.key for one in found.events}:
            return ""
        return "" if found.unasked else "found without it"


class _Services(OfflineServices):
    """The tables of a world, and clients that may look and receive nothing."""

    def __init__(self, world: World) -> None:
        super().__init__(
            sqs=SimpleNamespace(
                get_queue_url=lambda QueueName: {"QueueUrl": QueueName},  # noqa: N803
                get_queue_attributes=lambda **_: {"Attributes": _COUNTS},
                receive_message=_refused,
            ),
            cloudwatch=SimpleNamespace(get_metric_statistics=lambda **_: {"Datapoints": []}),
            dynamodb=SimpleNamespace(
                describe_table=lambda TableName: {"Table": {"TableName": TableName}}  # noqa: N803
            ),
        )
        names = self.settings
        self.clock = SimpleNamespace(now=lambda: datetime.fromtimestamp(world.now, UTC))
        self._tables = {
            names.idempotency_table: world.ledger,
            names.state_table: world.state,
            names.audit_table: world.audit,
            names.conversations_table: world.conversations,
            names.company_data_table: world.companies,
        }
        self._facts = world.facts
        self.support.__dict__["richpanel"] = SimpleNamespace(
            read_ticket=_away, read_ticket_by_number=_away
        )


_COUNTS = dict.fromkeys(
    ("ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"), "0"
)


def _refused(**_: object) -> None:
    raise ClientError({"Error": {"Code": "AccessDenied", "Message": ""}}, "ReceiveMessage")


def _away(_: object) -> None:
    raise TransientError("richpanel", "read_ticket", reason="http_503")
