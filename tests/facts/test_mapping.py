"""Which events count, as what, for whom, on which day, and under which key."""

import json
from datetime import UTC, datetime

import pytest

from chalicelib.facts import aloware_webhook, hubspot_webhook
from chalicelib.facts.mapping import MetricRule, aloware_fact, apply_roster, hubspot_facts
from chalicelib.facts.model import Agent, Happening, Metric
from chalicelib.facts.roster import by_id_and_alias
from chalicelib.once.door import InboundRequest
from local.vendors import aloware, hubspot
from tests.rigs.each_row import each_row
from tests.rigs.facts import sample

RECEIVED = "2026-11-20T09:00:00.000Z"


def request(body):
    return InboundRequest(
        headers={}, body=json.dumps(body).encode(), received_at=RECEIVED, delivery_id="d-1"
    )


def of_aloware(name):
    return aloware_fact(aloware_webhook.parse(request(sample("aloware", name))))


def aloware_job(name, **body):
    return aloware_webhook.parse(request({"event": name, "body": {"id": 7, "type": 1, **body}}))


def of_hubspot(name, **settings):
    return [
        fact
        for job in hubspot_webhook.parse(request(sample("hubspot", name)))
        for fact in hubspot_facts(job, **settings)
    ]


@each_row(
    ("name", "metric", "skip"),
    [
        ("call__1_initiated", Metric.CALLS, "not_terminal"),
        ("call__2_disposition_completed", Metric.CALLS, None),
        ("call__3_recording_saved", Metric.CALLS, None),
        ("call__4_disposed", Metric.CALLS, None),
        ("call__5_summarized", Metric.CALLS, "not_terminal"),
        ("call__named_like_a_text", Metric.CALLS, None),
        ("call__named_completed_while_ringing", Metric.CALLS, "not_terminal"),
        ("call__numbers_as_texts", Metric.CALLS, None),
        ("call__nobody_at_all", Metric.CALLS, None),
        ("call__inbound_missed", Metric.CALLS, "inbound"),
        ("call__parsed_body", Metric.CALLS, None),
        ("call__bare_body", Metric.CALLS, None),
        ("text__outbound_completed", Metric.TEXTS, None),
        ("voicemail__type_4", None, "type_not_counted"),
        ("contact__created", None, "not_a_communication"),
    ],
)
def test_only_completed_outbound_calls_and_texts_count(name, metric, skip):
    fact = of_aloware(name)
    assert (fact.metric, fact.skip) == (metric, skip)


@pytest.mark.parametrize("status", [1, 2])
def test_a_call_open_by_its_body_has_not_ended_whatever_its_event_name(status):
    job = aloware_job("OutboundPhoneCall-DispositionCompleted", current_status2=status)
    assert aloware_fact(job).skip == "not_terminal"


@each_row(
    ("disposition", "skip"),
    [
        *((number, None) for number in (2, 3, 4, 5, 6, 7, 12)),
        *((number, "not_terminal") for number in (1, 8, 9, 11, 13)),
    ],
)
def test_without_a_name_the_disposition_says_whether_it_ended(disposition, skip):
    job = aloware_job(None, disposition_status2=disposition, direction=2)
    assert aloware_fact(job).skip == skip
    closed = aloware_job(None, disposition_status2=8, current_status2=9, direction=2)
    assert aloware_fact(closed).skip is None


def test_a_call_has_the_seeds_key_and_a_contact_of_the_same_number_another():
    assert of_aloware("call__2_disposition_completed").key == "ALOWARE:719285063"
    assert of_aloware("call__5_summarized").key == "ALOWARE:719285063"
    assert of_aloware("contact__created").key == "ALOWARE:contact:719285063"


@pytest.mark.parametrize(
    ("name", "agent", "notes"),
    [
        ("call__2_disposition_completed", "101", "tz=America/Denver"),
        ("call__owner_nobody", "101", "tz=America/Denver"),
        ("call__nobody_at_all", "unknown", "tz=America/Denver;agent=unknown"),
        ("call__unknown_zone", "101", "tz=UTC"),
    ],
)
def test_the_agent_is_the_owner_or_else_the_user_or_else_unknown(name, agent, notes):
    fact = of_aloware(name)
    assert fact.agent_id == agent
    assert fact.notes.partition(";")[2] == notes


