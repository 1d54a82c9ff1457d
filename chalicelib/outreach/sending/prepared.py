"""Performs outreach's actions: sends a conversation's draft by Twilio or SES.

A missing draft (the message was withheld when it was due) is composed first; every message is
stored before it is sent.  Texts of unknown outcome are settled here too, by comparing the draft with
Twilio's list of messages to the recipient.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from email.charset import Charset
from typing import Any

from chalicelib.errors import PermanentError, UnavailableError, UncertainError
from chalicelib.once import keys
from chalicelib.once.action import Found, UnsettledAction
from chalicelib.once.effect import Effect
from chalicelib.once.ports import Clock
from chalicelib.outreach import reasons
from chalicelib.outreach.channels import Channel, carrier_address
from chalicelib.outreach.company_events.event_names import Name
from chalicelib.outreach.company_events.recorder import CompanyEvents
from chalicelib.outreach.consent import unsubscribe
from chalicelib.outreach.conversations.records import DO_NOT_CONTACT, Draft, OtherMessages, Record
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.lane_shares import LaneShares, held_by
from chalicelib.outreach.messages import threads
from chalicelib.outreach.messages.look import LastLook
from chalicelib.outreach.messages.plan import MessagePlan
from chalicelib.outreach.messages.purpose import Look
from chalicelib.outreach.project.rules import window_is_open
from chalicelib.outreach.sending.effects import NOTICES, SEND_EMAIL, HandOffData, Loaded, SendData
from chalicelib.outreach.sending.notices import Notices
from chalicelib.outreach.ses.client import Email, Ses
from chalicelib.outreach.ses.webhook import reply_address
from chalicelib.outreach.twilio.client import Sent, Text, Twilio
from chalicelib.outreach.twilio.credentials import secret_of
from chalicelib.outreach.twilio.webhook import callback_url
from chalicelib.outreach.writing.composer import Composer

_FOR_A_PERSON = reasons.FOR_A_PERSON
"""Reason of a message that is not sent, as it asks for more than its plan does."""
_LONG_SPACE = re.compile(r"[\r\n\t]+| {4,}")


class Sender:
    """Sends texts and e-mails, settles them, and hands conversations over.

    Args:
        opaque: signs the unsubscribe link of an e-mail.
        events: tells the company of a hand-off.
        notices: sends the company an e-mail about it.
    """

    def __init__(
        self,
        conversations: Conversations,
        composer: Composer,
        twilio: Twilio,
        ses: Ses,
        clock: Clock,
        *,
        opaque: Callable[[], keys.OpaqueIds],
        public_base_url: str,
        events: CompanyEvents,
        notices: Notices | None = None,
        shares: LaneShares | None = None,
    ) -> None:
        self._conversations = conversations
        self._composer = composer
        self._twilio = twilio
        self._ses = ses
        self._clock = clock
        self._opaque = opaque
        self._base_url = public_base_url
        self._events = events
        self._notices = notices
        self._shares = shares
        self._built_messages: dict[str, tuple[Record, Any]] = {}
        self._looks = LastLook(conversations, clock)

    def check(self, record: Record) -> None:
        """Check that the company's secret exists and is well-formed, before a message is composed.

        Raises:
            PermanentError: it is malformed or missing.
            UnavailableError: it cannot be read now.
        """
        if record.channel == Channel.EMAIL:
            return
        found = self._twilio.credentials(secret_of(record))
        if record.channel == Channel.WHATSAPP and not found.template_sid:
            raise PermanentError("secrets", "read", reason=reasons.NO_TEMPLATE)

    def account_of(self, record: Record) -> str | None:
        """The Twilio account in the company's secret; None where the secret cannot show it.

        Raises:
            UnavailableError: the secret cannot be read now.
        """
        try:
            return self._twilio.credentials(secret_of(record)).account_sid
        except PermanentError:
            return None
        except UnavailableError as error:
            if error.code != "secret_missing":
                raise
            return None

    def prepare(self, actions: Sequence[Effect]) -> None:
        """Read conversation, draft and credentials, and build the requests."""
        self._built_messages = {action.key: self._built(action) for action in actions}

    def last_look(self, actions: Sequence[Effect]) -> None:
        """The last look of what is sent to a recipient."""
        for action in actions:
            built = self._built_messages.get(action.key)
            if built is not None:
                self._looks.take(built[0], action.key, *_look(built[0], action))

    def send_text(self, actions: Sequence[Effect], *, deadline_seconds: float) -> str:
        """Send one text or notice."""
        (action,) = actions
        record, text = self._prepared(action)
        with held_by(self._shares, record, deadline_seconds, is_send=True):
            sent = self._twilio.send(
                secret_of(record),
                text,
                deadline_seconds=deadline_seconds,
                guard=self._guard(record, action),
            )
        sending: SendData = action.data
        if sending.loaded is not None and sent.body:
            sending.loaded.sent.append(sent.body)
        return sent.sid

    def send_email(self, actions: Sequence[Effect], *, deadline_seconds: float) -> str:
        """Send one e-mail."""
        (action,) = actions
        record, email = self._prepared(action)
        with held_by(self._shares, record, deadline_seconds, is_send=True):
            return self._ses.send(
                email,
                deadline_seconds=deadline_seconds,
                guard=self._guard(record, action),
            )

    def hand_off(self, actions: Sequence[Effect], *, deadline_seconds: float) -> None:
        """Hand over one conversation; one already handed off stays so."""
        del deadline_seconds
        (action,) = actions
        handing: HandOffData = action.data
        record = self._conversations.find(action.conversation_id)
        if record is None:
            raise PermanentError("conversations", "hand_off", reason=reasons.CONVERSATION_GONE)
        handoff_id, reason = handing.handoff_id, handing.reason
        if reason == reasons.FAILED:
            reason = handing.reason_text or reason
        self._conversations.hand_off(
            record,
            handoff_id=handoff_id,
            held=handing.held,
            reason=reason,
            reason_text=handing.reason_text or reason,
        )
        self._events.record(record, Name.HANDED_OFF, handoff_id, hand_off=handoff_id, reason=reason)
        if self._notices is not None:
            self._notices.ask(record, handoff_id, reason)

    def settle_text(self, action: UnsettledAction) -> tuple[Found, ...]:
        """The settler of texts.

        A status callback names the action, so the message it reports counts whatever its time is.
        Any other must have been accepted after the action's start, by Twilio's own clock.
        A template's text is rendered by Twilio, so any message of that time may be this one, except
        one with the text of another action, which may have been sent and not recorded yet.  Where
        no callback and no recorded id shows which action sent a message, every other action that
        could have produced it is listed in `Found`.
        """
        record = self._conversations.find(action.conversation_id)
        if record is None:
            raise UncertainError("twilio", "list_messages", reason=reasons.CONVERSATION_GONE)
        draft = self._conversations.draft(record, action.probe["entry_id"])
        if draft is None:
            return ()  # a draft is stored before it is sent: nothing was sent
        to, sender = _addresses(record)
        listed = self._twilio.sent_to(
            secret_of(record),
            to,
            sender,
            since=datetime.fromtimestamp(action.started_epoch, UTC),
            until=datetime.fromtimestamp(action.horizon_epoch, UTC),
        )
        others = self._conversations.other_messages(record, action.probe["entry_id"])
        mine = self._conversations.reported_as(record, action.probe["entry_id"])
        sent = [one for one in listed if one.sid not in others.refs | {mine}]
        if draft.variables is None:
            wanted = keys.normalised(draft.text)
            sent = [one for one in sent if _body(one) == wanted]
        else:
            sent = [one for one in sent if _body(one) not in others.texts]
        reported = (Found(mine, is_id_global=True),) if mine else ()
        return reported + tuple(
            Found(one.sid, _other_candidates(one, others), is_id_global=True) for one in sent
        )

    def settle_email(self, action: UnsettledAction) -> tuple[Found, ...] | None:
        """The settler of e-mails: an e-mail that an SES event has reported was sent.

        The event may have arrived before the outcome was unknown: while the row of a crashed worker
        was still pending.
        """
        record = self._conversations.find(action.conversation_id)
        entry_id = action.probe["entry_id"]
        ref = self._conversations.reported_as(record, entry_id) if record else None
        return (Found(ref),) if ref else None

    def message_id_header(self, ref: str) -> str:
        """The ``Message-ID`` of an e-mail that was sent."""
        return self._ses.message_id_header(ref)

    def _guard(self, record: Record, action: Effect) -> Callable[[], None] | None:
        """What looks again when the request is about to leave."""
        if action.kind.name in NOTICES:
            return None
        look = _look(record, action)
        return lambda: self._looks.refresh(record, action.key, *look)

    def _prepared(self, action: Effect) -> tuple[Record, Any]:
        built = self._built_messages.pop(action.key, None)
        return self._built(action) if built is None else built

    def _built(self, action: Effect) -> tuple[Record, Any]:
        """The conversation, and the message in the carrier's form."""
        record, draft = self._loaded(action)
        if action.kind is not SEND_EMAIL:
            return record, self._text(record, draft, action)
        return record, self._email(record, draft, action)

    def _loaded(self, action: Effect) -> tuple[Record, Draft]:
        loaded: Loaded | None = action.data.loaded
        record = loaded.record if loaded else self._conversations.find(action.conversation_id)
        if record is None:
            raise PermanentError("conversations", "read", reason=reasons.CONVERSATION_GONE)
        draft = loaded.draft if loaded else None
        if draft is not None:
            return record, draft
        # An earlier run planned the send, perhaps days ago: the recipient may have opted out since.
        obeys_register = action.kind.name not in NOTICES
        if obeys_register and self._conversations.forbids(record) is not None:
            raise PermanentError("conversations", "read", reason=DO_NOT_CONTACT)
        stored = self._conversations.draft(record, action.argument)
        written = stored or self._composer.late(record, action.argument)
        message: MessagePlan | None = action.data.message
        if message and message.is_unwritten and written.needs_more_than_its_text:
            raise PermanentError("conversations", "compose", reason=_FOR_A_PERSON)
        return record, written

    def _text(self, record: Record, draft: Draft, action: Effect) -> Text:
        to, sender = _addresses(record)
        callback = callback_url(self._base_url, record.opaque_id, action.argument)
        own = self._twilio.credentials(secret_of(record)).template_sid  # cached for the request
        sid = draft.template or own
        if draft.variables is None:
            if record.channel == Channel.WHATSAPP and not window_is_open(record, self._clock.now()):
                raise PermanentError("twilio", "create_message", reason=reasons.WINDOW_CLOSED)
            if not draft.text:
                raise PermanentError("twilio", "create_message", reason=reasons.NOTHING_TO_SAY)
            return Text(to, sender, body=draft.text, callback=callback)
        if not sid:
            raise PermanentError("secrets", "read", reason=reasons.NO_TEMPLATE)
        return Text(to, sender, template=(sid, _cleaned(draft.variables)), callback=callback)

    def _email(self, record: Record, draft: Draft, action: Effect) -> Email:
        config = record.channel_config
        address = record.sender
        name = str(config.get("email_from_name") or "")
        written = draft.subject or str(config.get("default_subject_line") or "A message for you")
        if not draft.text:
            raise PermanentError("ses", "send_email", reason=reasons.NOTHING_TO_SAY)
        reply_to = reply_address(address, record.opaque_id)
        return Email(
            to=record.primary_channel,
            sender=f"{_display_name(name)} <{address}>" if name else address,
            reply_to=reply_to,
            subject=threads.subject(record, written),
            text=draft.text,
            html=draft.html or _html(draft.text),
            headers={
                **threads.headers(record),
                **unsubscribe.headers(self._base_url, self._opaque(), record, reply_to),
            },
            tag=f"{record.opaque_id}_{action.argument}",
        )


