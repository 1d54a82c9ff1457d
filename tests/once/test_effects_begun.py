"""A failed write around a row that has begun: what was surely not sent is not left to be settled."""

import pytest

from chalicelib.errors import HandBackError, TransientError
from chalicelib.once.effect import Settle
from chalicelib.once.effects import RECORD_PAUSES_SECONDS, Attempt, StepAction
from tests.rigs.effects import MODES, OTHER, TAG, reply

FAILED_WRITE = TransientError("dynamodb", "batch_execute_statement", status=500)
TOO_MANY = len(RECORD_PAUSES_SECONDS) + 1
EMAIL = reply(Settle.NONE, "act:send:1:opening")
"""An effect like an e-mail, whose vendor cannot be asked whether it was sent."""


def lose_answer(effects_rig, call="insert_all", then=lambda: None):
    """The next such call writes, and its caller gets an error."""

    def fail():
        then()
        raise FAILED_WRITE

    effects_rig.table.after[call] = fail


def test_an_email_whose_begin_was_written_and_not_answered_is_sent_once(effects_rig):
    lose_answer(effects_rig)
    assert effects_rig.perform(EMAIL) == [("done", None)]
    assert effects_rig.sent == [[EMAIL.key]]
    assert effects_rig.clock.slept == [RECORD_PAUSES_SECONDS[0]]


def test_a_step_whose_begin_was_not_answered_is_sent_in_one_request(effects_rig):
    lose_answer(effects_rig)
    assert effects_rig.perform(TAG, OTHER) == [("done", None)] * 2
    assert effects_rig.sent == [[TAG.key, OTHER.key]]


def test_a_begin_that_is_bound_to_the_lease_is_looked_at_likewise(effects_rig):
    lose_answer(effects_rig, "transact")
    attempt = Attempt(effects_rig.lease, MODES, while_held=True)
    rows = effects_rig.effects.perform(attempt, [StepAction(EMAIL)], {})
    assert rows[EMAIL.key].status == "done"
    assert effects_rig.sent == [[EMAIL.key]]


def test_a_begin_that_failed_for_good_sends_nothing(effects_rig):
    effects_rig.table.fails["insert_all"] = [FAILED_WRITE] * TOO_MANY
    with pytest.raises(TransientError):
        effects_rig.perform(EMAIL)
    assert effects_rig.clock.slept == list(RECORD_PAUSES_SECONDS)
    assert effects_rig.sent == []
    assert effects_rig.row(EMAIL) is None


def test_a_row_taken_over_while_its_begin_was_not_answered_is_not_sent(effects_rig):
    """The answer came late: another claim holds the event, and has begun the e-mail itself."""
    first = effects_rig.lease

    def take_over():
        second = effects_rig.claim_later()
        effects_rig.ledger.restart(second, EMAIL, new_start=True)

    lose_answer(effects_rig, then=take_over)
    with pytest.raises(HandBackError):
        effects_rig.perform(EMAIL, lease=first)
    assert effects_rig.sent == []


@pytest.mark.parametrize("failures", range(1, TOO_MANY))
def test_an_email_that_was_surely_not_sent_is_recorded_so_despite_failed_writes(
    effects_rig, failures
):
    effects_rig.fails = [TransientError("ses", "send_email", reason="connect_failed")]
    effects_rig.table.fails["update"] = [FAILED_WRITE] * failures
    with pytest.raises(TransientError, match="ses"):
        effects_rig.perform(EMAIL)
    effects_rig.claim_later()
    assert effects_rig.perform(EMAIL) == [("done", None)]
    assert len(effects_rig.sent) == 2


def test_an_email_that_failed_to_be_prepared_is_recorded_as_not_sent_likewise(effects_rig):
    def unprepared():
        effects_rig.table.fails["update"] = [FAILED_WRITE]
        raise TransientError("dynamodb", "get_item", status=500)

    effects_rig.prepares = [unprepared]
    with pytest.raises(TransientError, match="get_item"):
        effects_rig.perform(EMAIL)
    effects_rig.claim_later()
    assert effects_rig.perform(EMAIL) == [("done", None)]
    assert effects_rig.sent == [[EMAIL.key]]


def test_a_worker_that_died_after_begin_leaves_an_email_to_a_person(effects_rig):
    """Its request may have left the machine."""
    effects_rig.ledger.begin(effects_rig.lease, [EMAIL], MODES)
    effects_rig.claim_later()
    ((status, reason),) = effects_rig.perform(EMAIL)
    assert (status, reason.partition(":")[0]) == ("unknown", "interrupted")
    assert effects_rig.sent == []
