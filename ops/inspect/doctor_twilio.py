"""Checks that Twilio posts each SMS number's messages here, as STOP, START and HELP need."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

from chalicelib.errors import MiddlewareError, reason_of
from chalicelib.outreach.channels import TWILIO, Channel
from chalicelib.outreach.messages.fixed import CARRIER
from chalicelib.outreach.project.project import Project
from chalicelib.outreach.twilio.door import MESSAGE_PATH
from chalicelib.outreach.twilio.webhook import auth_tokens, shared_keys
from ops.companies import senders
from ops.inspect.finding import MANUAL, Finding
from ops.session import Session

OVERRIDE = {"rc": ["5"], "rp": ["all"]}
"""Twilio's connection override in the URL's fragment: five retries, after every kind of failure."""

UNKNOWN = "no token of its account is among twilio/webhook_tokens: a text is refused, a STOP too"
WALK = "python -m ops setup, which enters it"


def twilio(session: Session) -> Iterator[Finding]:
    """Check where Twilio posts each SMS number's messages, and who answers opt-outs."""
    wanted = f"{session.services.settings.public_base_url}{MESSAGE_PATH}"
    is_used = False
    for project in senders.projects(session):
        yield from _door(session, project)
        if not project.sender(Channel.SMS):
            continue
        is_used = True
        place = " ".join(project.ids)
        yield _number(session, place, project, wanted)
        answers = project.channel_settings(Channel.SMS).get("opt_out_answers") or CARRIER
        detail = (
            f"{place}: the account's opt-out handling must be "
            f"{'on' if answers == CARRIER else 'off'}: Messaging > Services > Opt-Out Management;"
            f" opt_out_answers is {answers}"
        )
        yield Finding("twilio opt-outs", MANUAL, detail)
    if is_used:
        detail = f"a messaging service and a WhatsApp sender post to {wanted}#rc=5&rp=all as well"
        yield Finding("twilio services", MANUAL, detail)


def _door(session: Session, project: Project) -> Iterator[Finding]:
    """Find senders whose messages the webhook refuses, because it knows no key of their account."""
    used = [use for use in senders.uses(project) if use.channel.traits.carrier is TWILIO]
    text = session.services.secrets.text(session.services.settings.twilio_webhook_secret_id)
    held = (auth_tokens(text), shared_keys(text))
    for use in used:
        account = senders.account(session, project, use)
        if account and not any(keys.get(account) for keys in held):
            detail = f"{' '.join(project.ids)}: {use.place}: {UNKNOWN}"
            yield Finding("twilio account", "fail", detail, mend=WALK)


def _number(session: Session, place: str, project: Project, wanted: str) -> Finding:
    check = "twilio webhook"
    secret_id, number = project.secret_name(Channel.SMS), project.sender(Channel.SMS)
    try:
        found = session.services.outreach_sweep.twilio.inbound_url_of(secret_id, number)
    except MiddlewareError as error:
        return Finding(check, "warn", f"{place}: Twilio cannot be asked: {reason_of(error)}")
    if found is None:
        return Finding(check, "fail", f"{place}: the account has no such number")
    if found.partition("#")[0] != wanted:
        detail = f"{place}: messages are not posted to {wanted}, unless a messaging service does so"
        return Finding(check, "warn", detail)
    given = parse_qs(urlsplit(found).fragment)
    if any(given.get(name) != value for name, value in OVERRIDE.items()):
        detail = f"{place}: add #rc=5&rp=all to the address, or a STOP is posted only once"
        return Finding(check, "warn", detail)
    return Finding(check, "ok", place)
