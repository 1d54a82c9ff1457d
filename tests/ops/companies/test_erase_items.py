"""Erasing, item by item: who is meant by a text, and what a row of the ledger becomes."""

from types import SimpleNamespace

import pytest
from botocore.exceptions import ClientError

from chalicelib.once.store import ConditionFailed
from ops.companies import erase
from ops.companies.erase import Subjects
from tests.rigs.fakes import ManualClock

PHONE = Subjects(addresses=("+15550100", "15550100"))
MAIL = Subjects(addresses=("jo@example.com",))


@pytest.mark.parametrize(
    "text", ["+15550100", "whatsapp:+15550100", "call +15550100, please", "15550100", "(15550100)"]
)
def test_an_address_is_found_as_a_whole_wherever_it_stands(text):
    assert PHONE.holds({"a": [{"b": text}]})
    assert PHONE.holds({text: 1})


@pytest.mark.parametrize("text", ["+155501001", "915550100", "x15550100", "+1555010"])
def test_another_number_that_holds_its_digits_is_another_persons(text):
    assert not PHONE.holds({"a": text})


@pytest.mark.parametrize("text", ["annjo@example.com", "jo@example.community"])
def test_another_address_that_holds_its_letters_is_another_persons(text):
    assert not MAIL.holds({"a": text})
    assert MAIL.holds({"a": f"{text} or Jo@Example.com"})


def test_an_id_is_found_as_a_whole_only():
    ticket = Subjects(ids=("104",))
    assert ticket.holds({"conversation_id": "104"})
    assert ticket.holds({"conversation_id": "handoff#104"})
    assert not ticket.holds({"conversation_id": "1042", "text": "104"})


class Ledger:
    """A table that notes the update, or whose row has changed meanwhile."""

    name = "ledger"

    def __init__(self, *, has_changed=False):
        self.updates = []
        self._has_changed = has_changed

    def update(self, key, **update):
        if self._has_changed:
            raise ConditionFailed({})
        self.updates.append((key, update))


def buried(status, table):
    session = SimpleNamespace(
        services=SimpleNamespace(
            clock=ManualClock(), settings=SimpleNamespace(idempotency_table="ledger")
        )
    )
    item = {"event_id": "evt:1", "status": status, "plan": "words", "probe": {}, "expires_at": 7}
    return erase.purge(session, table, {"event_id": "evt:1"}, item, PHONE, erase.Erased())


@pytest.mark.parametrize(
    ("status", "ends"),
    [
        ("received", {"status": "skipped", "reason": "erased"}),
        ("parked", {"status": "skipped", "reason": "erased"}),
        ("unknown", {"status": "abandoned", "reason": "erased"}),
        *((one, {}) for one in ("processed", "processing", "failed", "done", "pending", "refused")),
    ],
)
def test_a_row_of_the_ledger_loses_what_tells_of_the_person_and_what_is_unfinished_ends(
    status, ends
):
    table = Ledger()
    assert buried(status, table)
    ((_, update),) = table.updates
    assert update["set_"] == {"erased_at": "2026-11-20T12:00:00.000Z", **ends}
    assert update["remove"] == ["plan", "probe"]
    assert update["was"] == status


def test_a_row_that_changed_meanwhile_is_left_for_the_next_look():
    assert not buried("done", Ledger(has_changed=True))


class Tables:
    """DynamoDB as `erase.tables` asks it; what is refused raises what AWS answers."""

    def __init__(self, **refused):
        self.exceptions = SimpleNamespace(ResourceNotFoundException=NotThereError)
        self._refused = refused

    def describe_table(self, *, TableName):  # noqa: N803 - boto3's name
        if TableName in self._refused:
            raise self._refused[TableName]({"Error": {"Code": "x"}}, "DescribeTable")
        return {"Table": {"KeySchema": [{"AttributeName": "event_id"}]}}


class NotThereError(ClientError):
    """As boto3 has it of a table that is not there."""


def looked_through(dynamodb):
    declared = [SimpleNamespace(properties={"TableName": one}) for one in ("ledger", "other")]
    return erase.tables(
        SimpleNamespace(
            client=lambda _service: dynamodb,
            template=SimpleNamespace(resources=lambda _type: declared),
            services=SimpleNamespace(settings=SimpleNamespace(idempotency_table="ledger")),
        )
    )


def test_a_table_that_is_not_there_is_passed_over_and_the_ledger_is_the_last():
    assert [name for name, _ in looked_through(Tables())] == ["other", "ledger"]
    assert [name for name, _ in looked_through(Tables(other=NotThereError))] == ["ledger"]


def test_a_table_that_may_not_be_read_is_not_taken_for_one_without_the_person():
    with pytest.raises(ClientError):
        looked_through(Tables(other=ClientError))
