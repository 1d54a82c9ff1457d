"""A product broken in one place makes the simulation fail: every promise can be violated."""

from datetime import timedelta

import pytest

from chalicelib.aws import switches
from chalicelib.errors import PermanentError, SwitchesUnreadableError
from chalicelib.facts.posting.dimensions import Dimensions
from chalicelib.once import intake, keys
from chalicelib.once.audit import Audit
from chalicelib.once.effects import Effects
from chalicelib.once.escalation import Escalation
from chalicelib.once.keys import OpaqueIds, Suffix
from chalicelib.once.ledger import actions as ledger_actions
from chalicelib.once.ledger import events as ledger
from chalicelib.once.ports import Switches
from chalicelib.once.settlement import Settled, Settlement, Verdict
from chalicelib.once.worker import HandedBackError, Worker
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.events import handler
from chalicelib.outreach.messages.look import LastLook
from chalicelib.outreach.messages.sent import SentMessages
from chalicelib.outreach.sending.effects import hand_off_effect
from chalicelib.outreach.ses.stop_at_door import StopByMail
from chalicelib.support import keys as ticket_keys
from chalicelib.support import state
from chalicelib.support.lost_tickets import LostTickets
from chalicelib.support.replies.answering import Replies
from chalicelib.support.richpanel import client as richpanel
from chalicelib.vendors.clock_skew import OUR_CLOCKS, ClockSkew
from tests.simulation import support
from tests.simulation.aimed import plain
from tests.simulation.amounts import more
from tests.simulation.dead_letters import with_dead_letters
from tests.simulation.faults import Port
from tests.simulation.fixed_schedules import TEXT, fault, refund, schedule
from tests.simulation.handoffs import with_handoffs
from tests.simulation.pauses import BEYOND_THE_LEASE, WITHIN_THE_LEASE, paused_at_each_call
from tests.simulation.scenario import Flip, scenario
from tests.simulation.world import World

SEEDS = 400


def is_detected(promise, *, since=1):
    """Whether one of a few hundred schedules breaks a promise; `since`: the seed that does today."""
    return is_detected_in(
        (World(scenario(seed)).run() for seed in range(since, since + SEEDS)), promise
    )


def is_detected_in(worlds, promise, saying=""):
    """Whether one of them breaks it; `saying` selects one of several checks of a promise."""
    return any(
        violation.promise == promise and saying in violation.what
        for world in worlds
        for violation in world.oracle.violations
    )


def test_treating_an_unknown_outcome_as_failed_is_detected(monkeypatch):
    monkeypatch.setattr(
        Settlement, "judge", lambda self, action: Settled(Verdict.NOT_HAPPENED, "guessed")
    )
    assert is_detected("P1", since=404)


def test_acknowledging_a_message_instead_of_handing_it_back_is_detected(monkeypatch):
    process = Worker.process

    def acknowledged(self, delivery):
        try:
            process(self, delivery)
        except HandedBackError:
            return

    monkeypatch.setattr(Worker, "process", acknowledged)
    assert is_detected("P2", since=26)


def test_a_queue_without_order_within_a_conversation_is_detected(monkeypatch):
    numbers = iter(range(10**9))
    monkeypatch.setattr(OpaqueIds, "fifo_group", lambda self, *parts: f"g{next(numbers)}")
    assert is_detected("P3", since=33)


def test_giving_up_a_reply_as_superseded_without_an_answer_is_detected(monkeypatch):
    def refused(self, *event):
        raise PermanentError("richpanel", "send_message", reason="superseded")

    monkeypatch.setattr(Replies, "recompose", refused)
    assert is_detected("P2", since=21)


def test_an_address_in_an_audit_row_is_detected(monkeypatch):
    write = Audit.write

    def with_address(self, rows):
        write(self, rows)
        for row in rows:
            self._table.put(
                {
                    "conversation_id": row.conversation_id,
                    "ts_action_id": "x",
                    "to": "canary-7f3b@example.com",
                }
            )

    monkeypatch.setattr(Audit, "write", with_address)
    assert is_detected("P4")


def test_switches_read_only_once_are_detected(monkeypatch):
    monkeypatch.setattr(switches, "REFRESH_SECONDS", 1e9)
    assert is_detected("P5")


@pytest.mark.parametrize(("half", "since"), [(ledger, 65), (ledger_actions, 17)])
def test_a_missing_fence_check_is_detected(monkeypatch, half, since):
    monkeypatch.setattr(half, "MINE", f"(attribute_exists(#event_id) OR {half.MINE})")
    assert is_detected_in((World(plain(since + n)).run() for n in range(SEEDS)), "P6")


