"""Runbook drills for the other vendors: each fails, is explained and repaired; nothing lost or repeated."""

import json
from contextlib import contextmanager

import pytest

from chalicelib.errors import SettingsError
from chalicelib.facts.dataset import FACT_EVENT
from local import company
from local.vendors import aloware, hubspot, ses, twilio
from ops import cli
from ops.stage import config
from tests.rigs.operator import Operator, new_containers, put_secret
from tests.rigs.outreach import MAIL, TEL

STARTED = f"{company.COMPANY_ID}#req123"
OPENING = "Hello Jo I am an automated assistant of Cucumber Recruitment. Reply STOP to opt out."


@pytest.fixture
def operator(capsys):
    """For the part of the system that a test asks for."""
    return Operator(None, capsys)


def state(outreach):
    return outreach.fate().json_body["state"]


@contextmanager
def changed_token(vendor):
    """Meanwhile Twilio accepts another token for the account than the stored one."""
    vendor.accounts[twilio.ACCOUNT_SID] = "the-new-one"
    try:
        yield json.dumps(
            {"twilio_account_sid": twilio.ACCOUNT_SID, "twilio_auth_token": "the-new-one"}
        )
    finally:
        vendor.accounts[twilio.ACCOUNT_SID] = twilio.AUTH_TOKEN


@contextmanager
def refusing(vendor, code, status=400):
    """While it lasts SES refuses every e-mail with a code."""
    vendor.answer = lambda _request, _operation: ses._error(status, code)
    try:
        yield
    finally:
        del vendor.answer


# --- Twilio -------------------------------------------------------------------------------------


def test_twilio_is_down(operator, outreach):
    """worker-errors is Lambda's own metric: every job handed back is a failed invocation."""
    outreach.twilio.down()
    outreach.start(channel="sms")
    (failed,) = outreach.run()
    assert failed.error is not None
    operator.opens("worker-errors")
    operator.finds("<vendor>_connect_failed")
    assert "twilio_connect_failed" in operator.runs("explain", STARTED).out
    outreach.twilio.up()
    outreach.again()
    assert state(outreach) == "sent"
    assert len(outreach.twilio.sent_to(TEL)) == 1


def test_twilio_ended_the_companys_token(operator, outreach):
    name = outreach.project["channel_config"]["sms"]["sms_credentials_id"]
    with changed_token(outreach.twilio) as secret:
        outreach.start(channel="sms")
        outreach.run()
        operator.is_paged_by("vendor-refuses-key")
        assert "twilio" in operator.runs("explain", STARTED).out
        operator.runs("company", "check", company.COMPANY_ID)
        company.put_secrets(outreach.stage, {name: secret})
        outreach.again()
    assert state(outreach) == "sent"
    assert len(outreach.twilio.sent_to(TEL)) == 1


@pytest.mark.parametrize("has_left", [True, False])
def test_twilio_answers_with_an_error_and_the_outcome_is_unknown(operator, outreach, has_left):
    """Twilio's own list settles it; no operator is needed."""
    fault = "act_then_status" if has_left else "status"
    outreach.twilio.fault(fault, operation="create_message", status=503)
    outreach.start(channel="sms")
    outreach.run()
    operator.is_paged_by("parked-events")
    operator.is_paged_by("unknown-effects")
    (action,) = operator.runs("settle", "--json").data
    assert action["action"] in operator.runs("explain", STARTED).out
    saw = operator.runs("settle", action["action"], "--json").data
    assert (saw["verdict"] == "happened") is has_left
    if not has_left:
        operator.runs(
            "settle", action["action"], "not-done", "--yes", "--force", "--reason", "checked"
        )
    outreach.age_starts()
    outreach.sweep()
    outreach.run()
    assert state(outreach) == "sent"
    assert len(outreach.twilio.sent_to(TEL)) == 1


