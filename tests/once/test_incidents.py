"""Incidents by the index of causes: one per cause, stored by the sweep, ended when nothing is held up."""

from datetime import timedelta

import pytest

from chalicelib.clock import iso
from chalicelib.once.event import EventStatus
from chalicelib.once.incident import State
from chalicelib.once.incidents import Incidents
from tests.rigs.ledger import MODES, facts


@pytest.fixture
def incidents(ledger_rig):
    return Incidents(table=ledger_rig.table, clock=ledger_rig.clock, retention=timedelta(days=30))


def stuck(rig, number, reason="richpanel_http_503"):
    """An event whose attempt has failed; its lease has ended."""
    key = f"evt:rp:{number}:c"
    event = facts(key, received_at=iso(rig.clock.now()))
    lease = rig.ledger.claim(event, MODES, lease_seconds=250, takeover=frozenset())
    rig.ledger.release(lease, reason=reason, due_epoch=2e9)
    return key


def test_many_events_of_one_cause_are_one_incident_from_the_first_on(ledger_rig, incidents):
    for number in range(20):
        stuck(ledger_rig, number)
        ledger_rig.clock.forward(1)
    (incident,) = incidents.all()
    assert (incident.name, incident.state, incident.held) == (
        "richpanel.unavailable.tickets.1",
        State.OPEN,
        20,
    )
    assert incident.since == incidents.held_events(incident.cause, limit=1)[0][0]
    stuck(ledger_rig, 99, "shopify_http_401")
    assert {str(found) for found in incidents.causes()} == {
        "richpanel.unavailable.tickets",
        "shopify.refuses_key.tickets",
    }


def test_what_is_held_up_has_its_key_in_the_index_also_at_a_worker(ledger_rig, incidents):
    held = {stuck(ledger_rig, 1), stuck(ledger_rig, 2, "shopify_http_401")}
    ledger_rig.claim("evt:rp:1:c")
    assert set(incidents.stuck_keys(limit=10)) == held
    assert len(incidents.stuck_keys(limit=1)) == 1
    ledger_rig.ledger.finish(ledger_rig.claim("evt:rp:2:c"), EventStatus.PROCESSED)
    assert incidents.stuck_keys(limit=10) == ["evt:rp:1:c"]


def test_an_event_that_ends_at_its_first_attempt_is_never_in_the_index(ledger_rig, incidents):
    lease = ledger_rig.claim("evt:rp:1:c")
    ledger_rig.ledger.finish(lease, EventStatus.PROCESSED)
    assert not {"stuck_shard", "stuck_by"} & ledger_rig.row("evt:rp:1:c").keys()
    assert incidents.all() == []


def test_the_sweep_stores_what_lasts_and_what_has_ended(ledger_rig, incidents):
    key = stuck(ledger_rig, 1)
    assert incidents.note_changes() == ([], []), "a hiccup is no incident"
    ledger_rig.clock.forward(700)
    opened, ended = incidents.note_changes()
    assert ([incident.number for incident in opened], ended) == ([1], [])
    assert incidents.note_changes() == ([], []), "once"
    ledger_rig.ledger.finish(ledger_rig.claim(key), EventStatus.PROCESSED)
    opened, ended = incidents.note_changes()
    assert (opened, [incident.state for incident in ended]) == ([], [State.ENDED])
    stuck(ledger_rig, 2)
    (again,) = incidents.all()
    assert (again.number, again.state) == (2, State.OPEN)


def test_what_comes_after_a_mend_is_the_next_incident_which_no_person_has_yet(
    ledger_rig, incidents
):
    stuck(ledger_rig, 1)
    (seen,) = incidents.all()
    ledger_rig.clock.forward(60)
    mended = {"mended_by": "jo", "mended_at": iso(ledger_rig.clock.now()), "asked_for": 1}
    assert incidents.write(seen, state=State.MENDED, owner="jo", is_done=True, **mended)
    (still,) = incidents.all()
    assert (still.number, still.state, still.held) == (1, State.MENDED, 1)
    ledger_rig.clock.forward(60)
    stuck(ledger_rig, 2)
    (again,) = incidents.all()
    assert again == incidents.get(seen.cause)
    assert (again.number, again.state, again.held, again.owner) == (2, State.OPEN, 2, "")
    assert again.since == iso(ledger_rig.clock.now())
    ledger_rig.clock.forward(700)
    opened, _ = incidents.note_changes()
    assert [incident.number for incident in opened] == [2]


def test_many_causes_that_fill_a_page_are_all_found(ledger_rig, incidents, monkeypatch):
    monkeypatch.setattr("chalicelib.once.incidents.MOST_COUNTED", 2)
    for number in range(30):
        stuck(ledger_rig, number)
        stuck(ledger_rig, 100 + number, "shopify_http_401")
    found = incidents.all()
    assert {(incident.cause.vendor, incident.held) for incident in found} == {
        ("richpanel", 2),
        ("shopify", 2),
    }
    assert {incident.since for incident in found} == {iso(ledger_rig.clock.now())}


def test_of_two_writes_of_one_state_the_second_is_refused(ledger_rig, incidents):
    stuck(ledger_rig, 1)
    (seen,) = incidents.all()
    assert incidents.write(seen, state=State.ACKNOWLEDGED, owner="jo")
    assert not incidents.write(seen, state=State.ACKNOWLEDGED, owner="kim")
    assert incidents.stored(seen.cause).owner == "jo"
