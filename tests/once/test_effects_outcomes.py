"""What `Effects` logs about each effect, and how it handles outcomes that are hard to record."""

import pytest

from chalicelib.errors import (
    AuthError,
    HandBackError,
    PermanentError,
    TransientError,
    UncertainError,
)
from chalicelib.once.action import ActionRow, ActionStatus, Found
from chalicelib.once.effect import Settle
from chalicelib.once.effects import DEADLINE_SECONDS, RECORD_PAUSES_SECONDS, StepAction
from chalicelib.once.event import LANDING_SECONDS
from chalicelib.once.ports import Switches
from tests.rigs.effects import MODES, OTHER, TAG, reply

FAILED_WRITE = TransientError("dynamodb", "update_item", status=500)


def lost(vendor="richpanel"):
    return UncertainError(vendor, "send", reason="timeout")


# --- logs and metrics -------------------------------------------------------------------------


def test_each_effect_is_logged_and_counted_by_outcome_vendor_and_kind(effects_rig):
    effects_rig.fails = [PermanentError("richpanel", "add_tags", status=422)]
    effects_rig.perform(TAG)
    effects_rig.perform(reply())
    assert effects_rig.log.events == [
        ("action.refused", {"action_type": "tag", "actions": 1, "reason": "http_422"}),
        ("action.done", {"action_type": "auto_reply", "actions": 1, "reason": None}),
    ]
    assert effects_rig.log.metrics == [
        ("mw.effects", 1, {"outcome": "refused", "vendor": "richpanel", "kind": "add_tag"}),
        ("mw.effects", 1, {"outcome": "done", "vendor": "richpanel", "kind": "say"}),
    ]


def test_the_actions_of_one_request_are_one_line_and_one_count(effects_rig):
    effects_rig.perform(TAG, OTHER)
    (line,) = effects_rig.log.of("action.done")
    assert (line["action_type"], line["actions"]) == ("tag", 2)
    assert effects_rig.log.metrics == [
        ("mw.effects", 2, {"outcome": "done", "vendor": "richpanel", "kind": "add_tag"}),
    ]


def test_a_settlement_logs_what_the_vendor_showed(effects_rig):
    effects_rig.ledger.begin(effects_rig.lease, [reply()], MODES)
    effects_rig.claim_later()
    effects_rig.shows = [Found("comment-9")]
    assert effects_rig.perform(reply()) == [("done", "settled")]
    assert effects_rig.log.events[0] == ("action.settled", {"verdict": "happened", "saw": "found"})
    assert effects_rig.row(reply())["ref"] == "comment-9"


def test_a_request_has_a_fixed_deadline(effects_rig):
    effects_rig.perform(TAG)
    assert effects_rig.deadlines == [DEADLINE_SECONDS]


# --- dependencies -----------------------------------------------------------------------------


def test_an_effect_already_in_place_satisfies_its_dependents(effects_rig):
    step = [StepAction(TAG, already=True), StepAction(OTHER, depends_on=(TAG.key,))]
    assert effects_rig.perform(*step) == [("skipped", "already"), ("done", None)]


@pytest.mark.parametrize("key", ["act:rp_reply:1:c", "act:never:1:c"])
def test_an_effect_already_in_place_does_not_satisfy_other_dependencies(effects_rig, key):
    step = [StepAction(TAG, already=True), StepAction(OTHER, depends_on=(key,))]
    assert effects_rig.perform(*step) == [("skipped", "already"), ("skipped", "dependency")]


def test_actions_in_one_request_do_not_wait_for_each_other(effects_rig):
    step = [StepAction(TAG), StepAction(OTHER, depends_on=(TAG.key,))]
    assert effects_rig.perform(*step) == [("done", None)] * 2
    assert effects_rig.sent == [[TAG.key, OTHER.key]]


