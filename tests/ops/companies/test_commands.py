"""The operator commands of outreach: hand-offs, and company settings."""

import json
import threading
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import boto3
import pytest

from chalicelib.once.job import facts_of
from chalicelib.wiring.jobs import decode
from local import company
from ops.companies import api_keys
from ops.session import Session
from tests.rigs.engines import drain
from tests.rigs.keys import unsealed
from tests.rigs.memory_stage import another_session
from tests.rigs.ops_cli import runner
from tests.rigs.outreach import MAIL, TEL

WRONG = [
    ("handoff", "approve", "nobody-knows-it"),
    ("handoff", "take", "nobody-knows-it", "--by", "agent-7"),
    ("handoff", "list", "--show", "nobody-knows-it"),
    ("company", "check", "ci-none"),
    ("company", "check", company.COMPANY_ID, "pi-none"),
    ("company", "check", "--file", "no-such-file.json"),
    ("company", "check"),
    ("company", "put", "no-such-file.json"),
    ("company", "key", "ci-none"),
    ("company", "key", "ci-none", "--finish"),
]
KEYS = "rp-mw/dev/router/api_keys"


@pytest.fixture
def run(outreach, capsys):
    return runner(capsys)


@pytest.fixture
def held(outreach, run):
    """The id of a start that waits for a person."""
    outreach.set_project(auto_queue_initial_message=True)
    outreach.start(channel="sms")
    outreach.run()
    (handoff,) = run("handoff", "list", "--json").data
    return handoff["id"]


@pytest.fixture
def stored(outreach, tmp_path):
    """Writes an item to a file; `stored(require_consent=True)`."""

    def write(**changes):
        path = tmp_path / "item.json"
        item = {**outreach.project, **changes}
        path.write_text(json.dumps({k: v for k, v in item.items() if v is not None}))
        return path

    return write


def secret(outreach):
    found = outreach.stage.aws.client("secretsmanager").get_secret_value(SecretId=KEYS)
    return json.loads(found["SecretString"])


@pytest.mark.parametrize("arguments", WRONG, ids=" ".join)
def test_a_wrong_name_gives_a_clear_message_and_an_exit_code(run, arguments):
    said = run(*arguments)
    usage = "no-such-file.json" in arguments or arguments == ("company", "check")
    assert said.code == (2 if usage else 1)
    assert said.err.startswith("error: ")
    assert "Traceback" not in said.err + said.out


# --- hand-off -----------------------------------------------------------------------------------


def test_waiting_hand_offs_are_listed_by_identifiers_only(outreach, run, held):
    said = run("handoff", "list", "--json")
    (handoff,) = said.data
    assert handoff.pop("since")
    assert handoff == {
        "id": held,
        "company": company.COMPANY_ID,
        "project": company.PROJECT_ID,
        "channel": "sms",
        "held": "start",
        "reason": "auto_queue_initial_message",
    }
    for_people = run("handoff", "list").out
    assert held in for_people
    for text in (said.out, for_people):
        assert TEL not in text
        assert TEL.lstrip("+") not in text
    assert run("handoff", "list", "--company", "ci-other", "--json").data == []


def test_a_conversation_is_shown_in_full_only_on_request(outreach, run):
    outreach.start()
    outreach.run()
    outreach.deliver(outreach.says("I want to talk to a human"))
    outreach.run()
    listed = run("handoff", "list", "--json")
    assert "talk to a human" not in listed.out
    (handoff,) = listed.data
    shown = run("handoff", "list", "--show", handoff["id"], "--json").data
    assert shown["recipient"] == TEL
    assert shown["messages"][-1]["text"] == "I want to talk to a human"
    assert "I want to talk to a human" in run("handoff", "list", "--show", handoff["id"]).out


def test_a_held_message_is_sent_once_however_often_it_is_approved(outreach, run, held):
    assert outreach.twilio.sent_to(TEL) == []
    assert [run("handoff", "approve", held).code for _ in range(3)] == [0, 0, 0]
    assert run("handoff", "list", "--json").data == []
    outreach.run()
    assert len(outreach.twilio.sent_to(TEL)) == 1
    late = run("handoff", "approve", held)
    assert late.code == 1
    assert "is not waiting for a person" in late.err
    outreach.run()
    assert len(outreach.twilio.sent_to(TEL)) == 1


