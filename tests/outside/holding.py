"""Messages in every state, with all that anybody holds of them."""

import json
from dataclasses import dataclass

from tests.outside import pasted
from tests.outside.conversations import conversation, events, started
from tests.outside.running import FIRST
from tests.outside.senders import aloware, call
from tests.outside.tickets import opens, order

ACCOUNT = "AC" + "0" * 31 + "1"
CONSOLE = "http://127.0.0.1:8090"
ELSEWHERE = ("messages and events of a company by their own id: ", "sqs_message_id = ")
"""Hints in the answer about a form that no row has: where its message may be, and how to ask there."""
ANGRY = "Your courier threw it into the river and I call my lawyer."


@dataclass(frozen=True)
class Held:
    """A message, and each text that somebody may paste to find it.

    Attributes:
        state: where the message is.
        name: the key, or its beginning, of the event or the fact that is to be found.
        forms: texts by what they are of.
    """

    state: str
    name: str
    forms: dict[str, list[str]]


def sent(stack):
    """A text that arrived and was answered, of a recipient whose e-mail is known, too."""
    before = _so_far(stack)
    both = {"recipient_tel": stack.tel(), "recipient_email": stack.mail()}
    of = stack.put_project(event_webhook={"url": f"{stack.company.url}/events/{stack.number()}"})
    request_id = started(stack, both["recipient_tel"], "sms", recipient_data=both, of=of)
    key, forms = _of_start(stack, request_id, both, before, of)
    stack.says(both["recipient_tel"], "What is the pay?")
    ours, answer = stack.texts_to(both["recipient_tel"])
    theirs = next(message for message in stack.said(request_id) if message["from"] == "recipient")
    heard = [message for message in stack.said(request_id) if message["from"] != "recipient"]
    events_of_it = [pasted.event_of_company(event) for event in events(stack, request_id)]
    yield Held(
        "sent",
        key,
        {
            **forms,
            "sid": pasted.sid(ours["sid"], ACCOUNT),
            "message": pasted.message_of_company(heard[0]),
            "event of the company": [form for group in events_of_it for form in group],
        },
    )
    replied = f"evt:reply:sms:{theirs['id']}"
    of_reply = {"sid": pasted.sid(theirs["id"], ACCOUNT) + pasted.sid(answer["sid"], ACCOUNT)}
    of_reply |= {"message": pasted.message_of_company(theirs), "key": pasted.key(replied)}
    yield Held("replied", replied, of_reply)


def of_unknown_outcome(stack):
    """A text whose request left, and no usable answer came."""
    stack.forward(minutes=6)
    before, both = _so_far(stack), {"recipient_tel": stack.tel()}
    stack.twilio.fails("act_then_status", operation="create_message", status=500)
    request_id = started(stack, both["recipient_tel"])
    stack.twilio.recovers()
    yield Held("outcome unknown", *_of_start(stack, request_id, both, before))


def waiting(stack):
    """A text that Twilio does not take at present."""
    before, both = _so_far(stack), {"recipient_tel": stack.tel()}
    stack.twilio.fails(status=401, times=None)
    request_id = started(stack, both["recipient_tel"])
    yield Held("waits", *_of_start(stack, request_id, both, before))
    stack.twilio.recovers()
    stack.passes(hours=1)


def refused(stack):
    """A text that Twilio refused for good."""
    before, both = _so_far(stack), {"recipient_tel": stack.tel()}
    body = {"code": 21606, "message": "not a number of this account", "status": 400}
    stack.twilio.fails(status=400, body=body)
    request_id = started(stack, both["recipient_tel"])
    yield Held("refused", *_of_start(stack, request_id, both, before))


def by_mail(stack):
    """An e-mail that arrived and was answered."""
    before, to = _so_far(stack), stack.mail()
    request_id = started(stack, to, "email")
    (ours,) = stack.mails_to(to)
    stack.carriers_report()
    key, forms = _of_start(stack, request_id, {"recipient_email": to}, before)
    forms |= {"ses": pasted.ses(ours["message_id"]), "headers": pasted.headers(ours)}
    yield Held("by mail", key, forms)
    theirs = f"<{stack.number()}.abc@mail.example>"
    stack.writes(to, ours["reply_to"], "What is the pay?", **{"Message-ID": theirs})
    yield Held("replied by mail", "evt:reply:email:", {"reply": pasted.reply(theirs)})


def answered_ticket(stack):
    """A ticket that was answered."""
    before = _so_far(stack)
    bought = order(stack, fulfillment_status="FULFILLED")
    ticket = opens(stack, "Where is my order?", bought.mail)
    yield Held("answered ticket", *_of_ticket(stack, ticket, before))


def other_ticket(stack):
    """A ticket that a person answers."""
    before = _so_far(stack)
    ticket = opens(stack, ANGRY)
    yield Held("a person's ticket", *_of_ticket(stack, ticket, before))


