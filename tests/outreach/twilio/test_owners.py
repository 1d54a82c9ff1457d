"""Whose number it is, as the door sees it: a read a minute, and never a reason to refuse."""

import pytest

from chalicelib.errors import TransientError
from chalicelib.outreach.channels import Channel
from chalicelib.outreach.jobs import InboundMessage
from chalicelib.outreach.senders import Owner
from chalicelib.outreach.twilio.owners import KEPT_SECONDS, MOST_KEPT, Owners
from tests.rigs.fakes import ManualClock

NUMBER, MINE, OTHERS = "+15550109002", "AC1", "AC2"


class Map:
    """The map of senders; counts its reads."""

    def __init__(self):
        self.owner = Owner("ci-aaa-001", MINE)
        self.reads = 0

    def owner_of(self, address):  # noqa: ARG002 - one answer for all
        self.reads += 1
        if isinstance(self.owner, Exception):
            raise self.owner
        return self.owner


def job(account, number=NUMBER):
    return InboundMessage(
        event_key="evt:reply:sms:SM1",
        conversation_id="c",
        received_at="2026-11-20T09:00:00.000Z",
        source="twilio",
        trace_id="t",
        channel=Channel.SMS,
        account=account,
        sender=number,
        recipient="+15550100001",
        message_id="SM1",
        sent_at="2026-11-20T09:00:00.000Z",
        carrier_answers=False,
    )


def test_the_owners_message_is_in_its_conversations_group():
    assert Owners(senders=Map(), clock=ManualClock()).set_apart_unless_owned(job(MINE)).group == (
        "pair",
        NUMBER,
        "+15550100001",
    )


@pytest.mark.parametrize("owner", [Owner("ci-aaa-001", MINE), Owner("ci-aaa-001"), None])
def test_a_message_of_any_other_account_is_in_a_group_of_that_account(owner):
    known = Map()
    known.owner = owner
    assert Owners(senders=known, clock=ManualClock()).set_apart_unless_owned(job(OTHERS)).group == (
        "foreign",
        OTHERS,
    )


def test_a_number_is_read_once_a_minute():
    known, clock = Map(), ManualClock()
    owners = Owners(senders=known, clock=clock)
    for account in (MINE, OTHERS, MINE):
        owners.set_apart_unless_owned(job(account))
    assert known.reads == 1
    known.owner = Owner("ci-bbb-002", OTHERS)
    clock.forward(KEPT_SECONDS)
    assert not owners.set_apart_unless_owned(job(OTHERS)).is_apart
    assert known.reads == 2


def test_where_the_map_cannot_be_read_the_message_stays_with_its_conversation():
    known = Map()
    known.owner = TransientError("dynamodb", "GetItem", reason="throttled")
    owners = Owners(senders=known, clock=ManualClock())
    assert not owners.set_apart_unless_owned(job(OTHERS)).is_apart
    known.owner = Owner("ci-aaa-001", MINE)
    assert owners.set_apart_unless_owned(job(OTHERS)).is_apart, "a failure is not remembered"


def test_invented_numbers_do_not_fill_the_memory():
    owners = Owners(senders=Map(), clock=ManualClock())
    for number in range(3 * MOST_KEPT):
        owners.set_apart_unless_owned(job(OTHERS, f"+1555{number:07d}"))
    assert len(owners._known) <= MOST_KEPT
