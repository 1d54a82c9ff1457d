"""Erasing, item by item: matching a person in a text, and the erased form of a ledger row."""

import boto3
import pytest
from botocore.exceptions import ClientError

from ops.companies import erase
from ops.companies.erase import Subjects
from ops.session import Session
from tests.rigs.memory_stage import another_session
from tests.rigs.ops_session import session

PHONE = Subjects(addresses=("+15550100", "15550100"))
MAIL = Subjects(addresses=("jo@example.com",))


@pytest.mark.parametrize(
    "text", ["+15550100", "whatsapp:+15550100", "call +15550100, please", "15550100", "(15550100)"]
)
def test_an_address_is_found_only_as_a_whole_in_any_field(text):
    assert PHONE.holds({"a": [{"b": text}]})
    assert PHONE.holds({text: 1})


@pytest.mark.parametrize("text", ["+155501001", "915550100", "x15550100", "+1555010"])
def test_a_longer_number_with_the_same_digits_is_kept(text):
    assert not PHONE.holds({"a": text})


@pytest.mark.parametrize("text", ["annjo@example.com", "jo@example.community"])
def test_a_longer_address_with_the_same_letters_is_kept(text):
    assert not MAIL.holds({"a": text})
    assert MAIL.holds({"a": f"{text} or Jo@Example.com"})


def test_an_id_is_found_only_as_a_whole():
    ticket = Subjects(ids=("104",))
    assert ticket.holds({"conversation_id": "104"})
    assert ticket.holds({"conversation_id": "handoff#104"})
    assert not ticket.holds({"conversation_id": "1042", "text": "104"})


ROW = {
    "event_id": "evt:1",
    "status": "done",
    "plan": "words",
    "probe": {"body": "words"},
    "expires_at": 7,
}


def purged(status, *, stored=None):
    """Purge a row that was read in a status; by now it may have another. Returns the row it becomes."""
    ops = session()
    table = ops.ledger_table
    table.put(ROW | {"status": stored or status})
    read = ROW | {"status": status}
    was_purged = erase.purge(ops, table, {"event_id": "evt:1"}, read, PHONE, erase.Erased())
    return was_purged, table.get({"event_id": "evt:1"})


@pytest.mark.parametrize(
    ("status", "ends"),
    [
        ("received", {"status": "skipped", "reason": "erased"}),
        ("parked", {"status": "skipped", "reason": "erased"}),
        ("unknown", {"status": "abandoned", "reason": "erased"}),
        *(
            (status, {})
            for status in ("processed", "processing", "failed", "done", "pending", "refused")
        ),
    ],
)
def test_a_ledger_row_loses_personal_data_and_an_unfinished_one_ends(status, ends):
    was_purged, row = purged(status)
    assert was_purged
    kept = {"event_id": "evt:1", "status": status, "expires_at": 7}
    assert row == kept | {"erased_at": "2026-11-20T12:00:00.000Z"} | ends


def test_a_row_that_changed_meanwhile_is_left_for_the_next_pass():
    was_purged, row = purged("pending", stored="done")
    assert (was_purged, row) == (False, ROW)


@pytest.fixture
def ops(app, stage):
    """A session on the test's own stage."""
    return Session("dev")


def test_a_missing_table_is_skipped_and_the_ledger_comes_last(ops, stage):
    every = {
        resource.properties["TableName"]
        for resource in ops.template.resources("AWS::DynamoDB::Table")
    }
    stage.aws.client("dynamodb").delete_table(TableName=stage.tables["AuditActionsTable"])
    names = [name for name, _ in erase.tables(ops)]
    assert every - set(names) == {stage.tables["AuditActionsTable"]}
    assert names[-1] == stage.tables["IdempotencyTable"]


def test_a_table_without_read_access_does_not_count_as_free_of_the_person(ops, monkeypatch):
    def denied(**_):
        raise ClientError({"Error": {"Code": "AccessDeniedException"}}, "DescribeTable")

    aws = another_session()
    aws.events.register("before-send.dynamodb.DescribeTable", denied)
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", aws)
    with pytest.raises(ClientError):
        erase.tables(ops)


def test_what_a_report_has_of_agents_is_no_item_though_an_id_is_their_address(ops, stage):
    """If the row were deleted, the writer would insert every agent a second time."""
    table = ops.services.table(stage.tables["QuillLedgerTable"])
    for key in ("DIM:DimAgent:powerbi:1", "ALOWARE:1"):
        table.put({"pk": key, "known": ["jo@example.com"]})
    assert [key for _, key, _ in erase.items(ops, MAIL)] == [{"pk": "ALOWARE:1"}]
