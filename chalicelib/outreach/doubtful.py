"""Whether a message may be a wish to get no further one; pure."""

from __future__ import annotations

from chalicelib.outreach.consent.words import Heard, Word, heard
from chalicelib.outreach.jobs import InboundMessage


def is_doubtful(job: InboundMessage) -> bool:
    """Whether a person has to say what a message means; one by a machine is never in doubt."""
    if job.is_automatic or job.opt_out is not None:
        return False
    # A STOP that the door did not take may be a mailing's.
    return _heard(job).word in (Word.DOUBT, Word.STOP)


def _heard(job: InboundMessage) -> Heard:
    if not job.channel.traits.is_threaded:
        return heard(job.text)
    from chalicelib.outreach.ses.mail_words import heard_by_mail  # noqa: PLC0415 - Twilio's door has none

    return heard_by_mail(job.text)
