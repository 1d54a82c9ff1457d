"""From the two doors to the dataset: every fact once, whatever is repeated, lost or down."""

import time

import pytest

from chalicelib import wiring
from chalicelib.facts.dataset import DIM_AGENT, DIM_DATE, DIM_METRIC, FACT_EVENT
from local.vendors import aloware, hubspot
from tests.rigs.memory_stage import ON_ENGINE


@ON_ENGINE
def test_six_deliveries_of_a_call_make_one_fact_with_the_data_of_the_first_terminal_one(facts_rig):
    number = facts_rig.aloware.call()
    facts_rig.work()
    run = facts_rig.post()

    assert facts_rig.aloware.answers == [200] * 6
    assert run["posted"] == run["posts"] == 1
    assert facts_rig.rows() == [
        {
            "EventID": f"ALOWARE:{number}",
            "AgentID": "101",
            "FactDateKey": "2026-11-20T00:00:00",
            "MetricID": "CALLS",
            "Notes": "event=OutboundPhoneCall-DispositionCompleted;tz=America/Denver",
        }
    ]
    assert facts_rig.facts()[f"ALOWARE:{number}"]["status"] == "posted"


def test_a_repeated_batch_adds_nothing(facts_rig):
    events = [hubspot.event() for _ in range(5)]
    facts_rig.hubspot.send(events)
    facts_rig.work()
    facts_rig.post()
    facts_rig.hubspot.send([{**event, "attemptNumber": 1} for event in reversed(events)])
    facts_rig.work()
    again = facts_rig.post()

    assert again["outcome"] == "idle"
    assert len(facts_rig.rows()) == 5
    assert set(facts_rig.ids().values()) == {1}


def test_repeats_within_a_batch_and_across_batches_are_one_fact(facts_rig):
    first, second, third = (hubspot.event() for _ in range(3))
    facts_rig.hubspot.send([first, second, first])
    facts_rig.hubspot.send([second, third])
    facts_rig.work()
    facts_rig.post()

    assert len(facts_rig.rows()) == 3
    assert set(facts_rig.ids().values()) == {1}


def test_an_outage_of_power_bi_is_a_delay_and_not_a_loss(facts_rig):
    facts_rig.aloware.call()
    facts_rig.work()
    facts_rig.powerbi.down()
    down = facts_rig.post()
    facts_rig.aloware.call()
    facts_rig.work()
    facts_rig.powerbi.up()
    # A new container: the breaker of the old one may still be open.
    wiring._services.clear()
    facts_rig.post()

    assert down["outcome"].startswith("waiting:powerbi")
    assert len(facts_rig.rows()) == 2
    assert set(facts_rig.ids().values()) == {1}


def test_dimensions_have_each_key_once(facts_rig):
    facts_rig.aloware.call()
    facts_rig.work()
    facts_rig.post()
    facts_rig.aloware.call()
    facts_rig.aloware.call(owner_id=102)
    facts_rig.work()
    facts_rig.post()

    assert [row["AgentID"] for row in facts_rig.rows(DIM_AGENT)] == ["101", "102"]
    assert [row["MetricID"] for row in facts_rig.rows(DIM_METRIC)] == ["CALLS"]
    days = [row["Date"] for row in facts_rig.rows(DIM_DATE)]
    assert len(days) == len(set(days)) == 365


def test_the_files_hold_the_same_rows(facts_rig):
    facts_rig.aloware.call()
    facts_rig.hubspot.send([hubspot.event()])
    facts_rig.work()
    facts_rig.post()

    archived = {row["EventID"]: row for row in facts_rig.files.read("FactEvent")}
    for row in facts_rig.rows():
        assert row.items() < archived[row["EventID"]].items()
    assert len(archived) == 2
    call = next(row for key, row in archived.items() if key.startswith("ALOWARE:"))
    assert call["OccurredAt"] == "2026-11-20T23:30:00.000Z"
    assert (call["TimeZone"], call["DurationSeconds"]) == ("America/Denver", 70)
    assert (call["Channel"], call["Outcome"], call["Marks"]) == ("call", "completed", "")


def test_every_row_but_a_dimensions_has_the_time_of_its_end(facts_rig):
    facts_rig.aloware.call()
    facts_rig.hubspot.send([hubspot.event(), hubspot.event(objectTypeId="0-1")])
    facts_rig.work()
    facts_rig.post()
    endless = {key for key, row in facts_rig.ledger().items() if "expiresAt" not in row}
    assert {key.partition(":")[0] for key in endless} == {"DIM"}
    assert {"WRITER:facts"} < set(facts_rig.ledger()) - endless


