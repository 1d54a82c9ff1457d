"""An endpoint that fails is left alone for a while, by every conversation and every container."""

import pytest

from chalicelib.outreach.company_events import endpoint_breaker
from chalicelib.outreach.company_events.event_names import TELLS, EventName
from tests.rigs.conversation_samples import new

MANY = 40
HOUR = 3600.0


@pytest.fixture
def records(telling, endpoint):
    telling.company(endpoint.url)
    return [telling.open({**new(f"r{n}", "sms"), TELLS: True}) for n in range(MANY)]


def state(telling, record):
    return telling.events.rows.endpoint(record.company_id, record.project_id)


def say(telling, records, name=EventName.ACCEPTED):
    for record in records:
        telling.events.record(record, name, "once", reason="carrier")


def test_of_forty_conversations_three_find_out_that_their_endpoint_fails(
    telling, endpoint, records
):
    endpoint.status = 500
    say(telling, records)
    telling.run()
    assert len(endpoint.attempts) == endpoint_breaker.FAILURES_TO_OPEN
    telling.forward(5)
    assert len(endpoint.attempts) == endpoint_breaker.FAILURES_TO_OPEN, "the pause is not over"


def test_one_probe_after_each_pause_and_each_pause_is_twice_as_long(telling, endpoint, records):
    endpoint.status = 500
    say(telling, records)
    telling.forward(HOUR)
    probes = len(endpoint.attempts) - endpoint_breaker.FAILURES_TO_OPEN
    assert 4 <= probes <= 7, "after 30, 60, 120 ... seconds, and never one for each conversation"
    telling.forward(3 * HOUR)
    assert len(endpoint.attempts) - endpoint_breaker.FAILURES_TO_OPEN - probes <= 12


def test_what_waited_is_posted_within_the_spread_once_the_endpoint_accepts(
    telling, endpoint, records
):
    endpoint.status = 500
    say(telling, records)
    telling.forward(120)
    endpoint.status = 204
    telling.forward(HOUR / 2)
    assert len(endpoint.received) == MANY
    assert state(telling, records[0]).open_until is None
    assert state(telling, records[0]).failing_since is None


def test_two_containers_send_one_probe(telling, endpoint, records):
    rows, now = telling.events.rows, telling.clock.now().timestamp()
    head = head_of(telling, records)
    for _ in range(endpoint_breaker.FAILURES_TO_OPEN):
        comes = endpoint_breaker.count_failure(rows, head, now)
    assert comes >= now + endpoint_breaker.FIRST_PAUSE_SECONDS
    seen, later = state(telling, records[0]), now + endpoint_breaker.FIRST_PAUSE_SECONDS
    assert endpoint_breaker.next_post_epoch(rows, head, seen, now) is not None
    assert endpoint_breaker.next_post_epoch(rows, head, seen, later) is None
    other = endpoint_breaker.next_post_epoch(rows, head, seen, later)
    assert other >= later + endpoint_breaker.PROBE_PAUSE_SECONDS


def test_the_pause_is_a_quarter_of_an_hour_at_most(telling, endpoint, records):
    rows, now = telling.events.rows, telling.clock.now().timestamp()
    for _ in range(30):
        endpoint_breaker.count_failure(rows, head_of(telling, records), now)
    until = state(telling, records[0]).open_until
    assert until == pytest.approx(now + endpoint_breaker.MAX_PAUSE_SECONDS)


def test_an_endpoint_that_accepts_costs_no_write(telling, endpoint, records):
    say(telling, records[:1])
    telling.conversations_table.calls.clear()
    telling.run()
    key = f"endpoint#{records[0].company_id}#{records[0].project_id}"
    written = [call for call in telling.conversations_table.calls if key in str(call)]
    assert not [call for call in written if "get" not in str(call).lower()]


def head_of(telling, records):
    say(telling, records[:1])
    return telling.events.rows.head(records[0].opaque_id)
