"""Whether a message may be a wish to get no further one; pure."""

from __future__ import annotations

from chalicelib.outreach.consent.words import Word, heard
from chalicelib.outreach.jobs import InboundMessage


def is_doubtful(job: InboundMessage) -> bool:
    """Whether a person has to say what a message means; one by a machine is never in doubt."""
    if job.is_automatic or job.opt_out is not None:
        return False
    return heard(job.text).word == Word.DOUBT
