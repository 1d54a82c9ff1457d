"""Runbook drills of the lanes: what waits or was given up in one is found, and the others go on."""

import json

import pytest

from chalicelib.once.lanes import COMPANIES, EMAIL, FACTS, OUTREACH
from local import company
from local.stack.pump import Pump
from local.vendors import aloware
from tests.rigs.api_gateway import posted
from tests.rigs.company_endpoint import SECRETS
from tests.rigs.engines import drain
from tests.rigs.operator import Operator
from tests.rigs.outreach import MAIL, TEL

STARTED = f"{company.COMPANY_ID}#req123"


@pytest.fixture
def operator(capsys):
    return Operator(None, capsys)


def give_up(outreach, lane):
    """Move the one message of a lane to its dead-letter queue, as SQS does after ten receives."""
    sqs, url = outreach.stage.aws.client("sqs"), outreach.stage.lane_url(lane)
    (message,) = sqs.receive_message(QueueUrl=url, AttributeNames=["All"])["Messages"]
    sqs.send_message(
        QueueUrl=outreach.stage.lane_dead_letter_url(lane),
        MessageBody=message["Body"],
        MessageGroupId=message["Attributes"]["MessageGroupId"],
        MessageDeduplicationId=message["MessageId"],
    )
    sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])


def redrive(operator):
    (letter,) = operator.runs("dlq", "list", "--json").data
    operator.runs("dlq", "redrive", "--dry-run")
    operator.runs("dlq", "redrive", "--rate", "1")
    return letter["event"]


def call(outreach):
    """A call of Aloware's, at its door."""
    token = {"authorization": f"Bearer {outreach.stage.secrets.aloware_token}"}
    body = json.dumps(aloware.six_deliveries()[1])
    assert posted(outreach.app, "/webhook/aloware", body, token) == 200


def facts(outreach):
    return outreach.rows("QuillLedgerTable")


def test_texts_wait_while_the_others_go_on(operator, outreach):
    outreach.start(channel="sms")
    operator.opens("outreach-age")
    assert "received" in operator.runs("explain", STARTED).out
    outreach.run()
    assert len(outreach.twilio.sent_to(TEL)) == 1


def test_e_mails_wait_while_the_others_go_on(operator, outreach):
    outreach.start(channel="email")
    operator.opens("email-age")
    assert "received" in operator.runs("explain", STARTED).out
    outreach.run()
    assert len(outreach.ses.sent_to(MAIL)) == 1


def test_facts_wait_while_the_others_go_on(operator, outreach):
    call(outreach)
    operator.opens("facts-age")
    assert operator.runs("dlq", "list", "--json").data == []
    outreach.run()
    assert len(facts(outreach)) == 1


def test_a_text_was_given_up(operator, outreach):
    outreach.start(channel="sms")
    give_up(outreach, OUTREACH)
    operator.opens("outreach-dead-letters")
    assert redrive(operator).startswith("evt:start:")
    outreach.run()
    assert len(outreach.twilio.sent_to(TEL)) == 1


def test_an_e_mail_was_given_up(operator, outreach):
    outreach.start(channel="email")
    give_up(outreach, EMAIL)
    operator.opens("email-dead-letters")
    assert redrive(operator).startswith("evt:start:")
    outreach.run()
    assert len(outreach.ses.sent_to(MAIL)) == 1


def test_a_fact_was_given_up(operator, outreach):
    call(outreach)
    give_up(outreach, FACTS)
    operator.opens("facts-dead-letters")
    redrive(operator)
    outreach.run()
    assert len(facts(outreach)) == 1


def follow(outreach, url):
    """The company has an endpoint, and its secret."""
    outreach.set_project(event_webhook={"url": url})
    name = f"rp-mw/dev/companies/{company.COMPANY_ID}/webhook"
    company.put_secrets(outreach.stage, {name: json.dumps({"signing_secrets": list(SECRETS)})})


def texts(outreach):
    """Start a conversation and send its first message; its events are not posted yet."""
    outreach.start(channel="sms")
    stage = outreach.stage
    url, arn = stage.lane_url(OUTREACH), stage.lane_arn(OUTREACH)
    drain(Pump(stage.aws.client("sqs"), url, arn, outreach.app.outreach_worker))
    assert len(outreach.twilio.sent_to(TEL)) == 1


@pytest.fixture
def followed(outreach, endpoint, monkeypatch):
    monkeypatch.setenv("COMPANY_WEBHOOKS_ON_LOOPBACK", "true")
    outreach.new_container()
    follow(outreach, endpoint.url)
    texts(outreach)
    return outreach


def test_events_to_companies_wait_while_the_others_go_on(operator, followed, endpoint):
    operator.opens("companies-age")
    operator.runs("explain", STARTED)
    followed.run()
    assert endpoint.types == ["accepted", "sent"]


def test_an_event_to_a_company_was_given_up(operator, followed, endpoint):
    give_up(followed, COMPANIES)
    operator.opens("companies-dead-letters")
    assert redrive(operator).startswith("evt:tell:")
    followed.run()
    assert endpoint.types == ["accepted", "sent"]


def test_an_endpoint_is_gone_and_comes_back(operator, followed, endpoint):
    endpoint.status = 410
    followed.run()
    operator.opens("companies-stopped")
    (found,) = operator.runs("company", "events", company.COMPANY_ID, "--json").data
    assert (found["stopped"], bool(found["paused_at"])) == (1, True)
    endpoint.status = 204
    followed.run()
    assert endpoint.types == []
    project = (company.COMPANY_ID, followed.project["project_id"])
    for _ in range(2):
        operator.runs("company", "resume-events", *project, "--reason", "mended")
        followed.run()
        assert endpoint.types == ["accepted", "sent"]
    (found,) = operator.runs("company", "events", company.COMPANY_ID, "--json").data
    assert (found["stopped"], found["paused_at"]) == (0, None)
