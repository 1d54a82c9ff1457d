"""Settings: a wrong deployment fails at the cold start and names what is wrong, not its value."""

import pytest

from chalicelib.errors import SettingsError
from chalicelib.settings import load


def test_a_stage_is_enough():
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
        ({"STAGE": "dev", "KILL_SWITCH": "canary"}, "KILL_SWITCH"),
    ],
)
def test_what_is_wrong_is_named_and_never_shown(environ, named):
    """F59: a prod queue with a dev table is refused."""
    with pytest.raises(SettingsError) as caught:
        load(environ)
    assert named in str(caught.value)
    assert "canary" not in str(caught.value).lower()


def test_the_environment_cannot_loosen_a_switch():
    loose = load({"STAGE": "dev", "KILL_SWITCH": "false", "AUTOMATION_ENABLED": "true"}).tighten
    assert not any((loose.kill_switch, loose.safe_mode, loose.shadow_mode, loose.automation_off))
    tight = load({"STAGE": "dev", "KILL_SWITCH": "on", "AUTOMATION_ENABLED": "no"}).tighten
    assert (tight.kill_switch, tight.automation_off) == (True, True)
