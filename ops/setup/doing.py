"""The actions of the steps that every stage has; each may be repeated."""

from __future__ import annotations

import json
import secrets as randomness
from datetime import datetime

from chalicelib.once.keyring import KeyPurpose
from chalicelib.outreach.twilio.webhook import auth_tokens
from ops import journal
from ops.inspect import doctor, vendor_secrets
from ops.session import OpsError, Session
from ops.setup.walk import StuckError, Walk
from ops.stage import address, config, deploying, lost_keys, provision, rotation
from ops.stage.template import ALARM_TOPIC

MADE = {"richpanel/webhook_token": 24, "aloware/webhook_token": 24}
"""Secrets that setup makes itself, with their length in bytes; `rotation` makes the keyring's."""
KEYS = "keys/"
IDS = f"{KEYS}{KeyPurpose.IDS}"
EMPTY = {"router/api_keys": "{}", "twilio/webhook_tokens": "{}"}
"""Secrets that begin without an entry; the first company's step fills them."""


def place(walk: Walk) -> str:
    """Name account, region and caller; refuse an account other than the one in the answers."""
    found = walk.session.identity
    wanted = walk.answers.account
    if wanted and found.account != wanted:
        raise OpsError(f"this is account {found.account}, and {wanted} is meant")
    region = walk.session.client("sts").meta.region_name
    return f"account {found.account}, region {region}, as {found.name}"


def access(walk: Walk) -> str:
    """Create or update the access stack."""
    made = deploying.make_access_stack(walk.session)
    return f"{made.name}: {made.did}"


def variables(walk: Walk) -> str:
    """Write the answers' variables and systems into `.chalice/config.json`."""
    changed = config.write(walk.stage, _given(walk))
    walk.refresh()
    missing = [
        finding.detail for finding in doctor.examine(walk.session, ("variables",)) if finding.mend
    ]
    if missing:
        raise OpsError("; ".join(missing))
    return f".chalice/config.json: {', '.join(changed) or 'unchanged'}; commit it"


def variables_seen(walk: Walk) -> str:
    """Describe the configuration if it has every variable as the answers do; else return ""."""
    configured = config.configured(walk.stage)
    is_given = all(configured.get(name) == value for name, value in _given(walk).items())
    found = list(doctor.examine(walk.session, ("variables",)))
    return (
        "; ".join(finding.detail for finding in found)
        if is_given and not any(finding.mend for finding in found)
        else ""
    )


def _given(walk: Walk) -> dict[str, str]:
    return {"SYSTEMS": ",".join(sorted(walk.answers.systems)), **walk.answers.variables}


def secrets(walk: Walk) -> str:
    """Store every missing secret, made here or asked for; no value is shown or logged."""
    session = walk.session
    described = session.template.metadata["Secrets"]
    stored = []
    missing = provision.missing_secrets(
        session, session.template, walk.stage, session.services.settings
    )
    refused = [
        finding.check
        for finding in vendor_secrets.secret_findings(session)
        if finding.result == "fail"
    ]
    for name in (
        *(secret_id.removeprefix(f"rp-mw/{walk.stage}/") for secret_id in missing),
        *refused,
    ):
        _refuse_lost(session, name)
        value = made_value(name) or first_keys(name, session.services.clock.now())
        if not value:
            value = ask_value(
                walk, name, described[name], "refused" if name in refused else "missing"
            )
            refuse_unusable(session, name, value)
        store(session, f"rp-mw/{walk.stage}/{name}", value)
        stored.append(name)
    return f"stored: {', '.join(stored)}"


def ask_value(walk: Walk, name: str, why: str, state: str) -> str:
    """Ask for the value of a secret.

    Raises:
        OpsError: no value was given.
    """
    value = walk.ask(name, why)
    if not value.strip():
        raise OpsError(f"{state}: {name}: {why}")
    return value


