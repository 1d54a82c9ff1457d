"""The callers of the doors: customers, the Router, recipients, carriers and HubSpot."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from chalicelib.clock import iso
from chalicelib.errors import MiddlewareError, RequestError, UnavailableError
from chalicelib.facts import hubspot_webhook
from chalicelib.facts import keys as fact_keys
from chalicelib.once.door import Answer, HttpRequest
from chalicelib.once.intake import as_list_parser
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.channels import Channel, carrier_address
from chalicelib.outreach.doubtful import is_doubtful
from chalicelib.outreach.jobs import InboundMessage
from chalicelib.outreach.ses import webhook as ses_webhook
from chalicelib.outreach.twilio import webhook as twilio_webhook
from chalicelib.support import keys as ticket_keys
from chalicelib.support import webhook as richpanel_webhook
from local import company
from tests.simulation import neighbours
from tests.simulation.faults import Crash
from tests.simulation.scenario import ANSWERS, Batch, Post, Says, Start
from tests.simulation.support import OPAQUE
from tests.simulation.wordings import DOUBTS, STOPS

if TYPE_CHECKING:
    from tests.simulation.world import World

AGAIN_SECONDS = 30.0
"""A sender that retries waits this long, until it is answered 2xx."""


class Senders:
    """The senders of one world."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._quoted: dict[tuple[str, int], tuple[str, str]] = {}

    # --- tickets ------------------------------------------------------------------------------

    def writes(self, post: Post) -> None:
        """The customer writes, with or without a webhook."""
        self._world.vendor.customer_writes(post.conversation_id, post.comment_id, post.text)

    def post(self, post: Post) -> None:
        """Richpanel's request."""
        world = self._world
        world.log_line("post", post.conversation_id, post.comment_id, post.form)
        self.writes(post)
        if self._post_is_accepted(post):
            key = ticket_keys.ticket_message(post.conversation_id, post.comment_id)
            world.oracle.accepted[key] = post.conversation_id
        elif world.scenario.sender_repeats:
            again = replace(post, is_copy=True)
            world.at(world.now + AGAIN_SECONDS, lambda: self.post(again))

    def _post_is_accepted(self, post: Post) -> bool:
        return self._is_accepted(
            lambda: self._world.door.intake.receive(
                "richpanel",
                {},
                _ticket_body(post),
                lambda headers: None,
                as_list_parser(richpanel_webhook.parse),
            )
        )

    def echo(self, conversation_id: str, comment_id: str, text: str) -> None:
        """Richpanel sends a webhook about our own comment, as its rules may; it is not retried."""
        post = Post(0.0, conversation_id, comment_id, text, "id", is_copy=True)

        def deliver() -> None:
            self._world.happened["reply_echoed"] += 1
            if self._post_is_accepted(post):
                key = ticket_keys.ticket_message(conversation_id, comment_id)
                self._world.oracle.accepted[key] = conversation_id

        # Not before the ticket shows it: until then it looks like a customer's comment.
        world = self._world
        world.at(world.now + world.scenario.lag_seconds, lambda: self._soon(deliver))

    # --- outreach -----------------------------------------------------------------------------

    def start(self, start: Start) -> None:
        """The Router's request; it retries until it is accepted."""
        world = self._world
        world.log_line("start", start.request_id, start.channel)
        number = neighbours.of(start.recipient)
        of_company = {"company_id": neighbours.IDS[number]}
        body = json.dumps(
            company.request(
                start.request_id, start.channel, start.recipient, company_data=of_company
            )
        )
        headers = {"x-api-key": neighbours.KEYS[number]}
        door = world.door.outreach.door
        if self._is_accepted(
            lambda: door.start(HttpRequest("POST", "/", {}, headers, body.encode()))
        ):
            key = outreach_keys.start(neighbours.IDS[number], start.request_id)
            world.oracle.accepted[key] = start.request_id
        else:
            again = replace(start, is_copy=True)
            world.at(world.now + AGAIN_SECONDS, lambda: self.start(again))

    def gives_back(self, data: Mapping[str, Any], result: bytes) -> None:
        """A company posts what a tool has done; it repeats it until it is taken, or comes too late."""
        world, way = self._world, data["result"]
        headers = {"authorization": f"Bearer {way['token']}"}
        answered: list[int] = []

        def post() -> Answer:
            door = world.door.outreach.results
            answer = door.result(headers, result, data["request_id"], way["call_id"])
            answered.append(answer.status)
            return answer

        is_taken = self._is_accepted(post)
        world.happened["result_given"] += is_taken
        if not is_taken and answered[-1:] != [409]:
            world.at(world.now + AGAIN_SECONDS, lambda: self.gives_back(data, result))

    def says(self, said: Says) -> None:
        """A recipient's message, as its carrier delivers it."""
        world = self._world
        world.log_line("says", said.channel, said.message)
        if said.is_click:
            self._clicks(said)
            return
        if said.channel == "email":
            self._mails(said)
            return
        address = carrier_address(Channel(said.channel), said.recipient)
        got = [message["sid"] for message in world.twilio.messages if message["to"] == address]
        quoted, _ = self._content(said, got, "")
        number = neighbours.of(said.recipient)
        sid = f"SM{said.recipient[-4:]}{said.message:028x}"
        body = world.twilio.receives(
            sid,
            *(said.recipient, neighbours.NUMBERS[number][said.channel], said.text),
            whatsapp=said.channel == "whatsapp",
            media=int(not said.text),
            account=neighbours.ACCOUNTS[number],
            **({"OriginalRepliedMessageSid": quoted} if quoted else {}),
        )
        key = outreach_keys.reply(said.channel, sid)
        world.pairs.tried(sid, key, said, quoted=quoted)
        if self._is_accepted(
            lambda: world.door.intake.receive(
                "twilio",
                {},
                body,
                lambda headers: None,
                as_list_parser(
                    lambda request: world.door.outreach.consent.apply(
                        twilio_webhook.parse_message(request, OPAQUE)
                    )
                ),
            )
        ):
            world.oracle.accepted[key] = sid
            if said.text in STOPS:
                world.consent.promised(said.recipient, said.channel)
            if said.text in DOUBTS:
                world.consent.promised(said.recipient, said.channel, doubt=True)
            return
        world.pairs.refused(sid)
        if world.scenario.sender_repeats:
            again = replace(said, is_copy=True)
            world.at(world.now + AGAIN_SECONDS, lambda: self.says(again))
        elif any(
            row.get("primary_channel") == said.recipient and row.get("channel_method")
            for row in world.conversations.rows.values()
        ):  # not accepted, but Twilio has it: the sweep finds it
            world.oracle.accepted[key] = sid

    def _mails(self, said: Says) -> None:
        """An e-mail of theirs, to the company's address or to a reply address."""
        world = self._world
        sent = world.ses.sent_to(said.recipient)
        given = sent[-1]["reply_to"] if sent else ""
        if given and said.is_elsewhere:
            world.happened["mail_from_another_address"] += 1
            self._mail(self._received(replace(said, recipient=f"other.{said.recipient}"), given))
            return
        tagged = given if said.message % 2 else ""
        got = [email["message_id"] for email in sent]
        to = tagged or neighbours.EMAILS[neighbours.of(said.recipient)]
        quoted, to = self._content(said, got, to)
        message = self._received(said, to, quoted)
        job = self._job_of(message)
        token = job.token or ""
        world.pairs.tried(job.message_id, job.event_key, said, quoted=quoted, token=token)
        if said.is_unproven and not token:
            world.pairs.unproven(job.message_id, job.event_key)
        elif said.text == "unsubscribe" and not said.sender:
            world.consent.asked(job.event_key, said.recipient)
        self._mail(message)

    def _received(self, said: Says, to: str, quoted: str = "") -> str:
        """The SNS message of an e-mail of theirs; each copy of it is the same e-mail."""
        headers = {"Message_ID": f"<{said.message}.{said.recipient}>"}
        if said.text == ANSWERS[-1]:
            headers["Auto_Submitted"] = "auto-replied"
        if said.is_unproven:
            headers |= {"spf": "FAIL", "dkim": "FAIL", "dmarc": "GRAY"}
        if quoted:
            headers["In_Reply_To"] = f"<{quoted}@email.amazonses.com>"
        sender = f"<{said.sender or said.recipient}>"
        event = self._world.ses.inbound(sender, to, said.text, subject="Re: it", **headers)
        message: str = event["Records"][0]["Sns"]["Message"]
        return message

    def _content(self, said: Says, got: list[str], to: str) -> tuple[str, str]:
        """What it quotes and where it goes, which a copy of the message repeats."""
        chosen = got[said.quotes % len(got)] if got and said.quotes else ""
        return self._quoted.setdefault((said.recipient, said.message), (chosen, to))

    def _clicks(self, said: Says) -> None:
        """A click on the link of the newest e-mail; a person tries again until it works."""
        world = self._world
        sent = [email["headers"] for email in world.ses.sent_to(said.recipient)]
        links = [headers["List-Unsubscribe"] for headers in sent if "List-Unsubscribe" in headers]
        if not links:
            return
        token = links[-1].partition("/unsubscribe/")[2].partition(">")[0]
        if self._is_accepted(lambda: world.door.outreach.unsubscribe.unsubscribe(token)):
            world.consent.promised_by_link(said.recipient)
        else:
            self._soon(lambda: self._clicks(said))

    def text_accepted(self, sid: str) -> None:
        """Twilio reports on a message it accepted: out of order, and sometimes twice."""
        if self._world.scenario.texts_unreported:
            return
        end = "undelivered" if self._is_bad() else "delivered"
        for status in self._reports(("sent", end)):
            self._soon(lambda status=status: self._callback(sid, status))

    def mail_accepted(self, message_id: str) -> None:
        """SES reports on an e-mail it accepted."""
        bad = {"undelivered": ("Bounce",), "opted_out": ("Delivery", "Complaint")}
        ends = bad[self._world.scenario.bad_news] if self._is_bad() else ("Delivery",)
        for name in self._reports(("Send", *ends)):
            event = self._world.ses.reported(message_id, name)
            self._soon(lambda event=event: self._mail(event))

    def _callback(self, sid: str, status: str) -> None:
        world = self._world
        opted_out = world.scenario.bad_news == "opted_out"
        code = "" if status != "undelivered" else twilio_webhook.OPTED_OUT if opted_out else "30005"
        body, query = world.twilio.reported(sid, status, code)
        if self._is_accepted(
            lambda: world.door.intake.receive(
                "twilio_status",
                {},
                body,
                lambda headers: None,
                as_list_parser(
                    lambda request: _required(twilio_webhook.parse_receipt(request, query))
                ),
            )
        ):
            world.oracle.accepted[outreach_keys.receipt(sid, status)] = sid
        elif world.scenario.sender_repeats:
            self._soon(lambda: self._callback(sid, status))

    def _mail(self, message: str) -> None:
        """SNS delivers a message until it is accepted."""
        world = self._world
        door = world.door
        job = self._job_of(message)
        is_heard = isinstance(job, InboundMessage) and not job.is_automatic
        is_stop = is_heard and job.opt_out == "stop"
        is_doubt = is_heard and (job.is_proven or job.token is not None) and is_doubtful(job)

        def accept() -> Answer:
            asks = is_stop or is_doubt
            door.intake.accept(door.outreach.stop_by_mail.apply(job) if asks else job)
            return Answer(200, {})

        if self._is_accepted(accept):
            world.oracle.accepted[job.event_key] = job.event_key
            if (is_stop or is_doubt) and job.is_proven:
                world.consent.promised(job.recipient, job.channel, doubt=is_doubt)
        else:
            self._soon(lambda: self._mail(message))

    def _job_of(self, message: str) -> Any:
        job = ses_webhook.parse(
            message,
            received_at=iso(self._world.door.clock.now()),
            delivery_id=self._world.new_id(),
            opaque=OPAQUE,
        )
        assert job is not None
        return job

    def _is_bad(self) -> bool:
        """Whether a carrier reports this message as failed."""
        return bool(self._world.scenario.bad_news) and self._world.rng.random() < 0.6

    def _reports(self, names: tuple[str, ...]) -> list[str]:
        rng = self._world.rng
        reports = [*names, *([rng.choice(names)] if rng.random() < 0.2 else [])]
        if rng.random() < 0.2:
            reports.reverse()
        return reports

    def _soon(self, action: Callable[[], None]) -> None:
        world = self._world
        world.at(world.now + world.rng.choice((0.2, 3.0, 40.0, 900.0)) * world.rng.random(), action)

    # --- facts --------------------------------------------------------------------------------

    def batch(self, batch: Batch) -> None:
        """HubSpot's request; it retries until it is accepted."""
        world = self._world
        world.log_line("batch", len(batch.objects))
        body = _hubspot_body(batch)
        if self._is_accepted(
            lambda: world.door.facts.door.receive(
                "hubspot", {}, body, lambda headers: None, hubspot_webhook.parse
            )
        ):
            world.oracle.accepted_facts.update(map(fact_key, batch.objects))
        else:
            again = replace(batch, is_copy=True)
            world.at(world.now + AGAIN_SECONDS, lambda: self.batch(again))

    # --- all ----------------------------------------------------------------------------------

    def _is_accepted(self, request: Callable[[], Answer]) -> bool:
        """Whether the door answered 2xx."""
        world = self._world
        world.actor = world.door
        try:
            return request().status < 300
        except Crash:
            world.door.rebuild()
            return False
        except (RequestError, UnavailableError):
            return False
        except MiddlewareError as error:
            world.log_line("refused", error)
            return False
        finally:
            world.actor = None


def fact_key(number: int) -> str:
    """The key of the fact that an object's event represents."""
    return fact_keys.fact("HUBSPOT", "0-5", str(number), "ticket.creation", _at(number))


def _required(job: Any) -> Any:
    assert job is not None
    return job


def _ticket_body(post: Post) -> bytes:
    match post.form:
        case "id":
            fields = {
                "ticket_id": post.conversation_id,
                "message_id": post.comment_id,
                "message": post.text,
            }
        case "thin":
            fields = {"ticket_id": post.conversation_id, "trigger": "customer_message"}
        case _:
            return f'{{"ticket_id": "{post.conversation_id}", "message": "{post.text} "quoted""}}'.encode()
    return json.dumps(fields).encode()


def _hubspot_body(batch: Batch) -> bytes:
    events = [
        {
            "eventId": number,
            "occurredAt": int(_at(number)),
            "subscriptionType": "ticket.creation",
            "attemptNumber": int(batch.is_copy),
            "objectId": number,
            "sourceId": f"userId:{5001 + number % 3}",
        }
        for number in batch.objects
    ]
    return json.dumps(events).encode()


def _at(number: int) -> str:
    return str(1_789_999_000_000 + number * 1_000)
