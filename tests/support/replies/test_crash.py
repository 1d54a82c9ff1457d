"""Killed at every call of an automatic reply, AWS's or a vendor's: answered once, and in the end answered.

Killed after a call and killed before the next one are the same to everybody outside, so each pair
is one run: before the first call, then after each.
"""

import itertools
from datetime import timedelta

import pytest

from tests.rigs.killing import Killer, at_aws, at_vendors, work

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
    desk.new_container()
    return found


def boundaries(first=1):
    return itertools.chain(
        [(first, "before")], ((number, "after") for number in itertools.count(first))
    )


def changes(desk, ticket, *kinds):
    """What was changed on a ticket from outside, oldest first."""
    return [
        effect.kind
        for effect in desk.richpanel.effects
        if effect.ticket_id == ticket and effect.kind in kinds and effect.changed
    ]


class Asked:
    """Tickets that ask for their orders, each of a customer of its own."""

    def __init__(self, desk, shopify, killer, order, wanted):
        self.desk, self.shopify, self.killer = desk, shopify, killer
        self.order, self.wanted = order, wanted
        self.tickets, self.ends = [], set()

    def ask(self, number, moment):
        """One more ticket, its worker killed there; False when it came to its end before."""
        run = len(self.tickets)
        ticket, email = str(2000 + run), f"ada{run}@example.com"
        self.tickets.append(ticket)
        self.shopify.add_order(f"#{5000 + run}", email=email, **self.order)
        question = f"Where is my order #{5000 + run}?"
        self.desk.post(self.desk.ticket(question, ticket_id=ticket, customer_email=email))
        self.desk.new_container()
        self.killer.arm(number, moment)
        was_killed = work(self.desk)
        self.killer.disarm()
        return was_killed

    def deliver_again(self, *where):
        """The lease is over and another container has the message: answered, or visibly parked."""
        self.desk.let_leases_end()
        self.desk.again()
        ended = self.desk.event(ticket_id=self.tickets[-1])
        seen = changes(self.desk, self.tickets[-1], "message", "closed")
        told = (*where, ended["status"], ended.get("reason"), seen)
        assert ended["status"] in {"processed", "parked"}, told
        assert ended["status"] == "processed" or ended["reason"], told
        assert seen == self.wanted[: len(seen)], told
        self.ends.add((ended["status"], len(seen)))

    def all_end_answered(self, clock_moves):
        """Beyond the horizon, and after a second look, nobody is left without an answer."""
        for wait in (BEYOND_THE_HORIZON, BETWEEN_TWO_LOOKS, BETWEEN_TWO_LOOKS):
            clock_moves(wait)
            self.desk.new_container()
            self.desk.sweep()
        for ticket in self.tickets:
            assert changes(self.desk, ticket, "message", "closed") == self.wanted, ticket
            assert self.desk.event(ticket_id=ticket)["status"] == "processed", ticket
            told = {"mw-auto-replied", "mw-reply-sent", "mw-processed"}
            assert told <= self.desk.tags(ticket), ticket
            assert self.desk.state(ticket).last_auto_reply["type"] == "order_status", ticket


def test_a_reply_that_closes_killed_at_any_call_comes_once_and_is_never_lost(
    desk, shopify, killer, clock_moves
):
    asked = Asked(desk, shopify, killer, {"shipping": "Standard"}, ["message", "closed"])
    for number, moment in boundaries():
        if not asked.ask(number, moment):
            break
        asked.deliver_again(number, moment)
    assert {"send-message", "graphql.json"} <= set(killer.vendor_calls)
    assert number > max(killer.vendor_calls.values())
    assert asked.ends >= {("processed", 2), ("parked", 0)}
    asked.all_end_answered(clock_moves)


def test_a_tracked_reply_killed_beside_its_message_comes_once_and_is_never_lost(
    desk, shopify, killer, clock_moves
):
    """Its other calls are of the kinds that the reply above is killed at."""
    asked = Asked(desk, shopify, killer, {"tracking": TRACKING}, ["message"])
    assert not asked.ask(None, "before")
    first = killer.vendor_calls["send-message"] - 1
    for number, moment in itertools.islice(boundaries(first), 5):
        assert asked.ask(number, moment)
        asked.deliver_again(number, moment)
    assert asked.ends == {("processed", 1), ("parked", 0)}
    asked.all_end_answered(clock_moves)
