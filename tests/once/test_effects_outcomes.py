"""What the door out says of each effect, and what it makes of outcomes it can hardly write."""

import itertools

import pytest

from chalicelib.errors import (
    AuthError,
    HandBackError,
    PermanentError,
    TransientError,
    UncertainError,
)
from chalicelib.once.action import ActionRow, ActionStatus, Found, Settle
from chalicelib.once.effects import DEADLINE_SECONDS, RECORD_TRIES, Attempt, Effects, StepAction
from chalicelib.once.event import LANDING_SECONDS, EventFacts
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Modes, Switches
from chalicelib.once.settlement import Settlement
from chalicelib.support.actions import AddTag
from tests.rigs.engines import table_a_in_memory
from tests.rigs.fakes import ManualClock, RecordingLog, SetSwitches

MODES = Modes("automation_candidate", safe_mode=False, automation_enabled=True)
EVENT = EventFacts("evt:rp:1:c", "1", "2026-11-20T11:59:59.000Z", "9f", 9, "test", "c")
TAG, OTHER = AddTag("1", "mw-processed", "c"), AddTag("1", "mw-routing-applied", "c")


class Say:
    """An action that reaches a customer; `settle` says what can be learnt of it."""

    vendor, speaks, conversation_id, audit_type = "richpanel", True, "1", "auto_reply"

    def __init__(self, settle=Settle.QUERY, key="act:rp_reply:1:c"):
        self.kind, self.settle, self.key = "say", settle, key

    def payload(self):
        return {"template": "t_1"}

    def probe(self):
        return {"body": "hash"}


class Slow:
    """A ledger that fails to write outcomes as often as it is told to."""

    def __init__(self, ledger):
        self._ledger, self.failures = ledger, 0

    def __getattr__(self, name):
        return getattr(self._ledger, name)

    def end_actions(self, *args, **more):
        if self.failures:
            self.failures -= 1
            raise TransientError("dynamodb", "update_item", status=500)
        return self._ledger.end_actions(*args, **more)


class Door:
    """The door out with a vendor that does as it is told."""

    def __init__(self):
        self.clock, self.log, self.switches = ManualClock(), RecordingLog(), SetSwitches()
        owners = (f"o{n}" for n in itertools.count())
        self.table = table_a_in_memory()
        self.ledger = Slow(Ledger(self.table, self.clock, lambda: next(owners)))
        self.sent, self.deadlines, self.fails, self.shows = [], [], [], []
        self.effects = Effects(
            self.ledger,
            self.switches,
            dict.fromkeys(("add_tag", "say"), self.send),
            Settlement(self.ledger, {"say": lambda _action: tuple(self.shows)}, self.clock),
            self.clock,
            self.log,
        )
        self.lease = self.claim()

    def claim(self):
        return self.ledger.claim(EVENT, MODES, lease_seconds=250, takeover=frozenset())

    def again(self, seconds=300):
        """Another worker, after the lease of the first is over."""
        self.clock.forward(seconds)
        self.lease = self.claim()

    def send(self, actions, *, deadline_seconds):
        self.sent.append([action.key for action in actions])
        self.deadlines.append(deadline_seconds)
        if self.fails:
            raise self.fails.pop(0)
        return "ref-1"

    def perform(self, *step, earlier=None, operator=False):
        items = [one if isinstance(one, StepAction) else StepAction(one) for one in step]
        attempt = Attempt(self.lease, MODES, operator=operator)
        rows = self.effects.perform(attempt, items, earlier or {})
        return [(rows[i.action.key].status.value, rows[i.action.key].reason) for i in items]

    def row(self, action):
        return self.table.get({"event_id": action.key})


@pytest.fixture
def door():
    return Door()


def lost(vendor="richpanel"):
    return UncertainError(vendor, "send", reason="read_timeout")


# --- what is told -----------------------------------------------------------------------------


