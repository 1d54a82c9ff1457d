"""The one door out: what it refuses to start, and what it makes of every kind of outcome."""

import itertools
from datetime import UTC, datetime

import pytest

from chalicelib.errors import (
    AuthError,
    HandBackError,
    PermanentError,
    SwitchesUnreadableError,
    TransientError,
    UncertainError,
)
from chalicelib.once.action import ActionStatus, Found, Settle
from chalicelib.once.effects import Attempt, Effects, StepAction
from chalicelib.once.event import EventFacts
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Modes, Switches
from chalicelib.once.settlement import Settlement
from chalicelib.support.actions import AddTag
from tests.rigs.fakes import ManualClock, RecordingLog, SetSwitches

MODES = Modes("automation_candidate", safe_mode=False, automation_enabled=True)
EVENT = EventFacts("evt:rp:1:c", "1", "2026-11-20T11:59:59.000Z", "9f", 9, "test", "c")


class Say:
    """An action that reaches a customer and can be read back."""

    kind, vendor, settle, speaks = "say", "richpanel", Settle.QUERY, True
    conversation_id, audit_type, key = "1", "auto_reply", "act:rp_reply:1:c"

    def payload(self):
        return {"template": "t_1"}

    def probe(self):
        return {"body": "hash"}


class Blurt(Say):
    """The same without any way to learn whether it happened."""

    kind, settle, key = "blurt", Settle.NONE, "act:blurt:1:c"


TAG = AddTag("1", "mw-processed", "c")


class Door:
    """The door with a vendor that does as it is told."""

    def __init__(self, table):
        self.clock, self.log, self.switches = ManualClock(), RecordingLog(), SetSwitches()
        owners = (f"o{n}" for n in itertools.count())
        self.ledger = Ledger(table, self.clock, lambda: next(owners))
        self.sent, self.fails, self.shows, self.prepares = [], [], [], []
        settlement = Settlement(self.ledger, {"say": lambda _action: tuple(self.shows)}, self.clock)
        self.effects = Effects(
            self.ledger,
            self.switches,
            dict.fromkeys(("add_tag", "say", "blurt"), self.send),
            settlement,
            self.clock,
            self.log,
            {"say": self.prepare},
        )
        self.lease = self.claim()

    def claim(self):
        return self.ledger.claim(EVENT, MODES, lease_seconds=250, takeover=frozenset())

    def prepare(self, actions):  # noqa: ARG002 - the preparers' signature
        if self.prepares:
            self.prepares.pop(0)()

    def send(self, actions, *, deadline_seconds):  # noqa: ARG002 - the executors' signature
        self.sent.append([action.key for action in actions])
        if self.fails:
            raise self.fails.pop(0)
        return "ref-1"

    def perform(self, *actions, lease=None, earlier=None, **more):
        step = [StepAction(action, **more) for action in actions]
        rows = self.effects.perform(Attempt(lease or self.lease, MODES), step, earlier or {})
        return [(rows[a.key].status.value, rows[a.key].reason) for a in actions]

    def crash_and_claim(self):
        self.clock.forward(300)
        return self.claim()


@pytest.fixture
def door(table_a):
    return Door(table_a)


def test_what_succeeds_is_done_with_the_vendors_reference(door):
    assert door.perform(TAG) == [("done", None)]
    assert door.ledger._table.get({"event_id": TAG.key})["ref"] == "ref-1"


def test_a_step_is_one_request_for_all_its_actions(door):
    other = AddTag("1", "mw-routing-applied", "c")
    assert door.perform(TAG, other) == [("done", None)] * 2
    assert door.sent == [[TAG.key, other.key]]


@pytest.mark.parametrize("error", [TransientError, AuthError])
def test_what_surely_was_not_done_is_started_anew_next_time(door, error):
    """F21: refused connections, 429s and refused keys leave nothing to settle."""
    door.fails = [error("richpanel", "say", status=429)]
    with pytest.raises(error):
        door.perform(Say())
    door.ledger.release(door.lease, reason="x")
    assert door.perform(Say(), lease=door.claim()) == [("done", None)]


def test_what_is_refused_is_recorded_and_not_raised(door):
    """F44."""
    door.fails = [PermanentError("richpanel", "add_tags", status=422)]
    assert door.perform(TAG) == [("refused", "http_422")]
    assert door.perform(TAG) == [("refused", "http_422")]
    assert len(door.sent) == 1