def test_twilio_signs_with_a_new_token_and_replies_are_refused(operator, outreach):
    reply = outreach.says("Tell me more", whatsapp=False)
    put_secret(outreach, "twilio/webhook_tokens", json.dumps({twilio.ACCOUNT_SID: ["the-old-one"]}))
    new_containers()
    assert outreach.deliver(reply).status_code == 401
    operator.is_paged_by("invalid-signatures")
    operator.finds("rp-mw/<stage>/twilio/webhook_tokens")
    both = {twilio.ACCOUNT_SID: [twilio.AUTH_TOKEN, "the-old-one"]}
    put_secret(outreach, "twilio/webhook_tokens", json.dumps(both))
    new_containers()
    assert outreach.deliver(reply).status_code == 200


# --- SES ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", ["MessageRejected", "SendingPausedException"])
def test_ses_refuses_every_e_mail(operator, outreach, code):
    with refusing(outreach.ses, code):
        outreach.start(channel="email")
        outreach.run()
    assert state(outreach) == "failed"
    operator.is_paged_by("refused-effects")
    operator.finds(f"`{code}`")
    assert code in operator.runs("explain", STARTED).out
    replay = ("replay", "--status", "failed", "--reason", f"refused:{code}", "--since", "24h")
    operator.runs(*replay, "--dry-run")
    for _ in range(2):
        operator.runs(*replay, "--rate", "1")
        outreach.run()
    assert state(outreach) == "sent"
    assert len(outreach.ses.sent_to(MAIL)) == 1


def test_ses_refuses_our_role(operator, outreach):
    """After a deployment that removed the permission."""
    with refusing(outreach.ses, "AccessDeniedException", status=403):
        outreach.start(channel="email")
        outreach.run()
    operator.is_paged_by("vendor-refuses-key")
    operator.finds("`ses_http_403`")
    assert "ses_http_403" in operator.runs("explain", STARTED).out
    outreach.again()
    assert state(outreach) == "sent"
    assert len(outreach.ses.sent_to(MAIL)) == 1


def test_ses_throttles_us(operator, outreach):
    with refusing(outreach.ses, "TooManyRequestsException", status=429):
        for number in range(5):
            outreach.start(f"req-{number}", channel="email")
        outreach.run()
    operator.is_paged_by("vendor-rate-limits")


def test_ses_is_unreachable(operator, outreach):
    outreach.ses.down()
    outreach.start(channel="email")
    outreach.run()
    operator.opens("a-vendor-is-down")
    assert "ses_connect_failed" in operator.runs("explain", STARTED).out
    assert len(operator.runs("unfinished", "--json").data) == 1
    outreach.ses.up()
    outreach.again()
    assert state(outreach) == "sent"
    assert len(outreach.ses.sent_to(MAIL)) == 1
    assert operator.runs("unfinished", "--json").data == []


def test_a_reply_by_e_mail_was_not_stored(operator, outreach):
    """Lambda has put the event aside after three attempts."""
    sqs = outreach.stage.aws.client("sqs")
    aside = {
        "requestContext": {"condition": "RetriesExhausted", "approximateInvokeCount": 3},
        "requestPayload": outreach.ses.inbound(MAIL, "hello@company.example", "Yes please"),
        "responsePayload": {"errorType": "UnavailableError", "errorMessage": "x"},
    }
    url = sqs.get_queue_url(QueueName="rp-mw-mail-failures-dev")["QueueUrl"]
    sqs.send_message(QueueUrl=url, MessageBody=json.dumps(aside))
    operator.opens("mail-failures")
    assert len(operator.runs("dlq", "mail", "--dry-run", "--json").data) == 1
    for _ in range(2):
        operator.runs("dlq", "mail")
    assert len(outreach.run()) == 1


# --- persons ------------------------------------------------------------------------------------


def test_a_conversation_waits_for_a_person(operator, outreach):
    outreach.set_project(auto_queue_initial_message=True)
    outreach.start(channel="sms")
    outreach.run()
    outreach.sweep()
    operator.is_paged_by("handoffs-waiting")
    (waiting,) = operator.runs("handoff", "list", "--json").data
    said = operator.runs("explain", waiting["id"]).out
    assert "Not sent: the company wants a person to approve first messages" in said
    operator.runs("handoff", "approve", waiting["id"])
    outreach.run()
    assert len(outreach.twilio.sent_to(TEL)) == 1
    outreach.sweep()
    assert operator.runs("handoff", "list", "--json").data == []