def test_a_failed_release_runs_again_when_it_is_approved_again(outreach, run, held):
    event = run("handoff", "approve", held, "--json").data["event"]
    sqs = outreach.stage.aws.client("sqs")
    found = sqs.receive_message(QueueUrl=outreach.lane_url())["Messages"]
    sqs.delete_message(QueueUrl=outreach.lane_url(), ReceiptHandle=found[0]["ReceiptHandle"])
    outreach.services.ledger.receive(facts_of(decode(unsealed(found[0]["Body"]))))
    outreach.services.ledger._table.update({"event_id": event}, set_={"status": "failed"})
    assert run("handoff", "approve", held, "--json").data["did"] == "released again"
    drain(outreach.pump, at_most=40)
    assert len(outreach.twilio.sent_to(TEL)) == 1


def test_a_message_a_person_took_is_never_sent_automatically(outreach, run, held):
    assert run("handoff", "take", held).code == 2, "a person has a name"
    assert run("handoff", "take", held, "--by", " ").code == 2
    assert run("handoff", "take", held, "--by", "agent-7").code == 0
    assert run("handoff", "take", held, "--by", "agent-7").code == 0
    other = run("handoff", "take", held, "--by", "agent-8")
    refused = run("handoff", "approve", held)
    assert (other.code, refused.code) == (1, 1)
    assert "taken over by agent-7" in other.err
    assert "taken over by agent-7" in refused.err
    outreach.run()
    assert outreach.twilio.sent_to(TEL) == []
    assert run("handoff", "list", "--json").data == []


@pytest.mark.parametrize("name", ["o'brien@example.com", "Zoë Müller", "José (night shift)"])
def test_a_person_acts_on_the_command_line_under_the_name_they_have(run, held, name):
    typed = unicodedata.normalize("NFD", name)
    taken = run("handoff", "take", held, "--by", typed, "--json").data
    assert (taken["did"], taken["taken_by"]) == ("take", name)
    given = run("handoff", "transfer", held, "--by", name, "--to", "Łukasz", "--json").data
    assert given["taken_by"] == "Łukasz"
    assert "taken over by Łukasz" in run("handoff", "close", held, "--by", typed).err
    back = run("handoff", "transfer", held, "--by", typed, "--to", typed, "--lead", "--json").data
    assert back["taken_by"] == name
    (handoff,) = run("handoff", "list", "--state", "taken", "--json").data
    assert handoff["taken_by"] == name


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("take", "--by", "sam\u202e"), "error: field by names no person of the team\n"),
        (("transfer", "--by", "sam", "--to", "k\nim"), "field to names no person of the team\n"),
        (("snooze", "--by", "sam", "--until", "noon"), "error: field until is not ISO-8601\n"),
        (("reply", "--by", "sam"), "missing option '--text'"),
    ],
)
def test_a_field_of_an_act_that_is_wrong_is_named_and_its_value_is_not(run, held, words, said):
    act, *options = words
    refused = run("handoff", act, held, *options)
    assert refused.code == 2
    assert said in refused.err


def test_another_companys_conversation_is_as_one_that_does_not_exist(outreach, run, held):
    other = ("--company", "ci-other")
    for words in (
        ("approve", held),
        ("take", held, "--by", "agent-7"),
        ("list", "--show", held),
    ):
        said = run("handoff", *words, *other)
        assert (said.code, said.err) == (1, f"error: no such conversation: {held}\n"), words
        assert TEL not in said.out
    outreach.run()
    assert outreach.twilio.sent_to(TEL) == []
    assert run("handoff", "approve", held, "--company", company.COMPANY_ID).code == 0
    outreach.run()
    assert len(outreach.twilio.sent_to(TEL)) == 1


# --- events withheld by a switch ----------------------------------------------------------------


