"""`Effects`: when it starts no effect, and how it records every kind of outcome."""

import itertools
from datetime import UTC, datetime

import pytest

from chalicelib.errors import (
    AuthError,
    HandBackError,
    PermanentError,
    SettingsError,
    SwitchesUnreadableError,
    TransientError,
    UncertainError,
)
from chalicelib.once.action import ActionStatus, Found
from chalicelib.once.effect import Settle
from chalicelib.once.effects import LONG_LOOK_SECONDS, Attempt, StepAction
from chalicelib.once.lazy import Lazy
from chalicelib.once.ports import Switches
from chalicelib.support.effects import add_tag
from tests.rigs.effects import MODES, OTHER, TAG, EffectsRig, reply

UNSETTLEABLE = reply(Settle.NONE)


@pytest.fixture
def effects_rig(table_a):
    return EffectsRig(table_a)


def test_a_successful_effect_is_done_with_the_vendors_reference(effects_rig):
    assert effects_rig.perform(TAG) == [("done", None)]
    assert effects_rig.row(TAG)["ref"] == "ref-1"


def test_a_step_is_one_request_for_all_its_actions(effects_rig):
    assert effects_rig.perform(TAG, OTHER) == [("done", None)] * 2
    assert effects_rig.sent == [[TAG.key, OTHER.key]]


def test_an_executor_that_cannot_be_built_leaves_no_action_started(effects_rig):
    """It is built at first use; a started row would have to be settled, though nothing was sent."""

    def unusable():
        raise SettingsError("no client can be built")

    effects_rig.effects._executors = Lazy({"say": unusable})
    with pytest.raises(SettingsError):
        effects_rig.perform(reply())
    assert effects_rig.row(reply()) is None


@pytest.mark.parametrize("error", [TransientError, AuthError])
def test_an_effect_that_certainly_failed_is_started_again_next_time(effects_rig, error):
    """F21: refused connections, 429s and refused keys leave nothing to settle."""
    effects_rig.fails = [error("richpanel", "say", status=429)]
    with pytest.raises(error):
        effects_rig.perform(reply())
    effects_rig.ledger.release(effects_rig.lease, reason="x", due_epoch=0)
    assert effects_rig.perform(reply(), lease=effects_rig.claim()) == [("done", None)]


def test_a_refused_effect_is_recorded_and_not_raised(effects_rig):
    """F44: one action done, another refused."""
    effects_rig.fails = [PermanentError("richpanel", "add_tags", status=422)]
    assert effects_rig.perform(TAG) == [("refused", "http_422")]
    assert effects_rig.perform(TAG) == [("refused", "http_422")]
    assert len(effects_rig.sent) == 1


def test_an_uncertain_repeatable_effect_is_handed_back_and_repeated(effects_rig):
    effects_rig.fails = [UncertainError("richpanel", "add_tags", reason="timeout")]
    with pytest.raises(TransientError):
        effects_rig.perform(TAG)
    assert effects_rig.perform(TAG, lease=effects_rig.claim_later()) == [("done", None)]


def test_an_uncertain_effect_that_cannot_be_repeated_is_unknown(effects_rig):
    """F18, F21: never sent again by machine."""
    effects_rig.fails = [UncertainError("richpanel", "say", reason="timeout")]
    assert effects_rig.perform(UNSETTLEABLE) == [("unknown", "timeout")]
    assert effects_rig.perform(UNSETTLEABLE, lease=effects_rig.claim_later()) == [
        ("unknown", "timeout")
    ]
    assert len(effects_rig.sent) == 1


def test_an_effect_whose_worker_died_is_settled_by_what_the_provider_shows(effects_rig):
    """F18: killed after the effect, before its record."""
    effects_rig.ledger.begin(effects_rig.lease, [reply()], MODES)
    effects_rig.shows = [Found("comment-9")]
    assert effects_rig.perform(reply(), lease=effects_rig.claim_later()) == [("done", "settled")]
    assert not effects_rig.sent