def test_a_recipient_waits_for_longer_than_the_projects_target(operator, outreach):
    outreach.set_project(handoff_target={"minutes": 30})
    outreach.start(channel="sms")
    outreach.run()
    outreach.deliver(outreach.says("A human, please", whatsapp=False))
    outreach.run()
    outreach.sweep()
    operator.opens("handoffs-many")
    (waiting,) = operator.runs("handoff", "list", "--json").data
    operator.is_paged_by("handoffs-late")
    act = ("handoff", "reply", waiting["id"], "--by", "sam", "--text", "It is me, Sam.")
    operator.runs(*act)
    outreach.run()
    assert outreach.twilio.sent_to(TEL)[-1]["body"] == "It is me, Sam."
    outreach.sweep()
    assert operator.runs("handoff", "list", "--json").data == []


# --- OpenAI -------------------------------------------------------------------------------------


def test_openai_is_down_and_a_message_is_not_written(operator, outreach, openai, model_start):
    openai.down()
    model_start()
    operator.opens("a-vendor-is-down")
    assert "openai_connect_failed" in operator.runs("explain", STARTED).out
    assert outreach.twilio.messages == ()
    openai.up()
    outreach.again()
    assert [message["body"] for message in outreach.twilio.sent_to(TEL)] == [OPENING]


def test_openai_ended_the_companys_key(operator, outreach, openai, model_start):
    company.put_secrets(outreach.stage, {model_start.secret: '{"ai_api_key": "the-old-one"}'})
    model_start()
    operator.is_paged_by("vendor-refuses-key")
    operator.finds("`api_key_reference`")
    assert "openai" in operator.runs("explain", STARTED).out
    key = json.dumps({"ai_api_key": openai.api_keys[0]})
    company.put_secrets(outreach.stage, {model_start.secret: key})
    outreach.again()
    assert [message["body"] for message in outreach.twilio.sent_to(TEL)] == [OPENING]


# --- Shopify ------------------------------------------------------------------------------------


class TestWithReplies:
    @pytest.fixture
    def app_environment(self, replies_environment):
        return replies_environment

    def test_shopify_is_down_and_the_ticket_is_routed_while_its_answer_waits(
        self, operator, replies_rig, shopify, tracked_question
    ):
        shopify.down()
        replies_rig.run(replies_rig.ticket(tracked_question))
        operator.opens("a-vendor-is-down")
        result = operator.runs("explain", "1042").out
        assert "lookup_failed" in result
        operator.finds("`mw-order-lookup-failed`")
        assert {
            "mw-order-lookup-failed",
            "mw-processed",
            "route-email-support-team",
        } <= replies_rig.tags()
        (waiting,) = operator.runs("unfinished", "--json").data
        assert waiting["reason"] == "lookup_failed:connect_failed"
        shopify.up()
        replies_rig.sweep()
        assert len(replies_rig.replies) == 1


# --- facts --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "outcome"),
    [
        ("down", "powerbi_connect_failed"),
        ("throttled", "powerbi_http_429"),
        ("secret", "powerbi_http_401"),
        ("workspace", "powerbi_http_403"),
    ],
)
def test_power_bi_accepts_nothing_and_facts_wait(operator, facts_rig, powerbi, how, outcome):
    facts_rig.aloware.call()
    facts_rig.work()
    secrets = list(powerbi.secrets)
    match how:
        case "down":
            powerbi.down()
        case "throttled":
            powerbi.fault("status", operation="post_rows", status=429)
        case "secret":
            powerbi.secrets[:] = ["the-new-one"]
        case _:
            powerbi.set_modes(allowed=False)
    try:
        result = facts_rig.post()
        operator.is_paged_by("facts-waiting")
        assert result["outcome"] == f"waiting:{outcome}"
        operator.finds(f"`waiting:{outcome}`")
        assert "1 facts pending" in operator.runs_facts("pending")
        if how == "secret":
            put_secret(facts_rig, "powerbi/client_secret", "the-new-one")
        powerbi.up()
        powerbi.set_modes(allowed=True)
        new_containers()
        for _ in range(2):
            facts_rig.post()
        assert "0 facts pending" in operator.runs_facts("pending")
        assert list(facts_rig.ids().values()) == [1]
    finally:
        powerbi.secrets[:] = secrets


