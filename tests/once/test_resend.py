"""A resend that fails is given to a person by the flow whose action it repeats."""

import pytest

from chalicelib.errors import PermanentError, TransientError
from chalicelib.once.job import ActionResend, Recovery
from chalicelib.once.resend import ResendFlow
from chalicelib.support.effects import ATTENTION_TAG
from chalicelib.support.jobs import ticket_job
from tests.rigs.worker import CLOSED, KEY, ROUTED, EscalatingFlow, WorkerRig, job

NONCE = "n1"
RESENT_KEY = f"{KEY}:resend:{NONCE}"


def resend():
    values = job().model_dump(include={"conversation_id", "received_at", "source", "trace_id"})
    return ActionResend(
        event_key=RESENT_KEY,
        source_event_key=KEY,
        action_key=ROUTED,
        nonce=NONCE,
        recovery=Recovery.OPERATOR,
        **values,
    )


def rig_of(flow=None):
    """A worker that has done the event whose action is resent."""
    rig = WorkerRig(flow)
    rig.flows["action_resend"] = ResendFlow(rig.ledger, dict(rig.flows), {"evt:rp": ticket_job})
    assert rig.process() == "done"
    rig.sent.clear()
    return rig


def escalations(rig):
    return [key for key in rig.sent if ATTENTION_TAG in key]


def test_a_resend_performs_the_action_again_under_a_key_of_its_own():
    rig = rig_of()
    assert rig.process(resend()) == "done"
    assert rig.sent == [f"{ROUTED}:resend:{NONCE}"]


def test_a_refused_resend_is_escalated_once():
    rig = rig_of()
    rig.fails = {f"{ROUTED}:resend:{NONCE}": [PermanentError("richpanel", "tag", status=422)]}
    rig.process(resend())
    rig.process(resend())
    assert len(escalations(rig)) == 1


def test_a_resend_given_up_by_the_queue_is_escalated():
    rig = rig_of()
    rig.fails = {f"{ROUTED}:resend:{NONCE}": [TransientError("richpanel", "tag", status=429)]}
    rig.process(resend(), receive=10)
    assert len(escalations(rig)) == 1


@pytest.mark.parametrize(
    ("asked", "end"), [(CLOSED, ("processed", None)), (ROUTED, ("failed", "plan_not_known_here"))]
)
def test_a_kind_that_only_another_release_knows_keeps_no_other_from_being_resent(asked, end):
    rig = rig_of()
    build = rig.flow.build

    def older(planned, event, plan):
        built = build(planned, event, plan)
        if built.key.startswith(ROUTED):
            raise KeyError(planned.kind)
        return built

    rig.flow.build = older
    rig.process(resend().model_copy(update={"action_key": asked}))
    assert rig.ended(RESENT_KEY) == end


@pytest.mark.parametrize("error", [PermanentError, TransientError])
def test_no_person_is_asked_where_the_repeated_events_flow_names_none(error):
    rig = rig_of(EscalatingFlow(None))
    rig.fails = {f"{ROUTED}:resend:{NONCE}": [error("richpanel", "tag", status=422)]}
    rig.process(resend(), receive=10)
    assert escalations(rig) == []
    assert [key for key, _ in rig.flow.escalated] == [RESENT_KEY]