def _refuse_lost(session: Session, name: str) -> None:
    """Refuse to write over a secret scheduled for deletion, or to replace a lost key for keyed ids.

    Raises:
        StuckError: it would; names the command that restores the secret (`lost_keys`).
    """
    secret_id = f"rp-mw/{session.stage}/{name}"
    try:
        lost_keys.refuse_deleted(session, secret_id)
        if name == IDS:
            lost_keys.refuse_new_ids(session)
    except OpsError as error:
        raise StuckError(str(error), next=lost_keys.restore(secret_id)) from None


def first_keys(name: str, now: datetime) -> str:
    """The text of a keyring secret with its first key; empty for other secrets."""
    return rotation.first(now) if name.startswith(KEYS) else ""


def made_value(name: str) -> str:
    """A new value for a secret that setup makes itself; empty for others."""
    if name in MADE:
        return randomness.token_hex(MADE[name])
    return EMPTY.get(name, "")


def refuse_unusable(session: Session, name: str, value: str) -> None:
    """Refuse to store a value of the wrong form, or one that its vendor refuses.

    Raises:
        OpsError: says why, never the value.
    """
    refused = vendor_secrets.refusal(session, name, value)
    if refused:
        raise OpsError(f"{name} is not stored: {refused}")
    if name == "twilio/webhook_tokens" and not auth_tokens(value):
        raise OpsError(f'{name} must be {{"AC...": ["<auth token>"]}}')
    if name == "router/api_keys":
        try:
            is_object = isinstance(json.loads(value), dict)
        except ValueError:
            is_object = False
        if not is_object:
            raise OpsError(f"{name} must be a JSON object")


def store(session: Session, secret_id: str, value: str) -> None:
    """Create a secret, or give an existing one a new value."""
    client = session.client("secretsmanager")
    try:
        client.create_secret(Name=secret_id, SecretString=value)
    except client.exceptions.ResourceExistsException:
        client.put_secret_value(SecretId=secret_id, SecretString=value)


def deploy(walk: Walk) -> str:
    """Deploy the stage in the chosen way."""
    walk.deploy(walk.session)
    return f"deployed by {walk.answers.way}"


def own_address(walk: Walk) -> str:
    """Find the API's address, configure it, and deploy again with it."""
    found = address.of(walk.session.client("apigateway"), walk.stage)
    if found is None:
        raise OpsError("there is not exactly one API of this stage: python -m ops doctor")
    learned = {"PUBLIC_BASE_URL": found}
    if "facts" in walk.answers.systems:
        learned["HUBSPOT_WEBHOOK_URL"] = f"{found}/webhook/hubspot"
    config.write(walk.stage, learned)
    walk.refresh()
    walk.deploy(walk.session)
    return found


def recipients(walk: Walk) -> str:
    """Subscribe the address that alarms go to; AWS asks its owner to confirm."""
    seen = recipients_seen(walk)
    if seen:
        return seen
    if not walk.answers.alarm_email:
        raise OpsError("no alarm_email: alarms would reach no one")
    topic = str(walk.session.template.resolved({"Ref": ALARM_TOPIC}))
    walk.session.client("sns").subscribe(
        TopicArn=topic, Protocol="email", Endpoint=walk.answers.alarm_email
    )
    return "subscribed; AWS has sent a link to confirm"


def recipients_seen(walk: Walk) -> str:
    """The number of subscribed addresses, if the answers' one is among them; else empty."""
    email, sns = walk.answers.alarm_email, walk.session.client("sns")
    topic = str(walk.session.template.resolved({"Ref": ALARM_TOPIC}))
    pages = sns.get_paginator("list_subscriptions_by_topic").paginate(TopicArn=topic)
    known = [subscription["Endpoint"] for page in pages for subscription in page["Subscriptions"]]
    return f"{len(known)} subscribed" if known and (not email or email in known) else ""


def enter(walk: Walk, done: list[str], *, because: str = "") -> None:
    """Enter the finished setup in the journal."""
    session = walk.session
    journal.enter(session, "setup", "setup:stage", result="done", reason=because, steps=done)
