"""SES's door: an SNS message about an e-mail that came in or went out is parsed and queued."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from chalicelib.clock import iso
from chalicelib.errors import RequestError
from chalicelib.once import door
from chalicelib.once.intake import Intake
from chalicelib.outreach.jobs import InboundMessage
from chalicelib.outreach.ses import webhook

if TYPE_CHECKING:  # an event that is no wish to stop does not load it
    from chalicelib.outreach.ses.stop_at_door import StopByMail


def receive(
    message: str,
    intake: Intake,
    consent: Callable[[], StopByMail],
    is_doubtful: Callable[[InboundMessage], bool],
) -> None:
    """Mark who says STOP or may say it, and queue the job of one SNS message; some events lead to none.

    A message that is no SES notification is logged, counted and dropped: it can never become one.

    Args:
        message: its text.
        intake: takes the job.
        consent: marks them; built for the first one.
        is_doubtful: whether an e-mail may be a STOP.

    Raises:
        UnavailableError: the mark or the job was not kept; Lambda delivers the message again.
    """
    try:
        job = webhook.parse(
            message,
            received_at=iso(intake.clock.now()),
            delivery_id=intake.new_id(),
            opaque=intake.opaque(),
        )
    except RequestError as error:
        door.log_rejected(intake.log, "ses", error.code)
        return
    if isinstance(job, InboundMessage) and _is_heard(job):
        may_be_stop = job.opt_out == "stop" or is_doubtful(job)
        job = consent().apply(job) if may_be_stop else job
    if job is not None:
        intake.accept(job)
        door.log_accepted(intake.log, "ses", mw_trace_id=job.trace_id)


def _is_heard(job: InboundMessage) -> bool:
    """Whether its words count here; of a sender that nothing proves only a STOP does."""
    is_known = job.is_proven or job.token is not None
    return not job.is_automatic and (is_known or job.opt_out == "stop")
