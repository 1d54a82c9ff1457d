"""Companies also hear of what no worker sees: one click in an e-mail, and a start that never opened."""

import itertools
from contextlib import suppress

import pytest

from chalicelib.errors import UnavailableError
from chalicelib.once.caller_shares import CallerShares
from chalicelib.once.event import EventStatus
from chalicelib.once.job import Recovery, facts_of
from chalicelib.once.keys import OpaqueIds
from chalicelib.outreach import keys
from chalicelib.outreach.company_events.event_names import TELLS, EventName
from chalicelib.outreach.consent import unsubscribe
from chalicelib.outreach.consent.unsubscribe import UnsubscribeDoor
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.jobs import StartConversation
from chalicelib.outreach.project.fields import RateLimits
from chalicelib.outreach.resume import ResumeRebuilder, resume_job
from tests.rigs.company_endpoint import Telling, consumer
from tests.rigs.conversation_samples import new
from tests.rigs.crash_injection import ProcessKilled, killed_at
from tests.rigs.keys import one_key

HOUR = 3600.0
STAGE = unsubscribe.LinkKeys(lambda: OpaqueIds(b"a key of the stage"), one_key)
LIMITS = RateLimits(requests_per_minute=99, requests_per_day=99, concurrent_conversations=99)


@pytest.fixture
def company(telling, endpoint):
    """A company with an endpoint, and outreach's own worker beside the one that posts its events."""
    return with_outreach(telling, endpoint.url)


def with_outreach(rig, url, **more):
    rig.company(url, **more)
    kinds = ("start_conversation", "outreach_resume", "unsubscribed")
    rig.worker.handlers.flows.update(dict.fromkeys(kinds, rig.flow()))
    resumes = ResumeRebuilder(rig.conversations)
    rig.rebuilders |= {"evt:unsubscribe": resumes, "evt:start": resumes}
    return rig


def mailed(rig, number=1, *, tells=True):
    """A conversation by e-mail."""
    more = {"opaque_id": f"{number:032x}", **({TELLS: True} if tells else {})}
    return rig.open(new(f"req{number}", "email", **more))


def token(record):
    return unsubscribe.signed_token(
        STAGE, record.company_id, record.primary_channel, record.opaque_id
    )


def door(rig):
    return UnsubscribeDoor(
        conversations=rig.conversations,
        links=STAGE,
        log=rig.log,
        intake=rig.intake,
        ledger=rig.ledger,
        shares=CallerShares(clock=rig.clock, log=rig.log),
    )


def forbidden(rig, record):
    return rig.conversations.forbids(record)


# --- one click --------------------------------------------------------------------------------


def test_a_click_is_told_once_however_often_it_is_made(company, endpoint):
    record, other = mailed(company), mailed(company, 2)
    for _ in range(3):
        assert door(company).unsubscribe(token(record)).status == 200
        company.run()
    assert forbidden(company, record) == "unsubscribed"
    (event,) = endpoint.received.values()
    assert event["type"] == "conversation.opted_out"
    assert event["data"]["reason"] == "unsubscribed"
    assert event["data"]["request_id"] == record.request_id != other.request_id


def test_a_click_waits_its_turn_behind_what_happened_before(company, endpoint):
    record = mailed(company)
    endpoint.status = 500
    company.events.record(record, EventName.SENT, "e1")
    company.run()
    door(company).unsubscribe(token(record))
    company.run()
    endpoint.status = 204
    company.forward(HOUR)
    assert endpoint.types == ["sent", "opted_out"]


@pytest.mark.parametrize("case", ["no endpoint", "an ended conversation"])
def test_where_no_company_hears_of_it_the_mark_is_made_all_the_same(company, endpoint, case):
    record = mailed(company, tells=case != "no endpoint")
    if case == "an ended conversation":
        company.conversations_table.delete(record.key)
    assert door(company).unsubscribe(token(record)).status == 200
    company.run()
    assert forbidden(company, record) == "unsubscribed"
    assert endpoint.received == {}
    assert company.ledger.stored(keys.unsubscribe(record.opaque_id)) is None


def test_the_conversation_in_a_token_cannot_be_changed(company):
    record, other = mailed(company), mailed(company, 2)
    forged = token(record).replace(record.opaque_id, other.opaque_id)
    assert door(company).unsubscribe(forged).status == 404
    assert forbidden(company, record) is None


