"""Whether a vendor takes the secret that calls of it use: a stored one, or one that is not stored yet.

Only vendors that answer a question are asked.  One that cannot be reached says nothing against a value.
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


def accepted(session: Session) -> Iterator[Finding]:
    """Each stored secret that its vendor can be asked about."""
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
    """Why a vendor does not take a secret; empty where it does, or where it cannot be asked.

    Args:
        session: of the stage.
        name: of the secret, as the stage's resources declare it.
        value: as it would be stored; None for what is stored.
    """
    return (
        asked(session, ASKED[name], f"rp-mw/{session.stage}/{name}", value) if name in ASKED else ""
    )


def asked(
    session: Session, ask: Callable[[Services], object], secret_id: str, value: str | None = None
) -> str:
    """Why a question to a vendor, with a value for a secret, is refused; empty where it is not."""
    services = OperatorServices(session.services.settings)
    if value is not None:
        client = _WithValue(services.client("secretsmanager"), secret_id, value)
        services.__dict__["secrets"] = SecretsManager(
            client, services.clock
        )  # as if it were stored
    try:
        ask(services)
    except AuthError as error:
        if error.status == HTTPStatus.FORBIDDEN:  # it is known, and may not do just this
            return ""
        return f"{title(error.provider)} refuses it ({error.reason})"
    except MiddlewareError:
        return ""
    return ""


@dataclass(frozen=True, slots=True)
class _WithValue:
    """Secrets Manager, as it is once a value is stored."""

    client: Any
    secret_id: str
    value: str

    def get_secret_value(self, *, SecretId: str) -> Mapping[str, Any]:  # noqa: N803 - boto3's name
        """See boto3."""
        if SecretId == self.secret_id:
            return {"SecretString": self.value}
        found: Mapping[str, Any] = self.client.get_secret_value(SecretId=SecretId)
        return found


def _richpanel(services: Services) -> object:
    return services.support.richpanel_reader.team_names()


def _powerbi(services: Services) -> object:
    """A token; what the application may do in the workspace says nothing of its secret."""
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
"""Of the stage's own secrets, those that a vendor can be asked about, with the question."""