def test_a_missing_lease_check_is_detected(monkeypatch):
    monkeypatch.setattr(Effects, "_check_lease", lambda self, lease: None)
    assert is_detected("P6", since=80)


def test_treating_unreadable_switches_as_open_is_detected(monkeypatch):
    current = switches.SsmSwitches.current

    def guessed(self):
        try:
            return current(self)
        except SwitchesUnreadableError:
            return Switches()

    monkeypatch.setattr(switches.SsmSwitches, "current", guessed)
    world = World(
        schedule(
            posts=refund("t0"),
            flips=(Flip(-10.0, "kill_switch", value=True),),
            unavailable=((frozenset({Port.SWITCHES}), -20.0, 600.0),),
        )
    )
    assert is_detected_in([world.run()], "P5")


def test_checking_the_lease_only_once_is_detected(monkeypatch):
    """The first check is not enough: the worker may be paused after it."""
    monkeypatch.setattr(Effects, "_check_before_call", lambda *_: None)
    assert is_detected("P6", since=110)


def test_an_action_missing_from_the_audit_is_detected(monkeypatch):
    monkeypatch.setattr(Audit, "write", lambda self, rows: None)
    assert is_detected("P7")


def test_a_ticket_state_moved_back_by_a_late_message_is_detected(monkeypatch):
    always = "attribute_exists(#conversation_id) OR attribute_not_exists(#last_message_at)"
    unused = " OR #last_message_at = :at OR #last_fence = :fence"
    monkeypatch.setattr(state, "_NOT_NEWER", always + unused)
    assert is_detected("P3", since=7)


def test_a_ticket_state_overwritten_by_a_worker_without_its_lease_is_detected(monkeypatch):
    at_any_fence = state._NOT_NEWER.replace("<= :fence", "<= :fence OR #last_message_at = :at")
    monkeypatch.setattr(state, "_NOT_NEWER", at_any_fence)
    assert is_detected_in(paused_at_each_call(schedule(posts=refund("s0")), BEYOND_THE_LEASE), "P6")


def test_not_checking_the_switches_last_is_detected(monkeypatch):
    monkeypatch.setattr(
        Effects, "_check_before_call", lambda self, attempt, *_: self._check_lease(attempt.lease)
    )
    stop = Flip(1.0, "kill_switch", value=True)
    story = schedule(posts=refund("s0"), flips=(stop,))
    assert is_detected_in(paused_at_each_call(story, WITHIN_THE_LEASE), "P5")


def test_a_sent_message_missing_from_its_conversation_is_detected(monkeypatch):
    monkeypatch.setattr(
        SentMessages, "store_sent", lambda self, record, message, sending, ref: record
    )
    assert is_detected("P2")


def test_a_failed_event_without_a_hand_off_is_detected(monkeypatch):
    monkeypatch.setattr(Escalation, "_escalate", lambda self, *event: None)
    assert is_detected("P2", since=267)


def test_a_dead_letter_without_a_reason_on_its_row_is_detected(monkeypatch):
    monkeypatch.setattr(Worker, "_record_end", lambda self, *end: None)
    assert is_detected("P7", since=631)


def test_a_send_without_its_last_look_is_detected(monkeypatch):
    """What was seen as the message was planned does not count."""
    monkeypatch.setattr(LastLook, "take", lambda *_, **__: None)
    monkeypatch.setattr(LastLook, "refresh", lambda *_, **__: None)
    assert is_detected("P5")


def test_a_stop_by_e_mail_that_the_door_does_not_mark_is_detected(monkeypatch):
    monkeypatch.setattr(StopByMail, "apply", lambda _, job: job)
    assert is_detected("P2", since=11)


def test_a_failed_effect_left_as_started_is_detected(monkeypatch):
    monkeypatch.setattr(ledger.Ledger, "rearm", lambda self, lease, actions: None)
    assert is_detected("P2", since=67)


def test_an_unknown_action_missing_from_the_index_is_detected(monkeypatch):
    monkeypatch.setattr(ledger_actions, "due_attributes", lambda *_: {})
    assert is_detected("P2", since=165)


def test_a_released_event_missing_from_the_index_is_detected(monkeypatch):
    def release(self, lease, *, reason, **_):
        self._own(lease, set_={"lease_until": 0, "last_reason": reason, "released": lease.fence})

    monkeypatch.setattr(ledger.Ledger, "release", release)
    assert is_detected("P2", since=5)


