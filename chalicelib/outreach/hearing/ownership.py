"""Checks whether a message or a receipt may touch a conversation: both must belong to one company.

Twilio's signature proves which account posted a form, and nothing about the numbers in the form: a
company that knows its own auth token can sign any form.  So the account must be that of the
conversation's company, and that company must own the number that received the message.
"""

from __future__ import annotations

from collections.abc import Callable

from chalicelib.outreach import reasons
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.jobs import DeliveryReceipt, InboundMessage
from chalicelib.outreach.senders import Owner, Senders

WRONG_ACCOUNT = reasons.WRONG_ACCOUNT
"""Reason: another company's Twilio account signed the job's webhook."""


class Ownership:
    """Checks that a message or receipt and a conversation belong to one company.

    Args:
        senders: the map of which company owns a number or address.
        account_of: gives the Twilio account of a conversation's company; None where it cannot be
            known.
    """

    def __init__(self, senders: Senders, account_of: Callable[[Record], str | None]) -> None:
        self._senders = senders
        self._account_of = account_of

    def owner_of(self, job: InboundMessage) -> Owner | None:
        """The company to whose number or address a message was sent.

        None where it is registered for no company.
        """
        return self._senders.owner_of(job.sender)

    def is_to(self, record: Record, job: InboundMessage, owner: Owner | None) -> bool:
        """Whether a message was sent to the conversation's company address.

        False where that address belongs to another company; an unknown `owner` is not checked.
        """
        is_owners = owner is None or record.company_id == owner.company_id
        return is_owners and record.sender.lower() == job.sender.lower()

    def is_signed_for(
        self, record: Record, job: InboundMessage | DeliveryReceipt, owner: Owner | None = None
    ) -> bool:
        """Whether the Twilio account of the conversation's company signed a message or receipt.

        True for e-mail, which no account signs.  Where that account cannot be known, a message
        still counts if the map of senders names no account for the number.
        """
        if job.account is None or (owner is not None and job.account == owner.account):
            return True
        known = self._account_of(record)  # the map of senders may be older than the secret
        if known is None and isinstance(job, InboundMessage):  # a STOP counts without proof
            return owner is None or owner.account is None
        return known == job.account


def key_of(job: InboundMessage | DeliveryReceipt, owner: Owner | None = None) -> str:
    """The event key in the ledger of a message or receipt that belongs to no conversation.

    It is the job's own key where the signing account owns the company's number, or no account
    signs; else `foreign_key`.  Any account can name another account's message id, and must not use
    up the event of that account's own webhook.
    """
    is_own = job.account is None or (owner is not None and job.account == owner.account)
    return job.event_key if is_own else foreign_key(job)


def foreign_key(job: InboundMessage | DeliveryReceipt) -> str:
    """The event key of a message or receipt that another account signed: its own key and that account's id.

    For e-mail, which no account signs, it is the job's own key.
    """
    return job.event_key if job.account is None else f"{job.event_key}:by:{job.account}"