def test_events_withheld_by_a_switch_are_replayed_by_reason_and_sent_once(outreach, run):
    outreach.start("sent", "sms", "+15550100002")
    outreach.run()
    run("switch", "set", "kill_switch", "on")
    outreach.new_container()
    outreach.start(channel="sms")
    outreach.run()
    assert outreach.fate().json_body["reason"] == "withheld:kill_switch"
    run("switch", "set", "kill_switch", "off", "--yes")
    outreach.new_container()
    chosen = ("--status", "processed", "--reason", "withheld:kill_switch")
    assert run("replay", *chosen, "--dry-run", "--json").data["events"] == 1
    assert run("replay", *chosen, "--json").data["events"] == 1
    outreach.run()
    assert len(outreach.twilio.sent_to(TEL)) == 1
    assert len(outreach.twilio.sent_to("+15550100002")) == 1
    assert outreach.fate().json_body["state"] == "sent"
    assert run("replay", *chosen, "--json").data["events"] == 0


# --- companies ----------------------------------------------------------------------------------


def test_a_valid_company_item_is_stored_and_used(outreach, run, stored):
    said = run("company", "put", stored(project_id="pi-new", require_consent=True), "--json")
    assert said.code == 0
    assert said.data["did"] == "created"
    assert said.data["findings"] == []
    again = run("company", "put", stored(project_id="pi-new", project_status="off"), "--json")
    assert again.data["did"] == "replaced"
    refused = outreach.start(company_data={"project_id": "pi-new"})
    assert refused.json_body["error_code"] == "PROJECT_INACTIVE"


@pytest.mark.parametrize(
    ("changes", "report"),
    [
        ({"company_id": None}, "company_id"),
        ({"allowed_channels": ["pigeon"]}, "allowed_channels.0"),
        ({"allowed_channels": []}, "allowed_channels"),
        ({"rate_limits": {"request_per_minute": 1}}, "rate_limits.request_per_minute"),
        ({"rate_limits": {"requests_per_day": 0}}, "rate_limits.requests_per_day"),
        ({"require_consent": "yes"}, "require_consent"),
        ({"channel_config": {}}, "not in channel_config: whatsapp, sms, email"),
        (
            {"channel_config": {"sms": {"company_sms_number": "555-0100"}}},
            "channel_config.sms.company_sms_number",
        ),
        ({"quiet_hours": {"from": "21:00", "until": "8", "zone": "Mars"}}, "quiet_hours.zone"),
    ],
    ids=lambda value: "" if isinstance(value, dict) else value,
)
def test_an_invalid_item_is_refused_with_the_place_and_not_stored(
    outreach, run, stored, changes, report
):
    path = stored(project_id="pi-new", **changes)
    said = run("company", "put", path)
    assert said.code == 1
    assert report in said.err
    assert "555-0100" not in said.err
    assert run("company", "check", company.COMPANY_ID, "pi-new").code == 1
    checked = run("company", "check", "--file", path, "--json")
    assert checked.code == 1
    assert any(
        report in finding["detail"] for finding in checked.data if finding["result"] == "fail"
    )


@pytest.mark.parametrize("wrong", [{"hash": "canary"}, ["canary"], "can#ary", " canary\n"])
@pytest.mark.parametrize("field", ["company_id", "project_id"])
def test_a_wrong_id_is_named_and_its_value_is_not(outreach, run, stored, field, wrong):
    path = stored(**{field: wrong})
    for form in ((), ("--json",)):
        checked = run("company", "check", "--file", path, *form)
        assert checked.code == 1
        assert field in checked.out
        assert not [word for word in ("canary", "can#ary") if word in checked.out + checked.err]
    put = run("company", "put", path)
    assert put.code == 1
    assert field in put.err
    assert not [word for word in ("canary", "can#ary") if word in put.out + put.err]


@pytest.mark.parametrize("name", ["Cucumber", "\ufeffCucumber"])
def test_a_byte_order_mark_may_begin_a_file_and_no_name(outreach, run, stored, name):
    """Editors on Windows write the mark first; inside a name it is invisible and makes another name."""
    path = stored(company_name=name)
    path.write_text("\ufeff" + path.read_text(encoding="utf-8"), encoding="utf-8")
    said = run("company", "put", path)
    is_wrong = name != "Cucumber"
    assert said.code == is_wrong, said.err
    assert ("company_name" in said.err) is is_wrong
    assert run("company", "check", "--file", path).code == is_wrong


def test_an_item_without_a_company_is_not_checked_for_a_key(run, stored):
    said = run("company", "check", "--file", stored(company_id=None), "--json")
    assert said.code == 1
    assert "api_keys" not in {finding["subject"] for finding in said.data}


