"""Schedules in which messages of one conversation meet: another address, quiet hours, STOP."""

import functools
from collections import Counter
from itertools import takewhile

import pytest

from chalicelib.outreach import keys
from chalicelib.outreach.conversations.records import OTHER_SENDER, PROMPT, Status
from local import company
from tests.rigs.histories import pages
from tests.simulation.amounts import at_some_calls
from tests.simulation.faults import Fault
from tests.simulation.fixed_schedules import TEXT, run, schedule
from tests.simulation.scenario import Says, Start
from tests.simulation.world import World

MAIL = Start(0.0, "req0", "email", "r0@example.com")
PICKS = (0.1, 0.5, 0.9)


def each_fault(scenario, *, every):
    """The schedule with one fault, or one pause, at every n-th call."""
    quiet = World(scenario, trace=True).run()
    calls = sum(" call " in line for line in quiet.trace)
    yield scenario
    for at in range(0, calls, every):
        for pick in PICKS:
            fault = Fault(at, pick, 0.5, pauses=False)
            yield schedule_with(scenario, fault)
        yield schedule_with(scenario, Fault(at, 0.5, 0.5, pauses=True))


def schedule_with(scenario, fault):
    fields = {name: getattr(scenario, name) for name in scenario.__slots__}
    return type(scenario)(**{**fields, "faults": (fault,)})


def entries(world):
    """The conversation's entries but its prompt: role and id, in their order."""
    found = [row for row in pages(world.conversations.rows.values()) if row.get("note") != PROMPT]
    found.sort(key=lambda row: row["conversation_id"])
    return [(row["role"], row["entry_id"]) for row in found]


def _is_not_of(some, entry_id):
    return entry_id not in some


def assert_answered_in_order(world, channel, *counts, said=None):
    """Each message, or each of some, was answered once; in order, unless an outcome was unknown.

    An answer by e-mail that may have left cannot be asked for: it is parked for a person.
    """
    stored = [entry_id for role, entry_id in entries(world) if role == "user"]
    said = stored if said is None else said
    opening = keys.entry_id(keys.start(company.COMPANY_ID, "req0"))
    written = [entry_id for role, entry_id in entries(world) if role == "assistant"]
    answers = [entry_id for entry_id in written if entry_id != opening]
    replies = [keys.reply(channel, message) for message in said]
    parked = [
        reply
        for reply in replies
        if channel == "email" and world.ledger.rows[(reply,)]["status"] == "parked"
    ]
    wanted = [keys.entry_id(reply) for reply in replies if reply not in parked]
    assert len(stored) in counts
    assert sorted(answers) == sorted(wanted)
    assert answers == wanted or world.oracle.logs["worker.parked"]


@at_some_calls(54, long=9)
def test_a_mail_from_another_address_races_with_one_from_the_right_one(every):
    """It goes to a person, with whatever comes after it; what came before it is answered."""
    says = (
        Says(100.0, "email", MAIL.recipient, 1, "tell me more", sender="private@example.com"),
        Says(100.0, "email", MAIL.recipient, 3, "and the price"),
    )
    orders = Counter()
    for number, variant in enumerate(each_fault(schedule(starts=(MAIL,), says=says), every=every)):
        world, violations = run(variant)
        assert violations == [], number
        # Without the opening there is no token: a stranger's mail is not taken.
        said = [entry_id for role, entry_id in entries(world) if role == "user"]
        other = {
            row["entry_id"]
            for row in pages(world.conversations.rows.values())
            if row.get("note") == OTHER_SENDER
        }
        before = list(takewhile(functools.partial(_is_not_of, other), said))
        assert_answered_in_order(world, "email", 1, 2, said=before)
        states = {row.get("conversation_status") for row in world.conversations.rows.values()}
        assert not other or Status.HANDED_OFF in states, number
        assert len(other) <= 1
        orders[len(said), len(before)] += 1
    assert orders[2, 0] + orders[2, 1] > 135 // every


@pytest.mark.parametrize("until", ["14:20", "15:30"])
@at_some_calls(400, long=25)
def test_a_stop_in_quiet_hours_is_heard_before_anything_is_sent(until, every):
    """It comes last, and everything before it waits: by the other queue, or by its row."""
    says = tuple(
        Says(at, "sms", TEXT.recipient, number, text)
        for number, (at, text) in enumerate([(60.0, "hi"), (90.0, "tell me more"), (120.0, "STOP")])
    )
    night = schedule(starts=(TEXT,), says=says, quiet_until=until)
    # A message that a fault holds back may be delivered after the shorter night.
    runs = each_fault(night, every=every) if until == "15:30" else [night]
    for number, variant in enumerate(runs):
        world, violations = run(variant)
        assert violations == [], number
        subjects = (row.get("marks") or {} for row in world.conversations.rows.values())
        heard = [mark for marks in subjects for mark in marks.values() if mark.get("said_at")]
        assert len(heard) == 1, number
        assert sum(world.landed.values()) == 0, number


@pytest.mark.parametrize("until", ["14:20", "15:30"])
@at_some_calls(500, long=31)
def test_messages_of_one_night_are_answered_in_their_order(until, every):
    says = tuple(
        Says(at, "sms", TEXT.recipient, number, text)
        for number, (at, text) in enumerate([(60.0, "hi"), (90.0, "tell me more"), (410.0, "so?")])
    )
    night = schedule(starts=(TEXT,), says=says, quiet_until=until)
    for number, variant in enumerate(each_fault(night, every=every)):
        world, violations = run(variant)
        assert violations == [], number
        assert_answered_in_order(world, "sms", 3)


@pytest.mark.parametrize("seconds", [5, 50])
@at_some_calls(77, long=7)
def test_quick_messages_are_answered_once_whatever_breaks(seconds, every):
    """By the newest of them; a message after the period is answered by itself."""
    says = tuple(
        Says(at, "sms", TEXT.recipient, number, text)
        for number, (at, text) in enumerate([(60.0, "hi"), (62.0, "tell me"), (300.0, "so?")])
    )
    quick = schedule(starts=(TEXT,), says=says, quiet_period=seconds)
    answers = Counter()
    for number, variant in enumerate(each_fault(quick, every=every)):
        world, violations = run(variant)
        assert violations == [], number
        stored = [entry_id for role, entry_id in entries(world) if role == "user"]
        reasons = [
            world.ledger.rows[(keys.reply("sms", entry_id),)].get("reason") for entry_id in stored
        ]
        assert len(stored) == 3, number
        assert reasons[-1] is None, number
        sent = [entry_id for role, entry_id in entries(world) if role == "assistant"]
        answers[len(sent) - 1] += 1
        assert len(sent) - 1 == 3 - reasons.count("answered_together"), number
    assert answers.most_common(1)[0][0] == 2
