"""`ops doctor` on a real stage: where all is set up the checks pass; each check reports its fault."""

import importlib
import io
import re
from datetime import timedelta
from pathlib import Path

import pytest

from chalicelib.once.lanes import OUTREACH, TICKETS
from chalicelib.support.settable_tags import every_tag
from local.stack.server import Http
from ops.stage import config
from tests.rigs.levels import step_to
from tests.rigs.ops_cli import runner

ROOT = Path(__file__).parents[3]
TOPIC = "rp-mw-dev-alarms"


@pytest.fixture
def run(system, capsys):
    return runner(capsys)


@pytest.fixture
def door(app, system, monkeypatch):
    """The routes on an HTTP server, in place of API Gateway."""
    services = system.services()  # before the server puts the deployed stage's environment there
    services.log._stream = io.StringIO()  # the door's lines are not the command's
    with Http(app.app) as running:
        monkeypatch.setenv("PUBLIC_BASE_URL", running.url)
        yield running


@pytest.fixture
def set_up(system, door):
    """All manual set-up steps are done."""
    for tag in sorted(every_tag()):
        system.richpanel.tag_id(tag)
    secrets = system.stage.aws.client("secretsmanager")
    for name in ("router/api_keys", "twilio/webhook_tokens"):
        secrets.create_secret(Name=f"rp-mw/dev/{name}", SecretString="{}")
    system.post(system.ticket())
    system.run()
    return system


def findings(run):
    said = run("doctor", "--json")
    return {finding["check"]: finding for finding in said.data}


def failed(run):
    return {name for name, finding in findings(run).items() if finding["result"] == "fail"}


def topic_arn(system):
    return f"arn:aws:sns:us-east-1:{system.stage.aws.account}:{TOPIC}"


def test_a_failure_names_the_command_that_mends_it_and_what_blocks_others_comes_first(system, run):
    said = run("doctor", "--json")
    failing = [finding for finding in said.data if finding["result"] == "fail"]
    assert len(failing) > 3
    assert [finding["check"] for finding in failing if not finding["mend"]] == []
    assert (said.data[0]["check"], said.data[0]["system"]) == ("stage", "stage")
    assert list(dict.fromkeys(finding["system"] for finding in said.data)) == [
        "stage",
        "support",
        "outreach",
        "facts",
    ]
    assert all(not finding["mend"] for finding in said.data if finding["result"] == "ok")


def test_each_lane_shows_what_waits_and_its_budget(set_up, run):
    set_up.stage.aws.client("sqs").send_message(
        QueueUrl=set_up.stage.lane_url(OUTREACH),
        MessageBody="{}",
        MessageGroupId="group",
        MessageDeduplicationId="one",
    )
    found = findings(run)
    assert found["lane outreach"]["detail"].startswith("1 waiting, 0 in flight")
    assert found["lane outreach"]["detail"].endswith("2 workers")
    assert found["lane tickets"]["detail"].startswith("0 waiting")
    assert "executions" in found["concurrency"]["detail"]
    assert found["richpanel budget"]["detail"].startswith("30 of 50 calls in 30 s; ")
    assert found["richpanel budget"]["result"] == "ok"


def test_a_lane_whose_oldest_job_waits_and_a_budget_that_is_used_up_are_warnings(set_up, run):
    """As SQS reports the age of each queue's oldest message to CloudWatch."""
    now = set_up.services().clock.now()
    for lane, age in ((TICKETS, 5.0), (OUTREACH, 300.0)):
        set_up.stage.aws.client("cloudwatch").put_metric_data(
            Namespace="AWS/SQS",
            MetricData=[
                {
                    "MetricName": "ApproximateAgeOfOldestMessage",
                    "Dimensions": [{"Name": "QueueName", "Value": lane.queue("dev")}],
                    "Timestamp": now - timedelta(seconds=30),
                    "Value": age,
                }
            ],
        )
    level, at = set_up.services().support.richpanel_level, now.timestamp()
    level.take(step_to(at, new=at + 300))

    found = findings(run)

    names = ("lane tickets", "lane outreach", "lane email", "richpanel budget")
    results = {name: found[name]["result"] for name in names}
    assert list(results.values()) == ["ok", "warn", "ok", "warn"]
    details = [found[name]["detail"] for name in names]
    for part, detail in zip(
        ("oldest 5 s", "oldest 300 s", "age not known", "left, next free turn"),
        details,
        strict=True,
    ):
        assert part in detail


