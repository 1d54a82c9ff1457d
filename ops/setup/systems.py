"""What the steps of support, outreach and facts do; each may be repeated."""

from __future__ import annotations

import json
from typing import Any

from chalicelib.outreach.project import check
from chalicelib.outreach.project.project import Project
from chalicelib.outreach.twilio.client import Credentials
from chalicelib.outreach.twilio.credentials import of_company
from chalicelib.support.settable_tags import every_tag
from ops.companies import api_keys, company, put_settings, senders
from ops.facts import reports
from ops.session import OpsError, Session
from ops.setup import doing
from ops.setup.walk import Walk
from ops.stage import config
from ops.stage.provision import has_value

DEADLINE_SECONDS = 30.0


def tags(walk: Walk) -> str:
    """Create the tags that a plan can set and the tenant lacks."""
    vendor = walk.session.services.support.richpanel
    missing = sorted(every_tag(walk.session.services.support.rules.current()) - vendor.tag_names())
    for tag in missing:
        vendor.create_tag(tag)
    return f"{len(missing)} tags created"


def first_company(walk: Walk) -> str:
    """Store the first company's settings and give it a key for the Router."""
    path, stored = walk.answers.company, senders.projects(walk.session)
    if path is None:
        if stored:
            return f"{len(stored)} projects are stored"
        raise OpsError("no company: name a file with its company-data item")
    item = company.read(path)
    _secrets(walk, item)
    is_known = Project(item) in stored
    did = "unchanged" if is_known else put_settings.put(walk.session, item, because="setup")
    company_id = str(item["company_id"])
    if not api_keys.active(walk.session, company_id):
        api_keys.issue(walk.session, company_id)
        return f"{company_id} {did}; its key is in the secret router/api_keys"
    return f"{company_id} {did}"


def _secrets(walk: Walk, item: dict[str, Any]) -> None:
    """Store the secrets that an item names, and the token by which its account signs webhooks."""
    session = walk.session
    if check.faults(item):
        return  # `put_settings.put` says what is wrong
    for name, channels in check.secrets_of(Project(item)).items():
        if has_value(session.client("secretsmanager"), name):
            continue
        why = f"Twilio's credentials for {', '.join(channels)}" if channels else "the model's key"
        value = walk.ask(name, why)
        if not value.strip():
            raise OpsError(f"missing: {name}: {why}")
        if channels:
            _trust(session, of_company(value))
        doing.store(session, name, value)


def _trust(session: Session, account: Credentials) -> None:
    """Accept webhooks that an account signs with its own token."""
    secret_id = session.services.settings.twilio_webhook_secret_id
    client = session.client("secretsmanager")
    known = json.loads(client.get_secret_value(SecretId=secret_id)["SecretString"])
    if account.account_sid not in known:
        text = json.dumps({**known, account.account_sid: [account.auth_token]})
        client.put_secret_value(SecretId=secret_id, SecretString=text)


def dataset(walk: Walk) -> str:
    """Find or create the push dataset, where facts go to one, and configure its id."""
    if "powerbi" not in walk.session.services.settings.facts_report:
        return "facts go to none"
    there = reports.existing_datasets(walk.session)
    found = there[0] if there else reports.make_dataset(walk.session)
    config.write(walk.stage, {"POWERBI_DATASET_ID": found})
    walk.refresh()
    return f"{'found' if there else 'created'}: {found}"


def mirrored_tables(walk: Walk) -> str:
    """Make the tables in OneLake, where facts go there."""
    services = walk.session.services
    if "onelake" not in services.settings.facts_report or services.posting.onelake is None:
        return "facts do not go there"
    made = reports.make_tables(services.posting.onelake)
    return f"made: {', '.join(made) or 'none, all are there'}"
