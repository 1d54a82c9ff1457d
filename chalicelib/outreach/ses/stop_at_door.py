"""STOP by e-mail: the mark is written before the handler returns, whatever waits on the queue.

A possible STOP is marked as a doubt in the same way.  A proven sender's own mailbox is marked, even
without a conversation.  An e-mail with a conversation's token marks the conversation's recipient,
whichever mailbox wrote it.  A STOP that nothing proves only suspends the writer's address.  The worker
handles START: of a STOP and a START, the one that was said later counts.
"""

from __future__ import annotations

from dataclasses import dataclass

from chalicelib.errors import TransientError, UnavailableError
from chalicelib.outreach import reasons, senders
from chalicelib.outreach.conversations.doubts import Doubts
from chalicelib.outreach.conversations.queries import Queries
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.conversations.register_entries import MarkReason
from chalicelib.outreach.conversations.statements import Statement
from chalicelib.outreach.jobs import InboundMessage
from chalicelib.outreach.senders import Owner, Senders
from chalicelib.outreach.ses.mail_words import heard_by_mail


@dataclass(frozen=True, slots=True, kw_only=True)
class StopByMail:
    """Writes the do-not-contact marks for a STOP, or a possible STOP, by e-mail."""

    register: Doubts
    conversations: Queries
    senders: Senders

    def apply(self, job: InboundMessage) -> InboundMessage:
        """Write the do-not-contact marks for an e-mail that is a STOP, or may be one; returns the job.

        The returned job has `consent_at_door` set where the worker need not write the mark.  This
        costs one read for the owner of the company's address, and two more for a token.

        Raises:
            UnavailableError: a mark could not be written; the e-mail is not accepted.
        """
        try:
            return self._applied(job)
        except TransientError:
            raise UnavailableError(reasons.CONSENT_NOT_KEPT) from None

    def _applied(self, job: InboundMessage) -> InboundMessage:
        owner = self.senders.owner_of(job.sender)
        with_token = self._with_token(job, owner)
        if with_token is not None:
            self._mark(job, with_token.primary_channel, with_token.company_id)
        if not job.is_proven:
            if job.opt_out is not None and with_token is None and owner is not None:
                self.register.suspend(
                    job.recipient, owner.company_id, said_at=job.sent_at, how=_how(job)
                )
            return job
        if owner is None and job.opt_out is None:
            return job  # the address is no company's, so no desk could judge the doubt
        unowned = str(senders.key(job.sender)["company_id"])
        company_id = owner.company_id if owner is not None else unowned
        self._mark(job, job.recipient, company_id)
        return job.model_copy(update={"consent_at_door": owner is not None})

    def _mark(self, job: InboundMessage, address: str, company_id: str) -> None:
        if job.opt_out is None:
            self.register.doubt(
                address,
                company_id,
                said_at=job.sent_at,
                purposes=heard_by_mail(job.text).purposes,
                how=_how(job),
            )
        else:
            self.register.forbid(
                address,
                company_id,
                MarkReason.STOP,
                said_at=job.sent_at,
                purposes=heard_by_mail(job.text).purposes,
                how=_how(job),
            )

    def _with_token(self, job: InboundMessage, owner: Owner | None) -> Record | None:
        """The conversation that an e-mail's token names, if it is of the addressed company; else None."""
        record = self.conversations.find(job.token) if job.token is not None else None
        if record is None or record.sender.lower() != job.sender:
            return None
        return record if owner is None or owner.company_id == record.company_id else None


def _how(job: InboundMessage) -> Statement:
    return Statement(door="ses", said=job.text, channel=job.channel.value)