@pytest.mark.parametrize(
    ("created_at", "zone", "day"),
    [
        ("2026-11-20 23:30:00", "America/Denver", "2026-11-20"),
        ("2026-11-20 03:30:00", "America/Denver", "2026-11-19"),
        ("2026-11-20 23:30:00", "Australia/Sydney", "2026-11-21"),
        ("2026-11-20T23:30:00Z", None, "2026-11-20"),
        ("2026-11-20T23:30:00-05:00", None, "2026-11-21"),
        ("nonsense", None, "2026-11-20"),
        ("0001-01-01 00:00:00", "America/Denver", "0001-01-01"),
        ("9999-12-31 23:59:59", "Asia/Tokyo", "9999-12-31"),
        (None, "Asia/Tokyo", "2026-11-20"),
    ],
)
def test_a_day_is_the_contacts_day_and_naive_times_are_utc(created_at, zone, day):
    body = {"id": 1, "type": 1, "created_at": created_at, "contact": {"timezone": zone}}
    assert aloware_fact(aloware_webhook.parse(request({"event": "x", "body": body}))).date == day


@each_row(
    ("changes", "marks"),
    [
        ({}, ()),
        ({"created_at": "2026-11-20T23:30:00Z"}, ()),
        ({"created_at": 1795217400}, ("time_in_other_form",)),
        ({"created_at": "1795217400000"}, ("time_in_other_form",)),
        ({"created_at": None}, ("time_missing", "time_in_other_field")),
        ({"created_at": None, "updated_at": None}, ("day_guessed", "time_missing")),
        ({"created_at": "soon", "updated_at": None}, ("day_guessed", "time_unreadable")),
        ({"created_at": "2020-01-01 00:00:00"}, ("time_implausible",)),
        ({"contact": None}, ("zone_missing",)),
        ({"contact": {"timezone": "Mars/Olympus"}}, ("zone_unknown",)),
        ({"contact": {"timezone": "GMT-7 (Denver)"}}, ("zone_unknown",)),
        ({"contact": {"timezone": -7}}, ("zone_unknown",)),
        ({"duration": "01:10"}, ("duration_in_other_form",)),
        ({"duration": "long"}, ("duration_unreadable",)),
        ({"type": "1"}, ("number_as_text",)),
        ({"type": "call"}, ("number_unreadable", "type_missing")),
        ({"type": None}, ("type_missing",)),
        ({"type": 99}, ("type_unseen",)),
        ({"disposition_status2": 44}, ("outcome_unseen",)),
        ({"disposition_status2": None, "disposition_status": "Vanished"}, ("outcome_unseen",)),
        ({"owner_id": {"id": 5}}, ("agent_unreadable",)),
        ({"id": "x" * 65}, ("id_hashed",)),
        ({"id": None}, ("id_missing",)),
    ],
)
def test_what_a_call_lacks_or_has_in_another_form_is_marked(changes, marks):
    envelope = {"event": "OutboundPhoneCall-DispositionCompleted", "body": aloware.body(**changes)}
    fact = aloware_fact(aloware_webhook.parse(request(envelope)))
    assert fact.happening.marks == marks
    assert ("day=guessed" in fact.notes) == ("day_guessed" in marks)
    assert (fact.happening.at is None) == ("day_guessed" in marks)


@pytest.mark.parametrize(
    "name", ["phone_call.completed", "Communication-Updated", "Contact-Called", "Transcribed"]
)
def test_a_call_that_ended_counts_under_a_new_name_and_is_marked(name):
    fact = aloware_fact(aloware_webhook.parse(request({"event": name, "body": aloware.body(id=7)})))
    assert (fact.key, fact.metric, fact.skip) == ("ALOWARE:7", Metric.CALLS, None)
    assert fact.happening.marks == ("name_unseen",)


