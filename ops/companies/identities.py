"""The SES identities that a stage's e-mail worker may send as, and the senders not covered by them."""

from __future__ import annotations

import json
from typing import Any

from chalicelib.once.lanes import EMAIL
from chalicelib.outreach.channels import SES
from chalicelib.outreach.project.project import Project
from ops.companies import senders
from ops.session import Session

_IDENTITY = ":identity/"
_SEND = "ses:SendEmail"


def allowed(session: Session) -> frozenset[str] | None:
    """The identities in the policy of the deployed e-mail worker's role: domains and addresses.

    Returns:
        None if the worker, and so its role, is not deployed yet.
    """
    functions, iam = session.client("lambda"), session.client("iam")
    try:
        worker = functions.get_function_configuration(
            FunctionName=f"rp-mw-{session.stage}-{EMAIL.handler}"
        )
    except functions.exceptions.ResourceNotFoundException:
        return None
    role = worker["Role"].rsplit("/", 1)[-1]
    found = set()
    for name in iam.list_role_policies(RoleName=role)["PolicyNames"]:
        document = iam.get_role_policy(RoleName=role, PolicyName=name)["PolicyDocument"]
        policy = json.loads(document) if isinstance(document, str) else document
        for statement in policy["Statement"]:
            if _SEND in _listed(statement["Action"]):
                found |= {
                    resource.split(_IDENTITY)[1].lower()
                    for resource in _listed(statement["Resource"])
                    if _IDENTITY in resource
                }
    return frozenset(found)


def uncovered(project: Project, identities: frozenset[str]) -> list[str]:
    """A message for each e-mail sender that no identity covers; addresses are not shown.

    An identity is an address, or a domain, which covers the domains below it too.
    """
    return [
        f"{use.place} is covered by none of the stage's SenderIdentities: SES refuses its e-mails"
        for use in senders.uses(project)
        if use.channel.traits.carrier is SES and identities.isdisjoint(_names(use.address))
    ]


def _names(address: str) -> set[str]:
    """The identities that would cover an address."""
    labels = address.lower().rpartition("@")[2].split(".")
    return {address.lower(), *(".".join(labels[start:]) for start in range(len(labels)))}


def _listed(value: Any) -> list[Any]:  # noqa: ANN401 - any JSON value
    return value if isinstance(value, list) else [value]
