"""A conversation by pigeon, from the company's request to the mark that its STOP leaves."""

import json

import pytest
from local.vendors.pigeon import KEY, TOKEN, Pigeon

from chalicelib.outreach.channels import Channel
from chalicelib.outreach.conversations.records import Status
from chalicelib.outreach.project.check import faults
from chalicelib.outreach.project.rules import longest_text
from local import company
from tests.rigs.ops_cli import runner

OURS, THEIRS = "loft:cucumber", "loft:blue-7"
SECRET = "ai-multi-comms/pigeon-credentials/cucumber"


@pytest.fixture
def dovecote():
    with Pigeon() as running:
        yield running


@pytest.fixture
def pigeons(dovecote, monkeypatch, outreach):
    """Outreach of a company that has pigeons."""
    monkeypatch.setenv("PIGEON_BASE_URL", dovecote.base_url)
    outreach.new_container()
    secrets = {SECRET: json.dumps({"key": KEY}), "rp-mw/dev/pigeon/token": TOKEN}
    company.put_secrets(outreach.stage, secrets)
    settings = {"company_pigeon_loft": OURS, "pigeon_credentials_id": SECRET}
    channels = {**outreach.project["channel_config"], "pigeon": settings}
    changes = {"channel_config": channels, "allowed_channels": list(Channel)}
    assert faults({**outreach.project, **changes}) == []
    outreach.set_project(**changes)
    return outreach


def test_a_project_without_its_loft_is_refused():
    item = company.project("dev", allowed_channels=["pigeon"])
    item["channel_config"]["pigeon"] = {"pigeon_credentials_id": SECRET}
    assert faults(item) == ["channel_config.pigeon.company_pigeon_loft: Field required"]


def start(pigeons, **recipient):
    body = company.request("req123", "pigeon", "+15550100001")
    del body["recipient_data"]["recipient_tel"]
    body["recipient_data"] |= {"recipient_loft": THEIRS, **recipient}
    return pigeons.post(body)


def posted(pigeons, body, token=TOKEN):
    headers = {"content-type": "application/json", "x-dovecote-token": token}
    with pigeons._client() as client:
        answer = client.http.post("/webhook/pigeon", headers=headers, body=body)
    pigeons.run()
    return answer.status_code


def conversation(pigeons):
    return pigeons.record("pigeon", THEIRS)


def actions(pigeons):
    rows = [row for row in pigeons.rows() if "action_kind" in row]
    return sorted((row["action_kind"]["S"], row["status"]["S"]) for row in rows)


def test_a_conversation_is_opened_answered_reported_and_stopped(pigeons, dovecote):
    assert start(pigeons).status_code == 200
    pigeons.run()
    (opening,) = dovecote.sent_to(THEIRS)
    assert opening.startswith("Hello Jo")
    assert opening.endswith("Reply STOP to opt out.")
    assert dovecote.flights[0]["from"] == OURS
    record = conversation(pigeons)
    assert (record.status, record.channel) == (Status.INITIAL_MESSAGE_SENT, Channel.PIGEON)

    assert posted(pigeons, dovecote.comes_back(THEIRS, 1, "Tell me more")) == 200
    assert dovecote.sent_to(THEIRS)[1].startswith("Thank you for your message")
    assert conversation(pigeons).status == Status.REPLY_SENT

    for report in dovecote.reports("delivered"):
        assert posted(pigeons, report) == 200
    assert pigeons.fate().json_body["state"] == "delivered"

    assert posted(pigeons, dovecote.comes_back(THEIRS, 2, "STOP")) == 200
    assert dovecote.sent_to(THEIRS)[2].startswith("Cucumber Recruitment: you will receive no more")
    assert pigeons.services.outreach.conversations.forbids(conversation(pigeons)) == "stop"
    assert actions(pigeons) == [
        ("confirm_pigeon_stop", "done"), ("send_pigeon", "done"), ("send_pigeon", "done"),
    ]  # fmt: skip
    assert not pigeons.twilio.messages
    assert not pigeons.ses.calls


def test_its_operators_find_explain_forbid_and_erase_it_like_any_other(pigeons, dovecote, capsys):
    run = runner(capsys)
    start(pigeons)
    pigeons.run()
    said = run("explain", THEIRS).out
    assert "pigeon accepted it" in said
    forbidden = ("do-not-contact", "add", "--company", company.COMPANY_ID, "--address", THEIRS)
    assert run(*forbidden).code == 0
    assert "operator" in run("explain", THEIRS).out
    assert run("erase", "--subject", THEIRS, "--yes").code == 0
    assert conversation(pigeons) is None


def test_a_flight_of_unknown_outcome_is_settled_by_its_report(pigeons, dovecote):
    dovecote.fault("act_then_drop", operation="send")
    start(pigeons)
    pigeons.run()
    assert actions(pigeons) == [("send_pigeon", "unknown")]
    for report in dovecote.reports("delivered"):
        posted(pigeons, report)
    assert actions(pigeons) == [("send_pigeon", "done")]
    assert len(dovecote.flights) == 1
    assert conversation(pigeons).status == Status.INITIAL_MESSAGE_SENT


def test_help_is_answered_by_a_fixed_text(pigeons, dovecote):
    start(pigeons)
    pigeons.run()
    posted(pigeons, dovecote.comes_back(THEIRS, 1, "HELP"))
    assert "wrote to you about Clarify CV" in dovecote.sent_to(THEIRS)[1]
    assert actions(pigeons) == [("answer_pigeon_help", "done"), ("send_pigeon", "done")]


def test_an_address_that_is_no_loft_and_a_token_that_is_not_the_dovecotes_are_refused(
    pigeons, dovecote
):
    refused = start(pigeons, recipient_loft="nowhere")
    assert refused.json_body["error_code"] == "INVALID_RECIPIENT_LOFT"
    start(pigeons)
    pigeons.run()
    assert posted(pigeons, dovecote.comes_back(THEIRS, 1, "Hello"), token="guessed") == 401


def test_no_text_is_longer_than_a_pigeon_can_carry(pigeons):
    start(pigeons)
    pigeons.run()
    assert longest_text(conversation(pigeons)) == 280


def test_a_text_that_is_refused_for_good_is_followed_by_a_pigeon(pigeons, dovecote):
    pigeons.set_project(
        channel_config={
            **pigeons.project["channel_config"],
            "pigeon": {"company_pigeon_loft": OURS, "pigeon_credentials_id": SECRET},
        },
        allowed_channels=["sms", "pigeon"],
        follow_ups={"fallback": ["pigeon"]},
    )
    pigeons.twilio.fault(
        "status", operation="create_message", status=400, body={"code": 21211, "status": 400}
    )
    body = company.request("req9", "sms", "+15550100001")
    body["recipient_data"]["recipient_loft"] = THEIRS
    assert pigeons.post(body).status_code == 200
    pigeons.run()
    assert dovecote.sent_to(THEIRS)[0].startswith("Hello Jo")
