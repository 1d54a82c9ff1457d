"""Richpanel allows 50 calls in 30 seconds to a whole tenant: what each kind of message costs of them."""

import pytest

SHOWS_NOTHING = {"status": 200, "body": {}, "times": None}


def operations(system):
    return [call.operation for call in system.richpanel.calls]


def answers_show_nothing(system):
    """The tenant's answers to changes do not show the ticket."""
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


def test_the_ids_of_tags_are_read_once(system):
    system.richpanel.set_modes(tag_mode="id")
    system.services().richpanel._tags._mode = "id"
    for tag in ("route-returns-admin", "mw-intent-refund_request", "mw-routing-applied"):
        system.richpanel.tag_id(tag)
    system.richpanel.tag_id("mw-processed")
    for ticket in ("1", "2", "3"):
        system.post(system.ticket(ticket))
    system.run()
    assert sorted(operations(system)) == ["add_tags"] * 3 + ["list_tags"] + ["read_ticket"] * 3
