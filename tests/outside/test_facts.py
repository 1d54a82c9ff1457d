"""The promises of docs/facts.md, tried from outside."""

import json
from datetime import timedelta

import pytest

from tests.outside.senders import (
    COMPLETED,
    aloware,
    aloware_bytes,
    archive_files,
    archived,
    call,
    creation,
    hubspot,
    key_of,
    mirrored,
    reported,
    table,
)


def test_a_call_that_six_deliveries_report_is_one_row_of_the_report(stack):
    ended = call(stack, direction="2", type="1", disposition_status2="4")
    ringing = {**ended, "current_status2": 1, "disposition_status2": 1}
    aloware(stack, ringing, "OutboundPhoneCall")
    stack.forward(minutes=1)
    assert reported(stack, ended) == []
    for name in ("Recording-Saved", "Call-Disposed", "Call-Disposed"):
        aloware(stack, ended, name)
    stack.forward(minutes=1)
    aloware(stack, ended)
    aloware(stack, ringing, "OutboundPhoneCall")
    stack.forward(minutes=1)
    assert reported(stack, ended) == [("101", _day(stack), "CALLS")]


def test_a_call_that_is_reported_again_thirteen_days_later_is_not_counted_again(stack):
    made = call(stack)
    aloware(stack, made)
    stack.forward(minutes=1)
    stack.forward(days=13)
    aloware(stack, made)
    stack.forward(minutes=1)
    assert len(reported(stack, made)) == 1


def test_an_event_counts_by_its_numbers_whatever_its_delivery_is_named(stack):
    mislabelled, text, renamed = call(stack), call(stack, type=2), call(stack)
    for name in ("Recording-Saved", "Something-New", COMPLETED):
        aloware(stack, renamed, name)
    incoming, note = call(stack, direction=1), call(stack, type=10)
    aloware(stack, mislabelled, "OutboundSMS-DispositionCompleted")
    for other in (text, incoming, note):
        assert aloware(stack, other).status_code == 200
    stack.forward(minutes=1)
    assert [row[2] for row in reported(stack, mislabelled)] == ["CALLS"]
    assert [row[2] for row in reported(stack, renamed)] == ["CALLS"]
    assert [row[2] for row in reported(stack, text)] == ["TEXTS"]
    assert reported(stack, incoming) == reported(stack, note) == []


def test_a_late_call_is_posted_under_its_contacts_day_in_report_and_archive(stack):
    was = (stack.now() - timedelta(days=3)).replace(hour=2)
    late = call(
        stack, created_at=f"{was:%Y-%m-%d %H:%M:%S}", contact={"timezone": "America/Los_Angeles"}
    )
    aloware(stack, late)
    stack.forward(minutes=1)
    expected = [("101", f"{was - timedelta(days=1):%Y-%m-%d}", "CALLS")]
    assert reported(stack, late) == archived(stack, late) == expected


def test_a_late_creation_of_hubspot_is_posted_under_its_own_day_in_report_and_archive(stack):
    was = stack.now() - timedelta(days=3)
    late = creation(stack, occurredAt=_milliseconds(was))
    hubspot(stack, [late])
    stack.forward(minutes=1)
    expected = [("hubspot:5001", f"{was:%Y-%m-%d}", "CASES")]
    assert reported(stack, late) == archived(stack, late) == expected


@pytest.mark.parametrize(("hour", "days_before"), [(4, 1), (6, 0)])
def test_the_day_of_a_creation_is_the_one_in_the_zone_of_the_settings(stack, hour, days_before):
    at = (stack.now() - timedelta(days=1)).replace(hour=hour, minute=0)  # New York is behind
    made = creation(stack, occurredAt=_milliseconds(at))
    hubspot(stack, [made])
    stack.passes_until(lambda: reported(stack, made), minutes=1)
    assert [row[1] for row in reported(stack, made)] == [
        f"{at - timedelta(days=days_before):%Y-%m-%d}"
    ]


@pytest.mark.parametrize(
    ("zone", "days_more"), [("Asia/Tokyo", 1), ("Europe/London", 0), (None, 0)]
)
def test_the_day_of_a_call_is_the_one_in_its_contacts_zone(stack, zone, days_more):
    at = (stack.now() - timedelta(days=2)).replace(hour=16)
    contact = {"timezone": zone} if zone else {}
    made = call(stack, created_at=f"{at:%Y-%m-%d %H:%M:%S}", contact=contact)
    aloware(stack, made)
    stack.forward(minutes=1)
    assert [row[1] for row in reported(stack, made)] == [
        f"{at + timedelta(days=days_more):%Y-%m-%d}"
    ]


