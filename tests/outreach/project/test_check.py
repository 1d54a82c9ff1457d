"""A company's item: unusable settings are reported by their place, never by value."""

import copy
import functools

import pytest

from chalicelib.outreach.project.check import faults, secrets_of, unknown_names
from chalicelib.outreach.project.project import Project
from local import company
from tests.rigs.each_row import each_row

NIGHT = {"from": "21:00", "until": "08:00", "zone": "Europe/London"}
STEP = {"after_minutes": 60, "text": "Did you see our message?"}
GONE = object()
TOOL = {"name": "canary_tool"}
INEXACT = "a number is infinite, too large or small, or has more than 38 digits"
FACT = {"id": "canary", "text": "A canary."}


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


@each_row(
    ("path", "value"),
    [
        ("quiet_hours", NIGHT),
        ("quiet_hours", {**NIGHT, "channels": ["sms"]}),
        ("quiet_hours", False),
        ("language", "es"),
        ("company_contact", "+1 555 010 9000"),
        ("company_address", "1 Main Street, Springfield, IL 62701, USA"),
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


@each_row(
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
        ("company_address", "1 Main Street\nSpringfield", "company_address"),
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
        ("auto_queue_reply_message_from_email", ["canary"], "reply_message_from_email.0"),
        ("company_name", "Can\u2028ary", "company_name: must be one line"),
        ("company_name", {"name": "canary"}, "company_name"),
        ("project_name", "Canary\r\nCV", "project_name"),
        ("company_rep.company_rep_1", "Can\rary", "company_rep.company_rep_1"),
        ("company_rep.company_rep_1", {"name": "canary"}, "company_rep.company_rep_1"),
        ("channel_config.email.email_from_name", ["canary"], "email.email_from_name"),
        ("channel_config.email.email_from_name", "Can\rary", "email.email_from_name"),
        ("channel_config.email.default_subject_line", 7, "email.default_subject_line"),
        ("channel_config.email.default_subject_line", "Can\rary", "email.default_subject_line"),
        ("channel_config.whatsapp.template_variables", "canary", "whatsapp.template_variables"),
        ("ai_config", {"openai_config": {"sms": {"functions": "canary"}}}, "sms.functions"),
        ("ai_config", {"writer": {"persona": "Can\rary"}}, "ai_config.writer.persona"),
        ("ai_config", {"tools": [TOOL, TOOL]}, "ai_config.tools: have a name twice: 0, 1"),
        ("ai_config", {"writer": {"knowledge": [FACT, FACT]}}, "has an id twice: 0, 1"),
        ("event_webhook", {"url": "https://10.0.0.1/canary"}, "event_webhook.url"),
        ("event_webhook", {"url": "https://a.example", "secrt": "canary"}, "field: secrt"),
        *((name, f"\ufeff{name}", name) for name in ("company_id", "project_id", "company_name")),
        ("auto_queue_reply_message_from_number", ["canary"], "reply_message_from_number.0"),
    ],
)
def test_a_fault_is_named_by_its_place(path, value, place):
    first, *others = faults(item(path, value))
    assert all(other.startswith(first.split(":")[0].split(".")[0]) for other in others), (
        "of one setting"
    )
    result = "; ".join([first, *others])
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


@pytest.mark.parametrize(
    ("path", "value", "name"),
    [
        (
            "channel_config.sms.company_sms_nummber",
            "canary",
            "channel_config.sms.company_sms_nummber",
        ),
        ("channel_config.fax", {"company_fax": "canary"}, "channel_config.fax"),
        ("ai_config", {"tols": []}, "ai_config.tols"),
        (
            "ai_config",
            {"openai_config": {"sms": {"key": "canary"}}},
            "ai_config.openai_config.sms.key",
        ),
        ("channel_config.sms.jo@example.com", "canary", "channel_config.sms.(name not shown)"),
        ("+15550100001", "canary", "(name not shown)"),
    ],
)
def test_a_name_that_nothing_reads_is_a_warning_wherever_others_may_store_theirs(path, value, name):
    made = item("require_consent", True)
    *outer, last = path.split(".", 2) if "." in path else (path,)
    place = made
    for part in outer:
        place = place[part]
    place[last] = value
    assert faults(made) == []
    assert unknown_names(made) == [name]


def test_what_others_store_of_another_shape_is_no_name():
    made = item("channel_config", "canary")
    made["ai_config"] = {"openai_config": ["canary"]}
    assert unknown_names(made) == []


@pytest.mark.parametrize(
    ("path", "name", "shown"),
    [
        ("quiet_hours", "chanels", "quiet_hours.chanels"),
        ("quiet_hours", "jo@example.com", "quiet_hours.(name not shown)"),
        ("quiet_hours", "x" * 65, "quiet_hours.(name not shown)"),
        ("event_webhook", "jo@example.com", "field: (name not shown)"),
    ],
)
def test_a_name_that_may_be_anything_is_shown_only_as_a_name(path, name, shown):
    given = {**NIGHT} if path == "quiet_hours" else {"url": "https://a.example"}
    (found,) = faults(item(path, {**given, name: []}))
    assert shown in found
    assert name not in found or shown.endswith(name)


def test_secrets_are_named_once_with_their_channels():
    made = item("ai_config.openai_config.email", {"api_key_reference": "ai/key"})
    shared = made["channel_config"]["sms"]["sms_credentials_id"]
    made["channel_config"]["whatsapp"]["whatsapp_credentials_id"] = shared
    assert secrets_of(Project(made)) == {
        shared: ["whatsapp", "sms"],
        "ai/key": [],
    }


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ({"": 1}, "an attribute has no name"),
        ([{"a": {"": 1}}], "an attribute has no name"),
        (10**38 + 1, INEXACT),
        (1e200, INEXACT),
        (1e-200, INEXACT),
        (float("inf"), INEXACT),
        (
            functools.reduce(lambda inner, _: [inner], range(40), "x"),
            "the item is nested more than 32 levels deep",
        ),
        ("x" * 400_000, "the item has more than 400000 bytes"),
    ],
)
def test_what_the_table_cannot_store_is_a_fault(value, fault):
    assert faults(item("notes", value)) == [fault]


@pytest.mark.parametrize("value", [10**60, 0.1, True, "x" * 300_000, {"a": [1, None, {"b": 2}]}])
def test_what_others_store_of_any_shape_is_no_fault(value):
    assert not faults(item("notes", value))