def test_power_bi_refuses_one_row(operator, facts_rig, powerbi):
    facts_rig.aloware.call()
    facts_rig.work()
    facts_rig.post()  # dimensions are there
    for _ in range(2):
        facts_rig.aloware.call()
    facts_rig.work()
    powerbi.fault("status", operation="post_rows", status=400, times=2)
    assert facts_rig.post()["failed"] == 1
    operator.is_paged_by("facts-failed")
    failed = operator.runs_facts("failed")
    key = failed.split()[0]
    assert "1 facts failed" in failed
    assert "failed" in operator.runs_facts("explain", key)
    assert "1 facts pending again" in operator.runs_facts("retry")
    for _ in range(2):
        facts_rig.post()
    assert "0 facts pending" in operator.runs_facts("pending")
    assert sorted(facts_rig.ids().values()) == [1, 1, 1]
    assert "0 facts failed" in operator.runs_facts("failed")


def test_hubspots_secret_was_changed_on_one_side(operator, facts_rig, stage):
    batch = [hubspot.event() for _ in range(3)]
    facts_rig.hubspot.secret = "the-new-one"
    assert facts_rig.hubspot.send(batch) == 401
    operator.is_paged_by("invalid-signatures")
    operator.finds("rp-mw/<stage>/hubspot/client_secret")
    both = {"active_tokens": ["the-new-one", stage.secrets.hubspot_secret]}
    put_secret(facts_rig, "hubspot/client_secret", json.dumps(both))
    new_containers()
    for _ in range(2):  # HubSpot repeats
        assert facts_rig.hubspot.send(batch) == 200
    facts_rig.work()
    facts_rig.post()
    assert list(facts_rig.ids().values()) == [1, 1, 1]


def test_alowares_token_was_changed_on_one_side(operator, facts_rig, stage):
    facts_rig.aloware.token = "the-new-one"
    assert facts_rig.aloware.send(aloware.six_deliveries()[1]) == 401
    operator.is_paged_by("invalid-credentials")
    operator.finds("rp-mw/<stage>/aloware/webhook_token")
    both = {"active_tokens": ["the-new-one", stage.secrets.aloware_token]}
    put_secret(facts_rig, "aloware/webhook_token", json.dumps(both))
    new_containers()
    facts_rig.aloware.call()
    facts_rig.work()
    facts_rig.post()
    assert list(facts_rig.ids().values()) == [1]


def post_in_the_next_night(facts_rig):
    """A run of the writer that has the nightly work to do, too."""
    client, table = (
        facts_rig.stage.aws.client("dynamodb"),
        facts_rig.stage.tables["QuillLedgerTable"],
    )
    for key in facts_rig.ledger():
        if key.startswith("NIGHT:"):
            client.delete_item(TableName=table, Key={"pk": {"S": key}})
    new_containers()
    return facts_rig.post()


def test_a_stage_without_a_dataset_holds_its_facts(operator, facts_rig, monkeypatch):
    facts_rig.aloware.call()
    facts_rig.work()
    with monkeypatch.context() as while_it_lasts:
        while_it_lasts.delenv("POWERBI_DATASET_ID")
        new_containers()
        result = facts_rig.post()
        operator.is_paged_by("facts-old")
        operator.finds(f"`{result['outcome']}`")
        assert "1 facts pending" in operator.runs_facts("pending")
    new_containers()
    facts_rig.post()
    assert "0 facts pending" in operator.runs_facts("pending")
    assert list(facts_rig.ids().values()) == [1]