def test_a_signature_that_is_five_minutes_old_or_early_is_taken_and_no_older_or_earlier_one(stack):
    for seconds, status in ((-330, 401), (-270, 200), (270, 200), (330, 401)):
        made = creation(stack)
        assert hubspot(stack, [made], seconds_off=seconds).status_code == status
        stack.forward(minutes=1)
        assert len(reported(stack, made)) == (status == 200)


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("outbound_call", "CALLS"),
        ("outbound_text", "TEXTS"),
        ("email_sent", "EMAILS"),
        ("case_created", "CASES"),
        ("tea_made", None),
    ],
)
def test_a_record_of_a_hubspot_workflow_counts_by_its_name(stack, name, metric):
    number, at = 800_000 + stack.number(), _milliseconds(stack.now())
    record = {"event_key": name, "hs_object_id": number, "occurredAt": at}
    assert hubspot(stack, record).status_code == 200
    stack.forward(minutes=1)
    rows = [row for row in table(stack, "FactEvent") if f":{number}:" in row["EventID"]]
    assert [row["MetricID"] for row in rows] == ([metric] if metric else [])


def test_an_event_that_is_not_counted_is_explained_with_its_reason(stack):
    incoming, contact = call(stack, direction=1), creation(stack, objectTypeId="0-1")
    aloware(stack, incoming)
    hubspot(stack, [contact])
    stack.forward(minutes=1)
    for event, reason in ((incoming, "inbound"), (contact, "type_not_counted")):
        assert reason in stack.ops("facts", "explain", key_of(event)).out
        assert reported(stack, event) == []


def test_a_batch_that_hubspot_repeats_in_another_order_counts_each_creation_once(stack):
    ticket, mail = creation(stack), creation(stack, objectTypeId="0-49")
    contact = creation(stack, objectTypeId="0-1")
    hubspot(stack, [ticket, {"subscriptionType": "object.creation"}, mail, contact])
    again = [{**record, "attemptNumber": 1, "eventId": 9} for record in (contact, mail, ticket)]
    assert hubspot(stack, again).status_code == 200
    stack.forward(minutes=1)
    hubspot(stack, again)
    stack.forward(minutes=1)
    assert [row[2] for row in reported(stack, ticket)] == ["CASES"]
    assert [row[2] for row in reported(stack, mail)] == ["EMAILS"]
    assert reported(stack, contact) == []


def test_a_request_with_a_wrong_token_or_signature_is_refused_and_leaves_no_fact(stack):
    made, created = call(stack), creation(stack)
    foreign = stack.hints["HUBSPOT_WEBHOOK_URL"].replace("https", "http")
    answers = [
        aloware(stack, made, token="wrong"),
        stack.request("POST", "/webhook/aloware", json={"body": made}),
        stack.request("POST", "/webhook/hubspot", json=[created]),
        hubspot(stack, [created], secret="wrong"),
        hubspot(stack, [created], url=foreign),
        hubspot(stack, [created], seconds_off=-301),
    ]
    assert {answer.status_code for answer in answers} == {401}
    stack.forward(minutes=1)
    assert reported(stack, made) == reported(stack, created) == []
    assert "never received" in stack.ops("facts", "explain", key_of(made), code=1).out


def test_a_body_that_is_no_webhook_is_refused_without_a_word_of_it(stack):
    bodies = ('{"body": "Quill', '["Quill"]', '"Quill"', '{"event": "Quill", "body": "Quill"}')
    answers = [aloware_bytes(stack, body) for body in bodies]
    answers += [hubspot(stack, body) for body in ("Quill", 5)]
    assert {answer.status_code for answer in answers} == {400}
    assert not [answer for answer in answers if "Quill" in answer.text]
    crowd = [creation(stack)] * 1001
    assert hubspot(stack, crowd).status_code == 413
    assert aloware_bytes(stack, '{"test_payload": true}').json()["kept"] == 0
    stack.forward(minutes=1)
    assert reported(stack, crowd[0]) == []


