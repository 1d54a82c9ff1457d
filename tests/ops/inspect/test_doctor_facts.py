"""`ops doctor` on the facts of a real stage: each fault is reported by its check."""

import os
from datetime import UTC, datetime, timedelta

import pytest

from chalicelib.facts.dataset import definition
from local.vendors.hubspot_owners import API_TOKEN, SimulatedHubSpotOwners
from ops.stage import config
from tests.rigs.ops_cli import runner


@pytest.fixture
def findings(facts_rig, capsys, monkeypatch):
    """The facts' findings by check, in an environment with some variables changed."""

    def run(**changed):
        with monkeypatch.context() as while_it_lasts:
            variables = {**config.configured("dev"), **os.environ, **changed}
            while_it_lasts.setattr("ops.session.config.configured", lambda _stage: variables)
            for name, value in changed.items():
                while_it_lasts.setenv(name, value)
            said = runner(capsys)("doctor", "--json")
        return {
            finding["check"]: (finding["result"], finding["detail"])
            for finding in said.data
            if finding["check"].startswith("facts")
        }

    assert facts_rig
    return run


@pytest.fixture
def posted(facts_rig):
    """A fact has been posted; returns its key."""
    number = facts_rig.aloware.call()
    facts_rig.work()
    facts_rig.post()
    return f"ALOWARE:{number}"


def test_facts_that_reach_the_report_pass(posted, findings):
    found = findings()
    assert {result for result, _ in found.values()} == {"ok"}, found
    assert found["facts dataset"] == ("ok", "token, tables, columns")
    assert found["facts pending"] == ("ok", "none")
    assert "the last batch was posted 0:00" in found["facts posted"][1]
    assert "the newest came 0:00" in found["facts from ALOWARE"][1]


def test_a_stage_without_facts_gets_one_line(findings):
    assert findings(POWERBI_DATASET_ID="") == {
        "facts": ("ok", "not used: no_dataset, and no fact was received")
    }


def test_a_variable_that_is_none_of_its_kind_is_named_and_not_shown(posted, findings):
    found = findings(FACTS_TIMEZONE="Mars/Olympus", HUBSPOT_FACT_RULES="{oops")
    result, detail = found["facts settings"]
    assert result == "fail"
    assert "FACTS_TIMEZONE" in detail
    assert "HUBSPOT_FACT_RULES" in detail
    assert "Mars" not in detail
    assert "oops" not in detail


def test_the_end_of_push_datasets_is_said(posted, findings):
    result, detail = findings()["facts dataset end"]
    assert (result, "2027-10-31" in detail) == ("ok", True)


@pytest.fixture
def onelake_tables(mirrored, facts_rig):
    """The landing zone's tables are made."""
    sink = facts_rig.app.services().posting.onelake
    for table in sink.tables:
        sink.make_table(table, deadline_seconds=20)
    return mirrored


def test_a_landing_zone_that_is_as_noted_passes(onelake_tables, posted, findings):
    assert findings()["facts onelake"] == ("ok", "token, tables, files")


@pytest.mark.parametrize(
    ("break_it", "words"),
    [
        (
            lambda zone: zone.drop("FactEvent"),
            "FactEvent: is not there: python -m ops facts create",
        ),
        (lambda zone: zone.set_modes(has_database=False), "FABRIC_DATABASE_ID"),
        (lambda zone: zone.set_modes(has_workspace=False), "FABRIC_WORKSPACE_ID"),
        (lambda zone: zone.set_modes(allowed=False), "OneLake refuses us"),
        (lambda zone: zone.put("FactEvent/00000000000000000009.csv", b"x"), "did not write"),
        (lambda zone: zone.down(), "not reachable"),
    ],
)
def test_what_is_wrong_with_the_landing_zone_is_said(
    onelake_tables, posted, findings, break_it, words
):
    break_it(onelake_tables)
    result, detail = findings()["facts onelake"]
    assert (result, words in detail) == ("fail", True), detail


def test_a_missing_dataset_fails_once_facts_have_come(posted, findings):
    result, detail = findings(POWERBI_DATASET_ID="")["facts"]
    assert (result, "POWERBI_DATASET_ID" in detail) == ("fail", True)


def test_a_typo_in_the_dataset_fails(posted, findings):
    result, detail = findings(POWERBI_DATASET_ID="typo")["facts dataset"]
    assert (result, "no such dataset" in detail) == ("fail", True)


def test_a_dataset_without_a_column_or_table_fails(facts_rig, posted, findings):
    schema = definition()
    schema["tables"][0]["columns"] = schema["tables"][0]["columns"][:-1]
    del schema["tables"][-1]
    other = facts_rig.powerbi.create_dataset(schema)
    result, detail = findings(POWERBI_DATASET_ID=other)["facts dataset"]
    assert result == "fail"
    assert "no table DimShift" in detail
    assert "no column FactEvent[Notes]" in detail


def test_a_dataset_whose_rows_may_not_be_queried_warns(facts_rig, posted, findings):
    facts_rig.powerbi.set_modes(queries_allowed=False)
    assert findings()["facts dataset"][0] == "warn"


