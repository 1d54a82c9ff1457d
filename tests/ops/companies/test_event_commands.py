"""The commands about a company's endpoint: what they print, store and enter."""

import json

import boto3
import pytest

from chalicelib.outreach.company_events.endpoint import secret_id
from local import company
from tests.rigs.company_endpoint import SECRETS, consumer
from tests.rigs.ops_cli import runner

IDS = (company.COMPANY_ID, company.PROJECT_ID)


@pytest.fixture
def app_environment(app_environment):
    return {**app_environment, "COMPANY_WEBHOOKS_ON_LOOPBACK": "true"}


@pytest.fixture
def run(outreach, capsys):
    return runner(capsys)


@pytest.fixture
def endpoint(outreach):
    company.put_signing_secret(outreach.stage, SECRETS[0])
    with consumer() as running:
        outreach.set_project(event_webhook={"url": running.url})
        yield running


def secrets():
    name = secret_id("dev", company.COMPANY_ID)
    text = boto3.client("secretsmanager").get_secret_value(SecretId=name)["SecretString"]
    return json.loads(text)["signing_secrets"]


def test_a_test_event_is_posted_listed_and_entered(run, endpoint):
    said = run("company", "test-event", *IDS, "--json")
    assert (said.code, said.data["status"]) == (0, 204)
    endpoint.status = 500
    assert run("company", "test-event", *IDS).code == 1
    listed = run("company", "attempts", *IDS, "--json").data
    assert [(attempt["type"], attempt["status"]) for attempt in listed] == [
        ("endpoint.test", 500),
        ("endpoint.test", 204),
    ]
    entered = [entry["did"] for entry in run("journal", "--json").data]
    assert entered == ["company test-event"] * 2


def test_an_event_is_posted_again_under_its_id(run, outreach, endpoint):
    outreach.start(channel="sms")
    outreach.run()
    (first, *_) = endpoint.received
    record = outreach.record("sms")
    said = run("company", "resend-event", company.COMPANY_ID, record.opaque_id, "1", "--json")
    assert (said.code, said.data["event"]) == (0, first)
    assert endpoint.attempts[-1] == endpoint.attempts[0]
    assert run("company", "resend-event", company.COMPANY_ID, record.opaque_id, "99").code == 1
    assert run("company", "resend-event", "ci-bbb-001", record.opaque_id, "1").code == 1


def test_a_third_secret_is_refused_until_the_oldest_has_ended(run, outreach):
    made = [
        run("company", "event-secret", company.COMPANY_ID, "--json").data["secret"]
        for _ in range(2)
    ]
    assert secrets() == made[::-1]
    refused = run("company", "event-secret", company.COMPANY_ID)
    assert (refused.code, secrets()) == (1, made[::-1])
    assert "two secrets sign already" in refused.err
    ended = run("company", "event-secret", company.COMPANY_ID, "--finish", "--json")
    assert (ended.data["ended"], secrets()) == (1, made[1:])


def test_a_secret_that_is_not_usable_is_not_overwritten(run, outreach):
    company.put_signing_secret(outreach.stage, "short")
    refused = run("company", "event-secret", company.COMPANY_ID)
    assert refused.code == 1
    assert "repair it first" in refused.err
    assert secrets() == ["short"]


def test_a_paused_endpoint_is_posted_nothing_until_it_is_resumed(run, outreach, endpoint):
    assert run("company", "pause-events", *IDS, "--because", "they move").code == 0
    outreach.start(channel="sms")
    outreach.run()
    assert endpoint.attempts == []
    assert run("company", "events", *IDS, "--json").data[0]["paused_at"]
    assert run("company", "resume-events", *IDS, "--because", "moved").code == 0
    outreach.run()
    assert endpoint.types[:2] == ["accepted", "sent"]