@each_row(
    ("numbers", "skip"),
    [
        ({"current_status2": 1}, "not_terminal"),
        ({"disposition_status2": 1}, "not_terminal"),
        ({"disposition_status2": 8, "current_status2": 3}, "not_terminal"),
        ({"disposition_status2": 8}, None),
        ({"disposition_status2": None}, None),
        ({"current_status2": None}, None),
    ],
)
def test_under_a_new_name_status_and_disposition_say_whether_it_ended(numbers, skip):
    envelope = {"event": "Something-New", "body": aloware.body(**numbers)}
    assert aloware_fact(aloware_webhook.parse(request(envelope))).skip == skip


@pytest.mark.parametrize("lacks", [{"created_at": None, "updated_at": None}, {"owner_id": -1}])
def test_a_recording_that_lacks_time_or_agent_leaves_the_call_to_its_disposition(lacks):
    body = aloware.body(user_id=None, **lacks)
    for name, skip in (("Recording-Saved", "not_terminal"), ("Call-Disposed", None)):
        fact = aloware_fact(aloware_webhook.parse(request({"event": name, "body": body})))
        assert fact.skip == skip


@pytest.mark.parametrize("name", ["OutboundPhoneCall-DispositionCompleted", "Contact-Created"])
@pytest.mark.parametrize("rest", [{}, {"body": {}}, {"body": {"note": "x"}}, {"data": {"id": 1}}])
def test_a_delivery_that_says_nothing_of_a_communication_is_kept_and_counts_nothing(name, rest):
    fact = aloware_fact(aloware_webhook.parse(request({"event": name, **rest})))
    assert (fact.metric, fact.skip) == (None, "no_content")
    assert "id_missing" in fact.happening.marks


@pytest.mark.parametrize("name", ["call__1_initiated", "call__5_summarized", "contact__created"])
def test_a_delivery_of_a_part_is_not_marked_for_what_it_lacks(name):
    assert of_aloware(name).happening.marks == ()


def test_how_a_call_went_is_part_of_its_fact():
    job = aloware_job("Call-Disposed", created_at="2026-11-20 03:30:00", disposition_status2=6)
    job = job.model_copy(update={"timezone": "America/Denver", "seconds": 70})
    assert aloware_fact(job).happening == Happening(
        at=datetime(2026, 11, 20, 3, 30, tzinfo=UTC),
        timezone="America/Denver",
        seconds=70,
        channel="call",
        outcome="dead_end",
    )


def test_how_a_workflows_call_went_is_part_of_its_fact():
    properties = {
        "hs_timestamp": "2026-11-20T03:30:00Z",
        "hs_call_duration": "70123",
        "hs_call_status": "NO_ANSWER",
    }
    record = {"objectId": 7, "event_key": "outbound_call", "properties": properties}
    (job,) = hubspot_webhook.parse(request(record))
    (fact,) = hubspot_facts(job, timezone="America/Denver")
    assert fact.date == "2026-11-19"
    assert fact.happening == Happening(
        at=datetime(2026, 11, 20, 3, 30, tzinfo=UTC),
        timezone="America/Denver",
        seconds=70,
        channel="call",
        outcome="no_answer",
        marks=("number_as_text",),
    )


@each_row(
    ("changes", "key", "marks"),
    [
        ({}, "0-5:7:object.creation:1795217400000", ()),
        (
            {"occurredAt": "1795217400000"},
            "0-5:7:object.creation:1795217400000",
            ("time_in_other_form",),
        ),
        (
            {"occurredAt": 1795217400},
            "0-5:7:object.creation:1795217400000",
            ("time_in_other_form",),
        ),
        (
            {"occurredAt": 1795217400000.25},
            "0-5:7:object.creation:1795217400000",
            ("time_in_other_form",),
        ),
        (
            {"occurredAt": "2026-11-20T23:30:00Z"},
            "0-5:7:object.creation:1795217400000",
            ("time_in_other_form",),
        ),
        ({"occurredAt": None}, "0-5:7:object.creation", ("day_guessed", "time_missing")),
        ({"objectTypeId": None}, "object:7:object.creation:1795217400000", ("type_missing",)),
    ],
)
def test_a_creation_in_another_form_has_the_same_key_and_a_mark(changes, key, marks):
    event = hubspot.event(**{"objectId": 7, "occurredAt": 1795217400000, **changes})
    (job,) = hubspot_webhook.parse(request([event]))
    (fact,) = hubspot_facts(job)
    assert fact.key == f"HUBSPOT:{key}"
    assert fact.happening.marks == marks


