"""A message not asked for is sent when every rule of every place that may be its recipient's allows it."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from chalicelib.outreach.channels import Channel
from chalicelib.outreach.consent.contact_purpose import ContactPurpose
from chalicelib.outreach.jurisdictions.permission import may_send
from chalicelib.outreach.jurisdictions.recipient_place import of_number, of_region
from tests.rigs.each_row import each_row
from tests.rigs.rule_cases import CASES, EMAIL, SMS, UNCERTAIN, WHATSAPP, at, consent, facts

SAMPLES = (
    "+13055550100",
    "+12065550100",
    "+15550100001",
    "+33612345678",
    "+34600123456",
    "+5511912345678",
)


@each_row("rule", CASES)
def test_a_rule_refuses_what_it_forbids_and_allows_the_nearest_other(rule):
    refused, allowed = CASES[rule]
    assert rule in may_send(refused).rules
    assert rule not in may_send(allowed).rules


def test_every_rule_that_refuses_is_named_and_what_time_does_not_heal_comes_first():
    found = may_send(facts("us-fl", when="2026-11-25T23:00", consents=()))
    assert not found.allowed
    assert found.why == ("consent_missing", "calling_hours")
    assert set(found.rules) == {
        *("us-federal:text-consent", "us-fl:text-consent"),
        *("us-federal:calling-hours", "us-fl:calling-hours"),
    }
    assert found.next_at is None
    assert found.stamps == ("us-federal@2026-11", "us-fl@2026-11", "worldwide@2026-11")


def test_it_may_be_sent_when_the_strictest_hours_begin():
    found = may_send(facts("us-fl", when="2026-11-25T20:30"))
    assert found.next_at == at("2026-11-26T08:00", "us-fl")


def test_a_weekend_and_a_holiday_are_waited_out_together():
    """Saturday, Sunday, and the feast of the 12th of October, a Monday in 2026."""
    found = may_send(facts("es", when="2026-10-10T12:00"))
    assert found.next_at == at("2026-10-13T09:00", "es")


def test_a_cap_is_over_when_the_oldest_message_has_left_the_window():
    now = facts("us-fl").at
    sent = [now - timedelta(hours=n) for n in (20, 2, 1)]
    assert may_send(facts("us-fl", sent_at=sent)).next_at == now + timedelta(hours=4)


def test_an_hour_is_allowed_only_where_every_zone_allows_it():
    """At 9 in New York it is before 8 in Seattle, where an uncertain number may be as well."""
    now = at("2026-11-25T09:00", "us")
    known = facts("us", place=of_number("+12125550100"), at=now, consents=(consent(now=now),))
    assert may_send(known).allowed
    found = may_send(replace(known, place=UNCERTAIN))
    assert found.why == ("calling_hours",)
    assert {"us-fl:calling-hours", "us-wa:calling-hours", "ca:calling-hours"} <= set(found.rules)


def test_a_consent_for_one_channel_is_none_for_another():
    for given_on, asked in ((WHATSAPP, SMS), (SMS, EMAIL), (EMAIL, WHATSAPP)):
        found = may_send(facts("gb", asked, consents=(consent(given_on),)))
        assert "consent_missing" in found.why


def test_a_consent_for_orders_is_none_for_marketing_and_one_for_marketing_is_for_all():
    orders = consent(purpose=ContactPurpose.TRANSACTIONAL)
    assert may_send(facts("gb", consents=(orders,))).why == ("consent_missing",)
    place = {"channel": WHATSAPP, "purpose": ContactPurpose.SERVICE}
    assert may_send(replace(facts("gb", consents=(consent(WHATSAPP),)), **place)).allowed


def test_a_consent_ends_at_its_time():
    now = facts("gb").at
    assert may_send(facts("gb", consents=(consent(expires_at=now),))).why == ("consent_expired",)
    later = now + timedelta(seconds=1)
    assert may_send(facts("gb", consents=(consent(expires_at=later),))).allowed


def test_a_consent_that_ends_before_the_hours_begin_is_not_waited_for():
    night = facts("us-fl", when="2026-11-25T23:00")
    ends = night.at + timedelta(hours=1)
    found = may_send(replace(night, consents=(consent(expires_at=ends, now=night.at),)))
    assert (found.why, found.next_at) == (("calling_hours",), None)


def test_what_concerns_an_order_has_no_hours():
    order = {"purpose": ContactPurpose.TRANSACTIONAL, "consents": ()}
    assert may_send(replace(facts("us-fl", when="2026-11-25T03:00"), **order)).allowed


def test_a_reminder_need_not_say_what_the_opening_said():
    assert may_send(facts("us-fl", words=frozenset(), is_opening=False)).allowed


def test_where_nothing_shows_a_place_every_rule_is_kept():
    nowhere = replace(facts("us", EMAIL), place=replace(UNCERTAIN, regions=(), zones=()))
    assert may_send(nowhere).allowed
    silent = may_send(replace(nowhere, words=frozenset(), consents=()))
    assert {"us-federal:mail-words", "de:consent", "fr:consent", "br:words"} <= set(silent.rules)


def test_a_country_without_a_file_has_what_holds_everywhere():
    india = replace(facts("gb", WHATSAPP, consents=()), place=of_region("in"))
    assert may_send(india).rules == ("worldwide:whatsapp-opt-in",)
    assert may_send(india).stamps == ("worldwide@2026-11",)


# --- the first time at which it may be sent -------------------------------------------------------

YEAR = datetime(2026, 1, 1, tzinfo=UTC)
MINUTES = st.integers(0, 365 * 24 * 60 - 1)


@st.composite
def moments(draw):
    """A text to one of several places at any minute of a year, after up to five others."""
    now = YEAR + timedelta(minutes=draw(MINUTES))
    ago = draw(st.lists(st.integers(1, 48 * 60), max_size=5))
    return replace(
        facts("us"),
        place=of_number(draw(st.sampled_from(SAMPLES))),
        channel=draw(st.sampled_from([Channel.SMS, Channel.WHATSAPP])),
        at=now,
        consents=[consent(channel, now=YEAR) for channel in Channel],
        sent_at=[now - timedelta(minutes=minutes) for minutes in ago],
    )


@settings(deadline=None, max_examples=150)
@given(moments(), st.data())
def test_the_next_time_is_allowed_and_none_before_it(asked, data):
    found = may_send(asked)
    if found.allowed or found.next_at is None:
        assert found.allowed or "template_category" in found.why
        return
    assert found.next_at > asked.at
    assert may_send(replace(asked, at=found.next_at)).allowed
    seconds = int((found.next_at - asked.at).total_seconds())
    between = asked.at + timedelta(seconds=data.draw(st.integers(0, seconds - 1)))
    assert not may_send(replace(asked, at=between)).allowed
    assert not may_send(replace(asked, at=found.next_at - timedelta(seconds=1))).allowed


@settings(deadline=None, max_examples=60)
@given(moments())
def test_what_is_uncertain_is_never_allowed_where_a_candidate_refuses(asked):
    unsure = replace(asked, place=UNCERTAIN)
    for region in UNCERTAIN.regions:
        sure = replace(asked, place=replace(UNCERTAIN, regions=(region,)))
        assert may_send(unsure).allowed <= may_send(sure).allowed
