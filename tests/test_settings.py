"""Settings: a wrong deployment fails at cold start and names the setting, not its value."""

import pytest

from chalicelib.errors import SettingsError
from chalicelib.settings import load


def test_the_stage_is_the_only_required_setting():
    settings = load({"STAGE": "staging"})
    assert settings.idempotency_table == "rp_mw_idempotency-staging"
    assert settings.queue_name == "rp-mw-events-staging.fifo"
    assert settings.switch_prefix == "/rp-mw/staging"


@pytest.mark.parametrize(
    ("environ", "named"),
    [
        ({}, "STAGE"),
        ({"STAGE": "Canary!"}, "STAGE"),
        ({"STAGE": "dev", "QUEUE_NAME": "rp-mw-events-prod.fifo"}, "QUEUE_NAME"),
        (
            {"STAGE": "prod", "IDEMPOTENCY_TABLE_NAME": "rp_mw_idempotency-dev"},
            "IDEMPOTENCY_TABLE_NAME",
        ),
        ({"STAGE": "dev", "RICHPANEL_BASE_URL": "ftp://canary"}, "RICHPANEL_BASE_URL"),
        ({"STAGE": "dev", "MAX_EVENT_AGE_DAYS": "canary"}, "MAX_EVENT_AGE_DAYS"),
        ({"STAGE": "dev", "MAX_EVENT_AGE_DAYS": "31"}, "MAX_EVENT_AGE_DAYS"),
        ({"STAGE": "dev", "MAX_EVENT_AGE_DAYS": "30"}, "MAX_EVENT_AGE_DAYS"),
        ({"STAGE": "dev", "MAX_EVENT_AGE_DAYS": "0"}, "MAX_EVENT_AGE_DAYS"),
        ({"STAGE": "dev", "KILL_SWITCH": "canary"}, "KILL_SWITCH"),
        *(
            ({"STAGE": "dev", name: f"{name.lower()}-canary"}, name)
            for name in (
                *("CONVERSATION_STATE_TABLE_NAME", "AUDIT_TRAIL_TABLE_NAME"),
                *("CONVERSATIONS_TABLE_NAME", "COMPANY_DATA_TABLE_NAME", "QUEUE_NAME"),
            )
        ),
        ({"STAGE": "dev", "QUEUE_NAME": "canary-dev"}, "QUEUE_NAME"),
        ({"STAGE": "dev", "RICHPANEL_REQUESTS_PER_30_S": "51"}, "RICHPANEL_REQUESTS_PER_30_S"),
        ({"STAGE": "dev", "RICHPANEL_REQUESTS_PER_30_S": "0"}, "RICHPANEL_REQUESTS_PER_30_S"),
        ({"STAGE": "dev", "RICHPANEL_TAG_MODE": "canary"}, "RICHPANEL_TAG_MODE"),
        ({"STAGE": "dev", "MANAGED_BY": "canary"}, "MANAGED_BY"),
        ({"STAGE": "dev", "WORKER_CONCURRENCY": "1"}, "WORKER_CONCURRENCY"),
        ({"STAGE": "dev", "MAX_RECEIVE_COUNT": "0"}, "MAX_RECEIVE_COUNT"),
        ({"STAGE": "dev", "DYNAMO_TTL_DAYS": "366"}, "DYNAMO_TTL_DAYS"),
        ({"STAGE": "dev", "PUBLIC_BASE_URL": "https://_canary.example"}, "PUBLIC_BASE_URL"),
        ({"STAGE": "dev", "SHOPIFY_BASE_URL": "canary"}, "SHOPIFY_BASE_URL"),
        ({"STAGE": "dev", "SHOPIFY_API_VERSION": "canary"}, "SHOPIFY_API_VERSION"),
        ({"STAGE": "dev", "OPENAI_INTENT_ENABLED": "true"}, "OPENAI_MODEL"),
    ],
)
def test_an_invalid_setting_is_named_without_its_value(environ, named):
    """F59: a prod queue with a dev table is refused."""
    with pytest.raises(SettingsError) as caught:
        load(environ)
    assert named in str(caught.value)
    assert "Value error" not in str(caught.value), "in our words"
    assert "canary" not in str(caught.value).lower()


def test_the_environment_cannot_loosen_a_switch():
    loose = load({"STAGE": "dev", "KILL_SWITCH": "false", "AUTOMATION_ENABLED": "true"}).tighten
    assert not any((loose.kill_switch, loose.safe_mode, loose.shadow_mode, loose.automation_off))
    tight = load({"STAGE": "dev", "KILL_SWITCH": "on", "AUTOMATION_ENABLED": "no"}).tighten
    assert (tight.kill_switch, tight.automation_off) == (True, True)


def test_by_default_no_customer_is_written_to():
    support = load({"STAGE": "dev"}).support
    assert (support.outbound_enabled, support.require_allow_list) == (False, True)
    assert not support.allow_emails | support.allow_domains
    assert not support.openai_intent_enabled
    assert support.templates == {
        "t_order_status_verified",
        "t_shipping_delay_verified",
        "t_order_eta_no_tracking_verified",
        "t_order_status_ask_order_number",
    }


def test_lists_are_read_without_case_spaces_or_gaps():
    environ = {
        "STAGE": "dev",
        "MW_OUTBOUND_ALLOWLIST_EMAILS": " Ada@Example.com,, bob@example.com ",
        "MW_OUTBOUND_ALLOWLIST_DOMAINS": "Shop.Example",
    }
    support = load(environ).support
    assert support.allow_emails == {"ada@example.com", "bob@example.com"}
    assert support.allow_domains == {"shop.example"}


@pytest.mark.parametrize(
    ("name", "forced"),
    [
        ("KILL_SWITCH", "kill_switch"),
        ("SAFE_MODE", "safe_mode"),
        ("SHADOW_MODE", "shadow_mode"),
        ("AUTOMATION_ENABLED", "automation_off"),
    ],
)
def test_each_switch_is_tightened_by_its_own_variable(name, forced):
    word = "off" if name == "AUTOMATION_ENABLED" else "on"
    tighten = load({"STAGE": "dev", name: word}).tighten
    flags = {one: getattr(tighten, one) for one in tighten.__slots__}
    assert flags == dict.fromkeys(flags, False) | {forced: True}
