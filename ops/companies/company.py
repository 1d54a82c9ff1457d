"""A company's settings and keys: its `company-data` items, the secrets they name, its API keys."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from chalicelib.errors import PermanentError, UnavailableError
from chalicelib.outreach.channel_traits import Form
from chalicelib.outreach.channels import Channel
from chalicelib.outreach.door.access import DeskRole
from chalicelib.outreach.project import check as checking
from chalicelib.outreach.project.ai_config import ignored_names
from chalicelib.outreach.project.part import Part
from chalicelib.outreach.project.project import Project
from ops import journal
from ops.companies import api_keys, identities, missing_words, model_names, senders
from ops.session import EXIT_UNUSABLE, OpsError, Session

IGNORED = (
    "ignored: {names}: OpenAI's assistants no longer exist. Move their instructions to"
    " ai_config.writer.instructions and their facts to ai_config.writer.knowledge"
)


@dataclass(frozen=True, slots=True)
class CompanyFinding:
    """The result of one check of a company's settings.

    Attributes:
        subject: what was checked: ``item``, ``api_keys``, or a secret by name.
        result: ``ok``, ``warn`` or ``fail``.
    """

    subject: str
    result: str
    detail: str = ""


def read(path: Path) -> dict[str, Any]:
    """Read an item from a JSON file, which may begin with a byte order mark.

    Raises:
        OpsError: the file cannot be read or is not a JSON object.
    """
    try:
        raw = json.loads(path.read_text(encoding="utf-8-sig"), parse_constant=_no_number)
    except OSError as error:
        raise OpsError(f"{path} cannot be read: {error.strerror}", code=EXIT_UNUSABLE) from None
    except (ValueError, RecursionError):
        raise OpsError(f"{path} is not JSON") from None
    if not isinstance(raw, dict):
        raise OpsError(f"{path} is not a JSON object")
    return raw


def items(session: Session, company_id: str, project_id: str | None) -> list[dict[str, Any]]:
    """A company's stored items, one for each project.

    Raises:
        OpsError: the company, or that project of it, is not stored.
    """
    table = session.services.table(session.services.settings.company_data_table)
    found = [
        item
        for item in table.query_pages(
            KeyConditionExpression="company_id = :c", values={"c": company_id}
        )
        if project_id in (None, item["project_id"])
    ]
    if not found:
        project = f" with project {project_id}" if project_id else ""
        named = " ".join(company_id.split())  # on one line
        raise OpsError(f"no such company: {named}{project}")
    return found


def ids(session: Session, *, at_most: int) -> tuple[list[str], bool]:
    """Company ids from the first `at_most` stored projects, and whether these are all companies."""
    table = session.services.table(session.services.settings.company_data_table)
    page, rest = table.scan_page(
        limit=at_most,
        ProjectionExpression="#c",
        ExpressionAttributeNames={"#c": "company_id"},
    )
    return sorted({str(item["company_id"]) for item in page}), rest is None


def projects(session: Session, company_id: str, project_id: str | None) -> list[Project]:
    """A company's projects.

    Raises:
        OpsError: the company, or that project of it, is not stored.
    """
    return [Project(item) for item in items(session, company_id, project_id)]


def faults(session: Session, item: dict[str, Any]) -> list[str]:
    """Faults of an item in itself, which keep it from being stored."""
    allows = session.services.settings.company_webhooks_on_loopback
    found = checking.faults(item, allows_loopback=allows)
    return [*found, *model_names.of_project(session, item)]


def check(session: Session, item: dict[str, Any]) -> list[CompanyFinding]:
    """Check an item, the secrets it names, and the company's API keys."""
    wrong = faults(session, item)
    found = [CompanyFinding("item", "fail", fault) for fault in wrong]
    unknown = checking.unknown_names(item)
    if unknown:
        found.append(CompanyFinding("item", "warn", f"unknown attributes: {', '.join(unknown)}"))
    ignored = ignored_names(item)
    if ignored:
        found.append(CompanyFinding("item", "warn", IGNORED.format(names=", ".join(ignored))))
    project = Project(item)
    if not project.is_active:
        found.append(
            CompanyFinding("item", "warn", "project_status is not active: starts are refused")
        )
    if not any(finding.result == "fail" for finding in found):
        found.append(CompanyFinding("item", "ok"))
        found += [
            _secret(session, project, name, channels)
            for name, channels in checking.secrets_of(project).items()
        ]
        found.append(_senders(session, project))
        found += _consent(project)
        found += _identities(session, project)
        found += [
            CompanyFinding("models", "fail", fault)
            for fault in model_names.of_stage(session, project)
        ]
    company_id = shown_id(item, Project.company_id)
    if company_id is not None:
        found.append(_keys(session, company_id))
    return found