def test_facts_that_wait_sixteen_days_for_power_bi_are_posted_once_when_it_is_back(stack):
    made, created = call(stack), creation(stack)
    stack.powerbi.fails(status=503, times=None)
    aloware(stack, made)
    hubspot(stack, [created])
    for _ in range(2):  # in one step the rows would expire before any function has run
        stack.forward(days=8)
    assert stack.ops("facts", "pending").out.startswith("2 facts pending")
    stack.powerbi.recovers()
    stack.forward(hours=1)
    aloware(stack, made)
    stack.forward(minutes=1)
    assert len(reported(stack, made)) == len(reported(stack, created)) == 1


def test_a_fact_waits_for_a_switch_and_is_posted_once_when_it_is_off(stack):
    made = call(stack)
    with stack.switched("kill_switch", "true"):
        assert aloware(stack, made).status_code == 200
        stack.forward(hours=3)
        assert reported(stack, made) == archived(stack, made) == []
    stack.forward(minutes=1)
    assert len(reported(stack, made)) == len(archived(stack, made)) == 1


def test_a_token_that_power_bi_no_longer_takes_costs_no_fact(stack):
    made = call(stack)
    aloware(stack, call(stack))
    stack.forward(minutes=1)
    stack.powerbi.forget("tokens")
    aloware(stack, made)
    stack.forward(minutes=1)
    assert len(reported(stack, made)) == 1


def test_an_agent_is_in_the_report_once_though_the_answer_to_its_post_was_lost(stack):
    made = call(stack, owner_id=stack.number())
    aloware(stack, made)
    stack.powerbi.fails("act_then_drop", operation="post_rows", times=None)
    stack.forward(minutes=1)
    stack.powerbi.recovers()
    for _ in range(3):
        stack.forward(minutes=10)
    agents = [row["AgentID"] for row in table(stack, "DimAgent")]
    assert agents.count(str(made["owner_id"])) == 1
    assert len(agents) == len(set(agents))
    assert set(reported(stack, made)) == {(str(made["owner_id"]), _day(stack), "CALLS")}


def test_a_row_that_power_bi_refuses_fails_alone_and_retry_posts_it_once(stack):
    refused, other = call(stack), call(stack)
    for event in (refused, other):
        aloware(stack, event)
    stack.powerbi.fails(status=400, operation="post_rows", times=2)
    stack.forward(minutes=5)
    assert (len(reported(stack, refused)), len(reported(stack, other))) == (0, 1)
    assert f"{key_of(refused)} " in stack.ops("facts", "failed").out
    stack.ops("facts", "retry", "--yes")
    stack.forward(minutes=5)
    assert len(reported(stack, refused)) == len(reported(stack, other)) == 1


def test_a_thousand_facts_are_once_in_every_sink_whatever_answer_is_lost(stack):
    made = [creation(stack, sourceId=f"userId:{5001 + n % 7}") for n in range(1_000)]
    chances = ("act_then_drop", "drop", "act_then_status", "status")
    steps = ("rename", "flush", "append", "create_file", "look")
    for n, start in enumerate(range(0, 1_000, 100)):
        stack.onelake.fails(chances[n % 4], operation=steps[n % 5], status=(429, 503)[n % 2])
        stack.powerbi.fails(chances[n % 2], operation="post_rows")
        assert hubspot(stack, made[start : start + 100]).status_code == 200
        stack.forward(minutes=2)
    for vendor in (stack.onelake, stack.powerbi):
        vendor.recovers()
    for _ in range(3):
        stack.forward(minutes=30)

    keys = {key_of(event) for event in made}
    rows = stack.onelake.get("tables/FactEvent/rows")["rows"]
    there = [row for row in rows if row["EventID"] in keys]
    in_report = {row["EventID"]: row for row in table(stack, "FactEvent") if row["EventID"] in keys}
    assert len(there) == len(in_report) == 1_000
    assert {row["EventID"]: _shown(row) for row in there} == {
        key: _shown(row) for key, row in in_report.items()
    }
    assert all(archived(stack, event) == mirrored(stack, event) for event in made[::97])
    assert stack.ops("facts", "pending").out.startswith("0 facts pending")
    assert {entry["stopped"] for entry in stack.onelake.get("tables")["tables"]} == {""}
    assert "0 differ" in stack.ops("facts", "check").out


def test_facts_wait_while_onelake_is_away_and_are_there_once_when_it_is_back(stack):
    made = call(stack)
    stack.onelake.modes(has_database=False)
    aloware(stack, made)
    stack.forward(minutes=5)
    assert mirrored(stack, made) == []
    assert stack.ops("facts", "pending").out.startswith("1 facts pending")
    stack.onelake.modes(has_database=True)
    stack.forward(hours=1)
    assert mirrored(stack, made) == [("101", _day(stack), "CALLS")]


