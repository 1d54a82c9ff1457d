"""A company's item: unusable settings are reported by their place, never by value."""

import copy

import pytest

from chalicelib.outreach.project.check import faults, secrets_of, unknown_names
from chalicelib.outreach.project.project import Project
from local import company

NIGHT = {"from": "21:00", "until": "08:00", "zone": "Europe/London"}
STEP = {"after_minutes": 60, "text": "Did you see our message?"}
GONE = object()


def item(path, value):
    """A valid item, but for one place."""
    made = copy.deepcopy(company.project("dev"))
    *outer, last = path.split(".")
    place = made
    for name in outer:
        place = place.setdefault(name, {})
    if value is GONE:
        del place[last]
    else:
        place[last] = value
    return made


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("quiet_hours", NIGHT),
        ("quiet_hours", {**NIGHT, "channels": ["sms"]}),
        ("quiet_hours", False),
        ("language", "es"),
        ("company_contact", "+1 555 010 9000"),
        ("help_text", {"es": "Llame al +1 555 010 9000."}),
        ("channel_config.whatsapp.template_opt_out", "button"),
        ("channel_config.sms.opt_out_answers", "own"),
        ("rate_limits.requests_per_day", 1),
        ("allowed_channels", ["WhatsApp", "sms"]),
        ("auto_queue_initial_message_from_number", [company.SMS_NUMBER]),
        ("follow_ups", {"fallback": ["sms", "email"]}),
        ("something_of_theirs", {"a": 1}),
    ],
)
def test_a_usable_company_item_has_no_fault(path, value):
    assert faults(item(path, value)) == []


@pytest.mark.parametrize(
    ("path", "value", "place"),
    [
        *((name, GONE, name) for name in ("company_id", "project_id", "project_status")),
        ("company_name", " canary", "company_name"),
        ("channel_config.email", GONE, "not in channel_config: email"),
        ("channel_config.email.company_email", "Canary@example.com", "email.company_email"),
        ("channel_config.email.company_email", "canary", "email.company_email"),
        ("channel_config.sms.company_sms_number", "canary", "sms.company_sms_number"),
        ("channel_config.sms.sms_credentials_id", GONE, "sms.sms_credentials_id"),
        ("channel_config.whatsapp.whatsapp_credentials_id", "", "whatsapp_credentials_id"),
        ("rate_limits.requests_per_minute", 0, "rate_limits.requests_per_minute"),
        ("rate_limits.requests_per_minute", "60", "rate_limits.requests_per_minute"),
        ("rate_limits.canary_per_day", 1, "rate_limits"),
        ("quiet_hours", {**NIGHT, "until": "21:00:00"}, "no quiet hour"),
        ("quiet_hours", {**NIGHT, "from": "canary"}, "quiet_hours.from"),
        ("quiet_hours", {**NIGHT, "zone": "Europe/Canary"}, "quiet_hours.zone"),
        ("quiet_hours", {**NIGHT, "chanels": []}, "quiet_hours.chanels"),
        ("quiet_hours", True, "quiet_hours"),
        ("require_consent", "canary", "require_consent"),
        ("language", "canary", "language"),
        ("company_contact", " ", "company_contact"),
        ("help_text", {"es": ""}, "help_text.es"),
        ("channel_config.whatsapp.template_opt_out", "canary", "whatsapp.template_opt_out"),
        ("channel_config.sms.opt_out_answers", "canary", "sms.opt_out_answers"),
        ("follow_ups", {"remindr": STEP}, "follow_ups.remindr"),
        ("follow_ups", {"reminder": {**STEP, "after_minutes": 0}}, "reminder.after_minutes"),
        ("follow_ups", {"reminder": {**STEP, "after_minutes": 30_241}}, "reminder.after_minutes"),
        ("follow_ups", {"end": {**STEP, "text": " "}}, "end.text"),
        ("follow_ups", {"fallback": ["canary"]}, "follow_ups.fallback.0"),
        ("follow_ups", {"fallback": ["sms", "sms"]}, "follow_ups"),
        ("follow_ups", {"reminder": STEP}, "reopening_template_sid"),
        ("auto_queue_reply_message", "true", "auto_queue_reply_message"),
        ("auto_queue_reply_message_from_number", ["canary"], "reply_message_from_number.0"),
    ],
)
def test_a_fault_is_named_by_its_place(path, value, place):
    (result,) = faults(item(path, value))
    assert place in result
    assert "canary" not in result.lower().replace("canary_per_day", "")


def test_a_fallback_names_only_channels_that_are_allowed():
    made = item("follow_ups", {"fallback": ["sms"]})
    made["allowed_channels"] = ["email"]
    (result,) = faults(made)
    assert "follow_ups.fallback is not allowed: sms" in result


def test_a_reminder_by_whatsapp_needs_the_template_that_carries_it():
    made = item("follow_ups", {"reminder": STEP})
    made["channel_config"]["whatsapp"]["reopening_template_sid"] = "HX" + "0" * 32
    assert faults(made) == []
    made["allowed_channels"] = ["sms"]
    del made["channel_config"]["whatsapp"]["reopening_template_sid"]
    assert faults(made) == []


def test_a_misspelt_name_is_a_warning_and_no_fault():
    made = item("require_consnt", True)
    assert faults(made) == []
    assert unknown_names(made) == ["require_consnt"]


def test_secrets_are_named_once_with_their_channels():
    made = item("ai_config.openai_config.email", {"api_key_reference": "ai/key"})
    shared = made["channel_config"]["sms"]["sms_credentials_id"]
    made["channel_config"]["whatsapp"]["whatsapp_credentials_id"] = shared
    assert secrets_of(Project(made)) == {
        shared: ["whatsapp", "sms"],
        "ai/key": [],
    }