def test_an_uncertain_repeatable_effect_is_handed_back_to_be_repeated(door):
    door.fails = [UncertainError("richpanel", "add_tags", reason="read_timeout")]
    with pytest.raises(TransientError):
        door.perform(TAG)
    assert door.perform(TAG, lease=door.crash_and_claim()) == [("done", None)]


def test_an_uncertain_effect_that_cannot_be_repeated_is_unknown(door):
    """F18, F21: never sent again by machine."""
    door.fails = [UncertainError("richpanel", "say", reason="read_timeout")]
    assert door.perform(Blurt()) == [("unknown", "read_timeout")]
    assert door.perform(Blurt(), lease=door.crash_and_claim()) == [("unknown", "read_timeout")]
    assert len(door.sent) == 1


def test_an_effect_whose_worker_died_is_settled_by_what_the_provider_shows(door):
    """F18."""
    door.ledger.begin(door.lease, [Say()], MODES)
    door.shows = [Found("comment-9")]
    assert door.perform(Say(), lease=door.crash_and_claim()) == [("done", "settled")]
    assert not door.sent


def test_what_the_provider_does_not_show_is_sent_only_after_the_horizon_and_a_second_look(door):
    """F18: lists lag, and a request held up in the network may still land."""
    door.ledger.begin(door.lease, [Say()], MODES)
    assert door.perform(Say(), lease=door.crash_and_claim())[0][0] == "unknown"
    door.clock.forward(1200)
    assert door.perform(Say(), lease=door.crash_and_claim())[0][0] == "unknown"
    assert not door.sent
    assert door.perform(Say(), lease=door.crash_and_claim()) == [("done", None)]
    assert len(door.sent) == 1


def test_a_match_that_is_another_actions_is_no_match(door):
    """Twin texts: the first reply's comment does not prove the second."""
    door.ledger.begin(door.lease, [Say()], MODES)
    door.ledger.end_action(door.lease, Say(), ActionStatus.DONE, ref="comment-9")
    twin = Say()
    twin.key = "act:rp_reply:1:other"
    door.ledger.begin(door.lease, [twin], MODES)
    door.shows = [Found("comment-9")]
    assert door.perform(twin, lease=door.crash_and_claim())[0][0] == "unknown"


def test_no_effect_starts_on_a_lease_that_may_end_before_it_does(door):
    """F25, F26, F28: deadline, 120 s of clock skew and a late kill must fit into what is left."""
    door.clock.forward(250 - 149)
    with pytest.raises(HandBackError, match="lease_too_short"):
        door.perform(TAG)
    assert not door.sent


@pytest.mark.parametrize("skew", [-120, 120])
def test_a_clock_that_is_two_minutes_wrong_steals_no_running_effect(door, skew):
    """F28: another host's clock may be 120 s ahead or behind; the effect still ends in time."""
    last_start = door.lease.until_epoch - 150
    door.clock.moment = datetime.fromtimestamp(last_start + 20 + skew, UTC)
    assert type(door.claim()).__name__ == "Busy"


def test_a_zombie_that_wakes_up_starts_no_effect(door):
    """F25, P6."""
    zombie = door.lease
    heir = door.crash_and_claim()
    assert door.perform(TAG, lease=heir) == [("done", None)]
    with pytest.raises(HandBackError):
        door.perform(AddTag("1", "other", "c"), lease=zombie)
    assert len(door.sent) == 1


def test_a_worker_that_stands_still_while_it_reads_what_to_send_sends_nothing(door):
    door.prepares.append(lambda: door.clock.forward(240))
    with pytest.raises(HandBackError, match="lease_too_short"):
        door.perform(Say())
    assert door.sent == []
    assert door.ledger._table.get({"event_id": Say.key})["started"] is False


@pytest.mark.parametrize("look", [1, 2])
def test_a_worker_that_stands_still_while_it_reads_the_switches_sends_nothing(door, look):
    """The lease is looked at behind each reading of switches, the last one included."""
    read, looks = door.switches.current, itertools.count(1)

    def stands_still():
        if next(looks) == look:
            door.clock.forward(240)
        return read()

    door.switches.current = stands_still
    with pytest.raises(HandBackError, match="lease_too_short"):
        door.perform(Say())
    assert door.sent == []


