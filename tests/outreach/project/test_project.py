"""Each part of a project is read by itself; one that cannot be read has its own rule."""

from datetime import UTC, datetime

import pytest

from chalicelib.errors import PermanentError, reason_of
from chalicelib.outreach.channels import Channel
from chalicelib.outreach.consent.unsubscribe import is_marketing
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.conversations.response_targets import target_of
from chalicelib.outreach.languages import Language, language_of
from chalicelib.outreach.messages.fixed import help_answer
from chalicelib.outreach.messages.reopening import template_of
from chalicelib.outreach.project import openings, rules
from chalicelib.outreach.project.fields import AnsweringSetting, JurisdictionSetting, RateLimits
from chalicelib.outreach.project.item import BEDROCK, OPENAI
from chalicelib.outreach.project.project import Project, parts
from chalicelib.outreach.project.unreadable import UnreadableQuietHoursError
from chalicelib.outreach.spending.budget_limits import Budget
from local import company
from tests.rigs.each_row import each_row

TEL = "+447700900123"
NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
NIGHT = {"from": "21:00", "until": "08:00", "zone": "Europe/London"}
STEP = {"after_minutes": 60, "text": "Did you see our message?"}
CONFIG = company.project("dev")["channel_config"]


def record_of(read):
    """A conversation that such a project has opened."""
    ids = {"company_id": "ci-1", "project_id": "pi-1", "primary_channel": TEL}
    return Record(openings.attributes(read, Channel.SMS, {}, **ids))


def has_no_sender(read):
    assert {read.sender(channel) + read.secret_name(channel) for channel in Channel} == {""}
    assert template_of(Record({"channel_method": "whatsapp"}), read) is None


def waits(read):
    with pytest.raises(UnreadableQuietHoursError):
        rules.quiet_until(record_of(read), NOON)


def asks_a_person(read):
    with pytest.raises(PermanentError) as refused:
        _ = read.ai_config
    assert reason_of(refused.value) == "ai_config_unreadable"
    assert read.provider in (OPENAI, BEDROCK)


def holds(read):
    """The messages of one kind are held, and those of the other are not."""
    held = [rules.is_held(record_of(read), rule) for rule in rules.HOLD_REASONS.values()]
    assert sorted(held) == [False, True]


def says(text):
    """HELP is answered with the text of what was stored."""

    def check(read):
        assert text in help_answer(record_of(read), None)

    return check


def is_(get, value):
    def check(read):
        assert get(read) == value

    return check


