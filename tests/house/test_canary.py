"""Personal data enters at every door and appears nowhere it must not be (P4, F53).

Only `conversations`, `company-data` and the message bodies on the queue may hold it, by design.
"""

import json
import re

import pytest

from chalicelib.facts import hubspot_webhook
from local import company
from local.vendors import aloware, hubspot
from tests.rigs.api_gateway import posted

MAIL = "wilhelmina.quist@example.com"
TEL = "+12025550142"
ORDER = "9988776655"
TRACKING = "1Z999AA10123456784"
CARD = "4111 1111 1111 1111"
TEXT = f"Marzipan canary: {MAIL}, {TEL}, order {ORDER}, parcel {TRACKING}, card {CARD}, refund!"
CANARIES = ("wilhelmina", "quist", "marzipan", "5550142", ORDER, TRACKING.lower(), "4111 1111")
DIGITS = ("2025550142", ORDER, "4111111111111111")
MAY_HOLD_IT = {"conversations-dev", "company-data-dev"}


@pytest.fixture
def world(outreach, richpanel):
    outreach.richpanel = richpanel
    outreach.errors = []
    outreach.pump.on_error = outreach.errors.append
    outreach.attributes = []
    receive = outreach.pump.sqs.receive_message

    def recorded(**arguments):
        answer = receive(**arguments)
        outreach.attributes += [
            {k: v for k, v in message.items() if k not in ("Body", "ReceiptHandle")}
            for message in answer.get("Messages", [])
        ]
        return answer

    outreach.pump.sqs.receive_message = recorded
    return outreach


def test_personal_data_from_any_door_appears_in_no_log_row_attribute_or_error(world, capsys):
    richpanel_tickets(world)
    answers = conversations(world)
    facts(world)
    world.run()
    world.sweep()
    world.run()
    logged = capsys.readouterr().out
    sinks = {
        "logs and metrics": logged,
        "tables": json.dumps(tables(world)),
        "queue attributes": json.dumps(world.attributes),
        "errors": " ".join(f"{e!r} {e.__cause__!r} {e.__context__!r}" for e in world.errors),
        "answers": json.dumps(answers),
    }
    assert logged.count('"event"') > 30
    assert len(world.attributes) >= 8
    assert world.errors, "a vendor crash must have occurred"
    for name, content in sinks.items():
        found = [canary for canary in CANARIES if canary in content.lower()]
        # Our ids are hexadecimal and may contain any digits; a separate number may not appear.
        found += [
            digit for digit in DIGITS if re.search(rf"(?<![0-9a-f]){digit}(?![0-9a-f])", content)
        ]
        assert not found, f"{found} in {name}"


def richpanel_tickets(world):
    """A message, a thin notification, a body broken by a template, a bad token, a vendor error."""
    person = {"customer_email": MAIL, "customer_name": "Wilhelmina Quist"}
    for number in ("11", "12", "13"):
        comments = [{"id": f"c-{number}", "body": TEXT}]
        world.richpanel.add_ticket(number, comments=comments, subject=TEXT, **person)
    token = {"x-richpanel-webhook-token": world.stage.secrets.webhook_token}
    named = json.dumps({"ticket_id": "11", "message_id": "c-11", "message": TEXT, "email": MAIL})
    bodies = [
        (named, token),
        (json.dumps({"ticket_id": "12", "customer": {"email": MAIL, "phone": TEL}}), token),
        (f'{{"ticket_id": "13", "message": "he said "{TEXT}""}}', token),
        (named, {"x-richpanel-webhook-token": MAIL}),
        (json.dumps({"message": TEXT}), token),
        (f"nonsense {TEXT}", token),
    ]
    world.richpanel.fault("status", operation="add_tags", status=400, body={"error": TEXT})
    world.richpanel.fault("drop", operation="read_ticket", skip=1)
    for body, headers in bodies:
        posted(world.app, "/webhook/richpanel", body, headers)
    world.run()


def conversations(world):
    """A start on each channel, an invalid one, replies by text and mail, a status, an opt-out."""
    for channel in (
        "whatsapp",
        "sms",
        "email",
    ):  # the ids contain the recipient, for its caller only
        world.start(channel, channel, MAIL if channel == "email" else TEL)
    answers = [
        world.post({"recipient_data": {"recipient_email": MAIL}, "x": TEXT}).json_body,
        world.post(f"nonsense {TEXT}".encode()).json_body,
    ]
    world.twilio.fault("act_then_drop", operation="create_message")
    world.run()
    world.deliver(world.says(TEXT, from_=TEL))
    world.deliver(world.says(TEXT, from_="+12025550142", whatsapp=False))
    for post in world.twilio.callbacks():
        world.deliver(post)
    world.mail(world.ses.inbound(MAIL, company.EMAIL, TEXT))
    world.run()
    world.deliver(world.says("STOP", from_=TEL, whatsapp=False))
    return [*answers, world.fate("email").json_body]


def facts(world):
    """Aloware deliveries with a contact, a HubSpot event with a property value."""
    token = {"authorization": f"Bearer {world.stage.secrets.aloware_token}"}
    contact = {"name": "Wilhelmina Quist", "phone_number": TEL, "email": MAIL}
    for delivery in aloware.six_deliveries(contact=contact, lead_number=TEL, body=TEXT):
        posted(world.app, "/webhook/aloware", json.dumps(delivery), token)
    event = {**hubspot.event(), "propertyName": "email", "propertyValue": MAIL}
    body, stamp = json.dumps([event]), str(hubspot.HubSpot("").now_ms())
    signature = hubspot_webhook.signature_v3(
        world.stage.secrets.hubspot_secret,
        uri=hubspot.TARGET_URL,
        body=body.encode(),
        stamp=stamp,
    )
    headers = {hubspot_webhook.SIGNATURE_V3: signature, hubspot_webhook.TIMESTAMP: stamp}
    posted(world.app, "/webhook/hubspot", body, headers)


def tables(world):
    client = world.stage.aws.client("dynamodb")
    names = [name for name in client.list_tables()["TableNames"] if name not in MAY_HOLD_IT]
    return {name: client.scan(TableName=name)["Items"] for name in names}
