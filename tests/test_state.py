"""Table B on every engine: a late message never moves a conversation backwards."""

import pytest
from fakes import ManualClock

from chalicelib.dynamo import Table
from chalicelib.ports import EventFacts, Lease, StateChange
from chalicelib.state import States

EVENT = EventFacts("evt:rp:1:c", "1", "2026-11-20T11:59:59.000Z", "9f", 9, "test", "c")


@pytest.fixture
def clock():
    return ManualClock()


@pytest.fixture
def table(ddb):
    return Table(ddb.client, ddb.state_table)


@pytest.fixture
def states(table, clock):
    return States(table, clock)


def lease(fence=1):
    return Lease(EVENT, "o", fence, 2e9, 1)


def change(at, **more):
    return StateChange("1", f"2026-11-20T{at}.000Z", **more)


def test_a_first_message_makes_the_row_with_its_required_attributes(states, table):
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


def test_a_newer_message_moves_it_on_and_an_older_one_does_not(states):
    """F49."""
    assert states.apply(lease(), change("10:00:00", intent="a"))
    assert states.apply(lease(), change("11:00:00", intent="b"))
    assert not states.apply(lease(), change("10:30:00", intent="c"))
    state = states.read("1")
    assert (state.last_intent, state.version) == ("b", 2)


def test_a_zombie_of_the_same_message_does_not_overwrite_its_heir(states):
    """F25."""
    assert states.apply(lease(fence=2), change("10:00:00", intent="heir"))
    assert not states.apply(lease(fence=1), change("10:00:00", intent="zombie"))
    assert states.read("1").last_intent == "heir"


def test_a_resumed_event_may_write_again(states):
    assert states.apply(lease(fence=1), change("10:00:00"))
    assert states.apply(lease(fence=2), change("10:00:00"))


def test_the_floor_of_the_first_contact_stays(states):
    states.apply(lease(), change("10:00:00", first_contact_floor="2026-11-20T09:00:00.000Z"))
    states.apply(lease(), change("11:00:00", first_contact_floor="2026-11-20T10:30:00.000Z"))
    assert states.read("1").first_contact_floor == "2026-11-20T09:00:00.000Z"


def test_a_cleared_attribute_is_gone(states):
    states.apply(lease(), change("10:00:00", pending_flow={"type": "need_order_number"}))
    states.apply(lease(), change("11:00:00", clear=frozenset({"pending_flow"})))
    assert states.read("1").pending_flow is None


def test_an_expired_row_counts_as_none_and_leaves_nothing_behind(states, table, clock):
    """F29."""
    states.apply(lease(), change("10:00:00", risk_flags=frozenset({"chargeback"})))
    clock.forward(91 * 86_400)
    assert states.read("1") is None
    assert states.apply(lease(), change("09:00:00", intent="fresh"))
    row = table.get({"conversation_id": "1"})
    assert (row["version"], "risk_flags" in row) == (1, False)
