"""SES's door: parses and queues SNS messages about received e-mails, and about those we sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from chalicelib.clock import iso
from chalicelib.errors import RequestError
from chalicelib.once import door
from chalicelib.once.intake import Intake
from chalicelib.outreach.jobs import InboundMessage
from chalicelib.outreach.ses import webhook

if TYPE_CHECKING:  # loaded only for a STOP
    from chalicelib.outreach.ses.stop_at_door import StopByMail


def receive(
    message: str,
    intake: Intake,
    consent: Callable[[], StopByMail],
    is_doubtful: Callable[[InboundMessage], bool],
) -> None:
    """Queue the job of one SNS message of SES, after marking a STOP, or possible STOP, in an e-mail.

    Some events lead to no job.  A message that is no SES notification is logged, counted and dropped,
    as a repetition could not help.

    Args:
        message: the text of the SNS message.
        intake: queues the job.
        consent: writes the marks; built at the first STOP.
        is_doubtful: whether an e-mail may be a STOP.

    Raises:
        UnavailableError: the mark or the job was not stored; Lambda delivers the message again.
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
    """Whether the door looks for a STOP in an e-mail.

    False for an automatic e-mail; of an unproven sender without a token, only a recognised STOP
    counts.
    """
    is_known = job.is_proven or job.token is not None
    return not job.is_automatic and (is_known or job.opt_out == "stop")
