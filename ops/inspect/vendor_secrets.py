"""Asks vendors whether they accept a secret: a stored one, or a value not stored yet.

Only vendors with a harmless question are asked.  An unreachable vendor refuses nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from chalicelib.aws.secrets import SecretsManager
from chalicelib.errors import AuthError, MiddlewareError, ProviderError
from chalicelib.facts.dataset import DATASET
from chalicelib.facts.posting.powerbi import datasets_named
from chalicelib.wiring import Services
from ops.inspect.finding import Finding
from ops.session import OperatorServices, Session
from ops.stage import provision
from ops.unreachable import title

DEADLINE_SECONDS = 20.0


def secret_findings(session: Session) -> Iterator[Finding]:
    """Yield a finding for each stored secret whose vendor can be asked."""
    client = session.client("secretsmanager")
    for name in provision.secret_names(session.template, session.services.settings):
        secret_id = f"rp-mw/{session.stage}/{name}"
        if name in ASKED and provision.has_value(client, secret_id):
            refused = refusal(session, name)
            mend = f"python -m ops setup --stage {session.stage} --secret {name}"
            yield Finding(
                name,
                "fail" if refused else "ok",
                refused or "not refused",
                mend=mend if refused else "",
            )


def refusal(session: Session, name: str, value: str | None = None) -> str:
    """Why a vendor refuses a secret; empty if it accepts it or cannot be asked.

    Args:
        session: the stage.
        name: the secret's name in the stage's declaration.
        value: the value to try; None for the stored one.
    """
    return (
        refusal_of_value(session, ASKED[name], f"rp-mw/{session.stage}/{name}", value)
        if name in ASKED
        else ""
    )


def refusal_of_value(
    session: Session, ask: Callable[[Services], object], secret_id: str, value: str | None = None
) -> str:
    """Why a vendor refuses a question made with a value for a secret; empty if it does not."""
    services = OperatorServices(session.services.settings)
    if value is not None:
        client = _WithValue(services.client("secretsmanager"), secret_id, value)
        services.__dict__["secrets"] = SecretsManager(
            client, services.clock
        )  # as if the value were stored
    try:
        ask(services)
    except AuthError as error:
        if (
            error.status == HTTPStatus.FORBIDDEN
        ):  # the secret is good; only this operation is forbidden
            return ""
        return f"{title(error.provider)} refuses it ({error.reason})"
    except MiddlewareError:
        return ""
    return ""


@dataclass(frozen=True, slots=True)
class _WithValue:
    """A Secrets Manager client that returns a value as if it were already stored."""

    client: Any
    secret_id: str
    value: str

    def get_secret_value(self, *, SecretId: str) -> Mapping[str, Any]:  # noqa: N803 - boto3's name
        """Return the value to try for its secret; pass other secrets to the real client."""
        if SecretId == self.secret_id:
            return {"SecretString": self.value}
        found: Mapping[str, Any] = self.client.get_secret_value(SecretId=SecretId)
        return found


def _richpanel(services: Services) -> object:
    return services.support.richpanel_reader.team_names()


def _powerbi(services: Services) -> object:
    """Ask for a token and list datasets; a refusal after the token says nothing about the secret."""
    workspace = services.settings.powerbi_workspace_id
    client = services.posting.powerbi_client
    try:
        return datasets_named(client, workspace, DATASET, deadline_seconds=DEADLINE_SECONDS)
    except ProviderError as error:
        if error.operation == "token":
            raise
        return []


ASKED: Mapping[str, Callable[[Services], object]] = {
    "richpanel/api_key": _richpanel,
    "powerbi/client_secret": _powerbi,
}
"""The question for each of the stage's secrets whose vendor can be asked."""