def test_tickets_and_emails_that_were_created_count():
    case, email = of_hubspot("batch__ticket_and_email_created")

    assert (case.key, case.metric) == (
        "HUBSPOT:0-5:901:object.creation:1763600000000",
        Metric.CASES,
    )
    assert (email.metric, email.agent_id) == (Metric.EMAILS, "unknown")
    assert case.agent_id == "hubspot:5001"
    assert case.date == "2025-11-20"


def test_two_changes_of_one_object_have_two_keys():
    facts = of_hubspot("batch__property_changes")

    assert [fact.key for fact in facts] == [
        "HUBSPOT:0-1:123:contact.propertyChange:1763600000000:lifecyclestage",
        "HUBSPOT:0-1:123:contact.propertyChange:1763600005000:lifecyclestage",
        "HUBSPOT:0-1:123:contact.propertyChange:1763600000000:email",
    ]
    assert {fact.skip for fact in facts} == {"type_not_counted"}


def test_a_classic_subscription_gets_its_object_type_from_its_name():
    (fact,) = of_hubspot("batch__classic_ticket_created")
    assert fact.key == "HUBSPOT:0-5:903:ticket.creation:1763600000000"
    assert fact.metric == Metric.CASES


def test_a_merge_is_keyed_by_the_resulting_object():
    (fact,) = of_hubspot("batch__merge")
    assert fact.key == "HUBSPOT:0-1:13:contact.merge:1763600000000"


def test_a_workflow_counts_under_its_event_name():
    (fact,) = of_hubspot("workflow__case_created")
    assert fact.key == "HUBSPOT:77:workflow.case_created:1763600000000"
    assert fact.metric == Metric.CASES


def test_of_equal_keys_the_first_fact_is_kept():
    event = {"subscriptionType": "ticket.creation", "objectId": 13, "occurredAt": 1763600000000}
    first, second = ({**event, "sourceId": f"userId:{user}"} for user in (5001, 5002))
    (job,) = hubspot_webhook.parse(request([first, second]))
    (fact,) = hubspot_facts(job)
    assert fact.agent_id == "hubspot:5001"


def test_a_deployment_can_configure_its_own_rules():
    rule = MetricRule(
        object_type="0-1", change="propertyChange", property="email", metric=Metric.EMAILS
    )
    facts = of_hubspot("batch__property_changes", rules=[rule])
    assert [fact.metric for fact in facts] == [None, None, Metric.EMAILS]


def test_the_day_of_hubspots_events_is_that_of_the_configured_zone():
    (case, _) = of_hubspot("batch__ticket_and_email_created", timezone="America/Denver")
    assert case.date == "2025-11-19"


def test_an_event_at_the_end_of_the_calendar_has_a_day_in_every_zone():
    event = {"subscriptionType": "object.creation", "objectTypeId": "0-5", "objectId": 1}
    (job,) = hubspot_webhook.parse(request([event | {"occurredAt": 253_402_300_799_000}]))
    (fact,) = hubspot_facts(job, timezone="Asia/Tokyo")
    assert fact.date == "9999-12-31"


def test_unlisted_agents_do_not_count_and_aliases_are_one_person():
    roster = by_id_and_alias([Agent("101", aliases=("hubspot:5001",))])
    known = apply_roster(of_aloware("call__2_disposition_completed"), roster)
    stranger = apply_roster(of_aloware("call__nobody_at_all"), roster)
    case, email = (
        apply_roster(fact, roster) for fact in of_hubspot("batch__ticket_and_email_created")
    )

    assert known.skip is None
    assert stranger.skip == "not_on_roster"
    assert case.agent_id == "101"
    assert (email.agent_id, email.skip) == ("unknown", None)


def test_without_a_roster_everybody_counts():
    fact = of_aloware("call__nobody_at_all")
    assert apply_roster(fact, None) is fact