def test_while_onelake_is_away_dataset_and_archive_are_on_time_and_take_corrections(stack):
    early, late = call(stack), [call(stack) for _ in range(3)]
    aloware(stack, early)
    stack.forward(minutes=1)
    stack.onelake.modes(has_database=False)
    for made in late:
        aloware(stack, made)
        stack.forward(minutes=1)
        assert len(reported(stack, made)) == len(archived(stack, made)) == 1
    stack.ops("facts", "correct", key_of(early), "--agent", "102", "--yes", code=1)
    assert archived(stack, early)[-1][0] == "102"
    stack.onelake.modes(has_database=True)
    stack.forward(hours=1)
    assert [len(mirrored(stack, made)) for made in late] == [1, 1, 1]
    stack.ops("facts", "correct", key_of(early), "--agent", "102", "--yes")
    assert [row[0] for row in mirrored(stack, early)] == ["102"]
    stack.ops("facts", "rebuild", "--apply", "--yes")


def test_a_corrected_agent_replaces_the_former_one_in_onelake_at_once(stack):
    made = call(stack)
    aloware(stack, made)
    stack.forward(minutes=1)
    assert [row[0] for row in mirrored(stack, made)] == ["101"]
    stack.ops("facts", "correct", key_of(made), "--agent", "102", "--yes")
    assert [row[0] for row in mirrored(stack, made)] == ["102"]
    stack.ops("facts", "rebuild", "--apply", "--yes")


def test_a_table_that_was_deleted_in_onelake_is_found_made_and_filled_again(stack):
    made = call(stack)
    aloware(stack, made)
    stack.forward(minutes=1)
    stack.onelake.forget("tables/FactEvent")
    assert "no_table" in stack.ops("facts", "check", code=1).out
    stack.ops("facts", "create", "--yes")
    stack.ops("facts", "rebuild", "--to", "onelake", "--apply", "--yes")
    assert len(mirrored(stack, made)) == 1
    assert "0 differ" in stack.ops("facts", "check").out


def test_a_corrected_agent_is_in_the_archive_at_once_and_in_the_report_by_a_rebuild(stack):
    made = call(stack)
    aloware(stack, made)
    stack.forward(minutes=1)
    for _ in range(2):
        stack.ops("facts", "correct", key_of(made), "--agent", "102", "--yes")
    assert archived(stack, made)[-1] == ("102", _day(stack), "CALLS")
    assert [row[0] for row in reported(stack, made)] == ["101"]
    stack.ops("facts", "rebuild", "--apply", "--yes")
    stack.forward(minutes=1)
    assert reported(stack, made) == [("102", _day(stack), "CALLS")]
    assert "'agent': '101'" in stack.ops("facts", "explain", key_of(made)).out


def test_a_day_of_the_archive_is_one_file_two_hours_later_with_each_fact_once(stack):
    calls = [call(stack) for _ in range(3)]
    day = _day(stack)
    for made in calls:
        aloware(stack, made)
        stack.forward(minutes=1)
    stack.ops("facts", "correct", key_of(calls[0]), "--agent", "102", "--yes")
    for _ in range(3):
        stack.forward(hours=1)
    (name,) = archive_files(stack, day)
    assert name.startswith("whole-")
    assert archived(stack, calls[0]) == [("102", day, "CALLS")]
    assert [archived(stack, made) for made in calls[1:]] == [[("101", day, "CALLS")]] * 2


def test_rows_that_power_bi_took_and_dropped_are_found_at_night_and_put_back(stack):
    kept, dropped = call(stack), call(stack)
    aloware(stack, kept)
    stack.forward(minutes=1)
    stack.powerbi.fails("ignored", operation="post_rows", times=None)
    aloware(stack, dropped)
    stack.forward(minutes=1)
    stack.powerbi.recovers()
    before = _differences(stack)
    stack.forward(days=1)
    assert _differences(stack) > before
    assert "dataset" in stack.ops("facts", "check", code=1).out
    stack.ops("facts", "rebuild", "--apply", "--yes")
    stack.forward(minutes=1)
    assert len(reported(stack, kept)) == len(reported(stack, dropped)) == 1
    assert "0 differ" in stack.ops("facts", "check").out