def test_a_ticket_without_a_webhook_that_no_sweep_reads_is_detected(monkeypatch):
    monkeypatch.setattr(LostTickets, "run", lambda self, cursor, sweep, *, since: cursor)
    assert is_detected("P2", since=1151)


def test_a_fact_whose_dimension_is_missing_is_detected(monkeypatch):
    monkeypatch.setattr(Dimensions, "ensure_keys", lambda self, attempt, wanted: None)
    assert is_detected("P2", since=5)


def test_an_end_without_a_reason_is_detected(monkeypatch):
    finish = ledger.Ledger.finish

    def silent(self, lease, status, *, reason=None, **more):
        finish(self, lease, status, **more)

    monkeypatch.setattr(ledger.Ledger, "finish", silent)
    assert is_detected("P7", since=11)


def test_a_key_shared_by_two_actions_is_detected(monkeypatch):
    def nameless(conversation_id, _tag, suffix):
        return keys.joined("act", "rp_tag", conversation_id, suffix)

    monkeypatch.setattr(ticket_keys, "tag_action", nameless)
    worlds = (World(scenario(seed)).run() for seed in range(1, SEEDS))
    assert is_detected_in(worlds, "P2", saying="is the key of")


def test_a_failure_hand_off_with_the_key_of_a_planned_one_is_detected(monkeypatch):
    """A failed event was released and replayed; its answer had to be held, but was never listed."""

    def alike(opaque_id, arg, suffix, *text):
        return hand_off_effect(
            opaque_id, arg, Suffix(suffix.name.removeprefix("failed-"), suffix.nonce), *text
        )

    monkeypatch.setattr(handler, "hand_off_effect", alike)
    worlds = (World(with_dead_letters(seed)).run() for seed in range(12, SEEDS))
    assert is_detected_in(worlds, "P2", saying="is the key of")


def test_a_done_hand_off_that_is_not_listed_is_detected(monkeypatch):
    monkeypatch.setattr(Conversations, "hand_off", lambda self, record, **what: False)
    worlds = (World(with_handoffs(seed)).run() for seed in range(1, SEEDS))
    assert is_detected_in(worlds, "P2", saying="was handed to nobody")


def test_an_age_gate_longer_than_the_retention_is_detected(monkeypatch):
    monkeypatch.setattr(support, "MAX_EVENT_AGE", timedelta(days=90))
    assert is_detected("P1", since=12)


@pytest.mark.parametrize("seeds", [range(1, 4), more(4, 60)])
def test_copies_that_the_queue_does_not_drop_are_dropped_by_the_ledger(monkeypatch, seeds):
    """The queue's own deduplication saves work; no promise depends on it."""
    numbers = iter(range(10**9))
    monkeypatch.setattr(
        intake.keys, "fifo_deduplication_id", lambda key, nonce="": f"d{next(numbers)}"
    )
    for seed in seeds:
        assert World(scenario(seed)).run().oracle.violations == [], seed


def lost_answer(apart):
    """A text whose answer is lost and of which no callback comes: only the list shows it."""
    lost = fault(Port.EFFECT, "lands_and_no_answer", 0)
    drawn = {"starts": (TEXT,), "effect_faults": (lost,), "texts_unreported": True}
    return schedule(**drawn, provider_apart=apart)


@pytest.mark.parametrize("apart", [-7_000.0, -400.0, 0.0, 400.0, 7_000.0])
def test_a_text_is_sent_once_however_far_the_carriers_clock_is_from_ours(apart):
    world = World(lost_answer(apart)).run()
    assert world.oracle.violations == []
    assert list(world.landed.values()) == [1]


@pytest.mark.parametrize("apart", [-400.0, 7_000.0])
def test_a_carriers_time_taken_for_ours_is_detected(monkeypatch, apart):
    monkeypatch.setattr(ClockSkew, "earliest", lambda self, moment: moment - OUR_CLOCKS)
    monkeypatch.setattr(ClockSkew, "latest", lambda self, moment: moment + OUR_CLOCKS)
    assert is_detected_in([World(lost_answer(apart)).run()], "P1")


def test_a_reply_proved_by_any_comment_is_detected(monkeypatch):
    monkeypatch.setattr(richpanel, "is_reply", lambda comment, *about: True)
    assert is_detected("P1", since=30)
