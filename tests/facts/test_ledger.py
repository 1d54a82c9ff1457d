"""QuillIdempotencyLedger's contract, on every engine: new once, gone when expired, indexed."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from chalicelib.aws.dynamo import Table
from chalicelib.errors import LeaseLostError
from chalicelib.facts.drift import Mark
from chalicelib.facts.ledger import ATTRIBUTES, FactLedger
from chalicelib.facts.model import Dimension, FactStatus, Happening, KeptCounts
from chalicelib.once.event import Busy, EventFacts, Lease
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Modes
from tests.rigs.fact_writer import CrashingClient, fact
from tests.rigs.fakes import ManualClock

RETENTION = timedelta(days=14)
HAPPENING = Happening(
    at=datetime(2026, 11, 20, 18, 5, tzinfo=UTC),
    timezone="America/Denver",
    seconds=70,
    channel="call",
    outcome="completed",
    marks=(Mark.TIME_IN_OTHER_FORM, Mark.NUMBER_AS_TEXT),
)
MODES = Modes(mode="route_only", safe_mode=False, automation_enabled=False)


@pytest.fixture
def clock():
    return ManualClock()


@pytest.fixture
def store(ddb, clock):
    table = Table(ddb.client, ddb.tables["QuillLedgerTable"], ATTRIBUTES)
    return FactLedger(table=table, clock=clock, retention=RETENTION)


def stored(ddb, key):
    name = ddb.tables["QuillLedgerTable"]
    found = ddb.client.get_item(TableName=name, Key={"pk": {"S": key}}, ConsistentRead=True)
    return {name: next(iter(value.values())) for name, value in found["Item"].items()}


def test_a_row_has_the_seeds_attributes(ddb, store, clock):
    store.keep([fact(719285063)])
    row = stored(ddb, "ALOWARE:719285063")

    assert row["pk"] == "ALOWARE:719285063"
    assert row["seenAt"] == "2026-11-20T12:00:00.000Z"
    assert int(row["expiresAt"]) == int((clock.now() + RETENTION).timestamp())
    assert row["source"] == "ALOWARE"
    assert row["notes"] == "event=Call-Disposed;tz=UTC"
    assert row["status"] == "pending"


@pytest.mark.parametrize("happening", [HAPPENING, Happening(), Happening(seconds=0)])
def test_how_an_event_went_is_stored_and_read_again(store, happening):
    stored = fact(1, happening=happening)
    store.keep([stored])
    assert store.pending([stored.key]) == [stored]


def test_a_mark_of_a_newer_release_is_left_out(ddb, store):
    store.keep([fact(1, happening=HAPPENING)])
    ddb.client.update_item(
        TableName=ddb.tables["QuillLedgerTable"],
        Key={"pk": {"S": "ALOWARE:1"}},
        UpdateExpression="SET marks = :marks",
        ExpressionAttributeValues={":marks": {"L": [{"S": "unheard_of"}, {"S": "id_hashed"}]}},
    )
    (read,) = store.pending(["ALOWARE:1"])
    assert read.happening.marks == (Mark.ID_HASHED,)
    assert store.survey().drift["ALOWARE"].marks == {Mark.ID_HASHED: 1}


def test_the_first_fact_is_new_and_its_copy_a_duplicate(store):
    assert store.keep([fact(1)]) == KeptCounts(new=1)
    assert store.keep([fact(1), fact(2)]) == KeptCounts(new=1, duplicate=1)


def test_a_duplicate_fact_costs_no_write(ddb, store, clock):
    facts = [fact(n) for n in range(60)]
    store.keep(facts)
    client = CrashingClient(ddb.client)
    table = Table(client, ddb.tables["QuillLedgerTable"], ATTRIBUTES)
    FactLedger(table=table, clock=clock, retention=RETENTION).keep(facts)

    assert set(client.calls) == {"batch_get_item"}


def test_an_expired_row_that_still_exists_counts_as_missing(store, clock):
    store.keep([fact(1)])
    store.settle([fact(1)], FactStatus.POSTED, batch=1)
    clock.forward(RETENTION.total_seconds() - 1)
    assert store.keep([fact(1)]) == KeptCounts(duplicate=1)
    clock.forward(1)
    assert store.keep([fact(1)]) == KeptCounts(new=1)
    assert store.pending_keys(at_most=10) == ["ALOWARE:1"]


def test_a_counting_fact_replaces_a_skipped_one_and_never_the_reverse(ddb, store):
    early = fact(1).skipped_for("not_terminal")
    assert store.keep([early]) == KeptCounts(skipped=1)
    assert stored(ddb, "ALOWARE:1")["reason"] == "not_terminal"
    assert store.keep([early]) == KeptCounts(duplicate=1)
    assert store.keep([fact(1)]) == KeptCounts(new=1)
    assert store.keep([early]) == KeptCounts(duplicate=1)
    assert stored(ddb, "ALOWARE:1")["status"] == "pending"
    assert "reason" not in stored(ddb, "ALOWARE:1")


def test_a_final_skip_reason_replaces_a_provisional_one(ddb, store):
    store.keep([fact(1).skipped_for("not_terminal")])
    assert store.keep([fact(1).skipped_for("inbound")]) == KeptCounts(skipped=1)
    assert store.keep([fact(1).skipped_for("not_terminal")]) == KeptCounts(duplicate=1)
    assert store.keep([fact(1).skipped_for("not_on_roster")]) == KeptCounts(duplicate=1)
    assert stored(ddb, "ALOWARE:1")["reason"] == "inbound"


def test_a_row_written_between_read_and_write_is_not_overwritten(ddb, store, clock):
    class Overtaken(CrashingClient):
        def __getattr__(self, operation):
            if operation == "batch_execute_statement":
                store.keep([fact(1)])
                store.settle([fact(1)], FactStatus.POSTED, batch=7)
            return super().__getattr__(operation)

    table = Table(Overtaken(ddb.client), ddb.tables["QuillLedgerTable"], ATTRIBUTES)
    late = FactLedger(table=table, clock=clock, retention=RETENTION)

    assert late.keep([fact(1), fact(2)]) == KeptCounts(new=1, duplicate=1)
    assert stored(ddb, "ALOWARE:1")["status"] == "posted"


def test_pending_facts_are_found_oldest_first_until_they_are_final(store, clock):
    for number in range(12):
        store.keep([fact(number)])
        clock.forward(1)
    assert store.pending_keys(at_most=5) == [f"ALOWARE:{n}" for n in range(5)]

    store.settle([fact(n) for n in range(11)], FactStatus.POSTED, batch=1)

    assert store.pending_keys(at_most=5) == ["ALOWARE:11"]
    assert store.pending(["ALOWARE:3", "ALOWARE:11", "ALOWARE:none"]) == [fact(11)]


def test_settling_again_changes_nothing(ddb, store, clock):
    store.keep([fact(1)])
    store.settle([fact(1)], FactStatus.POSTED, batch=1)
    before = stored(ddb, "ALOWARE:1")
    clock.forward(60)
    store.settle([fact(1)], FactStatus.FAILED, batch=2, reason="late")

    assert stored(ddb, "ALOWARE:1") == before


def test_a_fact_that_is_posted_while_a_paused_writer_fails_it_stays_posted(ddb, store):
    """Otherwise it could be reopened, and would be counted twice."""
    store.keep([fact(1), fact(2)])
    read = store._rows

    def posted_meanwhile(keys):
        rows = read(keys)
        store._rows = read
        store.settle([fact(1)], FactStatus.POSTED, batch=8)
        return rows

    store._rows = posted_meanwhile
    store.settle([fact(1), fact(2)], FactStatus.FAILED, batch=7, reason="http_400")

    assert (stored(ddb, "ALOWARE:1")["status"], stored(ddb, "ALOWARE:1")["batch"]) == (
        "posted",
        "8",
    )
    assert stored(ddb, "ALOWARE:2")["status"] == "failed"
    assert not store.reopen("ALOWARE:1")
    assert store.pending_keys(at_most=5) == []


def test_pending_facts_are_prolonged_and_final_ones_are_not(ddb, store, clock):
    store.keep([fact(1), fact(2)])
    store.settle([fact(2)], FactStatus.POSTED, batch=1)
    assert store.prolong() == 0
    clock.forward(RETENTION.total_seconds() / 2 + 1)
    assert store.prolong() == 1
    assert store.prolong() == 0
    assert int(stored(ddb, "ALOWARE:1")["expiresAt"]) > int(stored(ddb, "ALOWARE:2")["expiresAt"])


def test_a_fact_that_is_posted_while_it_is_prolonged_stays_posted(ddb, store, clock):
    """Otherwise it would be posted again: the row that was read is pending."""
    store.keep([fact(1)])
    clock.forward(RETENTION.total_seconds() / 2 + 1)
    read = store._rows

    def posted_meanwhile(keys):
        rows = read(keys)
        store._rows = read
        store.settle([fact(1)], FactStatus.POSTED, batch=1)
        return rows

    store._rows = posted_meanwhile
    assert store.prolong() == 0
    assert stored(ddb, "ALOWARE:1")["status"] == "posted"


def test_the_posted_facts_can_be_read_back_until_they_expire(store, clock):
    store.keep([fact(1), fact(2), fact(3), fact(4).skipped_for("inbound")])
    store.settle([fact(1), fact(2)], FactStatus.POSTED, batch=1)

    assert sorted(fact.key for fact in store.posted_facts()) == ["ALOWARE:1", "ALOWARE:2"]
    clock.forward(RETENTION.total_seconds())
    assert store.posted_facts() == []


def test_a_dimensions_registry_never_expires(ddb, store):
    assert store.dimension("DimAgent:d") == Dimension()
    registry = Dimension(frozenset({"101"}), ("102",), 7)
    written = store.note_dimension("DimAgent:d", registry)

    assert store.dimension("DimAgent:d") == written == replace(registry, version=1)
    assert "expiresAt" not in stored(ddb, "DIM:DimAgent:d")


def test_a_paused_writer_overwrites_no_newer_registry(store):
    """P6: the registry of a dimension has no lease of its own."""
    read = store.dimension("DimAgent:d")
    newer = store.note_dimension("DimAgent:d", Dimension(frozenset({"101"}), (), 7), read)
    with pytest.raises(LeaseLostError):
        store.note_dimension("DimAgent:d", Dimension(frozenset(), ("101",), 8), read)
    assert store.dimension("DimAgent:d") == newer
    assert store.note_dimension("DimAgent:d", Dimension(frozenset({"101"}), (), 7), read) == newer


def test_the_core_ledger_holds_a_lease_under_this_tables_attribute_names(ddb, clock):
    table = Table(ddb.client, ddb.tables["QuillLedgerTable"], ATTRIBUTES)
    owners = iter(("one", "two", "three"))
    ledger = Ledger(table=table, clock=clock, new_owner=lambda: next(owners), retention=RETENTION)
    event = EventFacts("WRITER:facts", "FactEvent", "2026-11-20T12:00:00.000Z", "", 0, "WRITER")

    first = ledger.claim(event, MODES, lease_seconds=100, takeover=frozenset())
    busy = ledger.claim(event, MODES, lease_seconds=100, takeover=frozenset())
    clock.forward(101)
    second = ledger.claim(event, MODES, lease_seconds=100, takeover=frozenset())

    assert isinstance(first, Lease)
    assert isinstance(busy, Busy)
    assert isinstance(second, Lease)
    assert second.fence == first.fence + 1
    row = stored(ddb, "WRITER:facts")
    assert {"pk", "seenAt", "expiresAt"} <= set(row)
    assert not {"event_id", "created_at", "expires_at"} & set(row)


def test_only_a_failed_fact_can_be_reopened(store):
    facts = [fact(1), fact(2), fact(3)]
    store.keep(facts)
    store.settle([fact(1)], FactStatus.POSTED, batch=1)
    store.settle([fact(2)], FactStatus.FAILED, batch=2, reason="http_400")
    assert store.failed_facts() == {"ALOWARE:2": "http_400"}
    assert [store.reopen(f"ALOWARE:{n}") for n in (1, 2, 2, 3, 4)] == [False, True, *[False] * 3]
    assert store.failed_facts() == {}
    assert sorted(store.pending_keys(at_most=9)) == ["ALOWARE:2", "ALOWARE:3"]
    assert [fact.key for fact in store.pending(["ALOWARE:2"])] == ["ALOWARE:2"]