def test_an_effect_the_vendor_does_not_show_is_sent_only_after_the_horizon_and_a_second_check(
    effects_rig,
):
    """F18: lists lag, and a request held up in the network may still land."""
    effects_rig.ledger.begin(effects_rig.lease, [reply()], MODES)
    assert effects_rig.perform(reply(), lease=effects_rig.claim_later())[0][0] == "unknown"
    effects_rig.clock.forward(1200)
    assert effects_rig.perform(reply(), lease=effects_rig.claim_later())[0][0] == "unknown"
    assert not effects_rig.sent
    assert effects_rig.perform(reply(), lease=effects_rig.claim_later()) == [("done", None)]
    assert len(effects_rig.sent) == 1


def test_a_match_that_belongs_to_another_action_does_not_count(effects_rig):
    """Two equal texts: the first reply's comment does not prove the second."""
    effects_rig.ledger.begin(effects_rig.lease, [reply()], MODES)
    effects_rig.ledger.end_action(effects_rig.lease, reply(), ActionStatus.DONE, ref="comment-9")
    second = reply(key="act:rp_reply:1:other")
    effects_rig.ledger.begin(effects_rig.lease, [second], MODES)
    effects_rig.shows = [Found("comment-9")]
    assert effects_rig.perform(second, lease=effects_rig.claim_later())[0][0] == "unknown"


def test_no_effect_starts_on_a_lease_that_may_end_before_it_does(effects_rig):
    """F25, F26, F28: deadline, 120 s of clock skew and a late kill must fit into what is left."""
    effects_rig.clock.forward(250 - 149)
    with pytest.raises(HandBackError, match="lease_too_short"):
        effects_rig.perform(TAG)
    assert not effects_rig.sent


@pytest.mark.parametrize("skew", [-120, 120])
def test_a_clock_that_is_two_minutes_off_does_not_steal_a_running_effect(effects_rig, skew):
    """F28: another host's clock may be 120 s ahead or behind; the effect still ends in time."""
    last_start = effects_rig.lease.until_epoch - 150
    effects_rig.clock.moment = datetime.fromtimestamp(last_start + 20 + skew, UTC)
    assert type(effects_rig.claim()).__name__ == "Busy"


def test_a_worker_that_resumes_after_losing_its_lease_starts_no_effect(effects_rig):
    """F25, P6."""
    lost_lease = effects_rig.lease
    next_lease = effects_rig.claim_later()
    assert effects_rig.perform(TAG, lease=next_lease) == [("done", None)]
    with pytest.raises(HandBackError):
        effects_rig.perform(add_tag("1", "other", "c"), lease=lost_lease)
    assert len(effects_rig.sent) == 1


def test_a_worker_paused_while_it_prepares_a_request_sends_nothing(effects_rig):
    effects_rig.prepares.append(lambda: effects_rig.clock.forward(240))
    with pytest.raises(HandBackError, match="lease_too_short"):
        effects_rig.perform(reply())
    assert effects_rig.sent == []
    assert effects_rig.row(reply())["started"] is False


@pytest.mark.parametrize("nth", [1, 2])
def test_a_worker_paused_while_it_reads_the_switches_sends_nothing(effects_rig, nth):
    """The lease is checked after each read of the switches, the last one included."""
    read, reads = effects_rig.switches.current, itertools.count(1)

    def pause():
        if next(reads) == nth:
            effects_rig.clock.forward(240)
        return read()

    effects_rig.switches.current = pause
    with pytest.raises(HandBackError, match="lease_too_short"):
        effects_rig.perform(reply())
    assert effects_rig.sent == []


@pytest.mark.parametrize(
    ("switches", "reason"),
    [
        (Switches(kill_switch=True), "kill_switch"),
        (Switches(shadow_mode=True), "shadow"),
        (Switches(safe_mode=True), "safe_mode"),
        (Switches(automation_enabled=False), "automation_disabled"),
    ],
)
def test_a_switch_turned_while_a_request_is_prepared_stops_it(effects_rig, switches, reason):
    """F40: nothing was sent, and the next run records which switch stopped it."""

    def turn():
        effects_rig.switches.switches = switches

    effects_rig.prepares.append(turn)
    with pytest.raises(HandBackError, match="switch_flipped"):
        effects_rig.perform(reply())
    assert effects_rig.sent == []
    assert effects_rig.perform(reply()) == [("skipped", reason)]


