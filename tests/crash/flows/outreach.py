"""Outreach: a start, the vendor's reports on it, the recipient's reply, and our answer to that."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.ses.webhook import message_id_digest
from local import company
from local.vendors.twilio import WebhookPost
from tests.crash.flow import STRAY, Arrival, Flow, Row, Step, http_event
from tests.crash.run import Run
from tests.rigs.histories import pages

TEL = "+15550100001"
MAIL = "j.canary@example.com"
CANARY = "canary-51c9"
REQUEST = "req123"
_SENDS = frozenset({"send_text", "send_email", "confirm_stop", "answer_help"})


class _Outreach(Flow):
    """A company with one project on every channel."""

    channel = ""
    recipient = TEL
    openings = 1
    """How many conversations."""
    secret_words = (CANARY, TEL.removeprefix("+"), MAIL)

    def variables(self, run: Run) -> Mapping[str, str]:
        return {
            "TWILIO_BASE_URL": run.rig.proxy.url("twilio"),
            "AWS_ENDPOINT_URL_SESV2": run.rig.proxy.url("ses"),
            "PUBLIC_BASE_URL": company.PUBLIC_URL,
        }

    def prepare(self, run: Run) -> None:
        company.create(run.stage)

    def start(self, request_id: str = REQUEST, **request_data: str) -> Arrival:
        """The Channel Router starts a conversation."""
        body = company.request(request_id, self.channel, self.recipient, request_data=request_data)
        headers = {"x-api-key": company.API_KEY}
        return Arrival(
            "api",
            lambda: http_event("/initiate-conversation", headers, body),
            (outreach_keys.start(company.COMPANY_ID, request_id),),
        )

    def landed(self, run: Run, actions: Mapping[str, Row]) -> Counter[str]:
        """Counted by the entry id in a message's callback address or an e-mail's tag."""
        marks = Counter(_mark_of_text(message) for message in run.rig.twilio.messages)
        marks += Counter(next(iter(email["tags"].values()), "") for email in run.rig.ses.emails)
        found: Counter[str] = Counter()
        for key, row in actions.items():
            if row.get("action_kind") in _SENDS:
                entry = key.rpartition(":")[2]
                mine = [mark for mark in marks if mark.endswith(entry)]
                found[key] = sum(marks.pop(mark) for mark in mine)
        for mark, count in marks.items():
            found[STRAY + mark] = count
        return found

    def violations(self, run: Run) -> Sequence[str]:
        """P1 and P2 for the conversation: every entry stored once, and the start no longer counted."""
        rows = run.rows("IdempotencyTable")
        stored = run.items("ConversationsTable")
        records = [item for item in stored if "start_event" in item]
        entries = Counter(entry["entry_id"] for entry in pages(stored))
        found = [f"P1 {entry} is kept {n} times" for entry, n in entries.items() if n > 1]
        if len(records) > self.openings:
            found.append(f"P1 {len(records)} conversations were opened")
        for key, row in rows.items():
            is_sent = row.get("action_kind") in _SENDS and row["status"] == "done"
            event = rows[row["event_key"]] if is_sent else row
            is_entry = is_sent or key.startswith("evt:reply:")
            if is_entry and event["status"] == "processed" and not entries[key.split(":")[-1]]:
                found.append(f"P2 {key} is not in the conversation")
            is_over = rows.get(outreach_keys.start(company.COMPANY_ID, REQUEST), {}).get("status")
            if ":o:" in key and row.get("open") and is_over == "processed":
                found.append(f"P2 {key} still counts a start that is over")
        return found


class Text(_Outreach):
    """On Twilio."""

    late: Sequence[str] = ("Messages.json",)

    def reports(self, run: Run) -> Sequence[Arrival]:
        """Twilio's callbacks, in its order."""
        return [_callback(post) for post in run.rig.twilio.callbacks()]

    def writes(self, run: Run, text: str) -> Arrival:
        """The recipient writes back."""
        is_whatsapp = self.channel == "whatsapp"
        to = company.WHATSAPP_NUMBER if is_whatsapp else company.SMS_NUMBER
        url = f"{company.PUBLIC_URL}/webhook/twilio"
        post = run.rig.twilio.inbound(TEL, to, text, whatsapp=is_whatsapp, url=url)
        sid = dict(parse_qsl(post.body.decode()))["MessageSid"]
        return Arrival("api", lambda: _event(post), (outreach_keys.reply(self.channel, sid),))


class WhatsAppStart(Text):
    name = "outreach: WhatsApp, start and receipts"
    channel = "whatsapp"

    def steps(self, run: Run) -> Iterator[Step]:
        del run
        yield [self.start()]


