"""A company's events over a real connection: every one once by its id and in order, whatever breaks."""

import pytest

from chalicelib.errors import UnavailableError
from chalicelib.once.event import EventStatus
from chalicelib.once.job import Recovery
from chalicelib.once.later import MOST_ROUNDS
from chalicelib.once.ports import Switches
from chalicelib.outreach import keys
from chalicelib.outreach.company_events.event_names import TELLS, EventName
from chalicelib.outreach.conversations.records import Entry
from chalicelib.outreach.people.persons import DeskPerson
from chalicelib.wiring.jobs import decode
from tests.rigs.company_endpoint import SECRETS, consumer
from tests.rigs.conversation_samples import new

HOUR = 3600.0
DAY = 24 * HOUR
OTHER = "ci-bbb-002"


@pytest.fixture
def record(telling, endpoint):
    telling.company(endpoint.url)
    return telling.open({**new(channel="sms"), TELLS: True})


def status_of(telling, record, number):
    stored = telling.ledger.stored(keys.tell(record.opaque_id, number))
    return stored and stored.status


def happens(telling, record, *names):
    for name in names:
        telling.events.record(record, name, "once", reason="carrier")


def test_a_company_is_told_everything_once_and_in_order(telling, endpoint, record):
    happens(telling, record, EventName.ACCEPTED, EventName.SENT, EventName.DELIVERED)
    telling.run()
    assert endpoint.types == ["accepted", "sent", "delivered"]
    assert endpoint.numbers == [1, 2, 3]
    assert len(endpoint.attempts) == 3
    assert endpoint.forged == 0


def test_what_is_recorded_again_is_told_once(telling, endpoint, record):
    for _ in range(3):
        happens(telling, record, EventName.ACCEPTED, EventName.SENT)
        telling.run()
    assert endpoint.numbers == [1, 2]
    assert len(endpoint.attempts) == 2


def test_a_body_holds_identifiers_and_no_personal_data(telling, endpoint, record):
    happens(telling, record, EventName.FAILED)
    telling.run()
    (event,) = endpoint.received.values()
    assert event == {
        "type": "conversation.failed",
        "timestamp": event["timestamp"],
        "data": {
            "version": 1,
            "number": 1,
            "conversation": record.opaque_id,
            "company_id": record.company_id,
            "project_id": record.project_id,
            "request_id": record.request_id,
            "channel": "sms",
            "reason": "carrier",
        },
    }
    assert record.primary_channel not in endpoint.attempts[0][1]


def test_a_company_that_asks_for_it_gets_the_text_and_the_recipient(telling, endpoint, record):
    telling.company(endpoint.url, include=["text", "recipient"])
    record, _ = telling.conversations.append(record, entry("SM1", "Yes, please"))
    telling.events.record(record, EventName.REPLY_RECEIVED, "SM1", message_id="SM1")
    telling.run()
    (event,) = endpoint.received.values()
    assert event["data"]["text"] == "Yes, please"
    assert event["data"]["recipient"] == record.primary_channel


def test_a_company_that_asks_for_it_hears_who_of_its_team_acted(telling, endpoint, record):
    who = DeskPerson("ana@example.com", "00u1abc", "login.example.com")
    for include in ([], ["person"]):
        telling.company(endpoint.url, include=include)
        key = f"act-{len(include)}"
        telling.events.record(record, EventName.TAKEN, key, hand_off="h-1", **who.facts)
        telling.run()
    without_person, with_person = (event["data"] for event in endpoint.received.values())
    named = {name: value for name, value in with_person.items() if name.startswith("person")}
    assert named == {
        "person_name": "ana@example.com",
        "person_subject": "00u1abc",
        "person_issuer": "login.example.com",
    }
    assert "ana" not in str(without_person)
    assert "00u1abc" not in str(without_person)


def entry(entry_id, text):
    return Entry(entry_id, "2026-11-20T12:00:00.000Z", "user", text)


@pytest.mark.parametrize("known", SECRETS)
def test_a_consumer_that_knows_one_of_the_secrets_is_told(telling, endpoint, record, known):
    endpoint.secret = known
    happens(telling, record, EventName.ACCEPTED)
    telling.run()
    assert (endpoint.types, endpoint.forged) == (["accepted"], 0)


@pytest.mark.parametrize("status", [500, 503, 404, 401, 302, 0])
@pytest.mark.parametrize("acts", [False, True])
def test_an_endpoint_that_was_down_for_an_hour_gets_every_event_once_and_in_order(
    telling, endpoint, record, status, acts
):
    endpoint.status, endpoint.acts_when_failing = status, acts
    for name in (
        EventName.ACCEPTED,
        EventName.SENT,
        EventName.DELIVERED,
        EventName.REPLY_RECEIVED,
        EventName.ANSWERED,
    ):
        happens(telling, record, name)
        telling.forward(HOUR / 5)
    assert set(endpoint.types) <= {"accepted"}, "the later ones wait behind the first"
    assert len(endpoint.attempts) > 5
    assert telling.outbox.messages == [], "no message waits in the queue"
    endpoint.status, endpoint.acts_when_failing = 204, False
    telling.forward(2 * HOUR)
    assert endpoint.numbers == [1, 2, 3, 4, 5]
    assert telling.events.rows.endpoint(record.company_id, record.project_id).failing_since is None


