"""Sends e-mails by SES, and settles those of unknown outcome by what SES's events have reported."""

from __future__ import annotations

from collections.abc import Callable
from email.charset import Charset

from chalicelib.errors import PermanentError
from chalicelib.once.action import Found, UnsettledAction
from chalicelib.once.effect import Effect
from chalicelib.outreach import reasons
from chalicelib.outreach.consent import unsubscribe
from chalicelib.outreach.conversations.records import Draft, Record
from chalicelib.outreach.messages import threads
from chalicelib.outreach.messages.footer import with_footer
from chalicelib.outreach.sending.prepared import MessageSender, SenderParts
from chalicelib.outreach.ses.client import Email, Ses
from chalicelib.outreach.ses.webhook import reply_address
from chalicelib.outreach.visible_text import one_line


class EmailSender(MessageSender[Email]):
    """Sends messages to recipients as e-mails by SES, and settles those of unknown outcome."""

    def __init__(self, *, parts: SenderParts, ses: Ses) -> None:
        super().__init__(parts)
        self._ses = ses

    def check(self, record: Record) -> None:
        """Do nothing: sending by SES needs no credentials of the company."""

    def account_of(self, record: Record) -> None:
        """Return None always: companies have no accounts of their own at SES."""

    def settle(self, action: UnsettledAction) -> tuple[Found, ...] | None:
        """Find an e-mail of unknown outcome in what SES's events reported; None where they reported nothing.

        The report may be older than the unknown outcome, where a worker crashed after sending.
        """
        conversations = self.parts.conversations
        record = conversations.find(action.conversation_id)
        entry_id = action.probe["entry_id"]
        ref = conversations.reported_id(record, entry_id) if record else None
        return (Found(ref),) if ref else None

    def message_id_header(self, ref: str) -> str:
        """The ``Message-ID`` header of a sent e-mail, from SES's id."""
        return self._ses.message_id_header(ref)

    def _send(
        self,
        record: Record,
        message: Email,
        action: Effect,
        deadline_seconds: float,
        guard: Callable[[], None] | None,
    ) -> str:
        del record, action
        return self._ses.send(message, deadline_seconds=deadline_seconds, guard=guard)

    def _message(self, record: Record, draft: Draft, action: Effect) -> Email:
        config, base_url = record.channel_config, self.parts.public_base_url
        address = record.sender
        name = one_line(config.get("email_from_name"))
        default = one_line(config.get("default_subject_line")) or "A message for you"
        if not draft.text:
            raise PermanentError("ses", "send_email", reason=reasons.NOTHING_TO_SAY)
        reply_to = reply_address(address, record.opaque_id)
        link = unsubscribe.link_of(base_url, self.parts.links, record)
        text, html = with_footer(record, draft.text, draft.html or _html(draft.text), link)
        return Email(
            to=record.primary_channel,
            sender=f"{_display_name(name)} <{address}>" if name else address,
            reply_to=reply_to,
            subject=threads.subject(record, draft.subject or default),
            text=text,
            html=html,
            headers={**threads.headers(record), **unsubscribe.unsubscribe_headers(link, reply_to)},
            tag=f"{record.opaque_id}_{action.argument}",
        )


def _display_name(name: str) -> str:
    """A sender's display name in the form that SES takes: quoted, or as an encoded word (RFC 2047)."""
    if name.isascii():
        return '"{}"'.format(name.replace('"', ""))
    return str(Charset("utf-8").header_encode(name))


def _html(text: str) -> str:
    """A plain text as the simplest HTML that shows it the same way."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    paragraphs = "".join(
        f"<p>{part.strip().replace(chr(10), '<br>')}</p>" for part in escaped.split("\n\n")
    )
    return f"<!doctype html><html><body>{paragraphs}</body></html>"