class TextReply(Text):
    """The start is sent before any call is counted."""

    name = "outreach: SMS, a reply and its answer"
    channel = "sms"
    counted_from = 2

    def prepare(self, run: Run) -> None:
        super().prepare(run)
        run.rig.twilio.set_modes(fates=["delivered"])

    def steps(self, run: Run) -> Iterator[Step]:
        yield [self.start()]
        yield [self.writes(run, f"Tell me more, {CANARY}")]


class Stopped(Text):
    """A STOP that was answered 200, and a start after it: nothing but the confirmation leaves."""

    name = "outreach: SMS, a STOP, its confirmation and a later start"
    channel = "sms"
    counted_from = 2
    refuses = ("do_not_contact",)
    later = "req124"
    said = "BAJA"  # which Twilio does not know
    """Which Twilio does not know."""
    slot = "#wish"
    leave = ("opening", "confirmation")

    def prepare(self, run: Run) -> None:
        super().prepare(run)
        run.rig.twilio.set_modes(fates=["delivered"])

    def steps(self, run: Run) -> Iterator[Step]:
        yield [self.start()]
        yield [self.writes(run, self.said)]
        yield [self.start(self.later)]

    def violations(self, run: Run) -> Sequence[str]:
        """Whatever was killed: the mark is there, and only the opening and one confirmation left."""
        marks = [
            mark
            for item in run.items("ConversationsTable")
            for key, mark in item.get("marks", {}).items()
            if key.endswith(self.slot)
        ]
        sent = Counter(_mark_of_text(message) for message in run.rig.twilio.messages)
        found = [] if marks and "lifted_at" not in marks[0] else [f"P2 {self.said} left no mark"]
        if len(sent) > len(self.leave):
            found.append(f"P5 {len(sent)} messages left in spite of {self.said}")
        return [*super().violations(run), *found]


class Doubted(Stopped):
    """What may be a STOP, and a start after it: nothing but the opening leaves."""

    name = "outreach: SMS, a doubt and a later start"
    said = "wrong number stop"
    slot = "#doubt"
    leave = ("opening",)
    openings = 2
    """The later one's opening is refused."""


class Helped(TextReply):
    """A HELP that Twilio does not know is answered once; nothing else follows from it."""

    name = "outreach: SMS, a HELP and its answer"

    def steps(self, run: Run) -> Iterator[Step]:
        yield [self.start()]
        yield [self.writes(run, "ayuda")]


class MailConversation(_Outreach):
    """SES has no idempotency key and no list: an unknown outcome waits for an event or a person."""

    name = "outreach: e-mail, start and reply"
    channel = "email"
    recipient = MAIL

    def prepare(self, run: Run) -> None:
        super().prepare(run)
        run.rig.ses.set_modes(fates=["Delivery"])

    def steps(self, run: Run) -> Iterator[Step]:
        yield [self.start()]
        sent = run.rig.ses.sent_to(MAIL)
        if sent:
            text = f"Tell me more, {CANARY}"
            event = run.rig.ses.inbound(MAIL, sent[0]["reply_to"], text)
            key = outreach_keys.reply("email", message_id_digest(_message_id(event)))
            yield [Arrival("mail", lambda: event, (key,))]

    def reports(self, run: Run) -> Sequence[Arrival]:
        """SES's events, by SNS."""
        return [
            Arrival("mail", lambda event=event: event, ())  # type: ignore[misc]
            for event in run.rig.ses.events()
        ]


def _callback(post: WebhookPost) -> Arrival:
    form = dict(parse_qsl(post.body.decode()))
    key = outreach_keys.receipt(form["MessageSid"], form["MessageStatus"])
    return Arrival("api", lambda: _event(post), (key,))


def _event(post: WebhookPost) -> dict[str, Any]:
    """A signed form post as API Gateway passes it on."""
    where = urlsplit(post.url.removeprefix(company.PUBLIC_URL))
    headers = {name.lower(): value for name, value in post.headers.items()}
    return http_event(where.path, headers, post.body, query=dict(parse_qsl(where.query)))


def _mark_of_text(message: Mapping[str, Any]) -> str:
    query = parse_qs(urlsplit(str(message["_callback"])).query)
    return query["cid"][0]


def _message_id(event: Mapping[str, Any]) -> str:
    """The Message-ID of an inbound e-mail."""
    mail = json.loads(event["Records"][0]["Sns"]["Message"])["mail"]
    return next(
        str(header["value"]) for header in mail["headers"] if header["name"] == "Message-ID"
    )
