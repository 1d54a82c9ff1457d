"""A product broken in one place turns the simulation red: each promise is one that can fail."""

import contextlib
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
from chalicelib.once.store import ConditionFailed
from chalicelib.once.worker import HandedBackError, Worker
from chalicelib.outreach import flow as outreach
from chalicelib.outreach.actions import HandOff
from chalicelib.outreach.conclusions import Conclusions
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.support import keys as ticket_keys
from chalicelib.support import state
from chalicelib.support.lost_tickets import LostTickets
from chalicelib.support.replies.answering import Answering
from tests.simulation import support
from tests.simulation.by_hand import refund, schedule
from tests.simulation.dying import dying
from tests.simulation.handed import handed
from tests.simulation.scenario import Flip, scenario
from tests.simulation.standing import BEYOND_THE_LEASE, WITHIN_THE_LEASE, still
from tests.simulation.world import World

SEEDS = 400


def is_found(promise, *, since=1):
    """Whether one of a few hundred schedules breaks a promise; `since` is where it soon does."""
    return is_found_in(
        (World(scenario(seed)).run() for seed in range(since, since + SEEDS)), promise
    )


def is_found_in(worlds, promise, saying=""):
    """Whether one of them breaks it; `saying`: where several checks judge one promise."""
    return any(
        violation.promise == promise and saying in violation.what
        for world in worlds
        for violation in world.oracle.violations
    )


def test_an_unknown_outcome_that_is_taken_for_a_no_is_found(monkeypatch):
    monkeypatch.setattr(
        Settlement, "judge", lambda self, action: Settled(Verdict.NOT_HAPPENED, "guessed")
    )
    assert is_found("P1", since=402)


def test_a_message_that_is_acknowledged_instead_of_handed_back_is_found(monkeypatch):
    process = Worker.process

    def acknowledged(self, delivery):
        try:
            process(self, delivery)
        except HandedBackError:
            return

    monkeypatch.setattr(Worker, "process", acknowledged)
    assert is_found("P2", since=8)


def test_a_queue_without_an_order_within_a_conversation_is_found(monkeypatch):
    numbers = iter(range(10**9))
    monkeypatch.setattr(OpaqueIds, "fifo_group", lambda self, *parts: f"g{next(numbers)}")
    assert is_found("P3", since=25)


def test_a_reply_that_is_given_up_as_if_somebody_had_answered_is_found(monkeypatch):
    def refused(self, *event):
        raise PermanentError("richpanel", "send_message", reason="superseded")

    monkeypatch.setattr(Answering, "recompose", refused)
    assert is_found("P2", since=24)


def test_an_address_in_an_audit_row_is_found(monkeypatch):
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
    assert is_found("P4")


def test_switches_that_are_read_once_and_never_again_are_found(monkeypatch):
    monkeypatch.setattr(switches, "REFRESH_SECONDS", 1e9)
    assert is_found("P5")


@pytest.mark.parametrize(("half", "since"), [(ledger, 1), (ledger_actions, 475)])
def test_a_fence_that_is_not_looked_at_is_found(monkeypatch, half, since):
    monkeypatch.setattr(half, "MINE", f"(attribute_exists(#event_id) OR {half.MINE})")
    assert is_found("P6", since=since)


def test_a_lease_that_is_not_looked_at_is_found(monkeypatch):
    monkeypatch.setattr(Effects, "_check_lease", lambda self, lease: None)
    assert is_found("P6", since=80)


def test_switches_that_are_taken_for_open_where_they_cannot_be_read_are_found(monkeypatch):
    current = switches.SsmSwitches.current

    def guessed(self):
        try:
            return current(self)
        except SwitchesUnreadableError:
            return Switches()

    monkeypatch.setattr(switches.SsmSwitches, "current", guessed)
    assert is_found("P5", since=306)


def test_a_lease_that_is_looked_at_once_only_is_found(monkeypatch):
    """The first look is not enough: the worker may stand still behind it."""
    monkeypatch.setattr(Effects, "_look_again", lambda self, attempt, actions: None)
    assert is_found("P6", since=77)


def test_an_action_that_is_missing_in_the_audit_is_found(monkeypatch):
    monkeypatch.setattr(Audit, "write", lambda self, rows: None)
    assert is_found("P7")


def test_a_memory_that_a_late_message_moves_back_is_found(monkeypatch):
    always = "attribute_exists(#conversation_id) OR attribute_not_exists(#last_message_at)"
    unused = " OR #last_message_at = :at OR #last_fence = :fence"
    monkeypatch.setattr(state, "_NOT_NEWER", always + unused)
    assert is_found("P3", since=6)


def test_a_memory_that_a_zombie_of_the_same_message_overwrites_is_found(monkeypatch):
    at_any_fence = state._NOT_NEWER.replace("<= :fence", "<= :fence OR #last_message_at = :at")
    monkeypatch.setattr(state, "_NOT_NEWER", at_any_fence)
    assert is_found_in(still(schedule(posts=refund("s0")), BEYOND_THE_LEASE), "P6")