@pytest.mark.parametrize(
    ("variable", "value", "secret"),
    [
        ("ALOWARE_RING_GROUP_URL", "https://aloware.example/group", "aloware/api_token"),
        ("OPENAI_INTENT_ENABLED", "true", "openai/api_key"),
        ("SHOPIFY_BASE_URL", "http://127.0.0.1:9", "shopify/client_secret"),
    ],
)
def test_a_secret_is_missing_only_where_the_stage_reads_it(
    set_up, run, monkeypatch, variable, value, secret
):
    client = set_up.stage.aws.client("secretsmanager")
    for name in ("openai/api_key", "shopify/client_secret"):
        client.put_secret_value(SecretId=f"rp-mw/dev/{name}", SecretString=" ")
    assert findings(run)["secrets"]["result"] == "ok"
    configured = {**config.configured("dev"), "OPENAI_MODEL": "gpt-6-luna", variable: value}
    monkeypatch.setattr("ops.session.config.configured", lambda _stage: configured)
    monkeypatch.setenv(variable, value)
    monkeypatch.setenv("OPENAI_MODEL", "gpt-6-luna")
    assert findings(run)["secrets"]["detail"] == f"missing: rp-mw/dev/{secret}"


def test_a_table_of_another_name_than_the_declared_one_is_refused(set_up, run, monkeypatch):
    """The functions had no permission for it, and the declared table was empty."""
    configured = {**config.configured("dev"), "DYNAMO_TABLE_NAME": "Facts-dev"}
    monkeypatch.setattr("ops.session.config.configured", lambda _stage: configured)
    monkeypatch.setenv("DYNAMO_TABLE_NAME", "Facts-dev")
    refused = run("provision")
    assert refused.code == 1
    assert "DYNAMO_TABLE_NAME is Facts-dev" in refused.err
    assert "QuillIdempotencyLedger-dev" in refused.err
    assert findings(run)["tables"]["result"] == "fail"


# --- alarms -------------------------------------------------------------------------------------


def test_a_stage_without_alarms_fails(system, run):
    """Only tables and queue: no alarm and no topic."""
    found = findings(run)
    assert "rp-mw-dev-dead-letters" in found["alarms"]["detail"]
    assert found["alarm recipients"]["detail"] == f"{TOPIC} does not exist"


# --- the way from Richpanel -----------------------------------------------------------------------


def test_the_door_is_tested_with_every_active_token_and_nothing_is_queued(set_up, run):
    assert findings(run)["richpanel door"]["detail"].endswith("accepts 1 active token(s)")
    assert set_up.run() == []


def test_a_door_without_a_url_is_reported_as_untested(system, run):
    result = findings(run)["richpanel door"]
    assert (result["result"], "PUBLIC_BASE_URL" in result["detail"]) == ("warn", True)


def test_a_closed_or_foreign_door_or_one_that_refuses_our_token_fails(
    set_up, run, door, monkeypatch
):
    set_up.stage.aws.client("secretsmanager").put_secret_value(
        SecretId="rp-mw/dev/richpanel/webhook_token", SecretString="one-that-the-door-has-not"
    )
    result = findings(run)["richpanel door"]
    assert (result["result"], "invalid_token" in result["detail"]) == ("fail", True)
    monkeypatch.setenv("PUBLIC_BASE_URL", "http://127.0.0.1:9")
    assert "does not answer" in findings(run)["richpanel door"]["detail"]
    monkeypatch.setenv("PUBLIC_BASE_URL", set_up.richpanel.base_url)
    assert "does not belong to stage dev" in findings(run)["richpanel door"]["detail"]


