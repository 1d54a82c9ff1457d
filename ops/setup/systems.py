"""The actions of the steps of support, outreach and facts; each may be repeated."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from chalicelib.errors import PermanentError, ProviderError, UnavailableError
from chalicelib.outreach.channels import Channel
from chalicelib.outreach.project import check
from chalicelib.outreach.project.project import Project
from chalicelib.outreach.twilio.client import Credentials
from chalicelib.outreach.twilio.credentials import of_company
from chalicelib.support.settable_tags import every_tag
from ops.companies import api_keys, company, put_settings, senders
from ops.facts import reports
from ops.inspect import vendor_secrets
from ops.session import OpsError, Session
from ops.setup import doing
from ops.setup.walk import Walk
from ops.stage import config
from ops.stage.provision import has_value
from ops.unreachable import ABSENT

DEADLINE_SECONDS = 30.0
TWILIO_FORM = 'Twilio\'s {"twilio_account_sid": "AC...", "twilio_auth_token": "..."}'


def tags(walk: Walk) -> str:
    """Create the tags that a plan can set and the Richpanel tenant lacks."""
    vendor = walk.session.services.support.richpanel
    missing = sorted(every_tag(walk.session.services.support.rules.current()) - vendor.tag_names())
    for tag in missing:
        vendor.create_tag(tag)
    return f"{len(missing)} tags created"


def first_company(walk: Walk) -> str:
    """Store the first company's settings and issue its API key for the Router."""
    path = walk.answers.company
    if path is None:
        return f"{_stored(walk.session)} projects are stored"
    item = company.read(path)
    is_known = Project(item) in senders.projects(walk.session)
    did = "unchanged" if is_known else put_settings.put(walk.session, item, because="setup")
    company_id = str(item["company_id"])
    if not api_keys.active(walk.session, company_id):
        api_keys.issue(walk.session, company_id)
        return f"{company_id} {did}; its key is in the secret router/api_keys"
    return f"{company_id} {did}"


def first_company_seen(walk: Walk) -> str:
    """A note with the number of stored projects, if the answers' one is among them and has a key."""
    stored, path = _projects(walk.session), walk.answers.company
    if stored and path is not None:
        mine = Project(company.read(path))
        if mine not in stored or not api_keys.active(walk.session, str(mine.company_id)):
            return ""
    return f"{len(stored)} projects are stored" if stored else ""


def company_secrets_seen(walk: Walk) -> str:
    """Say "present" if every secret that the companies' items name has a value; else nothing."""
    path, client = walk.answers.company, walk.session.client("secretsmanager")
    named = [Project(company.read(path))] if path else _projects(walk.session)
    names = [name for project in named for name in check.secrets_of(project)]
    return "present" if named and all(has_value(client, name) for name in names) else ""


def company_secrets(walk: Walk) -> str:
    """Store the secrets that the first company's item names, and trust its Twilio accounts' webhooks."""
    path, session = walk.answers.company, walk.session
    if path is None:
        _stored(session)
        _trust(session, _projects(session))
        return "no company's file is named"
    project = Project(company.read(path))
    stored = []
    for name, channels in check.secrets_of(project).items():
        kept = has_value(session.client("secretsmanager"), name)
        if kept and not _refused(session, project, channels, name):
            continue
        why = f"{TWILIO_FORM} for {', '.join(channels)}" if channels else "the model's key"
        value = doing.ask_value(walk, name, why, "refused" if kept else "missing")
        refused = _refused(session, project, channels, name, value)
        if refused:
            raise OpsError(f"{name} is not stored: {refused}")
        doing.store(session, name, value)
        stored.append(name)
    walk.refresh()
    _trust(walk.session, [*_projects(session), project])
    return f"stored: {', '.join(stored)}" if stored else "present"


def _stored(session: Session) -> int:
    """The number of stored projects.

    Raises:
        OpsError: no project is stored.
    """
    found = len(_projects(session))
    if not found:
        raise OpsError("no company: name a file with its company-data item")
    return found


def _projects(session: Session) -> list[Project]:
    """The stored projects; none before the table exists."""
    try:
        return senders.projects(session)
    except ProviderError as error:
        if error.reason not in ABSENT:
            raise
        return []


def _refused(
    session: Session,
    project: Project,
    channels: list[Channel],
    name: str,
    value: str | None = None,
) -> str:
    """Why Twilio refuses an account's credentials; empty if it accepts them or cannot be asked."""
    numbers = [project.sender(channel) for channel in channels]
    if not numbers:
        return ""
    try:
        of_company(value or session.services.secrets.text(name))
    except PermanentError:
        return f"it must be {TWILIO_FORM}"
    return vendor_secrets.refusal_of_value(
        session,
        lambda services: services.outreach_sweep.twilio.inbound_url_of(name, numbers[0]),
        name,
        value,
    )


def _trust(session: Session, projects: list[Project]) -> None:
    """Add the tokens of the projects' Twilio accounts to those whose webhooks are accepted.

    The setup of another stage may have stored an account's secret before.  A person's entry with
    shared keys is left as it is.
    """
    client, secret_id = (
        session.client("secretsmanager"),
        session.services.settings.twilio_webhook_secret_id,
    )
    before: dict[str, Any] = json.loads(session.services.secrets.text(secret_id))
    known = dict(before)
    for account in _accounts(session, projects):
        tokens = known.get(account.account_sid, [])
        if isinstance(tokens, list) and account.auth_token not in tokens:
            known[account.account_sid] = [account.auth_token, *tokens]
    if known != before:
        client.put_secret_value(SecretId=secret_id, SecretString=json.dumps(known))


def _accounts(session: Session, projects: list[Project]) -> Iterator[Credentials]:
    """Yield the projects' Twilio accounts whose secrets are readable; `company check` names the others."""
    names = {
        name for project in projects for name, used in check.secrets_of(project).items() if used
    }
    for name in sorted(names):
        with suppress(PermanentError, UnavailableError):
            yield of_company(session.services.secrets.text(name))


def dataset(walk: Walk) -> str:
    """Find or create Power BI's push dataset, if facts go there, and configure its id."""
    if "powerbi" not in walk.session.services.settings.facts_report:
        return "facts go to none"
    there = reports.existing_datasets(walk.session)
    found = there[0] if there else reports.make_dataset(walk.session)
    config.write(walk.stage, {"POWERBI_DATASET_ID": found})
    walk.refresh()
    return f"{'found' if there else 'created'}: {found}"


def mirrored_tables(walk: Walk) -> str:
    """Make the tables in OneLake, if facts go there."""
    services = walk.session.services
    if "onelake" not in services.settings.facts_report or services.posting.onelake is None:
        return "facts do not go there"
    made = reports.make_tables(services.posting.onelake)
    return f"made: {', '.join(made) or 'none, all are there'}"
