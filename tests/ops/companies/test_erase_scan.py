"""The scan after an erasing: every place is asked, or says why not; what stays has a reason and an end."""

import io

import pytest

from chalicelib.facts.posting.ndjson import FileRows
from ops.companies import erase_scan
from ops.companies.erase import Subjects
from ops.companies.erase_canaries import canaries
from tests.rigs.ops_session import session

MAIL = "jane.doe@example.com"
SOUGHT = canaries(Subjects(addresses=(MAIL,), ids=("1042",)))


def archive(folder):
    ops = session()
    changed = {"facts_bucket": "", "facts_folder": str(folder)}
    ops.services.settings = ops.services.settings.model_copy(update=changed)
    return erase_scan._archive(ops, SOUGHT)


def test_the_archive_is_read_and_what_it_holds_of_a_person_is_found(tmp_path):
    rows = [{"EventID": "1", "agent": "jo"}, {"EventID": "2", "note": f"for {MAIL}"}]
    FileRows(tmp_path).append("Anything", 1, rows, deadline_seconds=5)
    found = archive(tmp_path)
    assert (found.asked, [trace.canary for trace in found.left]) == (2, ["address 1"])
    assert MAIL not in str(found)


def test_an_archive_that_cannot_be_read_proves_nothing(tmp_path):
    FileRows(tmp_path).put("FactEvent/day=2026-11-20/1.ndjson.gz", io.BytesIO(b"no gzip"))
    found = archive(tmp_path)
    assert (found.asked, found.has_failed) == (None, True)
    assert "run again" in found.why_not


@pytest.mark.parametrize(
    ("table", "item", "why"),
    [
        ("idempotency_table", {"event_id": "evt:1042", "erased_at": "x"}, erase_scan.TOMBSTONE),
        ("idempotency_table", {"event_id": "evt:1042"}, ""),
        (
            "audit_table",
            {"conversation_id": "1042", "actor": "jo", "reason": ""},
            erase_scan.JOURNAL,
        ),
        ("audit_table", {"conversation_id": "1042", "actor": "jo", "reason": "ill"}, ""),
        ("audit_table", {"conversation_id": "1042"}, ""),
        ("state_table", {"conversation_id": "1042"}, ""),
    ],
)
def test_an_id_stays_only_where_a_law_or_the_ledger_needs_it(table, item, why):
    ops = session()
    name = getattr(ops.services.settings, table)
    assert erase_scan._stays(ops, name, item) == why


def test_an_id_stays_in_another_ones_conversation_only_as_one_of_an_unclear_message():
    ops = session()
    table, item = ops.services.settings.conversations_table, {"primary_channel": "+15550100002"}
    assert erase_scan._stays(ops, table, item, {"unclear_between"}) == erase_scan.UNCLEAR_KEPT
    assert erase_scan._stays(ops, table, item, {"unclear_between", "messages"}) == ""
    assert erase_scan._stays(ops, table, item) == ""