def _look(record: Record, action: Effect) -> tuple[Look, str]:
    """What the last look of a message looks at."""
    message: MessagePlan = action.data.message
    return message.look(record), message.after or ""


def _body(message: Sent) -> str:
    return keys.normalised(message.body or "")


def _other_candidates(message: Sent, others: OtherMessages) -> tuple[str, ...]:
    """Keys of the other send actions that may have produced the message."""
    return tuple(key for key, text in others.unreported.items() if text in ("", _body(message)))


def _display_name(name: str) -> str:
    """A display name in the form SES takes: quoted, or as an encoded word (RFC 2047)."""
    if name.isascii():
        return '"{}"'.format(name.replace('"', ""))
    return str(Charset("utf-8").header_encode(name))


def _addresses(record: Record) -> tuple[str, str]:
    to, sender = (
        carrier_address(record.channel, one) for one in (record.primary_channel, record.sender)
    )
    return to, sender


def _cleaned(variables: Mapping[str, str]) -> dict[str, str]:
    """WhatsApp refuses line breaks, tabs, long runs of spaces and empty values in variables."""
    return {n: _LONG_SPACE.sub(" ", v).strip() or "-" for n, v in variables.items()}


def _html(text: str) -> str:
    """The plain text as the simplest HTML that shows it the same way."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    paragraphs = "".join(
        f"<p>{part.strip().replace(chr(10), '<br>')}</p>" for part in escaped.split("\n\n")
    )
    return f"<!doctype html><html><body>{paragraphs}</body></html>"