NOTHING = 7, "x", ["x"], {"x": 1}
"""Values that no part can have."""
NO_TEXT = 7, ["x"], {"x": 1}, "", "\r\n"
SWITCH = *NOTHING, "yes", "false", 1, 0, [], {}
LISTED = *NOTHING, "", {}, ["+15550100002", "x"]
RULES = {
    "company_id": ((7,), is_(lambda read: read.company_id, "7")),
    "project_id": ((7,), is_(lambda read: read.project_id, "7")),
    "company_name": (NO_TEXT, says("ci-1")),
    "project_name": (NO_TEXT, says("pi-1")),
    "project_status": (NOTHING, is_(lambda read: read.is_active, False)),
    "allowed_channels": ((*NOTHING, "sms", []), is_(lambda read: read.allowed_channels, ())),
    "channel_config": (
        (*NOTHING, {"sms": "x"}, {"sms": {"company_sms_number": 7}, "email": ["x"]}),
        has_no_sender,
    ),
    "rate_limits": (NOTHING, is_(lambda read: read.rate_limits, RateLimits())),
    "company_rep": (NOTHING, is_(lambda read: read.representatives, ())),
    "ai_config": (
        (*NOTHING[:3], [], False, {"writer": {"x": 1}}, {"provider": "bedrock", "tools": [7]}),
        asks_a_person,
    ),
    "require_consent": (NOTHING, is_(lambda read: read.require_consent, True)),
    "quiet_hours": (
        (*NOTHING, True, {}, {**NIGHT, "zone": "Mars"}, {**NIGHT, "until": "21:00"}),
        waits,
    ),
    "answering": (
        (*NOTHING, {"quiet_period_seconds": 51}),
        is_(lambda read: read.answering, AnsweringSetting()),
    ),
    "model_budget": (
        (*NOTHING, {"cents_per_day": "5", "cents_per_conversation": -1}),
        is_(lambda read: (Budget.of(read), Budget.of_conversation(read)), (None, None)),
    ),
    "handoff_target": (
        (*NOTHING, {"minutes": 0}, {"minutes": 5, "zone": "Mars"}),
        is_(lambda read: (read.handoff_target, target_of(record_of(read).item)), (None, None)),
    ),
    "handoff_notice": (
        (*NOTHING, {"email": "x"}, {"email": "desk@example.com", "after_minutes": 0}),
        is_(lambda read: read.handoff_notice, None),
    ),
    "follow_ups": (
        (*NOTHING, {"reminder": STEP, "x": 1}, {"end": {**STEP, "text": ""}}),
        is_(lambda read: (read.follow_ups, Project(record_of(read).item).follow_ups), (None, None)),
    ),
    "language": (NOTHING, is_(lambda read: language_of(record_of(read)), Language.EN)),
    "company_contact": (NO_TEXT, is_(lambda read: read.company_contact, None)),
    "company_address": (NO_TEXT, is_(lambda read: read.company_address, None)),
    "help_text": ((*NOTHING, {"en": ""}), says("Clarify CV")),
    "event_webhook": (
        (*NOTHING, {"url": "http://hooks.example.com/"}, {"url": "https://a.example", "x": 1}),
        is_(lambda read: (read.event_webhook, read.endpoint(allows_loopback=True)), (None, None)),
    ),
    "message_kind": (NOTHING, is_(lambda read: is_marketing(record_of(read)), True)),
    "jurisdictions": (
        (*NOTHING, {"enforced": "no", "region": "Mars", "recipients": 1}),
        is_(lambda read: read.jurisdictions, JurisdictionSetting()),
    ),
    "auto_queue_initial_message": (SWITCH, holds),
    "auto_queue_initial_message_from_number": (LISTED, holds),
    "auto_queue_initial_message_from_email": (LISTED, holds),
    "auto_queue_reply_message": (SWITCH, holds),
    "auto_queue_reply_message_from_number": (LISTED, holds),
    "auto_queue_reply_message_from_email": (LISTED, holds),
}
"""What cannot be read, and what then holds, by part: the table of the page."""


def test_every_part_has_a_rule_and_no_other():
    assert list(RULES) == list(parts())


@each_row(
    ("name", "value"),
    [(name, value) for name, (values, _) in RULES.items() for value in values],
)
def test_a_part_that_cannot_be_read_has_its_rule_and_spoils_no_other(name, value):
    switched = {name.partition("_from_")[0]: True} if "_from_" in name else {}
    read = Project({**company.project("dev"), **switched, name: value})
    RULES[name][1](read)
    sound = Project(company.project("dev"))
    for other in parts().keys() - {name, *switched}:
        assert getattr(read, other) == getattr(sound, other)


def test_what_is_stored_is_copied_to_the_letter():
    odd = {**company.project("dev"), "quiet_hours": {"from": 7}, "allowed_channels": ["SMS", "x"]}
    copied = Project(odd).copied_settings()
    assert (copied["quiet_hours"], copied["allowed_channels"]) == ({"from": 7}, ["SMS", "x"])
    assert copied["language"] is None


def test_a_part_that_is_not_there_is_no_fault_of_it():
    assert Project({}).ai_config.writer.language == "recipient"
    assert Project({}).model_budget is None
    assert Project({}).quiet_hours is None
    assert Project({"quiet_hours": False}).quiet_hours is False


def test_a_field_that_is_wrong_leaves_the_others_in_force():
    limits = Project({"rate_limits": {"requests_per_day": 5, "x": 1, "max_message_length": "8"}})
    assert limits.rate_limits == RateLimits(requests_per_day=5)
    half = Project({"model_budget": {"cents_per_day": 5, "soft_percent": 101}})
    assert Budget.of(half) == Budget(50_000, 40_000)
    hours = Project({"quiet_hours": {"from": "21:00", "until": "08:00", "x": 1}}).quiet_hours
    assert (hours.zone, hours.channels) == (None, None)


def test_a_project_is_shown_without_its_settings():
    assert "+1555" not in repr(Project(company.project("dev")))
