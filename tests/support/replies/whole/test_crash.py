"""Killed at every AWS or vendor call of an automatic reply: the customer is answered exactly once.

A kill after a call and a kill before the next one look the same from outside, so each pair is one
run: before the first call, then after each.
"""

import itertools
from datetime import timedelta

import pytest

from tests.rigs.crash_injection import (
    CrashInjector,
    boundaries,
    count_aws_calls,
    count_vendor_calls,
    run_until_killed,
)
from tests.rigs.memory_stage import ON_BOTH

BEYOND_THE_HORIZON = timedelta(minutes=30)
BETWEEN_TWO_LOOKS = timedelta(minutes=6)
TRACKING = {"number": "ZZ555", "url": "https://carrier.example/t/ZZ555", "company": "UPS"}


@pytest.fixture
def app_environment(replies_environment):
    return replies_environment | {"MW_CLOSE_AFTER_REPLY": "true"}


@pytest.fixture
def crash_injector(replies_rig, monkeypatch):
    found = CrashInjector()
    count_aws_calls(found, monkeypatch)
    count_vendor_calls(found, monkeypatch)
    replies_rig.new_container()
    return found


def changes(replies_rig, ticket, *kinds):
    """The changes on a ticket, oldest first."""
    return [
        effect.kind
        for effect in replies_rig.richpanel.effects
        if effect.ticket_id == ticket and effect.kind in kinds and effect.changed
    ]


class OrderQuestions:
    """Tickets that ask for their orders, each of a customer of its own."""

    def __init__(self, replies_rig, shopify, crash_injector, order, wanted):
        self.replies_rig, self.shopify, self.crash_injector = replies_rig, shopify, crash_injector
        self.order, self.wanted = order, wanted
        self.tickets, self.ends = [], set()

    def ask(self, number, moment):
        """Run another ticket with its worker killed at that call; False if it finished before."""
        run = len(self.tickets)
        ticket, email = str(2000 + run), f"ada{run}@example.com"
        self.tickets.append(ticket)
        self.shopify.add_order(f"#{5000 + run}", email=email, **self.order)
        question = f"Where is my order #{5000 + run}?"
        self.replies_rig.post(
            self.replies_rig.ticket(question, ticket_id=ticket, customer_email=email)
        )
        self.replies_rig.new_container()
        self.crash_injector.arm(number, moment)
        was_killed = run_until_killed(self.replies_rig)
        self.crash_injector.disarm()
        return was_killed

    def deliver_again(self, *where):
        """The lease is over and another container has the message: answered, or visibly parked."""
        self.replies_rig.let_leases_end()
        self.replies_rig.again()
        ended = self.replies_rig.event(ticket_id=self.tickets[-1])
        seen = changes(self.replies_rig, self.tickets[-1], "message", "closed")
        result = (*where, ended["status"], ended.get("reason"), seen)
        assert ended["status"] in {"processed", "parked"}, result
        assert ended["status"] == "processed" or ended["reason"], result
        assert seen == self.wanted[: len(seen)], result
        self.ends.add((ended["status"], len(seen)))

    def all_end_answered(self, move_clock):
        """After the horizon and a second check, every customer has an answer."""
        for wait in (BEYOND_THE_HORIZON, BETWEEN_TWO_LOOKS, BETWEEN_TWO_LOOKS):
            move_clock(wait)
            self.replies_rig.new_container()
            self.replies_rig.sweep()
        for ticket in self.tickets:
            assert changes(self.replies_rig, ticket, "message", "closed") == self.wanted, ticket
            assert self.replies_rig.event(ticket_id=ticket)["status"] == "processed", ticket
            result = {"mw-auto-replied", "mw-reply-sent", "mw-processed"}
            assert result <= self.replies_rig.tags(ticket), ticket
            assert self.replies_rig.state(ticket).last_auto_reply["type"] == "order_status", ticket


@ON_BOTH
def test_a_closing_reply_killed_at_any_call_is_sent_once_and_never_lost(
    replies_rig, shopify, crash_injector, move_clock
):
    asked = OrderQuestions(
        replies_rig, shopify, crash_injector, {"shipping": "Standard"}, ["message", "closed"]
    )
    for number, moment in boundaries():
        if not asked.ask(number, moment):
            break
        asked.deliver_again(number, moment)
    assert {"send-message", "graphql.json"} <= set(crash_injector.vendor_calls)
    assert number > max(crash_injector.vendor_calls.values())
    assert asked.ends >= {("processed", 2), ("parked", 0)}
    asked.all_end_answered(move_clock)


@ON_BOTH
def test_a_tracked_reply_killed_next_to_its_send_is_sent_once_and_never_lost(
    replies_rig, shopify, crash_injector, move_clock
):
    """Only calls next to the send are tried: the test above kills at every other kind of call."""
    asked = OrderQuestions(
        replies_rig, shopify, crash_injector, {"tracking": TRACKING}, ["message"]
    )
    assert not asked.ask(None, "before")
    first = crash_injector.vendor_calls["send-message"] - 1
    for number, moment in itertools.islice(boundaries(first), 5):
        assert asked.ask(number, moment)
        asked.deliver_again(number, moment)
    assert asked.ends == {("processed", 1), ("parked", 0)}
    asked.all_end_answered(move_clock)
