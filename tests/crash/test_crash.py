"""The short form of ``make crash``: every boundary at the vendor, a few at the tables, each special run."""

import pytest

from tests.crash.harness import Rig, Run
from tests.crash.runs import (
    boundaries,
    held_request,
    killed_ingress,
    killed_worker,
    stopped_worker,
    two_messages,
    two_workers,
    vendor_fault,
)


@pytest.fixture(scope="module")
def rig():
    with Rig.up() as made:
        yield made


@pytest.fixture(scope="module")
def calls(rig):
    return boundaries(rig, wiring="replied")


def reply_of(calls):
    return next(call for call in calls if "send-message" in call.operation)


@pytest.mark.parametrize("side", ["before", "after"])
def test_a_worker_killed_at_a_vendor_call_or_beside_one_does_all_once(rig, calls, side):
    after_the_reply = calls[reply_of(calls).number]
    for call in (*(call for call in calls if call.target == "vendor"), after_the_reply):
        assert killed_worker(rig, call, side).problems == []


@pytest.mark.parametrize("ledger", [False, True])
def test_a_door_killed_at_its_send_loses_nothing(rig, ledger):
    run = Run(rig, ingress_ledger=ledger)
    run.write("1042", "c-1")
    rig.proxy.forget()
    run.post("1042", "c-1")
    sends = [call.number for call in rig.proxy.calls if "SendMessage" in call.operation]
    run.close()
    for side in ("before", "after"):
        assert killed_ingress(rig, sends[0], side, ledger=ledger).problems == []


@pytest.mark.parametrize("kind", ["answer_lost", "reset", "act_then_500", "429"])
def test_a_reply_that_meets_a_fault_comes_once(rig, calls, kind):
    assert vendor_fault(rig, reply_of(calls), kind).problems == []


@pytest.mark.parametrize("side", ["before", "after"])
def test_a_worker_stopped_beyond_its_lease_does_nothing_twice(rig, calls, side):
    for call in (reply_of(calls), calls[reply_of(calls).number - 2]):
        assert stopped_worker(rig, call, side).problems == []


def test_two_workers_on_one_event_do_it_once(rig):
    assert two_workers(rig).problems == []


def test_a_killed_first_message_is_answered_before_the_second(rig, calls):
    assert two_messages(rig, reply_of(calls), "after").problems == []


def test_a_request_held_in_the_network_and_let_through_within_d_is_found(rig, calls):
    assert held_request(rig, reply_of(calls), beyond=False).problems == []


def test_a_request_let_through_beyond_d_is_what_is_not_promised(rig, calls):
    """It fails when this ever comes to hold, so that the page may promise more."""
    problems = held_request(rig, reply_of(calls), beyond=True).problems
    assert problems == ["P1 1042: 2 replies to 1 messages"]