def test_another_conversation_and_another_company_are_told_meanwhile(telling, endpoint, record):
    with consumer() as other:
        telling.company(other.url, OTHER)
        theirs = telling.open(
            {
                **new("theirs", "sms"),
                "company_id": OTHER,
                "conversation_id": f"{OTHER}#x",
                TELLS: True,
            }
        )
        endpoint.status = 500
        happens(telling, record, EventName.ACCEPTED)
        happens(telling, theirs, EventName.ACCEPTED, EventName.SENT)
        telling.run()
        assert (endpoint.types, other.types) == ([], ["accepted", "sent"])
        assert {event["data"]["company_id"] for event in other.received.values()} == {OTHER}


def test_a_worker_that_dies_after_the_endpoint_has_acted_tells_it_again_under_the_same_id(
    telling, endpoint, record
):
    whole, died = telling.teller.tell, []

    def dies(actions, *, deadline_seconds):
        done = whole(actions, deadline_seconds=deadline_seconds)
        if not died:
            died.append(done)
            raise KeyboardInterrupt
        return done

    telling.teller.tell = dies
    happens(telling, record, EventName.ACCEPTED, EventName.SENT)
    with pytest.raises(KeyboardInterrupt):
        telling.run()
    telling.run()
    assert endpoint.numbers == [1], "the second waits for the first's end"
    telling.new_container()
    telling.forward(2 * HOUR)
    assert endpoint.numbers == [1, 2]
    assert [event_id for event_id, _ in endpoint.attempts].count(died[0]) == 2


def test_nothing_is_lost_when_the_queue_does_not_take_the_job(telling, endpoint, record):
    """The next event's job brings it along. The caller may call again or not: its own event has not ended."""
    telling.outbox.fails = [UnavailableError("enqueue_failed")]
    with pytest.raises(UnavailableError):
        happens(telling, record, EventName.ACCEPTED)
    happens(telling, record, EventName.SENT)
    telling.run()
    assert endpoint.types == ["accepted", "sent"]
    happens(telling, record, EventName.ACCEPTED)
    telling.run()
    assert endpoint.types == ["accepted", "sent"]


def test_after_three_days_the_endpoint_is_paused_and_an_operator_resumes_it(
    telling, endpoint, record
):
    endpoint.status = 500
    happens(telling, record, EventName.ACCEPTED, EventName.SENT)
    telling.forward(3 * DAY + 9 * HOUR)
    rows = telling.events.rows
    assert rows.endpoint(record.company_id, record.project_id).paused_at
    assert [
        row["opaque_id"] for row in rows.stopped_conversations(record.company_id, record.project_id)
    ] == [record.opaque_id]
    assert status_of(telling, record, 1) == EventStatus.FAILED
    assert "mw.companies.stopped" in telling.log.metric_names()
    tried = len(endpoint.attempts)
    assert tried < 40
    other = telling.open({**new("req124", "sms"), TELLS: True})
    happens(telling, other, EventName.ACCEPTED)
    telling.forward(DAY)
    assert len(endpoint.attempts) == tried, "nothing is sent to a paused endpoint"

    endpoint.status = 204
    telling.conversations_table.transact(
        [rows.resuming_endpoint(record.company_id, record.project_id)]
    )
    for item in list(rows.stopped_conversations(record.company_id, record.project_id)):
        head = rows.resume(item["opaque_id"])
        telling.events.queue_post(head.opaque_id, head.posted + 1, Recovery.OPERATOR)
        rows.unlist(record.company_id, record.project_id, item["opaque_id"])
    telling.run()
    assert sorted(endpoint.types) == ["accepted", "accepted", "sent"]
    assert list(rows.stopped_conversations(record.company_id, record.project_id)) == []


def test_an_endpoint_that_says_it_is_gone_is_paused_at_once(telling, endpoint, record):
    endpoint.status = 410
    happens(telling, record, EventName.ACCEPTED, EventName.SENT)
    telling.forward(DAY)
    assert len(endpoint.attempts) == 1
    assert telling.events.rows.endpoint(record.company_id, record.project_id).paused_at


def test_events_behind_one_that_is_not_posted_are_not_begun(telling, endpoint, record):
    endpoint.status = 503
    for name in (EventName.ACCEPTED, EventName.DELIVERED, EventName.READ):
        happens(telling, record, name)
    telling.run()
    endpoint.status = 410
    telling.forward(3_600)
    rows = [key for (key,) in telling.table.rows if key.startswith("evt:tell:")]
    assert rows == [keys.tell(record.opaque_id, 1)]


def test_a_backlog_of_events_is_posted_in_a_few_rounds(telling, endpoint, record):
    """Lambda stops a chain of function, queue, function after about 16 rounds."""
    endpoint.status = 503
    for number in range(49):
        telling.events.record(record, EventName.DELIVERED, str(number))
    telling.run()
    endpoint.status, worked = 204, []
    process = telling.process
    telling.process = lambda body: (worked.append(decode(body).rounds), process(body))
    telling.forward(3_600)
    assert [event["data"]["number"] for event in endpoint.received.values()] == list(range(1, 50))
    assert max(worked) <= MOST_ROUNDS