@pytest.mark.parametrize(
    ("status", "reason", "met"),
    [
        (ActionStatus.DONE, None, True),
        (ActionStatus.DONE, "settled", True),
        (ActionStatus.SKIPPED, "already", True),
        (ActionStatus.SKIPPED, "shadow", False),
        (ActionStatus.UNKNOWN, "timeout", False),
        (ActionStatus.REFUSED, "already", False),
    ],
)
def test_a_dependent_action_runs_only_after_its_dependency_took_effect(
    effects_rig, status, reason, met
):
    earlier = {OTHER.key: ActionRow(OTHER.key, status, reason=reason)}
    ended = effects_rig.perform(StepAction(TAG, depends_on=(OTHER.key,)), earlier=earlier)
    assert ended == [("done", None) if met else ("skipped", "dependency")]


def test_every_dependency_must_be_met(effects_rig):
    earlier = {OTHER.key: ActionRow(OTHER.key, ActionStatus.DONE)}
    step = StepAction(TAG, depends_on=(OTHER.key, "act:never:1:c"))
    assert effects_rig.perform(step, earlier=earlier) == [("skipped", "dependency")]


# --- unknown outcomes -------------------------------------------------------------------------


def test_an_uncertain_request_that_is_handed_back_keeps_the_vendors_error(effects_rig):
    effects_rig.fails = [
        UncertainError(
            "richpanel",
            "add_tags",
            status=502,
            reason="bad_gateway",
            request_id="r-9",
            retry_after=30.0,
        )
    ]
    with pytest.raises(TransientError) as caught:
        effects_rig.perform(TAG)
    error = caught.value
    assert (error.provider, error.operation, error.status) == ("richpanel", "add_tags", 502)
    assert (error.reason, error.request_id, error.retry_after) == ("bad_gateway", "r-9", 30.0)


def test_an_effect_that_may_have_happened_stays_started_until_it_is_repeated(effects_rig):
    """Otherwise a switch could record it as skipped."""
    effects_rig.fails = [lost()]
    with pytest.raises(TransientError):
        effects_rig.perform(TAG)
    assert effects_rig.row(TAG)["started"] is True


@pytest.mark.parametrize("settle", [Settle.REPEATABLE, Settle.KEY])
def test_a_repeated_effect_gets_a_new_landing_horizon(effects_rig, settle):
    effects_rig.ledger.begin(effects_rig.lease, [reply(settle)], MODES)
    effects_rig.claim_later()
    effects_rig.fails = [lost()]
    with pytest.raises(TransientError):
        effects_rig.perform(reply(settle))
    row, now = effects_rig.row(reply()), effects_rig.clock.now().timestamp()
    assert (row["started_epoch"], row["horizon"]) == (now, now + 250 + LANDING_SECONDS)


@pytest.mark.parametrize(
    ("settle", "end"),
    [
        (Settle.KEY, ("unknown", "interrupted:http_400")),
        (Settle.REPEATABLE, ("refused", "http_400")),
    ],
)
def test_a_refused_retry_says_nothing_about_the_request_before_it(effects_rig, settle, end):
    effects_rig.ledger.begin(effects_rig.lease, [reply(settle)], MODES)
    effects_rig.claim_later()
    effects_rig.fails = [PermanentError("richpanel", "send", status=400)]
    assert effects_rig.perform(reply(settle)) == [end]


def test_a_refused_first_request_is_refused_whatever_its_settling(effects_rig):
    effects_rig.fails = [PermanentError("richpanel", "send", status=400)]
    assert effects_rig.perform(reply(Settle.KEY)) == [("refused", "http_400")]


def test_a_step_is_unknown_if_any_of_its_actions_cannot_be_repeated(effects_rig):
    both = [reply(Settle.KEY), reply(Settle.NONE, key="act:rp_reply:1:d")]
    effects_rig.fails = [lost()]
    assert effects_rig.perform(*both) == [("unknown", "timeout")] * 2


