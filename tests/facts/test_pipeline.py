"""From the two doors to the dataset: every fact once, whatever is repeated, lost or down."""

import pytest

from chalicelib import wiring
from chalicelib.facts.dataset import DIM_AGENT, DIM_DATE, DIM_METRIC
from local.vendors import aloware, hubspot


def test_six_deliveries_of_a_call_make_one_fact_with_the_data_of_the_first_terminal_one(rig):
    number = rig.aloware.call()
    rig.work()
    run = rig.post()

    assert rig.aloware.answers == [200] * 6
    assert run["posted"] == run["posts"] == 1
    assert rig.rows() == [
        {
            "EventID": f"ALOWARE:{number}",
            "AgentID": "101",
            "FactDateKey": "2026-11-20T00:00:00",
            "MetricID": "CALLS",
            "Notes": "event=OutboundPhoneCall-DispositionCompleted;tz=America/Denver",
        }
    ]
    assert rig.facts()[f"ALOWARE:{number}"]["status"] == "posted"


def test_a_repeated_batch_adds_nothing(rig):
    events = [hubspot.event() for _ in range(5)]
    rig.hubspot.send(events)
    rig.work()
    rig.post()
    rig.hubspot.send([{**one, "attemptNumber": 1} for one in reversed(events)])
    rig.work()
    again = rig.post()

    assert again["outcome"] == "idle"
    assert len(rig.rows()) == 5
    assert set(rig.ids().values()) == {1}


def test_repeats_within_a_batch_and_across_batches_are_one_fact(rig):
    first, second, third = (hubspot.event() for _ in range(3))
    rig.hubspot.send([first, second, first])
    rig.hubspot.send([second, third])
    rig.work()
    rig.post()

    assert len(rig.rows()) == 3
    assert set(rig.ids().values()) == {1}


def test_an_outage_of_power_bi_is_a_delay_and_not_a_loss(rig):
    rig.aloware.call()
    rig.work()
    rig.powerbi.down()
    down = rig.post()
    rig.aloware.call()
    rig.work()
    rig.powerbi.up()
    # A new container: the breaker of the old one may still be open.
    wiring._services.clear()
    rig.post()

    assert down["outcome"].startswith("waiting:powerbi")
    assert len(rig.rows()) == 2
    assert set(rig.ids().values()) == {1}


def test_dimensions_have_each_key_once(rig):
    rig.aloware.call()
    rig.work()
    rig.post()
    rig.aloware.call()
    rig.aloware.call(owner_id=102)
    rig.work()
    rig.post()

    assert [row["AgentID"] for row in rig.rows(DIM_AGENT)] == ["101", "102"]
    assert [row["MetricID"] for row in rig.rows(DIM_METRIC)] == ["CALLS"]
    days = [row["Date"] for row in rig.rows(DIM_DATE)]
    assert len(days) == len(set(days)) == 365


def test_the_files_hold_the_same_rows(rig):
    rig.aloware.call()
    rig.hubspot.send([hubspot.event()])
    rig.work()
    rig.post()

    assert list(rig.files.read("FactEvent")) == rig.rows()


@pytest.mark.parametrize("what", [{"test_payload": True}])
def test_the_test_button_is_answered_and_queues_nothing(rig, what):
    assert rig.aloware.send(what) == 200
    assert rig.work() == []


def test_a_stranger_is_refused_at_both_doors(rig):
    rig.aloware.token = "not-the-token"
    rig.hubspot.secret = "not-the-secret"

    assert rig.aloware.send(aloware.six_deliveries()[1]) == 401
    assert rig.hubspot.send([hubspot.event()]) == 401
    assert rig.work() == []


def test_a_wrong_address_or_an_old_signature_is_refused(rig):
    now = rig.hubspot.now_ms()
    assert rig.hubspot.send([hubspot.event()], stamp=now - 300_001) == 401
    rig.hubspot.signed_url = hubspot.TARGET_URL.replace("https", "http")
    assert rig.hubspot.send([hubspot.event()]) == 401
    rig.hubspot.signed_url = hubspot.TARGET_URL.replace("/api", "")
    assert rig.hubspot.send([hubspot.event()]) == 401


def test_a_workflow_record_makes_a_fact(rig):
    record = {
        "objectId": 77,
        "event_key": "case_created",
        "properties": {"createdate": "1763600000000", "hubspot_owner_id": "9"},
    }
    assert rig.hubspot.workflow(record) == 200
    assert rig.hubspot.workflow(record) == 200
    rig.work()
    rig.post()

    (row,) = rig.rows()
    assert row["EventID"] == "HUBSPOT:77:workflow.case_created:1763600000000"
    assert (row["AgentID"], row["MetricID"]) == ("hubspot-owner:9", "CASES")


def test_what_does_not_count_is_kept_with_its_reason(rig):
    inbound = aloware.body(direction=1)
    rig.aloware.send({"event": "InboundPhoneCall-DispositionCompleted", "body": inbound})
    rig.hubspot.send([hubspot.event(subscriptionType="object.deletion")])
    rig.work()

    reasons = {(row["status"], row["reason"]) for row in rig.facts().values()}
    assert reasons == {("skipped", "inbound"), ("skipped", "type_not_counted")}
    assert rig.post()["outcome"] == "idle"


@pytest.mark.parametrize("switch", ["kill_switch", "shadow_mode"])
def test_a_switch_holds_the_facts_and_loses_none(rig, switch):
    rig.aloware.call()
    rig.work()
    rig.stage.set_switch(switch, "true")
    held = rig.post()
    rig.stage.set_switch(switch, "false")
    wiring._services.clear()
    rig.post()

    assert held["outcome"].startswith("held:")
    assert len(rig.rows()) == 1