@pytest.mark.parametrize("text", ["{", "[]", '{"company_id": NaN}'])
def test_a_file_without_an_item_is_refused(run, tmp_path, text):
    path = tmp_path / "item.json"
    path.write_text(text)
    said = run("company", "put", path)
    assert said.code == 1
    assert "JSON" in said.err


def test_check_accepts_a_working_company(outreach, run):
    said = run("company", "check", company.COMPANY_ID, "--json")
    assert {finding["result"] for finding in said.data} == {"ok"}
    assert said.code == 0


def test_check_names_the_secrets_that_are_missing_or_malformed(outreach, run, stored):
    ai = {"openai_config": {"email": {"api_key_reference": "ai-multi-comms/none"}}}
    path = stored(ai_config=ai, require_consnt=True)
    whatsapp = outreach.project["channel_config"]["whatsapp"]["whatsapp_credentials_id"]
    company.put_secrets(outreach.stage, {whatsapp: '{"twilio_account_sid": "AC1"}'})
    assert run("company", "put", path).code == 0
    said = run("company", "check", company.COMPANY_ID, company.PROJECT_ID, "--json")
    assert said.code == 1
    bad = {finding["subject"]: (finding["result"], finding["detail"]) for finding in said.data}
    assert bad["ai-multi-comms/none"] == ("fail", "secret_missing")
    assert bad[whatsapp] == ("fail", "credentials_malformed")
    assert any(
        "require_consnt" in finding["detail"]
        for finding in said.data
        if finding["result"] == "warn"
    )


def test_check_names_the_originals_assistants_as_ignored(outreach, run, stored):
    ai = {"openai_config": {"sms": {"assistant_id_replies": "asst_canary"}}}
    said = run("company", "check", "--file", stored(ai_config=ai), "--json")
    (found,) = [finding["detail"] for finding in said.data if finding["result"] == "warn"]
    assert "ai_config.openai_config.sms.assistant_id_replies" in found
    assert "canary" not in found
    assert said.code == 0


@pytest.mark.parametrize(
    ("changes", "is_warned"),
    [
        ({"company_address": None}, True),
        ({}, False),
        ({"company_address": None, "message_kind": "transactional"}, False),
        ({"company_address": None, "allowed_channels": ["sms"]}, False),
    ],
)
def test_check_warns_of_marketing_by_e_mail_without_a_postal_address(
    run, stored, changes, is_warned
):
    said = run("company", "check", "--file", stored(**changes), "--json")
    warned = [finding["detail"] for finding in said.data if finding["result"] == "warn"]
    assert any(warning.startswith("company_address is missing") for warning in warned) is is_warned
    assert said.code == 0


@pytest.mark.parametrize(
    ("changes", "rules"),
    [
        ({}, {"ca:words", "mx:words", "us-federal:mail-words"}),
        ({"allowed_channels": ["sms"]}, {"ca:words", "mx:words"}),
        ({"allowed_channels": ["whatsapp"]}, set()),
        ({"message_kind": "transactional"}, set()),
        ({"jurisdictions": {"enforced": False}}, set()),
        ({"company_address": "1 Main Street"}, set()),
    ],
)
def test_check_names_the_rules_for_whose_words_a_setting_is_missing(run, stored, changes, rules):
    bare = {"company_address": None, "jurisdictions": {"enforced": True}}
    said = run("company", "check", "--file", stored(**{**bare, **changes}), "--json")
    found = [finding["detail"] for finding in said.data if finding["subject"] == "rules"]
    begin = "company_address is missing: openings are refused by "
    assert {rule for detail in found for rule in detail.removeprefix(begin).split(", ")} == rules
    assert said.code == 0