def test_a_stopped_effect_keeps_its_landing_horizon(effects_rig):
    """A check moves no horizon."""
    effects_rig.ledger.begin(effects_rig.lease, [reply(Settle.NONE)], MODES)
    before = effects_rig.row(reply())
    effects_rig.claim_later()
    effects_rig.switches.switches = Switches(kill_switch=True)
    assert effects_rig.perform(reply(Settle.NONE)) == [("unknown", "stopped_unsettled")]
    after = effects_rig.row(reply())
    for name in ("started_epoch", "horizon"):
        assert after[name] == before[name]


@pytest.mark.parametrize("settle", [Settle.REPEATABLE, Settle.KEY])
def test_a_stopped_effect_that_is_repeatable_says_so(effects_rig, settle):
    effects_rig.ledger.begin(effects_rig.lease, [reply(settle)], MODES)
    effects_rig.claim_later()
    effects_rig.switches.switches = Switches(kill_switch=True)
    assert effects_rig.perform(reply(settle)) == [("unknown", "stopped_repeatable")]


def test_an_interrupted_effect_that_stays_unknown_records_the_check_and_keeps_its_times(
    effects_rig,
):
    effects_rig.ledger.begin(effects_rig.lease, [reply()], MODES)
    before = effects_rig.row(reply())
    effects_rig.claim_later()
    assert effects_rig.perform(reply()) == [("unknown", "interrupted:may_still_land")]
    after = effects_rig.row(reply())
    assert (after["started_epoch"], after["horizon"]) == (
        before["started_epoch"],
        before["horizon"],
    )


def test_an_effect_found_absent_twice_is_sent_with_a_new_start_time(effects_rig):
    effects_rig.ledger.begin(effects_rig.lease, [reply()], MODES)
    effects_rig.claim_later(1200)
    assert effects_rig.perform(reply()) == [("unknown", "interrupted:absent_once")]
    effects_rig.claim_later()
    assert effects_rig.perform(reply()) == [("done", None)]
    now = effects_rig.clock.now().timestamp()
    assert effects_rig.row(reply())["started_epoch"] == now
    assert effects_rig.sent == [[reply().key]]


def test_an_unknown_effect_is_left_unchanged_while_nothing_new_is_known(effects_rig):
    effects_rig.fails = [lost()]
    effects_rig.perform(reply())
    before = effects_rig.row(reply())
    effects_rig.claim_later()
    assert effects_rig.perform(reply()) == [("unknown", "timeout")]
    assert effects_rig.row(reply()) == before


def test_an_unknown_effect_that_may_be_repeated_is_repeated(effects_rig):
    effects_rig.ledger.begin(effects_rig.lease, [TAG], MODES)
    effects_rig.claim_later()
    effects_rig.switches.switches = Switches(kill_switch=True)
    effects_rig.perform(TAG)
    effects_rig.switches.switches = Switches()
    effects_rig.claim_later()
    assert effects_rig.perform(TAG) == [("done", None)]


def test_only_the_unfinished_actions_of_a_step_are_sent(effects_rig):
    effects_rig.perform(TAG)
    assert effects_rig.perform(TAG, OTHER) == [("done", None)] * 2
    assert effects_rig.sent == [[TAG.key], [OTHER.key]]


def test_only_an_operator_reopens_a_refused_action(effects_rig):
    effects_rig.fails = [PermanentError("richpanel", "add_tags", status=422)]
    effects_rig.perform(TAG)
    assert effects_rig.perform(TAG) == [("refused", "http_422")]
    assert effects_rig.perform(TAG, operator=True) == [("done", None)]


# --- effects that certainly did not happen ----------------------------------------------------


def test_a_rejected_request_rules_out_only_the_actions_it_tried_for_the_first_time(effects_rig):
    """A 429 to the retry says nothing about the first try."""
    effects_rig.ledger.begin(effects_rig.lease, [TAG], MODES)
    effects_rig.claim_later()
    effects_rig.fails = [TransientError("richpanel", "add_tags", status=429)]
    with pytest.raises(TransientError):
        effects_rig.perform(TAG, OTHER)
    assert (effects_rig.row(TAG)["started"], effects_rig.row(OTHER)["started"]) == (True, False)


