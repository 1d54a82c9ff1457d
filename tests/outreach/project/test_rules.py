"""Hold rules, quiet hours, and WhatsApp's window for free text."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.project import rules
from tests.rigs.each_row import each_row

TEL, OTHER, MAIL = "+15550100001", "+15550100002", "j.doe@example.com"
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
NIGHT = {"from": "21:00", "until": "08:00", "zone": "Europe/London"}


def record(channel="sms", **more):
    recipient = MAIL if channel == "email" else TEL
    return Record({"primary_channel": recipient, "channel_method": channel, **more})


def quiet(at, *, recipient_zone=None, channel="sms", **setting):
    zone = {"recipient_timezone": recipient_zone} if recipient_zone else {}
    return rules.quiet_until(record(channel, quiet_hours={**NIGHT, **setting}, **zone), at)


def at(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


# --- hand-off rule ------------------------------------------------------------------------------


@each_row(
    ("channel", "rule", "is_held"),
    [
        ("sms", {}, False),
        ("sms", {"": False}, False),
        ("sms", {"": None}, False),
        ("sms", {"": "false"}, True),
        ("sms", {"": "false", "_from_number": [OTHER]}, False),
        ("sms", {"": True}, True),
        ("sms", {"": True, "_from_number": [], "_from_email": None}, True),
        ("sms", {"": True, "_from_number": [TEL]}, True),
        ("sms", {"": True, "_from_number": [OTHER]}, False),
        ("sms", {"": True, "_from_email": [MAIL]}, False),
        ("whatsapp", {"": True, "_from_number": [TEL]}, True),
        ("email", {"": True, "_from_email": [MAIL.upper()]}, True),
        ("email", {"": True, "_from_number": [TEL]}, False),
        ("email", {"": True, "_from_number": [TEL], "_from_email": [MAIL]}, True),
        ("sms", {"": True, "_from_number": [OTHER], "_from_email": [MAIL]}, False),
        ("sms", {"": True, "_from_number": [OTHER], "_from_email": [TEL]}, True),
        ("sms", {"": True, "_from_number": [OTHER, "x"]}, True),
        ("email", {"": True, "_from_number": OTHER, "_from_email": ["x@example.com"]}, True),
        ("sms", {"": False, "_from_number": "x"}, False),
        ("sms", {"": False, "_from_number": [TEL]}, False),
    ],
)
def test_a_rule_applies_to_everyone_or_only_to_the_listed(channel, rule, is_held):
    name = "auto_queue_reply_message"
    settings = {f"{name}{part}": value for part, value in rule.items()}
    assert rules.is_held(record(channel, **settings), name) is is_held
    assert not rules.is_held(record(channel, **settings), "auto_queue_initial_message")


# --- quiet hours --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("now", "until"),
    [
        ("2026-11-20T20:59:59", None),
        ("2026-11-20T21:00:00", "2026-11-21T08:00:00"),
        ("2026-11-20T23:59:59", "2026-11-21T08:00:00"),
        ("2026-11-21T00:00:00", "2026-11-21T08:00:00"),
        ("2026-11-21T07:59:59", "2026-11-21T08:00:00"),
        ("2026-11-21T08:00:00", None),
        ("2026-11-21T12:00:00", None),
    ],
)
def test_quiet_hours_may_span_midnight_and_end_on_the_minute(now, until):
    assert quiet(at(now)) == (at(until) if until else None)


@pytest.mark.parametrize(
    ("now", "until"),
    [
        ("2026-11-20T11:59:00", None),
        ("2026-11-20T12:00:00", "2026-11-20T14:00:00"),
        ("2026-11-20T13:59:59", "2026-11-20T14:00:00"),
        ("2026-11-20T14:00:00", None),
    ],
)
def test_quiet_hours_may_lie_within_a_day(now, until):
    found = quiet(at(now), **{"from": "12:00", "until": "14:00"})
    assert found == (at(until) if until else None)


def test_the_recipients_time_zone_takes_precedence_over_the_projects():
    noon_in_london = at("2026-11-20T12:00:00")
    assert quiet(noon_in_london) is None
    assert quiet(noon_in_london, recipient_zone="Asia/Tokyo") == at("2026-11-20T23:00:00")
    assert quiet(at("2026-11-20T22:00:00"), recipient_zone="America/Denver") is None
    assert quiet(at("2026-11-20T22:00:00"), recipient_zone="Mars/Base") == at("2026-11-21T08:00:00")


def test_quiet_hours_across_a_clock_change_end_by_local_time():
    """London leaves summer time on 2026-10-25 at 01:00 UTC, and enters it on 2026-03-29."""
    assert quiet(at("2026-10-24T22:00:00")) == at("2026-10-25T08:00:00")
    assert quiet(at("2026-03-28T22:00:00")) == at("2026-03-29T07:00:00")


def test_only_the_named_channels_are_quiet():
    night = at("2026-11-20T22:00:00")
    assert quiet(night, channels=["sms"]) is not None
    assert quiet(night, channels=["sms"], channel="email") is None
    assert quiet(night, channels=[]) is None


@each_row(
    "setting",
    [
        True,
        "always",
        {},
        {**NIGHT, "zone": "Nowhere"},
        {**NIGHT, "zone": ""},
        {**NIGHT, "zone": "../../etc/passwd"},
        {**NIGHT, "zone": 7},
        {**NIGHT, "from": "9 pm"},
        {**NIGHT, "until": None},
        {**NIGHT, "from": "08:00"},
        {**NIGHT, "channels": "sms"},
        {**NIGHT, "channels": ["fax"]},
    ],
)
def test_an_unreadable_setting_is_an_error_and_not_ignored(setting):
    with pytest.raises(rules.UnreadableQuietHoursError):
        rules.quiet_until(record(quiet_hours=setting), at("2026-11-20T12:00:00"))


def test_a_project_may_do_without_quiet_hours():
    assert rules.quiet_until(record(quiet_hours=False), at("2026-11-20T22:00:00")) is None


@pytest.mark.parametrize(
    ("recipient", "now", "until"),
    [
        ({"primary_channel": "+442079460000"}, "2026-11-20T20:59:00", None),
        ({"primary_channel": "+442079460000"}, "2026-11-20T21:00:00", "2026-11-21T08:00:00"),
        ({"primary_channel": "+442079460000"}, "2026-11-21T07:59:00", "2026-11-21T08:00:00"),
        # Of a country with several zones, the hours that are quiet in none of them.
        ({"primary_channel": "+14155550100"}, "2026-11-20T17:00:00", "2026-11-20T18:00:00"),
        ({"primary_channel": "+14155550100"}, "2026-11-20T18:30:00", None),
        ({"primary_channel": "+14155550100"}, "2026-11-21T02:30:00", "2026-11-21T18:00:00"),
        (
            {"primary_channel": "+14155550100", "recipient_timezone": "America/New_York"},
            "2026-11-20T14:00:00",
            None,
        ),
        (
            {"primary_channel": "jo@example.com", "channel_method": "email"},
            "2026-11-20T03:00:00",
            None,
        ),
        (
            {
                "primary_channel": "jo@example.com",
                "channel_method": "email",
                "recipient_timezone": "Europe/London",
            },
            "2026-11-20T03:00:00",
            "2026-11-20T08:00:00",
        ),
    ],
)
def test_quiet_hours_are_on_by_default_in_the_recipients_time(recipient, now, until):
    found = rules.quiet_until(record(**recipient), at(now))
    assert found == (at(until) if until else None)


@given(
    now=st.datetimes(datetime(2026, 1, 1), datetime(2027, 12, 31)),  # noqa: DTZ001 - UTC below
    start=st.times(),
    end=st.times(),
    zone=st.sampled_from(["UTC", "Europe/London", "America/Denver", "Asia/Kolkata"]),
)
def test_the_end_of_quiet_hours_is_within_a_day_and_not_quiet(now, start, end, zone):
    assume(start != end)
    moment = now.replace(tzinfo=UTC)
    setting = {"from": start.isoformat(), "until": end.isoformat(), "zone": zone}
    until = quiet(moment, **setting)
    if until is not None:
        assert timedelta(0) < until - moment <= timedelta(hours=25)
        assert quiet(until, **setting) is None


# --- WhatsApp's window --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("last", "is_open"),
    [
        (None, False),
        ("", False),
        ("yesterday", False),
        ("2026-11-19T12:00:00.000Z", False),
        ("2026-11-19T12:00:01.000Z", True),
        ("2026-11-20T11:59:59.000Z", True),
    ],
)
def test_free_text_is_allowed_for_a_day_after_the_recipient_wrote(last, is_open):
    assert rules.window_is_open(record("whatsapp", last_inbound_at=last), NOON) is is_open