@pytest.mark.parametrize("what", [{"test_payload": True}])
def test_the_test_button_is_answered_and_queues_nothing(facts_rig, what):
    assert facts_rig.aloware.send(what) == 200
    assert facts_rig.work() == []


def test_an_unauthenticated_sender_is_refused_at_both_doors(facts_rig):
    facts_rig.aloware.token = "not-the-token"
    facts_rig.hubspot.secret = "not-the-secret"

    assert facts_rig.aloware.send(aloware.six_deliveries()[1]) == 401
    assert facts_rig.hubspot.send([hubspot.event()]) == 401
    assert facts_rig.work() == []


def test_a_wrong_address_or_an_old_signature_is_refused(facts_rig):
    now = facts_rig.hubspot.now_ms()
    assert facts_rig.hubspot.send([hubspot.event()], stamp=now - 300_001) == 401
    facts_rig.hubspot.signed_url = hubspot.TARGET_URL.replace("https", "http")
    assert facts_rig.hubspot.send([hubspot.event()]) == 401
    facts_rig.hubspot.signed_url = hubspot.TARGET_URL.replace("/api", "")
    assert facts_rig.hubspot.send([hubspot.event()]) == 401


def test_a_workflow_record_makes_a_fact(facts_rig):
    record = {
        "objectId": 77,
        "event_key": "case_created",
        "properties": {"createdate": "1763600000000", "hubspot_owner_id": "9"},
    }
    assert facts_rig.hubspot.workflow(record) == 200
    assert facts_rig.hubspot.workflow(record) == 200
    facts_rig.work()
    facts_rig.post()

    (row,) = facts_rig.rows()
    assert row["EventID"] == "HUBSPOT:77:workflow.case_created:1763600000000"
    assert (row["AgentID"], row["MetricID"]) == ("hubspot-owner:9", "CASES")


def test_an_event_that_does_not_count_is_stored_with_its_reason(facts_rig):
    inbound = aloware.body(direction=1)
    facts_rig.aloware.send({"event": "InboundPhoneCall-DispositionCompleted", "body": inbound})
    facts_rig.hubspot.send([hubspot.event(subscriptionType="object.deletion")])
    facts_rig.work()

    reasons = {(row["status"], row["reason"]) for row in facts_rig.facts().values()}
    assert reasons == {("skipped", "inbound"), ("skipped", "type_not_counted")}
    assert facts_rig.post()["outcome"] == "idle"


@pytest.mark.parametrize("switch", ["kill_switch", "shadow_mode"])
def test_a_switch_delays_facts_and_loses_none(facts_rig, switch):
    facts_rig.aloware.call()
    facts_rig.work()
    facts_rig.stage.set_switch(switch, "true")
    held = facts_rig.post()
    facts_rig.stage.set_switch(switch, "false")
    wiring._services.clear()
    facts_rig.post()

    assert held["outcome"].startswith("held:")
    assert len(facts_rig.rows()) == 1


def test_without_a_dataset_the_facts_wait_although_an_archive_is_configured(facts_rig, monkeypatch):
    """The report would lack them: an archive alone does not make a fact posted."""
    facts_rig.aloware.call()
    facts_rig.work()
    monkeypatch.delenv("POWERBI_DATASET_ID")
    monkeypatch.setattr("chalicelib.wiring._services", [])

    assert facts_rig.post() == {"outcome": "held:no_dataset", "prolonged": 0}
    (row,) = facts_rig.facts().values()
    assert row["status"] == "pending"
    assert not list(facts_rig.files.read(FACT_EVENT))


def test_an_archive_that_is_declared_as_the_report_takes_the_facts(facts_rig, monkeypatch):
    facts_rig.aloware.call()
    facts_rig.work()
    monkeypatch.delenv("POWERBI_DATASET_ID")
    monkeypatch.setenv("FACTS_REPORT", "archive")
    monkeypatch.setattr("chalicelib.wiring._services", [])

    assert facts_rig.post()["posted"] == 1
    assert len(list(facts_rig.files.read(FACT_EVENT))) == 1
    assert facts_rig.rows() == []

    monkeypatch.delenv("FACTS_FOLDER")
    monkeypatch.setattr("chalicelib.wiring._services", [])
    assert facts_rig.post()["outcome"] == "held:no_archive"


def test_a_facts_row_is_kept_for_the_configured_days(facts_rig, monkeypatch):
    monkeypatch.setenv("DYNAMO_TTL_DAYS", "30")
    number = facts_rig.aloware.call()
    facts_rig.work()
    facts_rig.post()
    row = facts_rig.facts()[f"ALOWARE:{number}"]
    assert row["status"] == "posted"
    assert 29 < (int(row["expiresAt"]) - time.time()) / 86_400 <= 30
