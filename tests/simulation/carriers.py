"""The carriers of texts and e-mails in memory; they report each accepted message late, or twice.

Like the ticket system, they hold the ground truth of what happened.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import parse_qs, parse_qsl, urlsplit

from chalicelib.outreach.channels import carrier_address
from chalicelib.outreach.conversations.items import draft_key
from chalicelib.outreach.conversations.records import Record, draft
from chalicelib.outreach.sending.texts import clean_variables
from chalicelib.outreach.twilio.client import Text
from local.vendors import ses, twilio
from local.vendors.wire import Request, WireAnswer
from tests.simulation.in_memory import InMemory

if TYPE_CHECKING:
    from tests.simulation.world import World

CONFIGURATION_SET = "mail"
"""Its events settle what became of an e-mail."""
Report = Callable[[str], None]
"""Called with the id of every accepted message."""


class MemoryTwilio(InMemory, twilio.SimulatedTwilio):
    """Messages of every account.

    Args:
        now: the provider's clock, epoch seconds.
        lag_seconds: how long a message is missing from the list.
        report: called when a message is accepted.
        accounts: their tokens.
    """

    changes: ClassVar[frozenset[str]] = frozenset({"create_message"})

    def __init__(
        self,
        now: Callable[[], float],
        *,
        lag_seconds: float,
        report: Report,
        accounts: Mapping[str, str],
    ) -> None:
        super().__init__(now=now, accounts=accounts)
        self.modes.list_lag_seconds = lag_seconds
        self._report = report
        self._posts: dict[str, twilio.WebhookPost] = {}
        self.failing_account = ""

    def receives(self, sid: str, *message: str, **more: Any) -> bytes:
        """The form of a message that comes in; it came in once, however often it is posted.

        A STOP makes this carrier refuse nothing: that nothing is sent is the product's to see to.
        """
        if sid not in self._posts:
            self._posts[sid] = self.inbound(*message, sid=sid, **more)
            self._opted_out.clear()
        return self._posts[sid].body

    def newest_received(self) -> float:
        """When the newest message came in, by this carrier's clock; epoch seconds, 0 without one."""
        return max((float(received["_at"]) for received in self._received), default=0.0)

    def reported(self, sid: str, status: str, code: str = "") -> tuple[bytes, dict[str, str]]:
        """A status callback: its form, and the query of the address it is posted to.

        Without the numbers, which would cost each receipt a look at who owns them.
        """
        (message,) = (received for received in self._messages if received["sid"] == sid)
        body = f"MessageSid={sid}&MessageStatus={status}&From=&To=&ErrorCode={code}".encode()
        return body, dict(parse_qsl(urlsplit(message["_callback"]).query))

    def take(self, request: Request, operation: str) -> WireAnswer:
        """See `InMemory.take`; an account may be out of order on its own."""
        if self.failing_account and self.failing_account in request.segments:
            return WireAnswer(503, self.error_body(503))
        return super().take(request, operation)

    def landed(self, request: Request, operation: str, actions: Sequence[Any]) -> bool:
        """See `InMemory.landed`."""
        del request, operation
        taken = self._messages[-1]
        self.keys_by_id[taken["sid"]] = actions[0].key
        self._report(taken["sid"])
        return True

    def _advance(self, message: dict[str, Any], *, is_template: bool) -> None:
        """Its reports come from the senders of the schedule."""


def said_in(request: Request) -> tuple[str, str]:
    """Recipient and text of a request to create a message."""
    form = {name: values[-1] for name, values in parse_qs(str(request.body)).items()}
    variables = json.loads(form.get("ContentVariables", "{}"))
    template = ("", variables) if "ContentSid" in form else None
    text = Text(form["To"], "", body=form.get("Body", ""), template=template)
    return text.to, rendered(text)


def rendered(text: Text) -> str:
    """The text as the recipient reads it."""
    if text.template is None:
        return text.body
    variables = text.template[1]
    return re.sub(r"\{\{(\w+)\}\}", lambda found: variables[found[1]], twilio.TEMPLATE)


def decided_text(world: World, opaque_id: str, entry_id: str) -> tuple[str, str] | None:
    """Recipient and content of a text once they are decided, whether or not it is sent."""
    rows = world.conversations.rows.values()
    found = (row for row in rows if row.get("opaque_id") == opaque_id and "start_event" in row)
    record = next(map(Record, found), None)
    stored = record and world.conversations.get(draft_key(record, entry_id))
    if record is None or not stored:
        return None
    written = draft(stored)
    template = ("", clean_variables(written.variables)) if written.variables else None
    to = carrier_address(record.channel, record.primary_channel)
    text = Text(to, "", body=written.text, template=template)
    return text.to, rendered(text)


class MemorySes(InMemory, ses.SimulatedSes):
    """E-mails; their events carry our tag."""

    changes: ClassVar[frozenset[str]] = frozenset({"send_email"})

    def __init__(self, now: Callable[[], float], *, report: Report, verified: set[str]) -> None:
        super().__init__(now=now, verified=verified, configuration_sets=(CONFIGURATION_SET,))
        self._accepted = report

    def landed(self, request: Request, operation: str, actions: Sequence[Any]) -> bool:
        """See `InMemory.landed`."""
        del request, operation
        email = self._emails[-1]
        self.keys_by_id[email["message_id"]] = actions[0].key
        self._accepted(email["message_id"])
        return True

    def reported(self, message_id: str, name: str) -> str:
        """An SNS message of one event of an e-mail."""
        (email,) = (sent for sent in self._emails if sent["message_id"] == message_id)
        return json.dumps(ses.event(email, name))

    def refused(self) -> WireAnswer:
        """See `InMemory.refused`."""
        return WireAnswer(400, {"message": "no"}, {"x-amzn-ErrorType": "MessageRejected"})
