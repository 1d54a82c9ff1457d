"""Find over the tables of a running schedule, as a viewer whose Richpanel answers, or does not.

While the schedule writes, everything that somebody may hold of a stored event is looked up.  An address is
looked up in another notation each time.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from http import HTTPStatus
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from chalicelib.errors import PermanentError, TransientError
from chalicelib.once import trace
from chalicelib.support.richpanel.client import Richpanel
from chalicelib.vendors.http import Call
from ops.inspect.explain.nothing import NothingFoundError
from ops.inspect.explain.searching import look_up
from ops.session import OpsError, Session
from tests.outside import pasted
from tests.rigs.ops_session import OfflineServices
from tests.simulation.scenario import CANARY
from tests.simulation.wire import request_of, url_of

if TYPE_CHECKING:
    from tests.simulation.world import World

CUSTOMER = f"{CANARY}@example.com"
"""Whose tickets they all are."""
_EVERY = 5
"""Writes between two looks; all would take minutes."""
_EVENTS = 3
"""Events of one look."""


class FindLooks:
    """Looks up what a world stores, and notes what is not found as it is promised.

    Attributes:
        tried: texts that were looked up.
        notations: of addresses: whether it is an e-mail's, and its number.
        wrong: what was not found, by what, and the state that it was in.
        states: of the events that were looked up.
    """

    def __init__(self, world: World) -> None:
        self.tried = 0
        self.wrong: list[str] = []
        self.states: set[str] = set()
        self.notations: set[tuple[bool, int]] = set()
        self._world = world
        self._services = _Services(world)
        self._session = Session.over(self._services)
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
            for text, is_name in dict.fromkeys(self._held(row)):
                self.tried += 1
                for deep, is_up in itertools.product((False, True), repeat=2):
                    self._services.line.is_up = is_up
                    if why := self._missing(row, text, is_name=is_name, deep=deep):
                        self.wrong.append(f"{row['event_id']} ({row['status']}) by {text}: {why}")

    def _held(self, row: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
        """What somebody may hold of an event, and whether it names what the event belongs to."""
        key = str(row["event_id"])
        yield key, False
        yield trace.digest(key), False
        if row.get("trace_id"):
            yield str(row["trace_id"]), False
        if key.startswith("evt:rp:"):
            yield str(row["conversation_id"]), True
            if self._world.vendor.has(str(row["conversation_id"])):
                yield self._written(CUSTOMER), False
        for written in self._world.ledger.rows.values():
            if written.get("event_key") == key:
                yield str(written["event_id"]), False
                if str(written["event_id"]).startswith("act:send:") and written.get("ref"):
                    yield str(written["ref"]), False
        for record in self._world.conversations.rows.values():
            if record.get("start_event") == key:
                yield f"{record['company_id']}#{record['request_id']}", False
            if record.get("opaque_id") == row["conversation_id"] and "channel_method" in record:
                yield self._written(str(record["primary_channel"])), True

    def _written(self, address: str) -> str:
        """An address in one of the notations that people use."""
        forms = (pasted.mail if "@" in address else pasted.tel)(address)
        number = self._writes % len(forms)
        self.notations.add(("@" in address, number))
        return str(forms[number])

    def _missing(self, row: Mapping[str, Any], text: str, *, is_name: bool, deep: bool) -> str:
        """Why an answer is wrong; empty for one that is right.

        What an index lists must be found, even if some place could not be asked.
        """
        is_certain = is_name and ("due_at" in row or "stuck_by" in row)
        try:
            found = look_up(self._session, text, deep=deep)
        except NothingFoundError as error:
            return "" if error.unasked and not is_certain else f"not found: {error}"
        except OpsError as error:
            return str(error)
        reported = {
            str(receipt["event_id"]) for event in found.events for receipt in event.receipts
        }
        if str(row["event_id"]) in reported | {event.key for event in found.events}:
            return ""
        if any(note.startswith("further conversations") for note in found.notes):
            return ""
        return "" if found.unasked and not is_certain else "found without it"


class _Services(OfflineServices):
    """The tables of a world, and clients that may read but receive no message."""

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
        self.line: Any = _Line(world)
        self.support.__dict__["richpanel"] = Richpanel(client=self.line, clock=self.line.clock)


_COUNTS = dict.fromkeys(
    ("ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"), "0"
)


def _refused(**_: object) -> None:
    raise ClientError({"Error": {"Code": "AccessDenied", "Message": ""}}, "ReceiveMessage")


class _Line:
    """The product's client of Richpanel reaches the tickets of a world, unless it is out."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.clock = world.door.clock
        self.is_up = True

    def send(self, call: Call, **_: object) -> Any:
        """See `VendorClient.send`."""
        if not self.is_up:
            raise TransientError("richpanel", call.operation, reason="http_503")
        request = request_of(call.method, url_of("richpanel") + call.path)
        answer = self._world.vendor.answer(request, call.operation)
        if answer.status == HTTPStatus.NOT_FOUND:
            raise PermanentError("richpanel", call.operation, status=answer.status)
        return answer.body