def test_a_switch_turned_while_a_worker_hangs_in_its_last_look_stops_the_request(effects_rig):
    def hang():
        effects_rig.clock.forward(LONG_LOOK_SECONDS + 1)
        effects_rig.switches.switches = Switches(kill_switch=True)

    effects_rig.looks.append(hang)
    with pytest.raises(HandBackError, match="switch_flipped"):
        effects_rig.perform(reply())
    assert effects_rig.sent == []


def test_switches_that_become_unreadable_while_a_request_is_prepared_stop_it(effects_rig):
    """F40: a switch flips in the middle."""

    def make_unreadable():
        effects_rig.switches.switches = None

    effects_rig.prepares.append(make_unreadable)
    with pytest.raises(SwitchesUnreadableError):
        effects_rig.perform(reply())
    assert effects_rig.sent == []
    effects_rig.switches.switches = Switches()
    assert effects_rig.perform(reply()) == [("done", None)]


@pytest.mark.parametrize("error", [TransientError, UncertainError])
def test_an_effect_whose_preparation_failed_was_not_sent(effects_rig, error):
    def fails():
        raise error("richpanel", "read_ticket", reason="timeout")

    effects_rig.prepares.append(fails)
    with pytest.raises(error):
        effects_rig.perform(reply())
    assert effects_rig.perform(reply()) == [("done", None)]


def test_an_effect_found_superseded_during_preparation_is_refused(effects_rig):
    def superseded():
        raise PermanentError("richpanel", "send_message", reason="superseded")

    effects_rig.prepares.append(superseded)
    assert effects_rig.perform(reply()) == [("refused", "superseded")]
    assert effects_rig.sent == []


def test_an_action_whose_dependency_is_not_done_is_skipped(effects_rig):
    """A ticket is never closed unanswered."""
    effects_rig.fails = [PermanentError("richpanel", "say", status=400)]
    rows = effects_rig.effects.perform(Attempt(effects_rig.lease, MODES), [StepAction(reply())], {})
    assert effects_rig.perform(TAG, earlier=rows, depends_on=(reply().key,)) == [
        ("skipped", "dependency")
    ]


def test_an_effect_already_in_place_is_recorded_and_not_sent(effects_rig):
    assert effects_rig.perform(TAG, already=True) == [("skipped", "already")]
    assert not effects_rig.sent


@pytest.mark.parametrize(
    ("switches", "tag", "say"),
    [
        (Switches(kill_switch=True), "kill_switch", "kill_switch"),
        (Switches(shadow_mode=True), "shadow", "shadow"),
        (Switches(safe_mode=True), None, "safe_mode"),
        (Switches(automation_enabled=False), None, "automation_disabled"),
    ],
)
def test_switches_are_read_before_each_effect(effects_rig, switches, tag, say):
    """F40, F42: routing reaches no customer and continues where only replies are stopped."""
    effects_rig.switches.switches = switches
    assert effects_rig.perform(TAG) == [("skipped", tag) if tag else ("done", None)]
    assert effects_rig.perform(reply()) == [("skipped", say)]


def test_an_effect_planned_under_a_switch_is_withheld_even_after_the_switch_is_lifted(effects_rig):
    """A plan made under the kill switch rests on less information than one made without it."""
    attempt = Attempt(effects_rig.lease, MODES, decided=Switches(kill_switch=True))
    rows = effects_rig.effects.perform(attempt, [StepAction(TAG)], {})
    assert (rows[TAG.key].status.value, rows[TAG.key].reason) == ("skipped", "kill_switch")
    assert effects_rig.sent == []


def test_unreadable_switches_start_nothing_and_skip_nothing(effects_rig):
    """F40: a switch flips in the middle."""
    effects_rig.switches.switches = None
    with pytest.raises(SwitchesUnreadableError):
        effects_rig.perform(TAG)
    assert effects_rig.row(TAG) is None


def test_a_switch_that_stops_an_interrupted_effect_leaves_it_unknown_and_not_skipped(effects_rig):
    """ "Skipped" would mean that it did not happen; it may have."""
    effects_rig.ledger.begin(effects_rig.lease, [UNSETTLEABLE], MODES)
    effects_rig.switches.switches = Switches(kill_switch=True)
    assert effects_rig.perform(UNSETTLEABLE, lease=effects_rig.claim_later()) == [
        ("unknown", "stopped_unsettled")
    ]