def test_an_endpoint_may_ask_to_wait(telling, endpoint, record):
    endpoint.status, endpoint.headers = 503, {"retry-after": "600"}
    happens(telling, record, EventName.ACCEPTED)
    telling.forward(599)
    assert len(endpoint.attempts) == 1


def test_a_switch_keeps_events_back_and_loses_none(telling, endpoint, record):
    telling.switches.switches = Switches(kill_switch=True)
    happens(telling, record, EventName.ACCEPTED, EventName.SENT)
    telling.forward(HOUR)
    assert endpoint.attempts == []
    telling.switches.switches = Switches()
    telling.forward(HOUR)
    assert endpoint.numbers == [1, 2]


def test_an_event_that_was_kept_back_for_hours_waits_seconds_after_its_first_attempt(
    telling, endpoint, record
):
    telling.switches.switches = Switches(shadow_mode=True)
    happens(telling, record, EventName.ACCEPTED)
    telling.forward(6 * HOUR)
    telling.switches.switches = Switches()
    endpoint.status = 503
    telling.forward(HOUR)
    assert endpoint.attempts
    endpoint.status = 204
    telling.forward(HOUR)
    assert endpoint.types == ["accepted"]


@pytest.mark.parametrize("look", [1, 2, 3])
def test_a_switch_that_is_set_while_an_event_is_posted_ends_no_line(
    telling, endpoint, record, monkeypatch, look
):
    current, looks = telling.switches.current, iter(range(1, 100))

    def flipped():
        telling.switches.switches = Switches(shadow_mode=next(looks) >= look)
        return current()

    with monkeypatch.context() as patch:
        patch.setattr(telling.switches, "current", flipped)
        happens(telling, record, EventName.ACCEPTED, EventName.SENT)
        telling.forward(HOUR)
    telling.switches.switches = Switches()
    telling.forward(HOUR)
    assert endpoint.numbers == [1, 2]


def test_a_project_that_has_no_endpoint_any_more_holds_nothing_up(telling, endpoint, record):
    key = {"company_id": record.company_id, "project_id": record.project_id}
    happens(telling, record, EventName.ACCEPTED, EventName.SENT)
    telling.companies_table.put(key)
    telling.run()
    telling.company(endpoint.url)
    happens(telling, record, EventName.DELIVERED)
    telling.run()
    assert endpoint.types == ["delivered"]


def test_a_secret_that_is_missing_is_waited_for(telling, endpoint, record):
    name = f"rp-mw/dev/companies/{record.company_id}/webhook"
    good = telling.secrets.texts[name]
    telling.secrets.texts[name] = '{"signing_secrets": ["whsec_c2hvcnQ="]}'
    happens(telling, record, EventName.ACCEPTED)
    telling.forward(HOUR)
    assert endpoint.attempts == []
    telling.secrets.texts[name] = good
    telling.forward(HOUR)
    assert endpoint.types == ["accepted"]


def test_an_erased_conversation_is_told_no_more(telling, endpoint, record):
    endpoint.status = 500
    happens(telling, record, EventName.ACCEPTED)
    telling.run()
    endpoint.status = 204
    table = telling.conversations_table
    for item in table.query_all(
        at_most=99,
        KeyConditionExpression="primary_channel = :p",
        values={"p": f"events#{record.opaque_id}"},
    ):
        assert item["opaque_id"] == record.opaque_id, "an erasure finds it"
        table.delete({name: item[name] for name in ("primary_channel", "conversation_id")})
    telling.forward(HOUR)
    assert endpoint.received == {}


def test_a_conversation_of_a_company_without_an_endpoint_costs_nothing(telling):
    record = telling.open(new(channel="sms"))
    telling.conversations_table.calls.clear()
    happens(telling, record, *EventName)
    assert telling.conversations_table.calls == []
    assert telling.outbox.messages == []


def test_the_newest_attempts_are_listed_with_what_was_answered_and_without_a_body(
    telling, endpoint, record
):
    endpoint.status = 503
    happens(telling, record, EventName.ACCEPTED)
    telling.run()
    endpoint.status = 0
    telling.forward(6)
    endpoint.status = 204
    telling.forward(60)
    listed = telling.events.rows.attempts(record.company_id, record.project_id, 10)
    assert [attempt.status for attempt in listed] == [204, None, 503]
    assert [attempt.reason for attempt in listed] == ["", "connection_broken", ""]
    assert {(attempt.type, attempt.number, attempt.opaque_id) for attempt in listed} == {
        ("conversation.accepted", 1, record.opaque_id)
    }
    assert [attempt.at for attempt in listed] == sorted(
        (attempt.at for attempt in listed), reverse=True
    )
    assert len(telling.events.rows.attempts(record.company_id, record.project_id, 2)) == 2
    assert telling.events.rows.attempts(OTHER, record.project_id, 10) == []
