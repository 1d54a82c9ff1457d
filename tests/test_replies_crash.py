"""Killed at every call of an automatic reply, AWS's or a vendor's: answered once, and in the end answered.

Killed after a call and killed before the next one are the same to everybody outside, so each pair
is one run: before the first call, then after each.
"""

import itertools
from datetime import timedelta

import pytest
from killing import Killer, at_aws, at_vendors, work

BEYOND_THE_HORIZON = timedelta(minutes=30)
BETWEEN_TWO_LOOKS = timedelta(minutes=6)
TRACKING = {"number": "ZZ555", "url": "https://carrier.example/t/ZZ555", "company": "UPS"}


@pytest.fixture
def app_environment(desk_environment):
    return desk_environment


@pytest.fixture
def killer(desk, monkeypatch):
    found = Killer()
    at_aws(found, monkeypatch)
    at_vendors(found, monkeypatch)
    desk.richpanel.set_modes(rate_limit=None)
    desk.new_container()
    return found


def boundaries():
    return itertools.chain([(1, "before")], ((number, "after") for number in itertools.count(1)))


def changes(desk, ticket, *kinds):
    """What was changed on a ticket from outside, oldest first."""
    return [
        effect.kind
        for effect in desk.richpanel.effects
        if effect.ticket_id == ticket and effect.kind in kinds and effect.changed
    ]


@pytest.mark.parametrize(
    ("order", "wanted"),
    [
        pytest.param({"tracking": TRACKING}, ["message"], id="answered"),
        pytest.param({"shipping": "Standard"}, ["message", "closed"], id="closed"),
    ],
)
def test_a_reply_killed_at_any_call_of_the_worker_comes_once_and_is_never_lost(
    desk, shopify, killer, clock_moves, order, wanted
):
    tickets, ends = [], set()
    for run, (number, moment) in enumerate(boundaries()):
        ticket, email = str(2000 + run), f"ada{run}@example.com"
        shopify.add_order(f"#{5000 + run}", email=email, **order)
        question = f"Where is my order #{5000 + run}?"
        desk.post(desk.ticket(question, ticket_id=ticket, customer_email=email))
        killer.arm(number, moment)
        was_killed = work(desk)
        killer.disarm()
        tickets.append(ticket)
        if not was_killed:
            break
        desk.let_leases_end()
        desk.again()
        ended = desk.event(ticket_id=ticket)
        seen = changes(desk, ticket, "message", "closed")
        where = (number, moment, ended["status"], ended.get("reason"), seen)
        assert ended["status"] in {"processed", "parked"}, where
        assert ended["status"] == "processed" or ended["reason"], where
        assert seen == wanted[: len(seen)], where
        ends.add((ended["status"], len(seen)))
    assert number > 20
    assert ("processed", len(wanted)) in ends
    for wait in (BEYOND_THE_HORIZON, BETWEEN_TWO_LOOKS, BETWEEN_TWO_LOOKS):
        clock_moves(wait)
        desk.new_container()
        desk.sweep()
    for ticket in tickets:
        assert changes(desk, ticket, "message", "closed") == wanted, ticket
        assert desk.event(ticket_id=ticket)["status"] == "processed", ticket
        assert {"mw-auto-replied", "mw-reply-sent", "mw-processed"} <= desk.tags(ticket), ticket
        assert desk.state(ticket).last_auto_reply["type"] == "order_status", ticket
