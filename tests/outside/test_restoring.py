"""The promises of docs/restoring.md, tried from outside."""

import json

import pytest

from tests.outside.aws import aws

RELEASE = ("restore", "--at", "1h", "--release", "--yes")


def test_in_shadow_mode_events_are_recorded_and_no_vendor_gets_anything(stack):
    to, ticket = stack.tel(), stack.ticket("Where is my order?")
    with stack.switched("shadow_mode", "true"):
        request_id = stack.start(to).json()["request_id"]
        assert stack.webhook(ticket_id=ticket, message_id="c-1", message="Hi").status_code == 200
        stack.forward(hours=1)
        assert stack.outcome(request_id)["state"] == "withheld"
        assert stack.texts_to(to) == _changes_to(stack, ticket) == []
    assert "shadow" in stack.ops("explain", ticket).out


def test_what_shadow_mode_withheld_goes_on_once_by_the_replay_of_the_page(stack):
    to, ticket = stack.tel(), stack.ticket("Where is my order?")
    with stack.switched("shadow_mode", "true"):
        stack.start(to)
        stack.webhook(ticket_id=ticket, message_id="c-1", message="Where is my order?")
    stack.forward(hours=1)
    assert stack.texts_to(to) == _changes_to(stack, ticket) == []
    replay = ("replay", "--status", "processed", "--reason", "withheld:shadow", "--since", "48h")
    assert "would go" in stack.ops(*replay, "--dry-run").out
    stack.settle()
    assert stack.texts_to(to) == _changes_to(stack, ticket) == []
    for _ in range(2):
        stack.ops(*replay, "--yes")
        stack.forward(seconds=30)  # also runs what our pace at Richpanel has set aside
    changes = _changes_to(stack, ticket)
    assert len(stack.texts_to(to)) == 1
    assert len(changes) == len(set(changes)) > 0


@pytest.mark.parametrize(
    "fault",
    [{"status": 429, "headers": {"Retry-After": "600"}}, {"status": 500}],
    ids=["waits for its time", "waits for a person"],
)
def test_a_restored_stage_is_not_released_while_an_event_is_unfinished(stack, fault):
    to = stack.tel()
    stack.twilio.fails(operation="create_message", **fault)
    stack.start(to)
    with stack.switched("shadow_mode", "true"):
        assert "unfinished" in stack.ops(*RELEASE, code=1).err
        assert stack.ops("switch", "get", "--json").data["shadow_mode"] == "true"
        assert "the switch shadow_mode" in _why_shadow(stack)
    for _ in range(3):
        stack.forward(minutes=20)
    assert len(stack.texts_to(to)) == 1


def test_completing_a_restored_ledger_is_refused_while_the_stage_acts(stack):
    assert "not in shadow mode" in stack.ops("restore", "--at", "1h", "--dry-run", code=1).err


def test_a_restored_stage_is_not_released_while_the_last_sweep_was_not_complete(stack):
    with stack.switched("shadow_mode", "true"):
        stack.richpanel.fails(status=500, operation="list_tickets", times=None)
        stack.ops("reconcile", "--yes", code=1)
        assert "sweep was not complete" in stack.ops(*RELEASE, code=1).err
        assert stack.ops("switch", "get", "--json").data["shadow_mode"] == "true"
        stack.richpanel.recovers()
        stack.forward(minutes=20)
        stack.ops("reconcile", "--yes")
        assert "sweep was not complete" not in _release(stack).err


def test_a_stage_that_is_not_in_shadow_is_not_released(stack):
    assert "nothing to release" in stack.ops(*RELEASE, code=1).err


def test_completing_a_ledger_enters_shadow_mode_and_writes_once_what_was_done_since_the_backup(
    stack,
):
    to = stack.tel()
    stack.start(to)
    event = stack.ops("explain", to, "--json").data["events"][0]
    try:
        _forget(stack, event)
        assert _written(stack, "--yes") == 1
        assert _written(stack, "--yes") == 0
        _forget(stack, event)
        assert [_written(stack, option) for option in ("--dry-run", "--yes")] == [1, 1]
        assert stack.ops("switch", "get", "--json").data["shadow_mode"] == "true"
    finally:
        stack.ops("switch", "set", "shadow_mode", "false", "--yes")
        stack.forward(seconds=31)


def _release(stack):
    """What the release command has printed; it may refuse while other tests' events are not done."""
    return stack.ops(*RELEASE, code=None)


def _written(stack, *more):
    """How many rows the command has written, or would."""
    return stack.ops("restore", "--at", "1h", *more, "--json").data["written"]


def _forget(stack, event):
    """The ledger as a backup that is older than the event has it."""
    for row in (event["event"], *event["actions"]):
        aws(
            stack,
            "dynamodb",
            "DeleteItem",
            TableName=stack.hints["IDEMPOTENCY_TABLE_NAME"],
            Key={"event_id": {"S": row["event_id"]}},
        )


def _why_shadow(stack):
    """What is said of a start that the stage takes now."""
    to = stack.tel()
    stack.start(to)
    return stack.ops("explain", to).out


def _changes_to(stack, ticket):
    changes = stack.richpanel.get("effects")["effects"]
    return [
        (change["kind"], change["value"]) for change in changes if change["ticket_id"] == ticket
    ]


def test_whom_a_restored_table_has_again_is_erased_again_by_the_command_of_the_page(stack):
    to, other = stack.tel(), stack.tel()
    for tel in (to, other):
        stack.start(tel)
        stack.says(tel, f"The zither of {tel} is mine")
    backup = stack.now().isoformat()
    (table,) = (
        tablename
        for tablename in aws(stack, "dynamodb", "ListTables")["TableNames"]
        if "conversations" in tablename
    )
    rows = aws(stack, "dynamodb", "Scan", TableName=table)["Items"]
    theirs = [row for row in rows if to[1:] in json.dumps(row)]
    assert theirs
    stack.forward(minutes=1)
    stack.ops("erase", "--subject", to, "--yes")
    for row in theirs:  # as a restore to a time before the erasing brings them back
        aws(stack, "dynamodb", "PutItem", TableName=table, Item=row)
    said = stack.ops("erase", "--again", backup, "--yes", "--canary", f"zither of {to}", "--json")
    assert sum(entry["found"] for entry in said.data["proof"]) == 0
    kept = json.dumps(aws(stack, "dynamodb", "Scan", TableName=table)["Items"])
    assert to[1:] not in kept
    assert other[1:] in kept, "another's"
