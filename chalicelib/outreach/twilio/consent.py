"""STOP and START at the door: the mark is written before Twilio gets its 200.

So the mark does not wait for the queue, where an earlier message may wait for the end of quiet hours.
It costs two reads (the number's owner, the person's row) and one write.  The door answers 200 only when
both the mark and the message are stored; otherwise Twilio's repetition, or `hearing.lost_texts`, brings
the message again.
"""

from __future__ import annotations

from dataclasses import dataclass

from chalicelib.errors import TransientError, UnavailableError
from chalicelib.outreach import reasons, senders
from chalicelib.outreach.consent.contact_words import recognise
from chalicelib.outreach.conversations.doubts import Doubts
from chalicelib.outreach.conversations.register_entries import MarkReason
from chalicelib.outreach.conversations.statements import Statement
from chalicelib.outreach.doubtful import is_doubtful, refused_purposes
from chalicelib.outreach.jobs import InboundMessage
from chalicelib.outreach.senders import Senders

DOOR = "twilio"
"""The name of this door in the evidence of a do-not-contact mark."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentAtTheDoor:
    """Writes and lifts do-not-contact marks for STOP and START in messages with a valid signature."""

    register: Doubts
    senders: Senders

    def apply(self, job: InboundMessage) -> InboundMessage:
        """Write or lift the do-not-contact mark that a text asks for; a possible STOP is marked as a doubt.

        Returns the job, with `consent_at_door` where the worker need not do it.  Nothing is written
        where the signing account is not the one of the number's company, as such a signature proves
        nothing about the number; the worker decides.  A number without a company has marks of its own.

        Raises:
            UnavailableError: the mark could not be written; the message is not accepted.
        """
        if job.opt_out not in ("stop", "start") and not is_doubtful(job):
            return job
        try:
            owner = self.senders.owner_of(job.sender)
            if owner is not None and (owner.account is None or owner.account != job.account):
                return job
            if owner is None and job.opt_out is None:
                return job  # the number is no company's, so no desk could judge the doubt
            company_id = owner.company_id if owner else str(senders.key(job.sender)["company_id"])
            return self._applied(job, company_id, is_owned=owner is not None)
        except TransientError:
            raise UnavailableError(reasons.CONSENT_NOT_KEPT) from None

    def _applied(self, job: InboundMessage, company_id: str, *, is_owned: bool) -> InboundMessage:
        done = {"consent_at_door": is_owned}
        how = Statement(door=DOOR, said=job.text, channel=job.channel.value)
        if job.opt_out == "stop":
            self.register.forbid(
                job.recipient,
                company_id,
                MarkReason.STOP,
                said_at=job.sent_at,
                purposes=refused_purposes(job),
                how=how,
            )
            return job.model_copy(update=done)
        if job.opt_out is None:
            self.register.doubt(
                job.recipient,
                company_id,
                said_at=job.sent_at,
                purposes=refused_purposes(job),
                how=how,
            )
            return job.model_copy(update=done)
        is_yes = recognise(job.text).is_yes
        was_marked = self.register.allow(
            job.recipient, company_id, said_at=job.sent_at, is_yes=is_yes, how=how
        )
        if is_owned and not was_marked and is_yes:
            return job.model_copy(update={**done, "opt_out": None})
        return job.model_copy(update=done)
