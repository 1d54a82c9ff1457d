"""Whether a message may be a wish to get no further one, and what a wish is limited to; pure."""

from __future__ import annotations

from chalicelib.outreach.consent.contact_purpose import ContactPurpose
from chalicelib.outreach.consent.words import Heard, Word, heard
from chalicelib.outreach.jobs import InboundMessage


def is_doubtful(job: InboundMessage) -> bool:
    """Whether a person has to say what a message means; one by a machine is never in doubt."""
    if job.is_automatic or job.opt_out is not None:
        return False
    # A STOP that the door did not take may be a mailing's.
    return _heard(job).word in (Word.DOUBT, Word.STOP)


def refused_purposes(job: InboundMessage) -> frozenset[ContactPurpose] | None:
    """The purposes that a STOP, or what may be one, is about; None for all.

    Only the recipient's own words limit it, not what a carrier or a link has made of them.
    """
    return None if job.carrier_answers else _heard(job).purposes


def _heard(job: InboundMessage) -> Heard:
    if not job.channel.traits.is_threaded:
        return heard(job.text)
    from chalicelib.outreach.ses.mail_words import heard_by_mail  # noqa: PLC0415 - Twilio's door has none

    return heard_by_mail(job.text)
