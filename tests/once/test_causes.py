"""One outage shows itself in many codes and is one cause; what waits as it is meant to has none."""

import pytest

from chalicelib.once import causes
from chalicelib.once.event import EventStatus
from chalicelib.vendors.reasons import PROVIDERS

TICKET = "evt:rp:1042:c-1"


def cause(status, reason, *, key=TICKET, vendor="richpanel"):
    found = causes.of(key, EventStatus(status), reason, vendor=vendor)
    return found and str(found)


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        ("received", "richpanel_connect_failed"),
        ("processing", "richpanel_http_503"),
        ("processing", "richpanel_breaker_open"),
        ("parked", "unknown:timeout"),
        ("parked", "unknown:http_502"),
        ("failed", "dead_letter:richpanel_answer_is_a_page"),
    ],
)
def test_every_face_of_an_outage_is_one_cause(status, reason):
    assert cause(status, reason) == "richpanel.unavailable.tickets"


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        ("received", "scheduled"),
        ("received", "behind_another"),
        ("processing", "busy"),
        ("processing", "richpanel_paced"),
        ("processing", "richpanel_http_429"),
        ("processing", "twilio_20429"),
        ("processing", "twilio_local_rate_limit"),
        ("failed", "refused:not_found"),
    ],
)
def test_what_waits_as_it_is_meant_to_or_is_a_persons_has_no_cause(status, reason):
    assert cause(status, reason) is None


def test_what_was_given_up_or_parked_always_has_one():
    assert cause("failed", "dead_letter:worker_died") == "us.worker_died.tickets"
    assert cause("failed", "dead_letter:richpanel_http_429") == "richpanel.rate_limited.tickets"
    twilio = cause("failed", "dead_letter:twilio_20429", key="evt:start:5f")
    assert twilio == "twilio.rate_limited.outreach"
    model = cause("failed", "dead_letter:openai_server_is_overloaded", key="evt:reply:sms:5f")
    assert model == "openai.unavailable.outreach"
    assert cause("parked", "plan_not_known_here") == "us.plan_not_known_here.tickets"
    assert cause("processing", "bug_KeyError") == "us.bug_KeyError.tickets"
    assert cause("processing", "switches_unreadable:x.y") == "us.switches_unreadable_x_y.tickets"


def test_a_place_and_a_key_that_is_refused_are_named():
    start = "evt:start:5f"
    assert cause("processing", "twilio_20003", key=start) == "twilio.refuses_key.outreach"
    tell = "evt:tell:5f:1"
    assert cause("processing", "company_timeout", key=tell) == "company.unavailable.companies"


def test_every_provider_is_known():
    assert set(PROVIDERS) == causes.VENDORS


def test_a_name_is_read_as_it_is_written():
    named = causes.Cause("us", "bug_KeyError", "tickets")
    assert causes.Cause.parsed(str(named)) == named