def test_a_new_key_is_shown_once_and_two_keys_are_accepted(outreach, run):
    outreach.stage.aws.client("secretsmanager").put_secret_value(
        SecretId=KEYS,
        SecretString=json.dumps(
            {
                "ci-bbb-002": ["theirs"],
                company.COMPANY_ID: {"api_keys": [company.API_KEY], "signing_secrets": []},
            }
        ),
    )
    first = run("company", "key", company.COMPANY_ID, "--json").data["api_key"]
    assert first not in run("company", "check", company.COMPANY_ID).out
    outreach.new_container()
    body = company.request("req1", "sms", TEL)
    assert [outreach.post(body, key=k).status_code for k in (first, company.API_KEY)] == [200, 200]
    said = run("company", "key", company.COMPANY_ID)
    assert said.code == 0
    second = secret(outreach)[company.COMPANY_ID]["api_keys"][0]
    assert said.out.count(second) == 1
    assert secret(outreach) == {
        "ci-bbb-002": ["theirs"],
        company.COMPANY_ID: {"api_keys": [second, first], "signing_secrets": []},
    }
    outreach.new_container()
    answers = [outreach.post(body, key=k).status_code for k in (second, first, company.API_KEY)]
    assert answers == [200, 200, 401]
    assert run("company", "key", company.COMPANY_ID, "--finish", "--json").data["ended"] == 1
    assert secret(outreach)[company.COMPANY_ID]["api_keys"] == [second]


def test_the_first_key_of_a_stage_creates_the_secret(outreach, run):
    outreach.stage.aws.client("secretsmanager").delete_secret(
        SecretId=KEYS, ForceDeleteWithoutRecovery=True
    )
    assert run("company", "check", company.COMPANY_ID).code == 1
    key = run("company", "key", company.COMPANY_ID, "--json").data["api_key"]
    assert secret(outreach) == {company.COMPANY_ID: {"api_keys": [key]}}


def test_an_unreadable_secret_is_left_unchanged(outreach, run):
    client = outreach.stage.aws.client("secretsmanager")
    client.put_secret_value(SecretId=KEYS, SecretString="not json")
    said = run("company", "key", company.COMPANY_ID)
    assert said.code == 1
    assert client.get_secret_value(SecretId=KEYS)["SecretString"] == "not json"


def at_once(outreach, monkeypatch, *issues):
    """Run them in threads; each has read the secret before any of them writes it."""
    barrier = threading.Barrier(len(issues), timeout=60)
    read = threading.local()

    def after_reading(**_):
        if not getattr(read, "once", False):
            read.once = True
            barrier.wait()

    session = another_session()
    session.events.register("response-received.secrets-manager.GetSecretValue", after_reading)
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", session)
    with ThreadPoolExecutor(len(issues)) as pool:
        return [future.result() for future in [pool.submit(issue) for issue in issues]]


class TestOnAnEngine:
    """Races, against a Secrets Manager that is not this project's own."""

    @pytest.fixture
    def aws(self, engine_aws):
        return engine_aws

    @pytest.mark.parametrize("is_first", [False, True])
    def test_keys_issued_concurrently_are_all_kept(
        self, outreach, stored, run, monkeypatch, is_first
    ):
        others = [f"ci-other-{n}" for n in range(3)]
        for other in others:
            run("company", "put", stored(company_id=other))
        client = outreach.stage.aws.client("secretsmanager")
        if is_first:
            client.delete_secret(SecretId=KEYS, ForceDeleteWithoutRecovery=True)
        companies = [company.COMPANY_ID, company.COMPANY_ID, *others]
        sessions = [Session("dev") for _ in companies]
        for session in sessions:
            assert session.services
        issued = at_once(
            outreach,
            monkeypatch,
            *(
                partial(api_keys.issue, session, name)
                for session, name in zip(sessions, companies, strict=True)
            ),
        )
        kept = secret(outreach)
        for name, (key, _) in zip(companies, issued, strict=True):
            assert key in kept[name]["api_keys"], name
        labels = client.describe_secret(SecretId=KEYS)["VersionIdsToStages"].values()
        assert not [label for found in labels for label in found if label.startswith("proposed-")]

    def test_ending_old_keys_during_an_issue_keeps_the_new_key(self, outreach, run, monkeypatch):
        run("company", "key", company.COMPANY_ID)
        sessions = [Session("dev"), Session("dev")]
        for session in sessions:
            assert session.services
        (key, _), _ended = at_once(
            outreach,
            monkeypatch,
            partial(api_keys.issue, sessions[0], company.COMPANY_ID),
            partial(api_keys.finish, sessions[1], company.COMPANY_ID),
        )
        assert key in secret(outreach)[company.COMPANY_ID]["api_keys"]


