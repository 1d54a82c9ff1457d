"""A restored backup holds persons who were erased after it; they are erased again, by keyed digests."""

import json
from datetime import timedelta

import pytest

from chalicelib.clock import iso
from local import company
from tests.rigs.ops_cli import runner
from tests.rigs.outreach import MAIL, TEL

OTHER = "+15550100002"
TABLES = ("IdempotencyTable", "AuditActionsTable", "ConversationsTable", "ConversationStateTable")


@pytest.fixture
def run(outreach, capsys):
    return runner(capsys)


def restored(outreach, name, rows):
    """Restore a table to the rows of a backup; later rows are gone."""
    table = outreach.stage.tables[name]
    client = outreach.stage.aws.client("dynamodb")
    keys = [
        key["AttributeName"] for key in client.describe_table(TableName=table)["Table"]["KeySchema"]
    ]
    for row in outreach.rows(name):
        client.delete_item(TableName=table, Key={key: row[key] for key in keys})
    for row in rows:
        client.put_item(TableName=table, Item=row)


def left(outreach, *sought):
    """Those of the sought texts that any row holds."""
    rows = json.dumps([outreach.rows(name) for name in TABLES])
    return {word for word in sought if word in rows}


@pytest.fixture
def backup(outreach, run):
    """A person with conversations on two channels, and another; the tables as a backup has them."""
    both = {"recipient_tel": TEL, "recipient_email": MAIL}
    outreach.start("req-1", "sms", recipient_data=both)
    outreach.start("req-2", "email", recipient_data=both)
    outreach.start("req-other", "sms", OTHER)
    outreach.run()
    outreach.deliver(outreach.says("The saxophone is mine", whatsapp=False))
    outreach.run()
    return {name: outreach.rows(name) for name in TABLES}


SOUGHT = (TEL[1:], MAIL, "saxophone")


@pytest.mark.parametrize("of", [*((table,) for table in TABLES), TABLES[:1] + TABLES[2:]])
def test_whoever_a_restored_table_has_again_is_erased_again(outreach, run, backup, of):
    at = "2020-01-01T00:00:00Z"
    assert run("erase", "--subject", TEL, "--yes").code == 0
    for name in of:
        restored(outreach, name, backup[name])
    if "ConversationsTable" in of:
        assert left(outreach, *SOUGHT) == {*SOUGHT}
    said = run("erase", "--again", at, "--yes", "--json")
    assert said.code == 0, said.out
    assert sum(place["found"] for place in said.data["proof"]) == 0
    assert left(outreach, *SOUGHT) == set()
    assert left(outreach, OTHER[1:]), "another's"


def test_words_that_a_restored_journal_has_again_are_forgotten_again(outreach, run, backup):
    """Also where no table has the address itself any more: the words are bound to keyed ids."""
    own = ("--company", company.COMPANY_ID, "--address", TEL)
    words = "she is in hospital"
    assert run("do-not-contact", "add", *own, "--reason", words).code == 0
    named = f"{MAIL}: {words}"
    assert run("company", "key", company.COMPANY_ID, "--reason", named, "--yes").code == 0
    before = outreach.rows("AuditActionsTable")
    assert run("erase", "--subject", TEL, "--yes").code == 0
    assert left(outreach, "hospital") == set()
    restored(outreach, "AuditActionsTable", before)
    assert left(outreach, "hospital") == {"hospital"}
    at = "2020-01-01T00:00:00Z"
    # the restored table held one entry of the erasing; the conversations' table holds the other
    said = run("erase", "--again", at, "--yes", "--json", "--canary", "in hospital")
    assert said.code == 0, said.out
    assert left(outreach, "hospital") == set()
    assert outreach.services.outreach.conversations.is_forbidden(TEL, company.COMPANY_ID)


def test_nothing_is_erased_again_that_was_erased_before_the_backup(outreach, run, backup):
    assert run("erase", "--subject", TEL, "--yes").code == 0
    restored(outreach, "ConversationsTable", backup["ConversationsTable"])
    at = iso(outreach.services.clock.now())
    assert run("erase", "--again", at, "--yes", "--json").data["found"] == 0
    assert left(outreach, *SOUGHT) == {*SOUGHT}


@pytest.mark.parametrize("dry_run", ["--dry-run", "--yes"])
def test_a_time_that_lies_ahead_is_refused_by_its_option(outreach, run, backup, dry_run):
    """After a mistyped time no one would seem to have been erased."""
    assert run("erase", "--subject", TEL, "--yes").code == 0
    restored(outreach, "ConversationsTable", backup["ConversationsTable"])
    at = iso(outreach.services.clock.now() + timedelta(days=2))
    said = run("erase", "--again", at, dry_run)
    assert (said.code, "--again is in the future" in said.err) == (2, True)
    assert at not in said.err
    assert left(outreach, *SOUGHT) == {*SOUGHT}


def test_a_restore_of_both_tables_that_keep_erasings_is_named(outreach, run, backup):
    at = "2020-01-01T00:00:00Z"
    assert run("erase", "--subject", TEL, "--yes").code == 0
    known = run("erase", "--again", at, "--dry-run")
    assert (known.code, "of which a table has a record: 1" in known.out) == (0, True)
    for name in TABLES:
        restored(outreach, name, backup[name])
    lost = run("erase", "--again", at, "--yes")
    assert lost.code == 1
    assert "of which a table has a record: 0" in lost.out
    assert "erase its person by --subject" in " ".join(lost.out.split())
    assert run("erase", "--subject", TEL, "--yes").code == 0
    assert left(outreach, *SOUGHT) == set()


def test_an_erasing_is_of_a_subject_or_of_a_backup_and_that_has_a_time(outreach, run):
    for wrong in ((), ("--subject", TEL, "--again", "2026-11-20T09:00:00Z"), ("--again", "x")):
        assert run("erase", *wrong, "--yes").code == 2


def test_the_record_of_an_erasing_holds_no_address(outreach, run, backup):
    run("erase", "--subject", TEL, "--yes")
    (row,) = [
        found
        for found in outreach.rows("ConversationsTable")
        if found["primary_channel"]["S"] == "erasures"
    ]
    assert not [word for word in SOUGHT if word in json.dumps(row)]
    assert int(row["ttl"]["N"]) > 35 * 86400
