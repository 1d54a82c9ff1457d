"""What is wrong with answers, found before anything is made: of AWS, secrets and functions are looked at."""

from __future__ import annotations

import os
from collections.abc import Iterator

from chalicelib import settings
from chalicelib.outreach.project import check
from chalicelib.outreach.project.project import Project
from ops.companies import company
from ops.inspect import doctor_deployed
from ops.session import EXIT_UNUSABLE, OperatorServices, OpsError, Session
from ops.setup.answers import Answers
from ops.stage import config, deploying, provision
from ops.stage.template import StageTemplate


def judge(session: Session, given: Answers) -> None:
    """Refuse answers that a step would stop at, and a way that the stage is not deployed by.

    Raises:
        OpsError: names every one, and shows no value; or says what has the functions.
        SettingsError: names every variable that has a wrong value.
    """
    meant = _meant(session, given)
    problems = [*_variables(meant, given), *_company(meant, given), *_secrets(meant, given)]
    if problems:
        raise OpsError("; ".join(problems), code=EXIT_UNUSABLE)
    deploying.refuse_other_way(session, given.way)


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
    known = set(_template(meant).metadata["Secrets"])
    if item is not None and not faults:
        known |= set(check.secrets_of(Project(item)))
    unknown = sorted(given.secrets.keys() - known)
    if unknown and not faults:
        yield f"[secrets] names what the stage does not have: {', '.join(unknown)}"


def _secrets(meant: Session, given: Answers) -> Iterator[str]:
    """Secrets that are not stored yet, and whose variable holds nothing."""
    wanted = provision.secret_names(_template(meant), meant.services.settings)
    own = {name: f"rp-mw/{meant.stage}/{name}" for name in _template(meant).metadata["Secrets"]}
    for name, variable in given.secrets.items():
        if (name in own and name not in wanted) or os.environ.get(variable, "").strip():
            continue
        if not provision.has_value(meant.client("secretsmanager"), own.get(name, name)):
            yield f"{name}: the variable {variable}, which [secrets] names, is not set"


def _template(meant: Session) -> StageTemplate:
    """The declared resources, for their names alone."""
    return StageTemplate.load(meant.stage, account="", region="")