def test_the_writer_cannot_start(operator, facts_rig, monkeypatch):
    """facts-errors is Lambda's own metric."""
    facts_rig.aloware.call()
    facts_rig.work()
    with monkeypatch.context() as while_it_lasts:
        wrong = {**config.configured("dev"), "FACTS_REPORT": "powerbl"}
        while_it_lasts.setattr("ops.session.config.configured", lambda _stage: wrong)
        while_it_lasts.setenv("FACTS_REPORT", "powerbl")
        with pytest.raises(SettingsError) as failed:
            new_containers()
        operator.opens("facts-errors")
        assert "FACTS_REPORT" in str(failed.value)
        assert "FACTS_REPORT" in operator.runs("doctor", code=2).err
    new_containers()
    facts_rig.post()
    assert list(facts_rig.ids().values()) == [1]


def test_rows_were_deleted_in_power_bi(operator, facts_rig):
    facts_rig.aloware.call()
    facts_rig.work()
    facts_rig.post()
    sink = facts_rig.app.services().posting.powerbi(facts_rig.dataset)
    sink.clear(FACT_EVENT, deadline_seconds=5)
    assert post_in_the_next_night(facts_rig)["night"] == "checked:1_missing"
    operator.is_paged_by("facts-missing")
    assert "dataset  has 0 of 1" in operator.runs_facts("check", code=1)
    assert "nothing was changed" in operator.runs_facts("rebuild")
    assert "rebuilt" in operator.runs_facts("rebuild", "--apply")
    assert "0 differ" in operator.runs_facts("check")
    assert list(facts_rig.ids().values()) == [1]


def test_a_rebuild_was_interrupted_and_blocks_the_writer(operator, facts_rig, powerbi):
    facts_rig.aloware.call()
    facts_rig.work()
    facts_rig.post()
    powerbi.fault(
        "status", operation="post_rows", status=400, skip=3
    )  # three dimensions are filled
    assert cli.main(["facts", "rebuild", "--apply"]) == 1
    facts_rig.aloware.call()
    facts_rig.work()
    assert facts_rig.post()["outcome"] == "waiting:rebuild"
    operator.is_paged_by("facts-blocked")
    assert "rebuilt" in operator.runs_facts("rebuild", "--apply")
    assert facts_rig.post()["posted"] == 1
    assert list(facts_rig.ids().values()) == [1, 1]


def test_a_source_sends_nothing_any_more(operator, facts_rig):
    number = facts_rig.aloware.call()
    facts_rig.work()
    facts_rig.stage.aws.client("dynamodb").update_item(
        TableName=facts_rig.stage.tables["QuillLedgerTable"],
        Key={"pk": {"S": f"ALOWARE:{number}"}},
        UpdateExpression="SET seenAt = :long_ago",
        ExpressionAttributeValues={":long_ago": {"S": "2026-01-01T00:00:00.000Z"}},
    )
    post_in_the_next_night(facts_rig)
    operator.is_paged_by("facts-silent")
    operator.finds('filter event = "facts.silent"')
    assert '"event":"facts.silent"' in operator.output
    assert "facts from ALOWARE" in operator.runs("doctor", code=1).out
    facts_rig.aloware.call()
    facts_rig.work()
    post_in_the_next_night(facts_rig)
    assert list(facts_rig.ids().values()) == [1, 1]


def test_a_source_changes_its_payloads(operator, facts_rig):
    numbers = [facts_rig.aloware.call(created_at=1795217400) for _ in range(5)]
    facts_rig.work()
    post_in_the_next_night(facts_rig)
    operator.is_paged_by("facts-drift")
    assert "5 of 5 facts of a day had another form" in operator.runs_facts("check")
    assert "read from another form" in operator.runs_facts("explain", f"ALOWARE:{numbers[0]}")


def test_the_table_of_facts_is_nearly_full(operator, facts_rig, monkeypatch):
    facts_rig.aloware.call()
    facts_rig.work()
    facts_rig.post()
    operator.is_paged_by("facts-table-full")
    made = operator.runs_facts("create", "--again").strip().rpartition("=")[2]
    monkeypatch.setenv("POWERBI_DATASET_ID", made)
    new_containers()
    facts_rig.aloware.call()
    facts_rig.work()
    facts_rig.post()
    assert len(facts_rig.powerbi.rows(made, FACT_EVENT)) == 1
    assert list(facts_rig.ids().values()) == [1]