def test_a_silent_webhook_target_shows_in_the_sources_of_the_newest_messages(set_up, run):
    assert findings(run)["richpanel reach"]["result"] == "ok"
    set_up.richpanel.add_ticket("7", comments=[{"id": "c-7", "body": "Where is it?"}])
    assert run("reconcile").code == 0
    set_up.run()
    result = findings(run)["richpanel reach"]
    assert (result["result"], result["detail"]) == (
        "warn",
        "of the 2 newest messages 1 came by the target",
    )
    assert run("erase", "--subject", "1042", "--yes").code == 0
    set_up.richpanel.reset()
    for tag in sorted(every_tag()):
        set_up.richpanel.tag_id(tag)
    set_up.richpanel.add_ticket("7", comments=[{"id": "c-7", "body": "Where is it?"}])
    result = findings(run)["richpanel reach"]
    assert result["result"] == "fail"
    assert result["detail"].startswith("the target never called")


def test_without_a_message_in_the_last_day_the_webhook_check_is_undecided(system, run):
    assert findings(run)["richpanel reach"]["result"] == "warn"


def test_where_listing_is_forbidden_known_tickets_are_checked(set_up, run):
    set_up.richpanel.set_modes(list_allowed=False)
    found = findings(run)
    assert found["richpanel listing"]["result"] == "warn"
    assert found["richpanel reach"]["result"] == "ok"