# --- mail that failed -----------------------------------------------------------------------------


@pytest.fixture
def put_failed_mail(outreach):
    """Puts an e-mail reply on the queue of failed Lambda events."""
    sqs = outreach.stage.aws.client("sqs")
    url = sqs.get_queue_url(QueueName="rp-mw-mail-failures-dev")["QueueUrl"]

    def put(body=None, **record):
        came = outreach.ses.inbound(MAIL, "hello@company.example", "Yes please")
        whole = {
            "requestContext": {"condition": "RetriesExhausted", "approximateInvokeCount": 3},
            "requestPayload": came,
            "responsePayload": {"errorType": "UnavailableError", "errorMessage": "x"},
            **record,
        }
        sqs.send_message(QueueUrl=url, MessageBody=body or json.dumps(whole))

    return put


def test_failed_mail_is_processed_again_once_and_then_removed(outreach, run, put_failed_mail):
    put_failed_mail()
    (report,) = run("dlq", "mail", "--dry-run", "--json").data
    assert (report["error"], report["did"]) == ("UnavailableError", "would be processed again")
    assert outreach.run() == []
    said = run("dlq", "mail", "--json")
    assert said.data[0]["did"] == "processed again"
    assert MAIL not in said.out
    assert len(outreach.run()) == 1
    assert run("dlq", "mail", "--json").data == []


def test_other_messages_on_the_mail_queue_are_left_and_listed(outreach, run, put_failed_mail):
    put_failed_mail(body="nonsense")
    put_failed_mail(requestPayload=None)
    assert {row["did"] for row in run("dlq", "mail", "--json").data} == {
        "left: not a Lambda failure record"
    }
    assert len(run("dlq", "mail", "--json").data) == 2


def test_a_person_is_erased_from_mail_that_failed(outreach, run, put_failed_mail):
    put_failed_mail()
    shown = run("erase", "--subject", MAIL, "--dry-run", "--json").data
    done = run("erase", "--subject", MAIL, "--yes", "--json").data
    assert (shown["dead_letters"], done["dead_letters"]) == (1, 1)
    del done["proof"]
    assert {**shown, "dry_run": False} == done, "the dry run says what the run does"
    assert run("dlq", "mail", "--json").data == []


# --- a start, explained ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ci-aaa-001#req123", "ci-aaa-001#pi-aaa-001#req123#15550100001"])
def test_a_start_is_explained_by_the_routers_request_id(outreach, run, name):
    """The answers to replies are explained too; the Router does not know our keys."""
    outreach.start(channel="sms")
    outreach.run()
    outreach.deliver(outreach.says("Tell me more", whatsapp=False))
    outreach.run()
    report = run("explain", name, "--json").data
    kinds = [event["event"]["event_id"].split(":")[1] for event in report["events"]]
    assert kinds == ["start", "reply"]
    assert [event["verdict"] for event in report["events"]] == ["processed: 1 done"] * 2
    assert TEL not in json.dumps(report)


def test_a_start_that_was_never_posted_is_reported_as_unknown(run):
    assert run("explain", "ci-aaa-001#never").code == 1


def test_a_desk_gets_keys_of_its_own_and_the_routers_stay(outreach, run):
    before = secret(outreach)[company.COMPANY_ID]["api_keys"]
    first, second, third = (
        run("company", "key", company.COMPANY_ID, "--desk", "agent", "--json").data["api_key"]
        for _ in range(3)
    )
    lead = run("company", "key", company.COMPANY_ID, "--desk", "lead", "--json").data["api_key"]
    mine = secret(outreach)[company.COMPANY_ID]
    assert mine == {"api_keys": before, "desk_keys": {"agent": [third, second], "lead": [lead]}}
    ended = run("company", "key", company.COMPANY_ID, "--desk", "agent", "--finish", "--json").data
    assert ended["ended"] == 1
    assert secret(outreach)[company.COMPANY_ID]["desk_keys"]["agent"] == [third]
    assert first not in str(secret(outreach))
    outreach.new_container()
    assert outreach.desk("/desk/conversations", key=third).status_code == 200
    assert outreach.desk("/desk/conversations", key=before[0]).status_code == 401
