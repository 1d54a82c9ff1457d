"""Sends WhatsApp messages and SMS by Twilio, and settles those of unknown outcome.

A text is settled by comparing its draft with Twilio's list of messages to the recipient.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from chalicelib.errors import PermanentError, UnavailableError, UncertainError
from chalicelib.once import keys
from chalicelib.once.action import Found, UnsettledAction
from chalicelib.once.effect import Effect
from chalicelib.outreach import reasons
from chalicelib.outreach.channel_traits import Form
from chalicelib.outreach.channels import carrier_address
from chalicelib.outreach.conversations.records import Draft, OtherMessages, Record
from chalicelib.outreach.project.rules import takes_free_text
from chalicelib.outreach.sending.effects import SendData
from chalicelib.outreach.sending.prepared import MessageSender, SenderParts
from chalicelib.outreach.twilio.client import SentText, Text, Twilio
from chalicelib.outreach.twilio.credentials import secret_name_of
from chalicelib.outreach.twilio.webhook import callback_url

_LONG_SPACE = re.compile(r"[\r\n\t]+| {4,}")


class TextSender(MessageSender[Text]):
    """Sends messages to recipients as SMS or WhatsApp by Twilio, and settles those of unknown outcome."""

    def __init__(self, *, parts: SenderParts, twilio: Twilio) -> None:
        super().__init__(parts)
        self._twilio = twilio

    def check(self, record: Record) -> None:
        """Check the company's Twilio secret, which for WhatsApp must name a template.

        Raises:
            PermanentError: the secret is malformed or missing, or names no template.
            UnavailableError: the secret cannot be read now.
        """
        found = self._twilio.credentials(secret_name_of(record))
        if record.channel.traits.form is Form.TEMPLATE and not found.template_sid:
            raise PermanentError("secrets", "read", reason=reasons.NO_TEMPLATE)

    def account_of(self, record: Record) -> str | None:
        """The company's Twilio account; None where the secret is missing or malformed.

        Raises:
            UnavailableError: the secret cannot be read now.
        """
        try:
            return self._twilio.credentials(secret_name_of(record)).account_sid
        except PermanentError:
            return None
        except UnavailableError as error:
            if error.code != "secret_missing":
                raise
            return None

    def settle(self, action: UnsettledAction) -> tuple[Found, ...]:
        """Find a message of unknown outcome in Twilio's list; empty where it was not sent.

        A status callback names the action, so the message that it reports counts at any time.  Any
        other message must have been accepted after the action's start, by Twilio's clock, and have
        the draft's text.

        Twilio renders a template, so its text is unknown: any message of that time may be this one,
        except one with the text of another action.  `Found` lists every other action that may have
        sent a message, where neither a callback nor a stored id shows which did.
        """
        conversations = self.parts.conversations
        record = conversations.find(action.conversation_id)
        if record is None:
            raise UncertainError("twilio", "list_messages", reason=reasons.CONVERSATION_GONE)
        draft = conversations.draft(record, action.probe["entry_id"])
        if draft is None:
            return ()  # a draft is stored before it is sent, so nothing was sent
        to, sender = _addresses(record)
        listed = self._twilio.list_sent(
            secret_name_of(record),
            to,
            sender,
            since=datetime.fromtimestamp(action.started_epoch, UTC),
            until=datetime.fromtimestamp(action.horizon_epoch, UTC),
        )
        others = conversations.other_messages(record, action.probe["entry_id"])
        mine = conversations.reported_id(record, action.probe["entry_id"])
        sent = [message for message in listed if message.sid not in others.refs | {mine}]
        if draft.variables is None:
            wanted = keys.normalised(draft.text)
            sent = [message for message in sent if _body(message) == wanted]
        else:
            sent = [message for message in sent if _body(message) not in others.texts]
        reported = (Found(mine, is_id_global=True),) if mine else ()
        return reported + tuple(
            Found(message.sid, _other_candidates(message, others), is_id_global=True)
            for message in sent
        )

    def _send(
        self,
        record: Record,
        message: Text,
        action: Effect,
        deadline_seconds: float,
        guard: Callable[[], None] | None,
    ) -> str:
        sent = self._twilio.send(
            secret_name_of(record), message, deadline_seconds=deadline_seconds, guard=guard
        )
        sending: SendData = action.data
        if sending.loaded is not None and sent.body:
            sending.loaded.sent.append(sent.body)
        return sent.sid

    def _message(self, record: Record, draft: Draft, action: Effect) -> Text:
        to, sender = _addresses(record)
        callback = callback_url(self.parts.public_base_url, record.opaque_id, action.argument)
        own = self._twilio.credentials(
            secret_name_of(record)
        ).template_sid  # the secret is cached for this request
        sid = draft.template or own
        if draft.variables is None:
            if not takes_free_text(record, self.parts.clock.now()):
                raise PermanentError("twilio", "create_message", reason=reasons.WINDOW_CLOSED)
            if not draft.text:
                raise PermanentError("twilio", "create_message", reason=reasons.NOTHING_TO_SAY)
            return Text(to, sender, body=draft.text, callback=callback)
        if not sid:
            raise PermanentError("secrets", "read", reason=reasons.NO_TEMPLATE)
        return Text(to, sender, template=(sid, clean_variables(draft.variables)), callback=callback)


def clean_variables(variables: Mapping[str, str]) -> dict[str, str]:
    """A template's variables in the form that WhatsApp accepts.

    Line breaks, tabs and long spaces become one space; an empty value becomes ``-``.
    """
    return {n: _LONG_SPACE.sub(" ", v).strip() or "-" for n, v in variables.items()}


def _body(message: SentText) -> str:
    return keys.normalised(message.body or "")


def _other_candidates(message: SentText, others: OtherMessages) -> tuple[str, ...]:
    """The action keys of other messages that may be the one that Twilio lists.

    Their text is equal, or unknown because Twilio renders it from a template.
    """
    return tuple(key for key, text in others.unreported.items() if text in ("", _body(message)))


def _addresses(record: Record) -> tuple[str, str]:
    to, sender = (
        carrier_address(record.channel, address)
        for address in (record.primary_channel, record.sender)
    )
    return to, sender