def ticket_in_an_outage(stack):
    """A ticket that was reported while Richpanel does not answer, and could not be read yet."""
    before = _so_far(stack)
    stack.richpanel.fails(status=503, times=None)
    ticket = stack.ticket("Where is my order?", customer_email=stack.mail())
    answer = stack.webhook(ticket_id=ticket, trigger="customer_message")
    forms = _of_ticket(stack, ticket, before)[1]
    forms["key"] = pasted.key(answer.json()["event_id"])
    yield Held("ticket not read yet", f"evt:rp:{ticket}:n:", forms)
    stack.richpanel.recovers()
    stack.passes(hours=1)


def worked_in_an_outage(stack):
    """A ticket that was worked on before Richpanel stopped answering."""
    before = _so_far(stack)
    ticket = opens(stack, ANGRY)
    stack.richpanel.fails(status=503, times=None)
    yield Held("ticket worked on before an outage", *_of_ticket(stack, ticket, before))
    stack.richpanel.recovers()
    stack.passes(hours=1)


def reported_fact(stack):
    """A call that counts."""
    made = call(stack)
    aloware(stack, made)
    yield Held("fact", f"ALOWARE:{made['id']}", {"fact": pasted.fact(made["id"])})


def uncounted_fact(stack):
    """A call that does not count."""
    made = call(stack, owner_id=999)
    aloware(stack, made)
    yield Held(
        "fact that does not count", f"ALOWARE:{made['id']}", {"fact": pasted.fact(made["id"])}
    )


STATES = (
    *(sent, of_unknown_outcome, waiting, refused, by_mail, answered_ticket, other_ticket),
    *(ticket_in_an_outage, worked_in_an_outage, reported_fact, uncounted_fact),
)
"""Each gives what is held of a message while the stack is in that state."""


def wrong(stack, held, forms):
    """The forms that neither find the message nor get a hint to the command that does.

    No index has ended events by the ids of their log lines. An SQS id is in the logs alone, and a
    company's own ids of messages and events lead nowhere alone: the answer has to say so.
    """
    for form in forms:
        said = stack.ops("explain", "--json", "--", form, code=None)
        if said.code and "--deep asks it" in said.err:
            said = stack.ops("explain", "--deep", "--json", "--", form, code=None)
        if said.code and any(place in said.err for place in ELSEWHERE):
            continue
        if said.code or held.name not in _found(said.data):
            yield held.state, form, said.err


def _found(data):
    findings = (data, *data["also"])
    events = [event["event"]["event_id"] for finding in findings for event in finding["events"]]
    facts = [fact["event_id"] for finding in findings for fact in finding.get("facts", ())]
    return " ".join([*(finding["about"] for finding in findings), *events, *facts])


def _of_start(stack, request_id, both, before, of=FIRST):
    """What the Router, the company, the desk, the recipient and the logs have of a start."""
    shown = stack.ops("explain", f"{FIRST.id}#{request_id}", "--json").data
    opaque = conversation(stack, request_id)["id"]
    tel, mail = both.get("recipient_tel"), both.get("recipient_email")
    full = f"{of.id}#{of.project}#{request_id}#{tel.removeprefix('+') if tel else mail}"
    return shown["about"], {
        "request": pasted.request(FIRST.id, request_id, full, opaque, stack.url, CONSOLE),
        "request alone": pasted.alone(request_id, stack.url),
        "tel": pasted.tel(tel) if tel else [],
        "mail": pasted.mail(mail) if mail else [],
        "key": pasted.key(shown["about"]),
        **_of_lines(stack, before, "channel_router"),
    }


def _of_ticket(stack, ticket, before):
    """What the helpdesk, the door and the logs have of a ticket."""
    key = f"evt:rp:{ticket}:c-1"
    of_lines = _of_lines(stack, before, "richpanel")
    return key, {"ticket": pasted.ticket(ticket), "key": pasted.key(key), **of_lines}


def _of_lines(stack, before, source):
    """What a log viewer shows of the first event since then that a sender has brought."""
    new = stack.output.read_text()[before:].splitlines()
    door = next(line for line in new if '"ingress.accepted"' in line and f'"{source}"' in line)
    trace = json.loads(door)["mw_trace_id"]
    lines = [line for line in new if f'"{trace}"' in line]
    queued = {json.loads(line).get("sqs_message_id") for line in lines} - {None}
    return {
        "line": [form for line in (lines[0], lines[-1]) for form in pasted.line(line)],
        "trace": pasted.trace(trace),
        "queue": [
            form for message_id in sorted(queued)[:1] for form in pasted.surrounded(message_id)
        ],
    }


def _so_far(stack):
    return len(stack.output.read_text())