def test_a_manual_check_names_its_step_in_the_documentation(set_up, run):
    manual = [finding for finding in findings(run).values() if finding["result"] == "manual"]
    assert {finding["check"] for finding in manual} == {
        "richpanel target",
        "richpanel rule",
        "richpanel routing",
    }
    page = (ROOT / "docs" / "richpanel-setup.md").read_text()
    titles = re.findall(r"^## (.+)$", page, re.MULTILINE)
    anchors = {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
    for step in manual:
        assert step["detail"].rpartition("docs/richpanel-setup.md#")[2] in anchors


def test_the_set_up_page_names_every_manual_check():
    page = (ROOT / "docs" / "richpanel-setup.md").read_text()
    checks = importlib.import_module("ops.inspect.doctor_richpanel").manual_checks(
        "https://api.example.com"
    )
    for check in checks:
        assert f"`{check.check}`" in page, check.check


# --- provisioned ----------------------------------------------------------------------------------


class TestOnAnEngine:
    """Its alarms, topics and tables are as they were provisioned."""

    @pytest.fixture
    def aws(self, engine_aws):
        return engine_aws

    @pytest.fixture
    def healthy(self, set_up, run):
        assert run("provision", "--alarm-email", "night@example.com").code == 0
        return set_up

    @pytest.mark.usefixtures("healthy")
    def test_a_healthy_stage_passes(self, run):
        said = run("doctor", "--json")
        assert [finding for finding in said.data if finding["result"] == "fail"] == []
        assert said.code == 0
        assert "night@example.com" not in said.out

    def test_a_system_that_is_not_wanted_is_not_checked_and_needs_no_secret(
        self, system, run, monkeypatch
    ):
        """Not even the vendor is asked, and none of its alarms exists."""
        configured = {**config.configured("dev"), "SYSTEMS": "facts"}
        monkeypatch.setattr("ops.stage.config.configured", lambda _stage: configured)
        system.richpanel.down()
        secrets = system.stage.aws.client("secretsmanager")
        secrets.delete_secret(
            SecretId="rp-mw/dev/richpanel/api_key", ForceDeleteWithoutRecovery=True
        )
        assert run("provision").code == 0
        said = run("doctor", "--json")
        assert {finding["system"] for finding in said.data} == {"stage", "facts"}
        found = {finding["check"]: finding for finding in said.data}
        assert "richpanel" not in found["secrets"]["detail"]
        alarms = system.stage.aws.client("cloudwatch").describe_alarms(MaxRecords=100)[
            "MetricAlarms"
        ]
        names = {alarm["AlarmName"].removeprefix("rp-mw-dev-") for alarm in alarms}
        assert {"facts-failed", "nothing-accepted"} <= names
        assert not names & {"invalid-tokens", "handoffs-waiting", "unknown-tags", "email-age"}

    def test_each_fault_of_a_broken_stage_is_named(self, healthy, run):
        aws, stage = healthy.stage.aws, healthy.stage
        aws.client("sqs").set_queue_attributes(
            QueueUrl=stage.queue_url, Attributes={"VisibilityTimeout": "60"}
        )
        aws.client("ssm").delete_parameter(Name="/rp-mw/dev/kill_switch")
        aws.client("secretsmanager").put_secret_value(
            SecretId="rp-mw/dev/keys/ids", SecretString=" "
        )
        healthy.richpanel.api_keys[:] = ["another"]
        assert failed(run) == {
            "rp-mw-events-dev.fifo",
            "switches",
            "secrets",
            "richpanel/api_key",
            "richpanel",
        }
        assert run("doctor").code == 1

    def test_an_alarm_that_is_missing_off_or_silent_is_named(self, healthy, run):
        cloudwatch = healthy.stage.aws.client("cloudwatch")
        cloudwatch.delete_alarms(AlarmNames=["rp-mw-dev-dead-letters"])
        cloudwatch.disable_alarm_actions(AlarmNames=["rp-mw-dev-ingress-failures"])
        silent = cloudwatch.describe_alarms(AlarmNames=["rp-mw-dev-api-errors"])["MetricAlarms"][0]
        asked = ("AlarmName", "MetricName", "Namespace", "Statistic", "Period", "EvaluationPeriods")
        kept = {name: silent[name] for name in (*asked, "Threshold", "ComparisonOperator")}
        cloudwatch.put_metric_alarm(**kept)
        result = findings(run)["alarms"]
        assert result["result"] == "fail"
        assert "missing: rp-mw-dev-dead-letters" in result["detail"]
        assert "switched off: rp-mw-dev-ingress-failures" in result["detail"]
        assert f"do not notify {TOPIC}: rp-mw-dev-api-errors" in result["detail"]

    def test_an_alarm_in_alarm_state_is_reported_with_its_runbook_section(self, healthy, run):
        assert findings(run)["alarms ringing"]["result"] == "ok"
        healthy.stage.aws.client("cloudwatch").set_alarm_state(
            AlarmName="rp-mw-dev-dead-letters", StateValue="ALARM", StateReason="a test"
        )
        result = findings(run)["alarms ringing"]
        assert (result["result"], result["detail"]) == (
            "warn",
            "docs/runbook-queues.md#dead-letters",
        )

    def test_alarms_without_a_confirmed_recipient_fail(self, healthy, run):
        sns = healthy.stage.aws.client("sns")
        found = findings(run)["alarm recipients"]
        assert (found["result"], found["detail"]) == ("ok", "1 by email")
        sns.subscribe(TopicArn=topic_arn(healthy), Protocol="http", Endpoint="http://127.0.0.1:9/")
        assert findings(run)["alarm recipients"]["result"] == "warn", "one of two has not confirmed"
        by_email, by_http = sorted(
            sns.list_subscriptions_by_topic(TopicArn=topic_arn(healthy))["Subscriptions"],
            key=lambda subscription: subscription["Protocol"],
        )
        sns.unsubscribe(SubscriptionArn=by_email["SubscriptionArn"])
        result = findings(run)["alarm recipients"]
        assert result["result"] == "fail"
        assert "1 not confirmed" in result["detail"]
        sns.unsubscribe(SubscriptionArn=by_http["SubscriptionArn"])
        result = findings(run)["alarm recipients"]
        assert result["result"] == "fail"
        assert "--alarm-email" in result["detail"]
