"""A ticket is found in every state that its event may have while Richpanel does not answer."""

import time

import pytest

from chalicelib.once.event import EventStatus
from chalicelib.once.ports import UNDECIDED
from chalicelib.support import keys as ticket_keys
from tests.rigs.ledger import facts
from tests.rigs.ops_cli import runner
from tests.rigs.tickets import RoutingSystem

TICKET = "3010"
UNAVAILABLE = "richpanel_http_503"
TRACE = "3e01f31bf4d2caef"
KEYS = {
    "a message": ticket_keys.ticket_message(TICKET, "c-1"),
    "a notification": ticket_keys.ticket_notification(TICKET, "d-1"),
    "a message without an id": ticket_keys.ticket_text(TICKET, "Where is it?", 0.0),
}


@pytest.fixture
def system(app, without_rate_limits, stage, richpanel, pump):
    return RoutingSystem(app, stage, richpanel, pump)


@pytest.fixture
def run(system, capsys):
    return runner(capsys)


def of_ticket(key):
    return facts(key, conversation_id=TICKET, trace_id=TRACE)


def claimed(ledger, key, **more):
    more.setdefault("takeover", frozenset())
    return ledger.claim(of_ticket(key), UNDECIDED, lease_seconds=250, **more)


def handed_back(ledger, key):
    ledger.release(claimed(ledger, key), reason=UNAVAILABLE, due_epoch=time.time() + 900)


def at_a_worker_again(ledger, key, **more):
    handed_back(ledger, key)
    claimed(ledger, key, **more)


def set_aside(ledger, key):
    ledger.set_aside(of_ticket(key), reason=UNAVAILABLE, due_epoch=time.time() + 900)


def parked(ledger, key):
    waits_for = [f"act:rp_tag:{TICKET}:x:c-1"]
    ledger.finish(
        *(claimed(ledger, key), EventStatus.PARKED),
        reason="unknown:timeout",
        waits_for=waits_for,
        at_vendor="richpanel",
    )


def given_up(ledger, key, *, handoff_due=False):
    ledger.finish(
        *(claimed(ledger, key), EventStatus.FAILED),
        reason=f"dead_letter:{UNAVAILABLE}",
        handoff_due=handoff_due,
    )


STATES = {
    "handed back": handed_back,
    "at a worker again": at_a_worker_again,
    "at a worker again, on the last receive": lambda ledger, key: at_a_worker_again(
        ledger, key, last_chance=True
    ),
    "set aside": set_aside,
    "parked": parked,
    "given up": given_up,
    "given up, its hand-off pending": lambda ledger, key: given_up(ledger, key, handoff_due=True),
}


@pytest.mark.parametrize("kind", KEYS)
@pytest.mark.parametrize("state", STATES)
def test_a_ticket_is_found_in_every_state_while_richpanel_is_away(system, run, kind, state):
    STATES[state](system.services().ledger, KEYS[kind])
    system.richpanel.down()
    assert found(run("explain", TICKET, "--json")) == [KEYS[kind]]


@pytest.mark.parametrize("kind", KEYS)
@pytest.mark.parametrize("state", STATES)
def test_richpanel_need_not_list_the_comment_of_what_is_unfinished(system, run, kind, state):
    system.richpanel.add_ticket(TICKET, comments=[{"body": "Hello", "id": "c-9"}])
    STATES[state](system.services().ledger, KEYS[kind])
    assert found(run("explain", TICKET, "--json")) == [KEYS[kind]]


@pytest.mark.parametrize("state", ["handed back", "at a worker again"])
def test_a_ticket_is_found_behind_more_than_a_thousand_others(system, run, state):
    ledger = system.services().ledger
    others = [ticket_keys.ticket_message(f"o-{n}", "c-1") for n in range(4_400)]
    ledger._table.put_all([ledger.scheduled_item(facts(key), time.time() - 60) for key in others])
    STATES[state](ledger, KEYS["a message"])
    system.richpanel.down()
    assert found(run("explain", TICKET, "--json")) == [KEYS["a message"]]


@pytest.mark.parametrize("kind", KEYS)
def test_what_a_worker_has_for_the_first_time_is_never_called_absent(system, run, kind):
    claimed(system.services().ledger, KEYS[kind])
    for is_up in (True, False):
        if not is_up:
            system.richpanel.down()
        said = run("explain", TICKET)
        assert said.code == 1
        assert "nothing is stored" not in said.err
        assert "events at a worker" in said.err
    assert found(run("explain", TICKET, "--deep", "--json")) == [KEYS[kind]]


def found(said):
    assert said.code == 0, said
    return [event["event"]["event_id"] for event in said.data["events"]]


def test_what_a_worker_has_again_is_found_by_its_trace(system, run):
    at_a_worker_again(system.services().ledger, KEYS["a message"])
    assert found(run("explain", TRACE, "--json")) == [KEYS["a message"]]


def test_what_a_worker_has_again_is_listed_as_unfinished(system, run):
    at_a_worker_again(system.services().ledger, KEYS["a message"])
    (listed,) = run("unfinished", "--json").data
    assert (listed["event"], listed["status"]) == (KEYS["a message"], "processing")
    assert listed["due_at"] > listed["received_at"]


def test_what_a_worker_has_again_is_listed_and_counted_before_more_than_are_shown(system, run):
    ledger = system.services().ledger
    at_a_worker_again(ledger, KEYS["a message"])
    for number in range(3):
        handed_back(ledger, ticket_keys.ticket_message(f"o-{number}", "c-1"))
    assert KEYS["a message"] in run("unfinished", "--limit", "2").out
    assert "4 unfinished, only 2 shown" in run("unfinished", "--limit", "2").out
