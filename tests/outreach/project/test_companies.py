"""A company's settings as the machine reads them, and when it may come back over a limit."""

import pytest

from chalicelib.errors import PermanentError
from chalicelib.outreach.conversations.records import Draft, Record
from chalicelib.outreach.project import admission as starts
from chalicelib.outreach.project.fields import RateLimits
from chalicelib.outreach.project.project import Project
from chalicelib.outreach.writing.composer import _checked_length


def test_an_invalid_limit_falls_back_to_the_default():
    odd = {"requests_per_minute": 0, "requests_per_day": -1, "concurrent_conversations": "5"}
    assert Project({"rate_limits": odd}).rate_limits == RateLimits()
    assert Project({}).rate_limits == RateLimits()
    limits = Project({"rate_limits": {"requests_per_day": 1, "other": 2}}).rate_limits
    assert limits == RateLimits(requests_per_day=1)


def test_channels_are_compared_without_case_and_only_active_is_active():
    project = Project({"allowed_channels": ["WhatsApp", "SMS"], "project_status": "Active"})
    assert project.allowed_channels == ("whatsapp", "sms")
    assert not project.is_active
    assert Project({"project_status": "active"}).is_active
    assert Project({}).allowed_channels == ()


@pytest.mark.parametrize("value", ["false", 0, None, True])
def test_only_a_boolean_false_does_without_consent(value):
    assert Project({"require_consent": value}).require_consent
    assert Project({}).require_consent
    assert not Project({"require_consent": False}).require_consent


@pytest.mark.parametrize(
    ("limit", "at", "seconds"),
    [(0, 120, 60), (0, 121, 59), (0, 179, 1), (1, 86_400, 86_400), (1, 86_399, 1), (2, 7, 30)],
)
def test_over_a_limit_the_wait_lasts_to_the_next_minute_or_day(limit, at, seconds):
    assert starts._seconds_until_next(limit, at) == seconds


@pytest.mark.parametrize(
    ("channel", "most", "longest"),
    [
        *(("sms", None, 1600), ("sms", 4096, 1600), ("whatsapp", 4096, 1600), ("sms", 160, 160)),
        *(("email", 4096, 4096), ("email", 100, 100)),
    ],
)
def test_a_message_too_long_for_its_channel_is_refused_whole(channel, most, longest):
    record = Record({"channel_method": channel, "max_message_length": most})
    fits = Draft(text="x" * longest)
    assert _checked_length(record, fits) is fits
    with pytest.raises(PermanentError) as refused:
        _checked_length(record, Draft(text="x" * (longest + 1)))
    assert refused.value.reason == "too_long"