@pytest.mark.parametrize(("how", "reason"), [("secret", "http_401"), ("workspace", "http_403")])
def test_power_bi_that_refuses_us_fails(facts_rig, posted, findings, monkeypatch, how, reason):
    if how == "secret":
        monkeypatch.setattr(facts_rig.powerbi, "secrets", ["the-new-one"])
    else:
        facts_rig.powerbi.set_modes(allowed=False)
    result, detail = findings()["facts dataset"]
    assert (result, reason in detail) == ("fail", True), detail


def test_power_bi_that_is_down_fails(facts_rig, posted, findings):
    facts_rig.powerbi.down()
    assert findings()["facts dataset"] == ("fail", "not reachable (TransientError)")


def test_facts_that_wait_and_a_silent_source_warn(facts_rig, posted, findings):
    waiting = facts_rig.aloware.call()
    facts_rig.work()
    for key, age in ((f"ALOWARE:{waiting}", timedelta(hours=3)), (posted, timedelta(days=4))):
        at = (datetime.now(UTC) - age).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        facts_rig.stage.aws.client("dynamodb").update_item(
            TableName=facts_rig.stage.tables["QuillLedgerTable"],
            Key={"pk": {"S": key}},
            UpdateExpression="SET seenAt = :at",
            ExpressionAttributeValues={":at": {"S": at}},
        )
    found = findings()
    assert found["facts pending"][0] == "warn"
    assert "waited for 3:00" in found["facts pending"][1]
    assert found["facts from ALOWARE"][0] == "ok"
    facts_rig.post()
    facts_rig.stage.aws.client("dynamodb").delete_item(
        TableName=facts_rig.stage.tables["QuillLedgerTable"],
        Key={"pk": {"S": f"ALOWARE:{waiting}"}},
    )
    assert findings()["facts from ALOWARE"][0] == "warn"


@pytest.mark.parametrize("roster", ['[{"name": "Robin Hidden"}]', "nonsense"])
def test_a_roster_that_cannot_be_read_is_named_beside_the_other_checks(posted, findings, roster):
    found = findings(FACTS_ROSTER=roster)
    assert found["facts roster"] == (
        "fail",
        "environment variable FACTS_ROSTER is no list of agents",
    )
    assert {"facts dataset", "facts archive", "facts posted", "facts pending"} <= set(found)


def test_a_variable_without_which_power_bi_refuses_us_is_named(posted, findings):
    result, detail = findings(POWERBI_CLIENT_ID="")["facts dataset"]
    assert (result, detail) == ("fail", "not set: POWERBI_CLIENT_ID")


def test_a_variable_without_which_onelake_refuses_us_is_named(onelake_tables, posted, findings):
    found = findings(FABRIC_CLIENT_ID="", FABRIC_WORKSPACE_ID="")["facts onelake"]
    assert found == ("fail", "not set: FABRIC_CLIENT_ID, FABRIC_WORKSPACE_ID")


def test_a_bucket_that_does_not_exist_fails(posted, findings):
    assert findings()["facts archive"] == ("ok", "file")
    found = findings(FACTS_FOLDER="", FACTS_BUCKET="no-such-bucket")["facts archive"]
    assert found == ("fail", "no such bucket, so facts wait: FACTS_BUCKET")


def test_an_archive_that_is_not_named_warns(posted, findings):
    found = findings(FACTS_FOLDER="", FACTS_BUCKET="")["facts archive"]
    assert found == ("warn", "not set: FACTS_BUCKET; no report can be rebuilt")


def test_agents_without_a_name_are_counted(facts_rig, posted, findings):
    assert findings()["facts roster"][1].startswith("none")
    facts_rig.stage.aws.client("secretsmanager").create_secret(
        Name="rp-mw/dev/hubspot/api_token", SecretString=API_TOKEN
    )
    with SimulatedHubSpotOwners() as hubspot:
        hubspot.add_owner(71, user_id=None, first="Ada", last="", email="ada@example.com")
        hubspot.add_owner(72, user_id=None, first="", last="", email="")
        directory = {"HUBSPOT_DIRECTORY": "true", "HUBSPOT_BASE_URL": hubspot.url}
        assert findings(**directory)["facts roster"] == ("warn", "2 agents; without a name: 1")


def test_refused_deliveries_are_counted(facts_rig, posted, findings):
    assert findings()["facts refused"] == ("ok", "none in a day")
    facts_rig.stage.aws.client("cloudwatch").put_metric_data(
        Namespace="rp-mw/dev",
        MetricData=[
            {
                "MetricName": "mw.ingress.rejected",
                "Dimensions": [
                    {"Name": "code", "Value": "invalid_signature"},
                    {"Name": "stage", "Value": "dev"},
                ],
                "Value": 3,
                "Timestamp": datetime.now(UTC),
            }
        ],
    )
    assert findings()["facts refused"] == ("warn", "3 of HubSpot or Twilio")
