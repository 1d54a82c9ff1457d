"""Table B: a late message never moves a conversation backwards."""

from datetime import timedelta

import pytest

from chalicelib.errors import TransientError
from chalicelib.once.event import EventFacts, Lease
from chalicelib.support.state import StateChange, States
from tests.rigs.fakes import ManualClock
from tests.rigs.tables import FaultyTable
from tests.simulation.memory_table import MemoryTable

EVENT = EventFacts("evt:rp:1:c", "1", "2026-11-20T11:59:59.000Z", "9f", 9, "test", "c")


@pytest.fixture
def clock():
    return ManualClock()


@pytest.fixture
def table(table_b):
    return table_b


@pytest.fixture
def states(table, clock):
    return States(table=table, clock=clock)


def lease(fence=1):
    return Lease(EVENT, "o", fence, 2e9, 1)


def change(at, **more):
    return StateChange("1", f"2026-11-20T{at}.000Z", **more)


def test_a_first_message_creates_the_row_with_its_required_attributes(states, table):
    assert states.apply(
        lease(),
        change(
            "10:00:00",
            intent="refund_request",
            risk_flags=frozenset({"chargeback"}),
            pending_flow={"type": "need_order_number", "attempts": 1},
            last_auto_reply={"type": "order_status"},
        ),
    )
    row = table.get({"conversation_id": "1"})
    assert (type(row["updated_at"]), type(row["expires_at"])) == (str, int)
    assert row["expires_at"] - int(ManualClock().now().timestamp()) == 90 * 86_400
    state = states.read("1")
    assert (state.version, state.risk_flags) == (1, frozenset({"chargeback"}))
    assert state.pending_flow == {"type": "need_order_number", "attempts": 1}
    assert state.last_auto_reply == {"type": "order_status"}


def test_a_newer_message_advances_the_state_and_an_older_one_does_not(states):
    """F49: late or reordered events."""
    assert states.apply(lease(), change("10:00:00", intent="a"))
    assert states.apply(lease(), change("11:00:00", intent="b"))
    assert not states.apply(lease(), change("10:30:00", intent="c"))
    state = states.read("1")
    assert (state.last_intent, state.version) == ("b", 2)


def test_a_worker_that_lost_its_lease_does_not_overwrite_the_next_ones_state(states):
    """F25: a paused worker resumes."""
    assert states.apply(lease(fence=2), change("10:00:00", intent="heir"))
    assert not states.apply(lease(fence=1), change("10:00:00", intent="zombie"))
    assert states.read("1").last_intent == "heir"


@pytest.mark.parametrize("fence", [1, 2])
def test_a_resumed_event_and_a_repeated_write_may_write_again(states, fence):
    """F22: a write whose response was lost is not mistaken for a newer message."""
    assert states.apply(lease(fence=1), change("10:00:00"))
    assert states.apply(lease(fence=fence), change("10:00:00"))


def test_the_floor_of_the_first_contact_stays(states):
    states.apply(lease(), change("10:00:00", first_contact_floor="2026-11-20T09:00:00.000Z"))
    states.apply(lease(), change("11:00:00", first_contact_floor="2026-11-20T10:30:00.000Z"))
    assert states.read("1").first_contact_floor == "2026-11-20T09:00:00.000Z"


def test_a_cleared_attribute_is_removed(states):
    states.apply(lease(), change("10:00:00", pending_flow={"type": "need_order_number"}))
    states.apply(lease(), change("11:00:00", clear=frozenset({"pending_flow"})))
    assert states.read("1").pending_flow is None


@pytest.mark.parametrize("at", ["09:00:00", "11:00:00"])
def test_an_expired_row_counts_as_missing_and_is_replaced_completely(states, table, clock, at):
    """F29: whether the next message is older than the one that was forgotten or newer."""
    flags, floor = frozenset({"chargeback"}), "2026-11-20T09:30:00.000Z"
    states.apply(lease(), change("10:00:00", risk_flags=flags, first_contact_floor=floor))
    clock.forward(90 * 86_400)
    assert states.read("1") is None
    assert not states.read_all(["1"])
    assert states.apply(lease(), change(at, intent="fresh"))
    row = table.get({"conversation_id": "1"})
    assert row["version"] == 1
    assert not {"risk_flags", "first_contact_floor"} & row.keys()