def shown_id(item: dict[str, Any], part: Part[str]) -> str | None:
    """The company's or project's id in an item; None if invalid, so that no wrong value is printed."""
    return None if any(part.faults(item)) else str(item[part.name])


def issue(
    session: Session,
    company_id: str,
    role: DeskRole | None = None,
    *,
    because: str = "",
    once: str = "",
) -> tuple[str, int]:
    """Issue an API key for a stored company, enter the act; return the key and how many are active.

    Raises:
        OpsError: there is no such company, or the key could not be stored.
        OvertakenError: the form with the id `once` was already submitted.
    """
    items(session, company_id, None)
    made = api_keys.new_key()
    journal.enter(
        session,
        "company key",
        f"company:{company_id}",
        reason=because,
        once=once,
        asked="issue",
        desk=role,
        made=api_keys.id_of(made),
    )
    return api_keys.issue(session, company_id, role, key=made)


def _secret(
    session: Session, project: Project, name: str, channels: list[Channel]
) -> CompanyFinding:
    """Check that the worker can read a secret and that each channel accepts it."""
    try:
        if not session.services.secrets.text(name).strip():
            return CompanyFinding(name, "fail", "empty")
        for channel in channels:
            record = senders.record_of(project, channel)
            session.services.outreach_work.messages_of(record).check(record)
    except UnavailableError as error:
        return CompanyFinding(name, "fail", error.code)
    except PermanentError as error:
        return CompanyFinding(name, "fail", error.reason)
    return CompanyFinding(name, "ok", ", ".join(channels))


def _senders(session: Session, project: Project) -> CompanyFinding:
    stored = senders.projects(session)
    problems = senders.faults(project, stored)
    if any(other.ids == project.ids for other in stored):
        problems += senders.unmapped(session, project)
    return CompanyFinding("senders", "fail" if problems else "ok", "; ".join(problems))


def _consent(project: Project) -> list[CompanyFinding]:
    """Warnings about what a company must settle first: opt-out words, contact, address, consent."""
    found = []
    for channel in sorted(project.allowed_channels):
        config = project.channel_settings(channel)
        is_template = channel.traits.form is Form.TEMPLATE
        if is_template and config and not config.get("template_opt_out"):
            detail = (
                f"channel_config.{channel.value}.template_opt_out is missing: the approved template"
                " must say how to opt out, in its text or by a button"
            )
            found.append(CompanyFinding("opt-out", "warn", detail))
    if not project.company_contact:
        detail = "company_contact is missing: the answer to HELP names no contact"
        found.append(CompanyFinding("opt-out", "warn", detail))
    mails = any(channel.traits.form is Form.MAIL for channel in project.allowed_channels)
    if mails and project.message_kind != "transactional" and not project.company_address:
        detail = "company_address is missing: marketing e-mails must name it (16 CFR 316)"
        found.append(CompanyFinding("opt-out", "warn", detail))
    found += [CompanyFinding("rules", "warn", detail) for detail in missing_words.details(project)]
    if not project.require_consent:
        found.append(CompanyFinding("consent", "warn", "require_consent is off"))
    return found


def _identities(session: Session, project: Project) -> list[CompanyFinding]:
    """Failures for e-mail senders that the worker's role may not use; none before its deployment."""
    try:
        allowed = identities.allowed(session)
    except (ClientError, BotoCoreError):
        return [CompanyFinding("sender identities", "warn", "the worker's role cannot be read")]
    problems = [] if allowed is None else identities.uncovered(project, allowed)
    return [CompanyFinding("sender identities", "fail", problem) for problem in problems]


def _keys(session: Session, company_id: str) -> CompanyFinding:
    wrong = api_keys.faults(session, company_id)
    if wrong:
        return CompanyFinding("api_keys", "fail", f"every request is refused: {'; '.join(wrong)}")
    count = len(api_keys.active(session, company_id))
    if not count:
        return CompanyFinding("api_keys", "fail", f"none; python -m ops company key {company_id}")
    return CompanyFinding("api_keys", "ok", f"{count} active")


def _no_number(_text: str) -> None:
    raise ValueError("not a JSON number")
