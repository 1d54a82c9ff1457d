"""Richpanel allows 50 calls in 30 seconds to a whole tenant: what each kind of message costs of them."""

import pytest

from chalicelib.vendors.level import EMPTY
from local.stack.lambda_events import LambdaContext, schedule_event
from tests.rigs.tickets import ROUTED, ago

SHOWS_NOTHING = {"status": 200, "body": {}, "times": None}


def operations(system):
    return [call.operation for call in system.richpanel.calls]


def answers_show_nothing(system):
    """Let Richpanel's answers to changes leave out the ticket."""
    for operation in ("add_tags", "remove_tags"):
        system.richpanel.fault("act_then_status", operation=operation, **SHOWS_NOTHING)


@pytest.mark.parametrize("form", [{}, {"message_id": None, "message": None}])
def test_a_first_routing_is_two_calls_where_the_answer_shows_the_tags(system, form):
    system.post(system.ticket() | form)
    system.run()
    assert operations(system) == ["read_ticket", "add_tags"]


def test_a_first_routing_is_three_calls_where_the_answer_shows_nothing(system):
    answers_show_nothing(system)
    system.post(system.ticket())
    system.run()
    assert operations(system) == ["read_ticket", "add_tags", "read_ticket"]
    assert system.event()["status"] == "processed"


def test_a_ticket_that_moves_is_three_calls(system):
    system.post(system.ticket(tags=["route-sales-team"]))
    system.run()
    assert operations(system) == ["read_ticket", "remove_tags", "add_tags"]


def test_a_ticket_that_moves_is_four_calls_where_the_answers_show_nothing(system):
    """One read shows both changes."""
    answers_show_nothing(system)
    system.post(system.ticket(tags=["route-sales-team"]))
    system.run()
    assert operations(system) == ["read_ticket", "remove_tags", "add_tags", "read_ticket"]
    assert system.event()["status"] == "processed"
    assert system.richpanel.tags_of("1042") == set(ROUTED)


@pytest.mark.parametrize("form", ["id", "thin"])
def test_a_ticket_that_a_person_answered_meanwhile_costs_the_read_that_shows_it(system, form):
    """Two tickets wait; the person who has one of them has answered it."""
    for ticket in ("1", "2"):
        wait(system, ticket, "I want a refund", form)
    answered(system, "1")
    system.run()

    assert sorted(operations(system)) == ["add_tags", "read_ticket", "read_ticket"]
    assert system.richpanel.tags_of("1") == frozenset()
    assert system.richpanel.tags_of("2") == {"mw-intent-refund_request", "mw-processed"}


def test_a_grave_message_is_routed_although_a_person_answered_it(system):
    wait(system, "1", "I will call my lawyer and sue you", "id")
    answered(system, "1")
    system.run()

    assert "mw-risk-legal_threat" in system.richpanel.tags_of("1")


def wait(system, ticket, text, form):
    """A ticket's webhook, two hours after its message; somebody has taken the ticket."""
    system.richpanel.add_ticket(ticket, assignee_id="agent-7")
    system.richpanel.add_comment(ticket, text, id="c-1", created_at=ago(7_200))
    named = {"message_id": "c-1", "message": text} if form == "id" else {}
    system.post({"ticket_id": ticket} | named)


def answered(system, ticket):
    """An hour later, by the person who has the ticket."""
    answer = {"operator": True, "author_id": "agent-7", "created_at": ago(3_600)}
    system.richpanel.add_comment(ticket, "It is on its way.", **answer)


def test_the_sweep_takes_its_calls_from_the_workers_budget(system):
    services = system.services()
    assert services.support.richpanel_level.read() is None
    system.app.reconcile(schedule_event(), LambdaContext(timeout_seconds=240))
    assert operations(system) == ["list_tickets"]
    full = services.clock.now().timestamp() - 15  # the burst of 15 at a call a second
    assert services.support.richpanel_level.read().time(EMPTY) > full


def test_the_ids_of_tags_are_read_once(system):
    system.richpanel.set_modes(tag_mode="id")
    system.services().support.richpanel._tags._mode = "id"
    for tag in ("route-returns-admin", "mw-intent-refund_request", "mw-routing-applied"):
        system.richpanel.tag_id(tag)
    system.richpanel.tag_id("mw-processed")
    for ticket in ("1", "2", "3"):
        system.post(system.ticket(ticket))
    system.run()
    assert sorted(operations(system)) == ["add_tags"] * 3 + ["list_tags"] + ["read_ticket"] * 3