def test_a_rejected_retry_leaves_the_outcome_of_the_first_try_open(effects_rig):
    effects_rig.ledger.begin(effects_rig.lease, [TAG, OTHER], MODES)
    effects_rig.claim_later()
    effects_rig.fails = [TransientError("richpanel", "add_tags", status=429)]
    with pytest.raises(TransientError):
        effects_rig.perform(TAG, OTHER)
    assert (effects_rig.row(TAG)["started"], effects_rig.row(OTHER)["started"]) == (True, True)


def test_an_effect_found_absent_and_then_rejected_did_not_happen(effects_rig):
    effects_rig.ledger.begin(effects_rig.lease, [reply()], MODES)
    effects_rig.claim_later(1200)
    effects_rig.perform(reply())
    effects_rig.claim_later()
    effects_rig.fails = [TransientError("richpanel", "send", status=429)]
    with pytest.raises(TransientError):
        effects_rig.perform(reply())
    assert effects_rig.row(reply())["started"] is False


@pytest.mark.parametrize(
    ("flip", "reason"),
    [
        (lambda effects_rig: effects_rig.clock.forward(101), "lease_too_short"),
        (
            lambda effects_rig: setattr(
                effects_rig.switches, "switches", Switches(shadow_mode=True)
            ),
            "switch_flipped",
        ),
    ],
)
def test_an_effect_that_may_not_start_once_its_row_is_written_is_handed_back_at_once(
    effects_rig, flip, reason
):
    effects_rig.table.after["insert_all"] = lambda: flip(effects_rig)
    with pytest.raises(HandBackError) as caught:
        effects_rig.perform(TAG)
    assert (caught.value.reason, caught.value.delay_seconds) == (reason, 1)
    assert (effects_rig.sent, effects_rig.row(TAG)["started"]) == ([], False)


def test_an_effect_starts_on_a_lease_that_is_exactly_long_enough(effects_rig):
    effects_rig.clock.forward(100)
    assert effects_rig.perform(TAG) == [("done", None)]


def test_a_lease_that_is_too_short_is_handed_back_before_any_row_is_written(effects_rig):
    effects_rig.clock.forward(100.5)
    with pytest.raises(HandBackError) as caught:
        effects_rig.perform(TAG)
    assert (caught.value.reason, caught.value.delay_seconds) == ("lease_too_short", 1)
    assert effects_rig.row(TAG) is None


@pytest.mark.parametrize("error", [TransientError, AuthError])
def test_a_vendor_error_is_raised_unchanged(effects_rig, error):
    effects_rig.fails = [error("richpanel", "add_tags", status=401)]
    with pytest.raises(error, match=r"richpanel\.add_tags 401"):
        effects_rig.perform(TAG)
    assert effects_rig.row(TAG)["started"] is False


# --- outcomes that are hard to record ---------------------------------------------------------


def test_writing_an_outcome_is_retried_after_growing_pauses(effects_rig):
    """The effect has happened; only its record is missing."""
    effects_rig.table.fails["update"] = [FAILED_WRITE] * len(RECORD_PAUSES_SECONDS)
    assert effects_rig.perform(TAG) == [("done", None)]
    assert effects_rig.clock.slept == [0.2, 0.4, 0.8]
    assert len(effects_rig.sent) == 1


def test_an_outcome_that_cannot_be_written_is_left_to_be_settled(effects_rig):
    effects_rig.table.fails["transact"] = [FAILED_WRITE] * (len(RECORD_PAUSES_SECONDS) + 1)
    with pytest.raises(TransientError):
        effects_rig.perform(reply())
    assert len(effects_rig.clock.slept) == len(RECORD_PAUSES_SECONDS)
    assert (effects_rig.row(reply())["status"], effects_rig.row(reply())["started"]) == (
        "pending",
        True,
    )
    effects_rig.shows = [Found("comment-9")]
    effects_rig.claim_later()
    assert effects_rig.perform(reply()) == [("done", "settled")]
    assert len(effects_rig.sent) == 1
