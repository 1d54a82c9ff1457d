"""Whether a message may be a STOP, and which purposes a STOP is limited to; pure."""

from __future__ import annotations

from chalicelib.outreach.consent.contact_purpose import ContactPurpose
from chalicelib.outreach.consent.contact_words import Heard, Word, recognise
from chalicelib.outreach.jobs import InboundMessage


def is_doubtful(job: InboundMessage) -> bool:
    """Whether a person has to judge if a message is a STOP.

    False for an automatic message, and where a STOP, START or HELP was already recognised in it.
    """
    if job.is_automatic or job.opt_out is not None:
        return False
    # The door did not act on this STOP, as the word may be quoted from a mailing.
    return _heard(job).word in (Word.DOUBT, Word.STOP)


def refused_purposes(job: InboundMessage) -> frozenset[ContactPurpose] | None:
    """The contact purposes that a STOP, or possible STOP, refuses; None: all of them.

    Only the recipient's own words limit the purposes, so a keyword that the carrier answers refuses
    all.
    """
    return None if job.carrier_answers else _heard(job).purposes


def _heard(job: InboundMessage) -> Heard:
    if not job.channel.traits.is_threaded:
        return recognise(job.text)
    from chalicelib.outreach.ses.mail_words import heard_by_mail  # noqa: PLC0415 - Twilio's door has none

    return heard_by_mail(job.text)
