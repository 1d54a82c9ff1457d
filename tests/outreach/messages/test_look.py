"""The last look before a message leaves: it is fresh, or taken again."""

import pytest

from chalicelib.errors import PermanentError, TransientError, WithdrawnError
from chalicelib.once.effects import DEADLINE_SECONDS
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.conversations.register_entries import MarkReason
from chalicelib.outreach.messages.look import FRESH_SECONDS, LastLook, is_stopped
from chalicelib.outreach.messages.purpose import RULES, Look, Purpose
from tests.rigs.each_row import each_row
from tests.rigs.fakes import ManualClock

KEY = "act:send:o:e"
WHOM, ALL = Look.REGISTER, Look.REGISTER | Look.PERSON


class Register:
    """A register whose read takes some time, and whose mark is written at a moment."""

    def __init__(self, clock, *, seconds=0.0, marked_at=None, person_act=""):
        self.person_act = person_act
        self.clock, self.seconds, self.marked_at = clock, seconds, marked_at
        self.looks = 0

    def look_before_send(self, record):
        del record
        self.looks += 1
        self.clock.forward(self.seconds)
        is_marked = self.marked_at is not None and self.clock.monotonic() >= self.marked_at
        return ("stop" if is_marked else None), Record({"person_act": self.person_act})


@pytest.fixture
def clock():
    return ManualClock()


def test_a_fresh_look_is_not_repeated(clock):
    register = Register(clock, seconds=0.1)
    looks = LastLook(conversations=register, clock=clock)
    looks.take(None, KEY, WHOM, "")
    clock.forward(FRESH_SECONDS - 0.2)
    looks.refresh(None, KEY, WHOM, "")
    assert register.looks == 1


def test_after_two_seconds_it_looks_again_and_sees_the_mark(clock):
    register = Register(clock, marked_at=clock.monotonic() + 1.0)
    looks = LastLook(conversations=register, clock=clock)
    looks.take(None, KEY, WHOM, "")
    clock.forward(FRESH_SECONDS + 0.1)
    with pytest.raises(PermanentError, match="do_not_contact"):
        looks.refresh(None, KEY, WHOM, "")


def test_a_worker_that_was_paused_after_its_lease_was_checked_sends_nothing(clock):
    looks = LastLook(conversations=Register(clock), clock=clock)
    looks.take(None, KEY, WHOM, "")
    clock.forward(DEADLINE_SECONDS - 0.1)
    looks.refresh(None, KEY, WHOM, "")
    clock.forward(0.2)
    with pytest.raises(TransientError, match="slow_look"):
        looks.refresh(None, KEY, WHOM, "")


def test_a_message_of_the_machine_gives_way_to_a_person_who_came_after_it_was_planned(clock):
    looks = LastLook(conversations=Register(clock, person_act="a-2"), clock=clock)
    looks.take(None, KEY, ALL, "a-2")
    with pytest.raises(WithdrawnError, match="person_answers"):
        looks.take(None, KEY, ALL, "a-1")
    with pytest.raises(WithdrawnError, match="person_answers"):
        looks.refresh(None, "act:send:o:late", ALL, "")


def test_a_persons_own_message_gives_way_to_no_other(clock):
    looks = LastLook(conversations=Register(clock, person_act="a-2"), clock=clock)
    looks.take(None, KEY, WHOM, "")
    looks.refresh(None, KEY, WHOM, "")


def test_a_look_of_another_action_does_not_count(clock):
    register = Register(clock)
    looks = LastLook(conversations=register, clock=clock)
    looks.take(None, "act:send:o:other", WHOM, "")
    looks.refresh(None, KEY, WHOM, "")
    assert register.looks == 2


def test_a_register_that_is_slower_than_a_fresh_look_sends_nothing(clock):
    register = Register(clock, seconds=FRESH_SECONDS + 1)
    with pytest.raises(TransientError, match="slow_look"):
        LastLook(conversations=register, clock=clock).refresh(None, KEY, WHOM, "")


@each_row("purpose", Purpose)
def test_while_it_is_asked_whether_to_stop_only_a_persons_words_leave(purpose):
    """A confirmation and the answer to HELP are sent whatever the register says."""
    leaves = (Purpose.PERSON, Purpose.APPROVED, Purpose.STOP_CONFIRMED, Purpose.HELP)
    look = RULES[purpose].look
    assert is_stopped(MarkReason.DOUBT, look) is (purpose not in leaves)
    assert is_stopped(MarkReason.STOP, look) is (purpose not in leaves[2:])