def test_each_effect_is_told_and_counted_by_its_end_its_vendor_and_its_kind(door):
    door.fails = [PermanentError("richpanel", "add_tags", status=422)]
    door.perform(TAG)
    door.perform(Say())
    assert door.log.events == [
        ("action.refused", {"action_type": "tag", "reason": "http_422"}),
        ("action.done", {"action_type": "auto_reply", "reason": None}),
    ]
    assert door.log.metrics == [
        ("mw.effects", 1, {"outcome": "refused", "vendor": "richpanel", "kind": "add_tag"}),
        ("mw.effects", 1, {"outcome": "done", "vendor": "richpanel", "kind": "say"}),
    ]


def test_what_the_provider_was_seen_to_show_is_told(door):
    door.ledger.begin(door.lease, [Say()], MODES)
    door.again()
    door.shows = [Found("comment-9")]
    assert door.perform(Say()) == [("done", "settled")]
    assert door.log.events[0] == ("action.settled", {"verdict": "happened", "saw": "found"})
    assert door.row(Say())["ref"] == "comment-9"


def test_a_vendor_has_so_many_seconds_for_a_request_and_no_more(door):
    door.perform(TAG)
    assert door.deadlines == [DEADLINE_SECONDS]


# --- dependencies -----------------------------------------------------------------------------


def test_what_was_so_already_is_as_good_as_done_for_its_dependents(door):
    step = [StepAction(TAG, already=True), StepAction(OTHER, depends_on=(TAG.key,))]
    assert door.perform(*step) == [("skipped", "already"), ("done", None)]


@pytest.mark.parametrize("key", ["act:rp_reply:1:c", "act:never:1:c"])
def test_what_was_so_already_is_no_other_actions_doing(door, key):
    step = [StepAction(TAG, already=True), StepAction(OTHER, depends_on=(key,))]
    assert door.perform(*step) == [("skipped", "already"), ("skipped", "dependency")]


def test_actions_that_go_out_in_one_request_need_not_wait_for_each_other(door):
    step = [StepAction(TAG), StepAction(OTHER, depends_on=(TAG.key,))]
    assert door.perform(*step) == [("done", None)] * 2
    assert door.sent == [[TAG.key, OTHER.key]]


@pytest.mark.parametrize(
    ("status", "reason", "met"),
    [
        (ActionStatus.DONE, None, True),
        (ActionStatus.DONE, "settled", True),
        (ActionStatus.SKIPPED, "already", True),
        (ActionStatus.SKIPPED, "shadow", False),
        (ActionStatus.UNKNOWN, "read_timeout", False),
        (ActionStatus.REFUSED, "already", False),
    ],
)
def test_a_dependent_goes_on_only_after_what_is_so(door, status, reason, met):
    earlier = {OTHER.key: ActionRow(OTHER.key, status, reason=reason)}
    ended = door.perform(StepAction(TAG, depends_on=(OTHER.key,)), earlier=earlier)
    assert ended == [("done", None) if met else ("skipped", "dependency")]


def test_every_dependency_must_be_met(door):
    earlier = {OTHER.key: ActionRow(OTHER.key, ActionStatus.DONE)}
    step = StepAction(TAG, depends_on=(OTHER.key, "act:never:1:c"))
    assert door.perform(step, earlier=earlier) == [("skipped", "dependency")]


# --- outcomes that nobody knows -----------------------------------------------------------------