@pytest.mark.parametrize(
    ("switches", "reason"),
    [
        (Switches(kill_switch=True), "kill_switch"),
        (Switches(shadow_mode=True), "shadow"),
        (Switches(safe_mode=True), "safe_mode"),
        (Switches(automation_enabled=False), "automation_disabled"),
    ],
)
def test_a_switch_that_is_turned_while_it_is_read_what_to_send_stops_it(door, switches, reason):
    """F40: it surely was not sent, and the next run says what stopped it."""

    def turned():
        door.switches.switches = switches

    door.prepares.append(turned)
    with pytest.raises(HandBackError, match="switch_flipped"):
        door.perform(Say())
    assert door.sent == []
    assert door.perform(Say()) == [("skipped", reason)]


def test_switches_that_become_unreadable_while_it_is_read_what_to_send_stop_it(door):
    """F40."""

    def away():
        door.switches.switches = None

    door.prepares.append(away)
    with pytest.raises(SwitchesUnreadableError):
        door.perform(Say())
    assert door.sent == []
    door.switches.switches = Switches()
    assert door.perform(Say()) == [("done", None)]


@pytest.mark.parametrize("error", [TransientError, UncertainError])
def test_what_could_not_be_prepared_surely_was_not_sent(door, error):
    def fails():
        raise error("richpanel", "read_ticket", reason="timeout")

    door.prepares.append(fails)
    with pytest.raises(error):
        door.perform(Say())
    assert door.perform(Say()) == [("done", None)]


def test_what_turns_out_not_to_be_right_any_more_is_refused(door):
    def superseded():
        raise PermanentError("richpanel", "send_message", reason="superseded")

    door.prepares.append(superseded)
    assert door.perform(Say()) == [("refused", "superseded")]
    assert door.sent == []


def test_a_dependent_of_what_is_not_done_is_skipped(door):
    """A ticket is never closed unanswered."""
    door.fails = [PermanentError("richpanel", "say", status=400)]
    rows = door.effects.perform(Attempt(door.lease, MODES), [StepAction(Say())], {})
    assert door.perform(TAG, earlier=rows, depends_on=(Say.key,)) == [("skipped", "dependency")]


def test_what_was_already_so_is_recorded_and_not_sent(door):
    assert door.perform(TAG, already=True) == [("skipped", "already")]
    assert not door.sent


@pytest.mark.parametrize(
    ("switches", "tag", "say"),
    [
        (Switches(kill_switch=True), "kill_switch", "kill_switch"),
        (Switches(shadow_mode=True), "shadow", "shadow"),
        (Switches(safe_mode=True), None, "safe_mode"),
        (Switches(automation_enabled=False), None, "automation_disabled"),
    ],
)
def test_switches_are_read_before_each_effect(door, switches, tag, say):
    """F40, F42: routing reaches no customer and goes on where only speaking is stopped."""
    door.switches.switches = switches
    assert door.perform(TAG) == [("skipped", tag) if tag else ("done", None)]
    assert door.perform(Say()) == [("skipped", say)]


def test_what_a_switch_forbade_when_it_was_decided_is_withheld_although_it_was_lifted_since(door):
    """Under the kill switch a plan is made on less than is known without it."""
    attempt = Attempt(door.lease, MODES, decided=Switches(kill_switch=True))
    rows = door.effects.perform(attempt, [StepAction(TAG)], {})
    assert (rows[TAG.key].status.value, rows[TAG.key].reason) == ("skipped", "kill_switch")
    assert door.sent == []


def test_unreadable_switches_start_nothing_and_skip_nothing(door):
    """F40."""
    door.switches.switches = None
    with pytest.raises(SwitchesUnreadableError):
        door.perform(TAG)
    assert door.ledger._table.get({"event_id": TAG.key}) is None


def test_a_switch_that_stops_an_interrupted_effect_leaves_it_unknown_and_not_skipped(door):
    """ "Skipped" would say that it did not happen; it may have."""
    door.ledger.begin(door.lease, [Blurt()], MODES)
    door.switches.switches = Switches(kill_switch=True)
    assert door.perform(Blurt(), lease=door.crash_and_claim()) == [("unknown", "stopped_unsettled")]
