"""Checks what automatic answers need: variables, the bot, the allow-list, templates, switches.

A stage may only route tickets, so what answers lack is a warning.  It names the step of the set-up
page.
"""

from __future__ import annotations

from collections.abc import Iterator

from chalicelib.errors import MiddlewareError
from chalicelib.support.orders.shopify import SCOPES
from chalicelib.support_settings import VARIABLES, SupportSettings
from ops.inspect.finding import Finding
from ops.session import Session
from ops.stage import switches

STEP = "docs/richpanel-setup.md#5-starting-up"
_WANTED = {
    "kill_switch": "false",
    "shadow_mode": "false",
    "safe_mode": "false",
    "automation_enabled": "true",
}


def answers(session: Session) -> Iterator[Finding]:
    """Run every check, in the order of the page's steps."""
    settings = session.services.settings.support
    yield _settings(session)
    yield _bot(session, settings)
    yield _allow_list(settings)
    yield _given("answers templates", settings.templates, "templates", "no template may be sent")
    yield _given(
        "answers shop",
        settings.shopify_base_url,
        "shopify_base_url",
        "no order is answered",
    )
    yield _scopes(session, settings)
    yield _given(
        "answers enabled", settings.outbound_enabled, "outbound_enabled", "tickets are only routed"
    )
    yield _switches(session)


def _settings(session: Session) -> Finding:
    """Check that this release can read the stored settings document."""
    stored = session.services.support.versions.current(consistent=True)
    read = session.services.support.rules.of_version(stored).version
    if read != stored:
        detail = f"version {stored} cannot be read by this release: version {read} applies"
        return Finding("answers settings", "fail", detail)
    said = "the built-in texts and departments" if stored == 0 else f"version {stored}"
    return Finding("answers settings", "ok", said)


def _bot(session: Session, settings: SupportSettings) -> Finding:
    """Check that the author of replies is a user of the Richpanel tenant."""
    check, variable = "answers bot", VARIABLES["bot_agent_id"][0]
    if not settings.bot_agent_id:
        return Finding(check, "warn", f"{variable} is not set: nothing is sent: {STEP}")
    if settings.bot_agent_id not in session.services.support.richpanel.every_assignee():
        return Finding(check, "fail", f"{variable} is the id of no user: {STEP}")
    return Finding(check, "ok", "a user of the tenant")


def _allow_list(settings: SupportSettings) -> Finding:
    """Check that at least one recipient is allowed."""
    check = "answers allow-list"
    many = len(settings.allow_emails) + len(settings.allow_domains)
    if many:
        return Finding(check, "ok", f"{many} addresses and domains")
    if settings.require_allow_list:
        names = f"{VARIABLES['allow_emails'][0]} and {VARIABLES['allow_domains'][0]}"
        return Finding(check, "warn", f"{names} are empty: no recipient is allowed: {STEP}")
    return Finding(check, "ok", "everybody may be written to")


def _given(check: str, value: object, field: str, without: str) -> Finding:
    variable = VARIABLES[field][0]
    if value:
        return Finding(check, "ok", variable)
    return Finding(check, "warn", f"{variable} is not set: {without}: {STEP}")


def _scopes(session: Session, settings: SupportSettings) -> Finding:
    """Check that the shop's app has the scopes for everything that answers need."""
    check = "answers scopes"
    if not settings.shopify_base_url:
        return Finding(check, "warn", f"no shop is named: {STEP}")
    try:
        granted = session.services.support_work.shop_scopes()
    except MiddlewareError as error:
        return Finding(check, "fail", f"the shop gives no token: {error}")
    missing = [
        f"{what} ({' or '.join(wanted)})"
        for what, wanted in SCOPES.items()
        if granted.isdisjoint(wanted)
    ]
    if missing:
        detail = f"the shop's app may not see {'; '.join(missing)}: such orders go to a person"
        return Finding(check, "warn", detail)
    return Finding(
        check,
        "ok",
        ", ".join(sorted(granted & {scope for wanted in SCOPES.values() for scope in wanted})),
    )


def _switches(session: Session) -> Finding:
    """Check that the switches let answers be sent."""
    values = switches.read(session)
    stopping = [
        f"{name} is {values[name]}" for name, wanted in _WANTED.items() if values[name] != wanted
    ]
    if stopping:
        return Finding("answers switches", "warn", f"{', '.join(stopping)}: {STEP}")
    return Finding("answers switches", "ok", "answers may leave")
