"""The carriers of texts and e-mails in memory; they report each accepted message late, or twice.

Like the ticket system, they hold the ground truth of what happened.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from chalicelib.clock import UTC
from chalicelib.outreach.channels import carrier_address
from chalicelib.outreach.conversations.items import draft_key
from chalicelib.outreach.conversations.records import Record, draft
from chalicelib.outreach.ses.client import Email
from chalicelib.outreach.ses.webhook import TAG
from chalicelib.outreach.twilio.client import Sent, Text

if TYPE_CHECKING:
    from tests.simulation.world import World

Report = Callable[[str, str], None]
"""Called for every accepted message: its id and the content of its later reports."""


@dataclass(slots=True)
class _Message:
    sid: str
    to: str
    sender: str
    body: str
    at: float
    visible_at: float
    callback: str


class MemoryTwilio:
    """Messages of one account.

    Args:
        now: the provider's clock, epoch seconds.
        lag_seconds: how long a message is missing from the list.
        landed: what happened, by action key.
        report: called when a message is accepted.
    """

    def __init__(
        self,
        now: Callable[[], float],
        *,
        lag_seconds: float,
        landed: Counter[str],
        report: Callable[[str, str], None],
    ) -> None:
        self._now = now
        self._lag = lag_seconds
        self._landed = landed
        self._report = report
        self.messages: list[_Message] = []

    def take(self, key: str, text: Text) -> Sent:
        """Accept a message that arrived."""
        self._landed[key] += 1
        body = rendered(text)
        now, sid = self._now(), f"SM{len(self.messages) + 1:032x}"
        message = _Message(
            sid, text.to, text.sender, body, now, now + self._lag, text.callback or ""
        )
        self.messages.append(message)
        self._report(sid, message.callback)
        return _shown(message)

    def sent_to(self, to: str, sender: str, since: datetime, until: datetime) -> Sequence[Sent]:
        """As `adapters.twilio.Twilio.sent_to`, by this clock; a message's time has whole seconds."""
        now, first, last = self._now(), since.timestamp(), until.timestamp()
        return [
            _shown(one)
            for one in self.messages
            if (one.to, one.sender) == (to, sender)
            and one.visible_at <= now
            and int(one.at) + 1 > first
            and int(one.at) <= last
        ]


def _shown(message: _Message) -> Sent:
    return Sent(
        sid=message.sid,
        body=message.body,
        direction="outbound-api",
        status="queued",
        date_created=format_datetime(datetime.fromtimestamp(int(message.at), UTC)),
    )


def status_form(
    sid: str, callback: str, status: str, code: str = ""
) -> tuple[bytes, dict[str, str]]:
    """A status callback: its body, and the query of the address it is posted to."""
    body = f"MessageSid={sid}&MessageStatus={status}&From=&To=&ErrorCode={code}".encode()
    return body, dict(parse_qsl(urlsplit(callback).query))


def rendered(text: Text) -> str | None:
    """The text as the recipient reads it."""
    if text.template is None:
        return text.body
    return ", ".join(["Hello", *text.template[1].values()])


def decided_text(world: World, opaque_id: str, entry_id: str) -> tuple[str, str] | None:
    """Recipient and content of a text once they are decided, whether or not it is sent."""
    found = (row for row in world.conversations.rows.values() if row.get("opaque_id") == opaque_id)
    record = next(map(Record, found), None)
    stored = record and world.conversations.get(draft_key(record, entry_id))
    if record is None or not stored:
        return None
    written = draft(stored)
    template = ("", written.variables) if written.variables else None
    to = carrier_address(record.channel, record.primary_channel)
    text = Text(to, "", body=written.text, template=template)
    return text.to, str(rendered(text))


class MemorySes:
    """E-mails; their events carry our tag.

    Attributes:
        reply_to: the reply address of the newest e-mail, by recipient.
    """

    def __init__(self, *, landed: Counter[str], report: Report) -> None:
        self._landed = landed
        self._report = report
        self._count = 0
        self.reply_to: dict[str, str] = {}

    def take(self, key: str, email: Email) -> str:
        """Accept an e-mail that arrived; returns its id."""
        self._landed[key] += 1
        self._count += 1
        message_id = f"mail-{self._count}"
        self.reply_to[email.to] = email.reply_to
        self._report(message_id, json.dumps(_mail(message_id, email)))
        return message_id


def _mail(message_id: str, email: Email) -> dict[str, Any]:
    return {
        "messageId": message_id,
        "source": email.sender,
        "destination": [email.to],
        "tags": {TAG: [email.tag]},
    }


def mail_event(mail: str, name: str) -> str:
    """An SNS message of one event of an e-mail."""
    return json.dumps({"eventType": name, "mail": json.loads(mail)})
