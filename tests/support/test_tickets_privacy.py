"""Where personal data of the pipeline may not be: no table, no log line, no id of the queue."""

import json

from chalicelib.redaction.redactor import redact
from tests.rigs.tickets import ROUTED


def test_personal_data_reaches_no_log_and_no_table(system, log_stream):
    """F53: the text, the address, the phone and the order live in the queue only."""
    secrets = ["jane.roe@example.com", "+1 202-555-0142", "order 9988776655", "umbrella-canary"]
    text = f"refund for {' '.join(secrets)}"
    body = system.ticket(text=text, customer_email="jane.roe@example.com", customer_name="Jane")
    system.post(body)
    system.richpanel.fault("status", operation="add_tags", status=400)
    system.run()
    system.post({"ticket_id": "1042"})
    system.run()
    stored, logged = system.everything_stored(), log_stream.getvalue()
    assert "refund_request" in stored
    assert logged.count("\n") > 4
    for secret in (*secrets, "jane.roe", "202-555-0142", "555-0142", "9988776655"):
        assert secret not in stored
        assert secret not in logged
    assert redact(text) != text


def test_a_message_id_that_looks_like_an_address_stays_out_of_logs_and_queue_ids(
    system, log_stream
):
    ticket = "<CAMx123@mail.gmail.com>"
    system.richpanel.add_ticket(ticket, comments=[{"body": "refund", "id": "c-1"}])
    system.post({"ticket_id": ticket, "message_id": "c-1"})
    (message,) = system.stage.aws.client("sqs").receive_message(
        QueueUrl=system.stage.queue_url, AttributeNames=["All"], VisibilityTimeout=0
    )["Messages"]
    assert "mail.gmail" not in json.dumps(message["Attributes"])
    system.run()
    assert set(system.added(ticket)) == set(ROUTED)
    assert "mail.gmail" not in log_stream.getvalue()
