"""Settings: a wrong deployment fails at cold start and names the setting, not its value."""

from datetime import timedelta

import pytest

from chalicelib.errors import SettingsError
from chalicelib.once.audit import AuditRow
from chalicelib.once.journal import Act
from chalicelib.once.keys import OpaqueIds
from chalicelib.once.recovery.unfinished import RESUMABLE_FOR
from chalicelib.settings import load
from chalicelib.wiring import Services
from tests.rigs.each_row import each_row
from tests.rigs.fakes import ManualClock
from tests.simulation import tables

DEFAULT_DAYS = {
    "LEDGER_RETENTION_DAYS": 30,
    "STATE_RETENTION_DAYS": 90,
    "AUDIT_RETENTION_DAYS": 60,
    "JOURNAL_RETENTION_DAYS": 365,
    "CONVERSATIONS_RETENTION_DAYS": 365,
}


class InMemory(Services):
    """A container whose tables are in memory."""

    def __init__(self, *given):
        super().__init__(*given)
        one = self.settings
        self.tables = {
            one.idempotency_table: tables.ledger(),
            one.state_table: tables.state(),
            one.audit_table: tables.audit(),
            one.conversations_table: tables.conversations(),
        }

    opaque_ids = OpaqueIds(b"a key of the stage")
    opaque_to_send = lambda self: self.opaque_ids  # noqa: E731

    def table(self, name):
        return self.tables[name]

    @property
    def rows(self):
        return [row for table in self.tables.values() for row in table.rows.values()]


def test_the_stage_is_the_only_required_setting():
    settings = load({"STAGE": "staging"})
    assert settings.idempotency_table == "rp_mw_idempotency-staging"
    assert settings.queue_name == "rp-mw-events-staging.fifo"
    assert settings.switch_prefix == "/rp-mw/staging"


@each_row(
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
        ({"STAGE": "dev", "WORKER_CONCURRENCY": "1"}, "WORKER_CONCURRENCY"),
        ({"STAGE": "dev", "MAX_RECEIVE_COUNT": "0"}, "MAX_RECEIVE_COUNT"),
        ({"STAGE": "dev", "DYNAMO_TTL_DAYS": "366"}, "DYNAMO_TTL_DAYS"),
        ({"STAGE": "dev", "PUBLIC_BASE_URL": "https://_canary.example"}, "PUBLIC_BASE_URL"),
        ({"STAGE": "dev", "SHOPIFY_BASE_URL": "canary"}, "SHOPIFY_BASE_URL"),
        ({"STAGE": "dev", "SHOPIFY_API_VERSION": "canary"}, "SHOPIFY_API_VERSION"),
        ({"STAGE": "dev", "OPENAI_INTENT_ENABLED": "true"}, "OPENAI_MODEL"),
        ({"STAGE": "dev", "SYSTEMS": "support,canary"}, "SYSTEMS"),
        ({"STAGE": "dev", "LEDGER_RETENTION_DAYS": "29"}, "LEDGER_RETENTION_DAYS"),
        ({"STAGE": "dev", "STATE_RETENTION_DAYS": "0"}, "STATE_RETENTION_DAYS"),
        ({"STAGE": "dev", "AUDIT_RETENTION_DAYS": "canary"}, "AUDIT_RETENTION_DAYS"),
        ({"STAGE": "dev", "JOURNAL_RETENTION_DAYS": "29"}, "JOURNAL_RETENTION_DAYS"),
        ({"STAGE": "dev", "CONVERSATIONS_RETENTION_DAYS": "30"}, "CONVERSATIONS_RETENTION_DAYS"),
    ],
)
def test_an_invalid_setting_is_named_without_its_value(environ, named):
    """F59: a prod queue with a dev table is refused."""
    with pytest.raises(SettingsError) as caught:
        load(environ)
    assert named in str(caught.value)
    assert "Value error" not in str(caught.value), "in our words"
    assert "canary" not in str(caught.value).lower()


def test_a_stage_has_every_system_unless_it_names_its_own():
    assert load({"STAGE": "dev"}).systems == {"support", "outreach", "facts"}
    assert load({"STAGE": "dev", "SYSTEMS": " facts , outreach"}).systems == {"facts", "outreach"}


def test_the_ledger_outlives_the_oldest_event_that_may_be_worked_on():
    """An event that is older than its row would act again."""
    oldest = load({"STAGE": "dev", "MAX_EVENT_AGE_DAYS": "29", "LEDGER_RETENTION_DAYS": "30"})
    kept = timedelta(days=oldest.ledger_retention_days)
    assert kept > max(oldest.max_event_age, RESUMABLE_FOR)


@pytest.mark.parametrize(
    ("name", "write"),
    [
        (
            "LEDGER_RETENTION_DAYS",
            lambda parts: parts.sweeps.save_position("a list", None),
        ),
        (
            "STATE_RETENTION_DAYS",
            lambda parts: parts.support.state.store_look_time("1042", parts.clock.now()),
        ),
        (
            "AUDIT_RETENTION_DAYS",
            lambda parts: parts.audit.write(
                [AuditRow("c", "t", "a", "tag", {}, "act:a", "success")]
            ),
        ),
        (
            "JOURNAL_RETENTION_DAYS",
            lambda parts: parts.journal.enter(Act("settle", "act:a", "jo")),
        ),
        (
            "CONVERSATIONS_RETENTION_DAYS",
            lambda parts: parts.outreach.conversations.open(
                {
                    "primary_channel": "+15550100001",
                    "conversation_id": "c#1",
                    "company_id": "ci-1",
                    "opaque_id": "o-1",
                    "channel_method": "sms",
                }
            ),
        ),
    ],
)
def test_a_retention_is_how_long_its_rows_are_kept(name, write):
    """Each variable moves its own rows, and what is written without it keeps its old end."""

    def kept(environ):
        parts = InMemory(load({"STAGE": "dev", **environ}), ManualClock())
        write(parts)
        ends = [row.get("expires_at", row.get("ttl")) for row in parts.rows]
        return (max(ends) - parts.clock.now().timestamp()) / 86_400

    grace = 1 if name.startswith("CONVERSATIONS") else 0
    assert round(kept({})) == DEFAULT_DAYS[name] + grace
    assert round(kept({name: "100"})) == 100 + grace


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
        "t_order_parcels_verified",
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
    flags = {slot: getattr(tighten, slot) for slot in tighten.__slots__}
    assert flags == dict.fromkeys(flags, False) | {forced: True}