@pytest.mark.parametrize("units", [1, 1_000])
@pytest.mark.parametrize("form", [int, str])
def test_a_time_in_epoch_seconds_or_milliseconds_is_the_same_time_and_its_fact_is_marked(
    stack, units, form
):
    was = (stack.now() - timedelta(days=3)).replace(hour=2)
    made = call(
        stack,
        created_at=form(int(was.timestamp()) * units),
        contact={"timezone": "America/Los_Angeles"},
    )
    aloware(stack, made)
    stack.forward(minutes=1)
    assert reported(stack, made) == [("101", f"{was - timedelta(days=1):%Y-%m-%d}", "CALLS")]
    assert "time_in_other_form" in stack.ops("facts", "explain", key_of(made)).out


@pytest.mark.parametrize("created_at", [None, "soon", "0000-00-00 00:00:00"])
def test_a_fact_whose_day_had_to_be_guessed_is_posted_and_marked(stack, created_at):
    made = call(stack, created_at=created_at, contact={"timezone": "UTC"})
    aloware(stack, made)
    stack.forward(minutes=1)
    assert [row[2] for row in reported(stack, made)] == ["CALLS"]
    notes = [row["Notes"] for row in table(stack, "FactEvent") if row["EventID"] == key_of(made)]
    assert ["day=guessed" in note for note in notes] == [True]
    explained = stack.ops("facts", "explain", key_of(made)).out
    assert "day_guessed: the day is that of its receipt" in explained


def test_a_call_whose_id_is_too_long_or_odd_is_counted_once_by_its_hash(stack):
    number = stack.number()
    odd = ["7" * 65 + str(number), f"call {number}", f"\u260e{number}", {"n": number}, -7 - number]
    before = _event_ids(stack)
    for name in (COMPLETED, "Call-Disposed"):
        for call_id in odd:
            assert aloware(stack, call(stack, id=call_id), name).json()["kept"] == 1
    stack.forward(minutes=1)
    new = _event_ids(stack) - before
    assert len(new) == len(odd)
    assert {event_id.partition("-")[0] for event_id in new} == {"ALOWARE:sha256"}
    assert "id_hashed" in stack.ops("facts", "explain", new.pop()).out


def test_what_is_answered_2xx_is_kept_as_a_fact_or_with_its_reason(stack):
    before = _event_ids(stack)
    counted = [
        *(call(stack, **{name: [7]}) for name in ("created_at", "contact", "duration", "user_id")),
        *(call(stack, id=call_id, note=stack.number()) for call_id in (True, None, "", [])),
        *({"test_payload": True, **call(stack)} for _ in range(2)),
    ]
    skipped = [call(stack, type=99), call(stack, type="x", direction=1)]
    for body in (*counted, *skipped):
        answer = aloware(stack, body)
        assert (answer.status_code, answer.json()["kept"]) == (200, 1)
    unnamed = {**call(stack), "event": 5}
    assert aloware_bytes(stack, json.dumps(unnamed)).status_code == 200
    changed = [creation(stack, occurredAt=at) for at in ("soon", None, 10**30)]
    changed += [creation(stack, objectId=object_id) for object_id in ("9" * 65, {}, False)]
    assert hubspot(stack, changed).status_code == 200
    stack.forward(minutes=1)
    assert len(_event_ids(stack) - before) == len([*counted, unnamed, *changed])
    for event in skipped:
        assert "reason" in stack.ops("facts", "explain", key_of(event)).out


def test_a_source_that_changes_its_payloads_is_seen_in_the_night_and_in_the_check(stack):
    for _ in range(5):
        aloware(stack, call(stack, created_at=int(stack.now().timestamp())))
    stack.forward(minutes=1)
    assert "time_in_other_form: its time was read from another form" in _checked(stack)
    nights = stack.output.read_text().count('"event":"facts.drift"')
    stack.forward(hours=20)
    assert stack.output.read_text().count('"event":"facts.drift"') > nights


def _event_ids(stack):
    return {row["EventID"] for row in table(stack, "FactEvent")}


def _checked(stack):
    return stack.ops("facts", "check").out


def _shown(row):
    return tuple(row[name] for name in ("AgentID", "FactDateKey", "MetricID"))


def _day(stack):
    return f"{stack.now():%Y-%m-%d}"


def _milliseconds(moment):
    return int(moment.timestamp() * 1000)


def _differences(stack):
    """How often the nightly comparison has said that a sink lacks facts."""
    return stack.output.read_text().count('"event":"facts.difference"')
