"""Whether a principal may make a request, over all policies that apply to it in one account.

As IAM evaluates within an account, without organizations, session policies and VPC endpoints: an
explicit Deny anywhere ends it; else an identity policy or the resource's policy must allow it, and
the permission boundary, where the principal has one, must allow it as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from tests.rigs.iam.policy_language import Document, applies, listed, matches, statements


class Decision(StrEnum):
    """What IAM answers."""

    ALLOWED = "allowed"
    NOT_ALLOWED = "not allowed"
    DENIED = "denied"


@dataclass(frozen=True, slots=True)
class Principal:
    """Who asks.

    Attributes:
        arn: of a role or a user, or the name of a service, such as ``ses.amazonaws.com``.
        policies: the identity policies, inline and managed.
        boundary: the permission boundary; None for none.
        tags: the principal's own.
    """

    arn: str
    policies: tuple[Document, ...] = ()
    boundary: Document | None = None
    tags: Mapping[str, str] = field(default_factory=dict)

    @property
    def account(self) -> str:
        """The account it belongs to; empty of a service."""
        return self.arn.split(":")[4] if self.arn.startswith("arn:") else ""


@dataclass(frozen=True, slots=True)
class Request:
    """One action on one resource.

    Attributes:
        resource: its ARN; ``*`` where the action knows no resource.
        context: condition keys with their values, beside those of the principal.
    """

    action: str
    resource: str
    context: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.action} {self.resource} {dict(self.context) or ''}".strip()


def decide(principal: Principal, request: Request, on: Document | None = None) -> Decision:
    """IAM's answer.

    Args:
        principal: who asks.
        request: what for.
        on: the policy of the resource itself: a queue's, a topic's, a bucket's; None for none.
    """
    context = _context(principal, request)
    identity = _effects(principal.policies, request, context)
    limit = _effects((principal.boundary,), request, context) if principal.boundary else {"Allow"}
    lets = {
        (statement["Effect"], how)
        for statement in (statements(on) if on else ())
        if applies(statement, request.action, request.resource, context)
        for how in _addressed(statement["Principal"], principal)
    }
    if "Deny" in identity | limit | {effect for effect, _ in lets}:
        return Decision.DENIED
    if ("Allow", "itself") in lets:  # no boundary limits what a resource gives to all, or a user
        return Decision.ALLOWED
    is_granted = "Allow" in identity or ("Allow", "role") in lets
    return Decision.ALLOWED if is_granted and "Allow" in limit else Decision.NOT_ALLOWED


def may(principal: Principal, request: Request, on: Document | None = None) -> bool:
    """Whether it is allowed."""
    return decide(principal, request, on) is Decision.ALLOWED


def _effects(
    policies: Iterable[Document], request: Request, context: Mapping[str, tuple[str, ...]]
) -> set[str]:
    return {
        str(statement["Effect"])
        for policy in policies
        for statement in statements(policy)
        if applies(statement, request.action, request.resource, context)
    }


def _addressed(named: Any, principal: Principal) -> set[str]:
    """How a resource's policy names a principal; its account alone refers to identity policies.

    A Deny reaches the account's principals too, so there the account is a way to be named.
    """
    if named == "*":
        return {"itself"}
    found = set()
    for kind, values in named.items():
        for value in map(str, listed(values)):
            is_role = ":role/" in principal.arn
            if value == "*" or (kind == "Service" and value == principal.arn):
                found.add("itself")
            elif value == principal.arn:
                found.add("role" if is_role else "itself")
            elif value == principal.account or matches(
                value, f"arn:aws:iam::{principal.account}:root"
            ):
                found.add("account")
    return found


def _context(principal: Principal, request: Request) -> Mapping[str, tuple[str, ...]]:
    mine = {"aws:principalarn": (principal.arn,), "aws:principalaccount": (principal.account,)}
    tags = {f"aws:principaltag/{key.lower()}": (value,) for key, value in principal.tags.items()}
    return mine | tags | {key.lower(): values for key, values in request.context.items()}