def test_before_its_expiry_second_a_row_is_read_and_updated(states, clock):
    states.apply(lease(), change("10:00:00"))
    clock.forward(90 * 86_400 - 1)
    assert states.read("1").version == 1
    assert "1" in states.read_all(["1"])
    assert not states.apply(lease(), change("09:00:00"))


def listed(key, due=1_763_629_752):
    return {"event": key, "due": due}


def test_the_list_of_what_waits_expires_with_its_row(table, clock):
    states = States(table=table, clock=clock, retention=timedelta(days=7))
    states.set_waiting("1", (), [listed("a")])

    row = table.get({"conversation_id": "1"})
    assert row["expires_at"] - int(clock.now().timestamp()) == 7 * 86_400
    assert states.read("1").waiting == (listed("a"),)
    with pytest.raises(TransientError):
        states.set_waiting("1", (), [listed("b")])
    states.set_waiting("1", [listed("a")], [])
    assert states.read("1").waiting == ()


@pytest.mark.parametrize("waits", [(), (listed("old"),)])
def test_an_event_that_waits_brings_nothing_of_an_expired_row_back(states, table, clock, waits):
    """TTL deletes days later: until then the list can neither be stuck nor revive the old state."""
    states.apply(lease(), change("10:00:00", intent="old", pending_flow={"attempts": 1}))
    if waits:
        states.set_waiting("1", (), waits)
    states.apply(lease(), StateChange("2", "2026-11-20T10:00:00.000Z"))
    clock.forward(90 * 86_400)

    states.set_waiting("1", (), [listed("new")])

    row = table.get({"conversation_id": "1"})
    assert row["waiting"] == [listed("new")]
    assert row["expires_at"] - int(clock.now().timestamp()) == 90 * 86_400
    assert not {"last_intent", "pending_flow", "last_message_at"} & row.keys()
    assert states.read("1").waiting == (listed("new"),)
    assert states.read("2") is None


def test_an_emptied_list_does_not_revive_a_row_that_has_expired_since(states, table, clock):
    states.set_waiting("1", (), [listed("a")])
    clock.forward(90 * 86_400)

    states.set_waiting("1", [listed("a")], [])

    assert states.read("1") is None
    row = table.get({"conversation_id": "1"}) or {}
    assert row.get("expires_at", 0) <= clock.now().timestamp()


@pytest.fixture
def shared():
    """A table that others use too."""
    return FaultyTable(MemoryTable("state", ("conversation_id",)))


@pytest.mark.parametrize(
    ("at", "is_kept", "known"), [("11:00:00", False, "first"), ("13:00:00", True, "second")]
)
def test_of_two_messages_after_an_expired_row_the_newer_is_stored(
    shared, clock, at, is_kept, known
):
    states = States(table=shared, clock=clock)
    states.apply(lease(), change("10:00:00"))
    clock.forward(91 * 86_400)
    shared.before["put"] = lambda: states.apply(lease(), change("12:00:00", intent="first"))
    assert states.apply(lease(), change(at, intent="second")) == is_kept
    assert states.read("1").last_intent == known


def test_an_expired_row_deleted_meanwhile_is_created_again(shared, clock):
    """TTL may delete at any time, also between the read and the write."""
    states = States(table=shared, clock=clock)
    states.apply(lease(), change("10:00:00"))
    clock.forward(91 * 86_400)
    shared.before["put"] = lambda: shared.delete({"conversation_id": "1"})
    assert states.apply(lease(), change("11:00:00", intent="fresh"))
    assert states.read("1").last_intent == "fresh"
