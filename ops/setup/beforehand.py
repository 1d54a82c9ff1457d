"""What is wrong with answers, found before anything is made: with no call to AWS or a vendor."""

from __future__ import annotations

from collections.abc import Iterator

from chalicelib import settings
from chalicelib.outreach.project import check
from chalicelib.outreach.project.project import Project
from ops.companies import company
from ops.inspect import doctor_deployed
from ops.session import EXIT_UNUSABLE, OperatorServices, OpsError, Session
from ops.setup.answers import Answers
from ops.stage import config
from ops.stage.template import StageTemplate


def judge(session: Session, given: Answers) -> None:
    """Refuse answers that a step would stop at.

    Raises:
        OpsError: names every one, and shows no value.
        SettingsError: names every variable that has a wrong value.
    """
    meant = _meant(session, given)
    problems = [*_variables(meant, given), *_company(meant, given)]
    if problems:
        raise OpsError("; ".join(problems), code=EXIT_UNUSABLE)


def _meant(session: Session, given: Answers) -> Session:
    """The stage as it will be configured."""
    systems = {"SYSTEMS": ",".join(sorted(given.systems))}
    return Session.over(
        OperatorServices(settings.load({**session.variables, **given.variables, **systems}))
    )


def _variables(meant: Session, given: Answers) -> Iterator[str]:
    named = {**config.configured(meant.stage), **given.variables}
    for one in doctor_deployed.missing(meant.services.settings, named):
        yield f"[variables] lacks {one}"


def _company(meant: Session, given: Answers) -> Iterator[str]:
    """What is wrong with the first company's item, and with the names of secrets."""
    item = company.read(given.company) if given.company else None
    faults = company.faults(meant, item) if item is not None else []
    yield from (f"{given.company}: {one}" for one in faults)
    template = StageTemplate.load(meant.stage, account="", region="")  # of names alone
    known = set(template.metadata["Secrets"])
    if item is not None and not faults:
        known |= set(check.secrets_of(Project(item)))
    unknown = sorted(given.secrets.keys() - known)
    if unknown and not faults:
        yield f"[secrets] names what the stage does not have: {', '.join(unknown)}"