def test_a_click_while_the_queue_or_the_conversation_is_away_is_marked_and_told_later(
    company, endpoint
):
    record, other = mailed(company), mailed(company, 2)
    company.outbox.fails = [UnavailableError("enqueue_failed")]
    assert door(company).unsubscribe(token(record)).status == 503
    assert forbidden(company, record) == "unsubscribed"
    company.forward(HOUR)
    assert endpoint.types == ["opted_out"], "the sweep found it"
    company.conversations_table.fails["get"] = [UnavailableError("away")]
    assert door(company).unsubscribe(token(other)).status == 503
    assert forbidden(company, other) == "unsubscribed"
    assert door(company).unsubscribe(token(other)).status == 200
    company.forward(HOUR)
    assert endpoint.types == ["opted_out", "opted_out"]


def test_a_door_killed_at_any_write_marks_and_tells_or_neither(telling_time):
    ended = set()
    for number in itertools.count(1):
        for moment in ("before", "after"):
            with consumer() as told:
                rig = with_outreach(telling_time(Telling()), told.url)
                record = mailed(rig)
                with killed_at(rig, number, moment) as counted, suppress(ProcessKilled):
                    door(rig).unsubscribe(token(record))
                if not counted["killed"]:
                    break
                rig.forward(HOUR)
                ended.add((forbidden(rig, record), tuple(told.types)))
        else:
            continue
        break
    assert ended == {(None, ()), ("unsubscribed", ("opted_out",))}
    assert number > 1


# --- a start that never opened ----------------------------------------------------------------


def start(rig, number=1, **record):
    """A start that the door has admitted, with its queue message."""
    attributes = new(f"req{number}", "sms", opaque_id=f"{number:032x}", **{TELLS: True, **record})
    job = StartConversation(
        event_key=f"evt:start:{number}",
        conversation_id=attributes["opaque_id"],
        received_at=rig.clock.now().isoformat().replace("+00:00", "Z"),
        source="channel_router",
        trace_id="t",
        sender="+15550109002",
        recipient=attributes["primary_channel"],
        record={**attributes, "start_event": f"evt:start:{number}", "quiet_hours": False},
    )
    also = [rig.events.rows.announcing(Record(job.record))] if job.record[TELLS] else []
    rig.starts.admit(facts_of(job), job.record["company_id"], LIMITS, also)
    return job


@pytest.mark.parametrize("include", [[], ["text", "recipient"]])
def test_a_start_to_a_forbidden_recipient_is_told_once(telling, endpoint, include):
    company = with_outreach(telling, endpoint.url, include=include)
    job = start(company)
    company.conversations.forbid(job.recipient, "ci-aaa-001", "stop")
    for _ in range(2):
        company.intake.accept(job)
        company.run()
    (event,) = endpoint.received.values()
    assert event["type"] == "conversation.failed"
    assert (event["data"]["stage"], event["data"]["reason"]) == ("open", "do_not_contact")
    assert event["data"]["request_id"] == "req1"
    assert "recipient" not in event["data"]


def test_a_start_of_which_only_the_row_is_left_is_told_and_again_when_it_is_repeated(
    company, endpoint
):
    job = start(company)
    for _ in range(2):
        lost = resume_job(facts_of(job), None)
        company.intake.accept(lost, recovery=Recovery.SWEEP)
        company.run()
    assert company.ledger.stored(job.event_key).status == EventStatus.FAILED
    (event,) = endpoint.received.values()
    assert event["data"]["reason"] == "never_opened"
    assert event["data"]["request_id"] == "req1"
    company.clock.forward(60)
    again = start(company)
    company.intake.accept(resume_job(facts_of(again), None), recovery=Recovery.SWEEP)
    company.run()
    assert endpoint.types == ["failed", "failed"]
    assert endpoint.numbers == [1, 2]


def test_a_start_under_another_ones_conversation_is_told_with_its_own_request(company, endpoint):
    first = start(company)
    record = company.open({**first.record})
    second = start(company, 2)
    taken = {**second.record, **record.key, "opaque_id": record.opaque_id}
    company.intake.accept(
        second.model_copy(update={"record": taken, "conversation_id": record.opaque_id})
    )
    company.run()
    (event,) = endpoint.received.values()
    assert event["data"]["reason"] == "conversation_exists"
    assert event["data"]["request_id"] == "req2"


def test_a_start_of_a_company_without_an_endpoint_leaves_nothing(company, endpoint):
    job = start(company, **{TELLS: False})
    company.intake.accept(resume_job(facts_of(job), None), recovery=Recovery.SWEEP)
    company.run()
    assert endpoint.received == {}
    assert company.events.rows.head(job.conversation_id) is None