def test_a_switch_that_is_not_looked_at_last_is_found(monkeypatch):
    monkeypatch.setattr(
        Effects, "_look_again", lambda self, attempt, actions: self._check_lease(attempt.lease)
    )
    stop = Flip(1.0, "kill_switch", value=True)
    story = schedule(posts=refund("s0"), flips=(stop,))
    assert is_found_in(still(story, WITHIN_THE_LEASE), "P5")


def test_a_message_that_was_sent_and_is_not_kept_is_found(monkeypatch):
    monkeypatch.setattr(
        Conclusions, "_send", lambda self, event, plan, record, entry_id, row: record
    )
    assert is_found("P2")


def test_an_event_that_died_and_of_which_nobody_is_told_is_found(monkeypatch):
    monkeypatch.setattr(Escalation, "_ask", lambda self, *event: None)
    assert is_found("P2", since=217)


def test_a_dead_letter_of_which_no_row_says_why_is_found(monkeypatch):
    monkeypatch.setattr(Worker, "_record_end", lambda self, *end: None)
    assert is_found("P7", since=631)


def test_what_surely_did_not_happen_and_waits_as_if_it_might_have_is_found(monkeypatch):
    monkeypatch.setattr(ledger.Ledger, "rearm", lambda self, lease, actions: None)
    assert is_found("P2", since=26)


def test_what_is_unknown_and_in_no_index_is_found(monkeypatch):
    monkeypatch.setattr(
        ledger_actions, "partition", lambda mark, key: None if mark == "unknown" else key
    )
    assert is_found("P2", since=158)


def test_a_mark_that_the_door_takes_from_what_a_worker_has_is_found(monkeypatch):
    """The door marks a row as queued after it has sent the job: the worker may be faster."""

    def queued(self, event_key):
        with contextlib.suppress(ConditionFailed):
            self._table.update(
                {"event_id": event_key},
                set_={"queued_at": self._now()},
                remove=["unfinished"],
                condition="attribute_exists(#event_id)",
            )

    monkeypatch.setattr(ledger.Ledger, "queued", queued)
    assert is_found("P2", since=5)


def test_an_event_that_is_given_back_and_stands_in_no_index_is_found(monkeypatch):
    def release(self, lease, *, reason):
        self._own(lease, set_={"lease_until": 0, "last_reason": reason, "released": lease.fence})

    monkeypatch.setattr(ledger.Ledger, "release", release)
    assert is_found("P2", since=5)


def test_a_ticket_that_nobody_told_us_about_and_no_sweep_looks_at_is_found(monkeypatch):
    monkeypatch.setattr(LostTickets, "run", lambda self, cursor, hands, *, since: cursor)
    assert is_found("P2", since=108)


def test_a_fact_whose_dimension_is_missing_is_found(monkeypatch):
    monkeypatch.setattr(Dimensions, "ensure", lambda self, attempt, wanted: None)
    assert is_found("P2", since=2)


def test_an_end_without_a_reason_is_found(monkeypatch):
    finish = ledger.Ledger.finish

    def silent(self, lease, status, *, reason=None, **more):
        finish(self, lease, status, **more)

    monkeypatch.setattr(ledger.Ledger, "finish", silent)
    assert is_found("P7", since=11)


def test_a_key_that_two_actions_share_is_found(monkeypatch):
    def nameless(conversation_id, _tag, suffix):
        return keys.joined("act", "rp_tag", conversation_id, suffix)

    monkeypatch.setattr(ticket_keys, "tag_action", nameless)
    worlds = (World(scenario(seed)).run() for seed in range(1, SEEDS))
    assert is_found_in(worlds, "P2", saying="is the key of")


def test_an_escalation_that_passes_for_what_its_plan_holds_is_found(monkeypatch):
    """A person gave back what had failed; replayed, its answer was to be held and came to nobody."""

    def alike(opaque_id, arg, suffix):
        return HandOff(opaque_id, arg, Suffix(suffix.name.removeprefix("failed-"), suffix.nonce))

    monkeypatch.setattr(outreach, "HandOff", alike)
    worlds = (World(dying(seed)).run() for seed in range(12, SEEDS))
    assert is_found_in(worlds, "P2", saying="is the key of")


def test_a_hand_off_that_is_done_and_given_to_nobody_is_found(monkeypatch):
    monkeypatch.setattr(Conversations, "hand_off", lambda self, record, **what: False)
    worlds = (World(handed(seed)).run() for seed in range(1, SEEDS))
    assert is_found_in(worlds, "P2", saying="was handed to nobody")


def test_an_age_gate_that_is_wider_than_the_memory_is_found(monkeypatch):
    monkeypatch.setattr(support, "MAX_EVENT_AGE", timedelta(days=90))
    assert is_found("P1", since=11)


def test_copies_that_the_queue_does_not_drop_are_dropped_by_the_ledger(monkeypatch):
    """The queue's own deduplication saves work; no promise stands on it."""
    numbers = iter(range(10**9))
    monkeypatch.setattr(
        intake.keys, "fifo_deduplication_id", lambda key, nonce="": f"d{next(numbers)}"
    )
    for seed in range(1, 60):
        assert World(scenario(seed)).run().oracle.violations == [], seed
