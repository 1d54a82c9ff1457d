"""SES's door: an SNS message about an e-mail that came in or went out is parsed and queued."""

from __future__ import annotations

from chalicelib.clock import iso
from chalicelib.errors import RequestError
from chalicelib.once import door
from chalicelib.once.intake import Intake
from chalicelib.outreach.ses import webhook


def receive(message: str, intake: Intake) -> None:
    """Queue the job of one SNS message; some events lead to none.

    A message that is no SES notification is logged, counted and dropped: it can never become one.

    Raises:
        UnavailableError: the job was not kept; Lambda delivers the message again.
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
    if job is not None:
        intake.accept(job)
        door.log_accepted(intake.log, "ses", mw_trace_id=job.trace_id)