def test_an_uncertain_request_that_is_handed_back_keeps_what_the_vendor_said(door):
    door.fails = [
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
        door.perform(TAG)
    error = caught.value
    assert (error.provider, error.operation, error.status) == ("richpanel", "add_tags", 502)
    assert (error.reason, error.request_id, error.retry_after) == ("bad_gateway", "r-9", 30.0)


def test_what_may_have_happened_stays_started_until_it_is_repeated(door):
    """Else a switch could call it skipped."""
    door.fails = [lost()]
    with pytest.raises(TransientError):
        door.perform(TAG)
    assert door.row(TAG)["started"] is True


@pytest.mark.parametrize("settle", [Settle.REPEATABLE, Settle.KEY])
def test_a_repeated_effect_may_land_until_long_after_its_own_start(door, settle):
    door.ledger.begin(door.lease, [Say(settle)], MODES)
    door.again()
    door.fails = [lost()]
    with pytest.raises(TransientError):
        door.perform(Say(settle))
    row, now = door.row(Say()), door.clock.now().timestamp()
    assert (row["started_epoch"], row["horizon"]) == (now, now + 250 + LANDING_SECONDS)


@pytest.mark.parametrize(
    ("settle", "end"),
    [
        (Settle.KEY, ("unknown", "interrupted:http_400")),
        (Settle.REPEATABLE, ("refused", "http_400")),
    ],
)
def test_a_refused_repetition_says_nothing_of_the_request_before_it(door, settle, end):
    door.ledger.begin(door.lease, [Say(settle)], MODES)
    door.again()
    door.fails = [PermanentError("richpanel", "send", status=400)]
    assert door.perform(Say(settle)) == [end]


def test_a_refused_first_request_is_refused_whatever_its_kind(door):
    door.fails = [PermanentError("richpanel", "send", status=400)]
    assert door.perform(Say(Settle.KEY)) == [("refused", "http_400")]


def test_a_step_is_unknown_as_soon_as_one_of_it_cannot_be_repeated(door):
    both = [Say(Settle.KEY), Say(Settle.NONE, key="act:rp_reply:1:d")]
    door.fails = [lost()]
    assert door.perform(*both) == [("unknown", "read_timeout")] * 2


def test_an_effect_that_was_stopped_may_still_land_as_long_as_before(door):
    """Being looked at moves no horizon."""
    door.ledger.begin(door.lease, [Say(Settle.NONE)], MODES)
    before = door.row(Say())
    door.again()
    door.switches.switches = Switches(kill_switch=True)
    assert door.perform(Say(Settle.NONE)) == [("unknown", "stopped_unsettled")]
    after = door.row(Say())
    for name in ("started_epoch", "horizon"):
        assert after[name] == before[name]


@pytest.mark.parametrize("settle", [Settle.REPEATABLE, Settle.KEY])
def test_a_stopped_effect_that_may_be_repeated_says_so(door, settle):
    door.ledger.begin(door.lease, [Say(settle)], MODES)
    door.again()
    door.switches.switches = Switches(kill_switch=True)
    assert door.perform(Say(settle)) == [("unknown", "stopped_repeatable")]


def test_an_interrupted_effect_that_stays_unknown_says_what_was_seen_and_keeps_its_times(door):
    door.ledger.begin(door.lease, [Say()], MODES)
    before = door.row(Say())
    door.again()
    assert door.perform(Say()) == [("unknown", "interrupted:may_still_land")]
    after = door.row(Say())
    assert (after["started_epoch"], after["horizon"]) == (
        before["started_epoch"],
        before["horizon"],
    )


def test_an_effect_that_was_found_absent_twice_is_sent_and_may_land_long_after_that(door):
    door.ledger.begin(door.lease, [Say()], MODES)
    door.again(1200)
    assert door.perform(Say()) == [("unknown", "interrupted:absent_once")]
    door.again()
    assert door.perform(Say()) == [("done", None)]
    now = door.clock.now().timestamp()
    assert door.row(Say())["started_epoch"] == now
    assert door.sent == [[Say().key]]


def test_an_unknown_effect_is_not_touched_while_nothing_new_is_known(door):
    door.fails = [lost()]
    door.perform(Say())
    before = door.row(Say())
    door.again()
    assert door.perform(Say()) == [("unknown", "read_timeout")]
    assert door.row(Say()) == before


def test_an_unknown_effect_that_may_be_repeated_is_repeated(door):
    door.ledger.begin(door.lease, [TAG], MODES)
    door.again()
    door.switches.switches = Switches(kill_switch=True)
    door.perform(TAG)
    door.switches.switches = Switches()
    door.again()
    assert door.perform(TAG) == [("done", None)]


def test_of_a_step_only_what_is_not_done_goes_out(door):
    door.perform(TAG)
    assert door.perform(TAG, OTHER) == [("done", None)] * 2
    assert door.sent == [[TAG.key], [OTHER.key]]


def test_only_an_operator_opens_again_what_was_refused(door):
    door.fails = [PermanentError("richpanel", "add_tags", status=422)]
    door.perform(TAG)
    assert door.perform(TAG) == [("refused", "http_422")]
    assert door.perform(TAG, operator=True) == [("done", None)]


# --- what surely was not done -------------------------------------------------------------------


def test_of_a_refused_try_only_what_was_never_tried_before_has_surely_not_happened(door):
    """A 429 to the repetition says nothing of the first try."""
    door.ledger.begin(door.lease, [TAG], MODES)
    door.again()
    door.fails = [TransientError("richpanel", "add_tags", status=429)]
    with pytest.raises(TransientError):
        door.perform(TAG, OTHER)
    assert (door.row(TAG)["started"], door.row(OTHER)["started"]) == (True, False)


def test_a_refused_repetition_leaves_open_what_every_first_try_came_to(door):
    door.ledger.begin(door.lease, [TAG, OTHER], MODES)
    door.again()
    door.fails = [TransientError("richpanel", "add_tags", status=429)]
    with pytest.raises(TransientError):
        door.perform(TAG, OTHER)
    assert (door.row(TAG)["started"], door.row(OTHER)["started"]) == (True, True)


def test_what_was_found_absent_and_then_refused_has_surely_not_happened(door):
    door.ledger.begin(door.lease, [Say()], MODES)
    door.again(1200)
    door.perform(Say())
    door.again()
    door.fails = [TransientError("richpanel", "send", status=429)]
    with pytest.raises(TransientError):
        door.perform(Say())
    assert door.row(Say())["started"] is False


@pytest.mark.parametrize(
    ("flip", "reason"),
    [
        (lambda door: door.clock.forward(101), "lease_too_short"),
        (
            lambda door: setattr(door.switches, "switches", Switches(shadow_mode=True)),
            "switch_flipped",
        ),
    ],
)
def test_what_must_not_start_any_more_when_its_row_is_written_comes_again_at_once(
    door, flip, reason
):
    begin = door.ledger.begin

    def slow_begin(*args, **more):
        rows = begin(*args, **more)
        flip(door)
        return rows

    door.ledger.begin = slow_begin
    with pytest.raises(HandBackError) as caught:
        door.perform(TAG)
    assert (caught.value.reason, caught.value.delay_seconds) == (reason, 1)
    assert (door.sent, door.row(TAG)["started"]) == ([], False)


def test_an_effect_starts_on_a_lease_that_is_just_long_enough(door):
    door.clock.forward(100)
    assert door.perform(TAG) == [("done", None)]


def test_a_lease_that_is_too_short_is_handed_back_before_any_row_is_written(door):
    door.clock.forward(100.5)
    with pytest.raises(HandBackError) as caught:
        door.perform(TAG)
    assert (caught.value.reason, caught.value.delay_seconds) == ("lease_too_short", 1)
    assert door.row(TAG) is None


@pytest.mark.parametrize("error", [TransientError, AuthError])
def test_an_error_of_the_vendor_is_told_on_as_it_came(door, error):
    door.fails = [error("richpanel", "add_tags", status=401)]
    with pytest.raises(error, match=r"richpanel\.add_tags 401"):
        door.perform(TAG)
    assert door.row(TAG)["started"] is False


# --- outcomes that can hardly be written --------------------------------------------------------


def test_an_outcome_is_offered_again_after_growing_pauses(door):
    """The effect has happened; only its proof is missing."""
    door.ledger.failures = RECORD_TRIES - 1
    assert door.perform(TAG) == [("done", None)]
    assert door.clock.slept == [0.2, 0.4, 0.8]
    assert len(door.sent) == 1


def test_an_outcome_that_cannot_be_written_is_left_to_be_settled(door):
    door.ledger.failures = RECORD_TRIES
    with pytest.raises(TransientError):
        door.perform(Say())
    assert len(door.clock.slept) == RECORD_TRIES - 1
    assert (door.row(Say())["status"], door.row(Say())["started"]) == ("pending", True)
    door.shows = [Found("comment-9")]
    door.again()
    assert door.perform(Say()) == [("done", "settled")]
    assert len(door.sent) == 1
