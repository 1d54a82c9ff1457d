"""Checks answers before anything is made; looks at AWS for stored secrets and deployed functions."""

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
    """Refuse answers that a step would fail on, and a way of deploying other than the present one.

    Raises:
        OpsError: an answer is wrong (names all of them, shows no value), or the stage is deployed
            the other way.
        SettingsError: a variable has a wrong value; names all of them.
    """
    meant = _meant(session, given)
    problems = [*_variables(meant, given), *_company(meant, given), *_secrets(meant, given)]
    if problems:
        raise OpsError("; ".join(problems), code=EXIT_UNUSABLE)
    deploying.refuse_other_way(session, given.way)


def _meant(session: Session, given: Answers) -> Session:
    """A session over the configuration that the answers will give."""
    systems = {"SYSTEMS": ",".join(sorted(given.systems))}
    return Session.over(
        OperatorServices(settings.load({**session.variables, **given.variables, **systems}))
    )


def _variables(meant: Session, given: Answers) -> Iterator[str]:
    named = {**config.configured(meant.stage), **given.variables}
    for variable in doctor_deployed.missing_variables(meant.services.settings, named):
        yield f"[variables] lacks {variable}"


def _company(meant: Session, given: Answers) -> Iterator[str]:
    """Yield faults of the first company's item and of the names of secrets."""
    item = company.read(given.company) if given.company else None
    faults = company.faults(meant, item) if item is not None else []
    yield from (f"{given.company}: {fault}" for fault in faults)
    known = set(_template(meant).metadata["Secrets"])
    if item is not None and not faults:
        known |= set(check.secrets_of(Project(item)))
    unknown = sorted(given.secrets.keys() - known)
    if unknown and not faults:
        yield f"[secrets] names what the stage does not have: {', '.join(unknown)}"


def _secrets(meant: Session, given: Answers) -> Iterator[str]:
    """Yield a message for each missing secret whose environment variable is empty."""
    wanted = provision.secret_names(_template(meant), meant.services.settings)
    own = {name: f"rp-mw/{meant.stage}/{name}" for name in _template(meant).metadata["Secrets"]}
    for name, variable in given.secrets.items():
        if (name in own and name not in wanted) or os.environ.get(variable, "").strip():
            continue
        if not provision.has_value(meant.client("secretsmanager"), own.get(name, name)):
            yield f"{name}: the variable {variable}, which [secrets] names, is not set"


def _template(meant: Session) -> StageTemplate:
    """The stage's template, only for the names of its resources."""
    return StageTemplate.load(meant.stage, account="", region="")
