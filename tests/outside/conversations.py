"""Conversations as recipients, companies and people at a desk see them."""

import json
from datetime import timedelta

from tests.outside.running import FIRST, WRITTEN_BY_A_MODEL, Company

MODEL = Company(**{**FIRST.__dict__, "project": WRITTEN_BY_A_MODEL})
TEMPLATE = "HX" + "0" * 31 + "1"
"""The account's approved template, which takes two variables."""
SECOND_ACCOUNT = "AC" + "0" * 31 + "2"
"""The second company's at Twilio."""
FOLLOW_UPS = {
    "reminder": {"after_minutes": 60, "text": "Did you see our message?"},
    "end": {"after_minutes": 120, "text": "We close this for now."},
}
AI = {
    "openai_config": {
        channel: {"api_key_reference": f"ai-multi-comms/openai-api-key/{channel}-dev"}
        for channel in ("whatsapp", "sms", "email")
    }
}
"""A model writes for every channel."""
REFERENCE = {
    "type": "object",
    "required": ["job_ref"],
    "properties": {"job_ref": {"type": "string", "maxLength": 20}},
}
TOOLS = [
    {"name": "note_interest", "parameters": REFERENCE, "acknowledgement": "Noted."},
    {
        "name": "submit_application",
        "irreversible": True,
        "parameters": REFERENCE,
        "question": "Shall I submit your application now?",
        "acknowledgement": "Thank you, your application is on its way.",
    },
]


def started(stack, to, channel="sms", **changes):
    """A conversation; returns its request's id."""
    answer = stack.start(to, channel, **changes)
    assert answer.status_code in (200, 202), answer.text
    return answer.json()["request_id"]


def two_addresses(stack):
    """A recipient with a phone and an e-mail address."""
    return {"recipient_tel": stack.tel(), "recipient_email": stack.mail()}


def opened(stack, both, channel, **changes):
    """A conversation with such a recipient."""
    to = both["recipient_email" if channel == "email" else "recipient_tel"]
    return started(stack, to, channel, recipient_data=both, **changes)


def opened_on_both(stack, reminded, other):
    """A recipient with two conversations, of which the first is followed up."""
    both = two_addresses(stack)
    opened(stack, both, reminded, of=stack.put_project(follow_ups=FOLLOW_UPS))
    opened(stack, both, other)
    return both


def on(stack, both, channel):
    """What such a recipient got by text, or by e-mail."""
    if channel == "email":
        return stack.mails_to(both["recipient_email"])
    return stack.texts_to(both["recipient_tel"])


def answers_on(stack, both, channel):
    """Such a recipient answers the newest message there."""
    if channel == "email":
        reply_to = on(stack, both, channel)[-1]["reply_to"]
        stack.writes(both["recipient_email"], reply_to, "I am here.")
    else:
        stack.says(both["recipient_tel"], "I am here.")


def posted(stack, body, key=FIRST.router_key):
    """Post this body as the Router, without a change."""
    return stack.request("POST", "/initiate-conversation", headers={"x-api-key": key}, json=body)


def words_to(stack, to):
    """The words that a recipient got on any channel, oldest first."""
    return [text["body"] for text in stack.texts_to(to)] + [
        mail["text"] for mail in stack.mails_to(to)
    ]


def by_whatsapp(stack, sender, text, **more):
    """The recipient writes to the company's number for WhatsApp."""
    return stack.says(sender, text, to=FIRST.whatsapp, whatsapp=True, **more)


def entries(stack, address):
    """The lines of the register about an address."""
    listed = stack.ops("do-not-contact", "list", "--company", FIRST.id).out
    return [line for line in listed.splitlines() if address in line]


def persons_entries(stack, address):
    """The lines of the register about the person of an address."""
    company = ("--company", FIRST.id)
    return stack.ops("do-not-contact", "list", *company, "--address", address).out.splitlines()


def unsubscribe_path(mail):
    """The path of an e-mail's link."""
    link = mail["headers"]["List-Unsubscribe"].partition(">")[0]
    return f"/unsubscribe/{link.rpartition('/')[2]}"


def clicked(stack, path, body="List-Unsubscribe=One-Click"):
    """A mail service posts the one click; or the page's button another body."""
    headers = {"content-type": "application/x-www-form-urlencoded"}
    return stack.request("POST", path, headers=headers, data=body)


def night(stack):
    """Quiet hours that have begun and end within the hour."""
    hour = stack.now()
    begin, end = hour - timedelta(hours=2), hour + timedelta(hours=1)
    return {"from": f"{begin:%H:%M}", "until": f"{end:%H:%M}", "zone": "UTC"}


def scripted(stack, to, **answer):
    """Script the model's answer, twice, to what this recipient writes with their number in it."""
    none = {"text": "", "hand_off_reason": None, "wants_no_more_messages": False}
    stack.openai.post("scripts", json={**none, **answer}, contains=f" {to}", times=2)


def calls(stack, to, tool, arguments):
    """Let the model ask for a tool when this recipient writes their number."""
    scripted(stack, to, function_call=tool, function_arguments=json.dumps(arguments))


def told(stack, **changes):
    """A project with an endpoint of its own, which gets every event."""
    url = f"{stack.company.url}/events/{stack.number()}"
    return stack.put_project(event_webhook={"url": url}, **changes)


def events(stack, request_id):
    """The events of a conversation that its company's endpoint got, in the order of arrival."""
    heard = stack.company.get("events")["events"]
    return [event for event in heard if event["data"]["request_id"] == request_id]


def types(stack, request_id):
    return [event["type"] for event in events(stack, request_id)]


def desk_list(stack, company):
    """What waits for a person in a project."""
    path = f"/desk/conversations?project={company.project}&limit=200"
    return stack.desk("GET", path).json()["conversations"]


def conversation(stack, request_id):
    """A conversation as the desk shows it."""
    path, headers = f"/conversations/{request_id}/messages", {"x-api-key": FIRST.router_key}
    opaque_id = stack.request("GET", path, headers=headers).json()["conversation"]
    return stack.desk("GET", f"/desk/conversations/{opaque_id}").json()


def act(stack, shown, name, *, key=FIRST.lead_key, once="k", by="sam", **fields):
    """A person acts upon a conversation as it was shown."""
    path = f"/desk/conversations/{shown['id']}/acts"
    body = {"act": name, "by": by, "version": shown["version"], **fields}
    return stack.desk("POST", path, body, key=key, once=once)
