"""Creates a stage's switches and finds its missing secrets, which are in no stack.

A stack's update would write declared values over those that a person has set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from botocore.exceptions import ClientError

from chalicelib.errors import UnavailableError
from chalicelib.once.keyring import KeyPurpose, parsed_keys
from chalicelib.outreach.channels import CARRIERS
from chalicelib.settings import Settings
from ops.stage.template import StageTemplate


class Clients(Protocol):
    """A source of boto3 clients."""

    def client(self, service: str) -> Any:  # noqa: ANN401 - boto3 builds clients at run time
        """A boto3 client of a service."""
        ...


@dataclass(frozen=True, slots=True)
class Made:
    """What was done with one resource.

    Attributes:
        name: a stack's name or a switch's path.
        did: created, updated or unchanged.
    """

    logical_id: str
    name: str
    did: str


def switches(clients: Clients, template: StageTemplate, stage: str) -> Iterator[Made]:
    """Give missing switches their first values; an existing switch is never changed."""
    ssm = clients.client("ssm")
    for name, value in template.metadata["Switches"]["FirstValues"].items():
        path = f"/rp-mw/{stage}/{name}"
        is_new = not ssm.get_parameters(Names=[path])["Parameters"]
        if is_new:
            ssm.put_parameter(Name=path, Value=value, Type="String")
        yield Made(name, path, "created" if is_new else "unchanged")


def missing_secrets(
    clients: Clients, template: StageTemplate, stage: str, settings: Settings
) -> list[str]:
    """Names of the secrets that must still be provided; those that no feature reads do not count."""
    client = clients.client("secretsmanager")
    return [
        secret_id
        for secret_id in (f"rp-mw/{stage}/{name}" for name in secret_names(template, settings))
        if not (has_keys if "/keys/" in secret_id else has_value)(client, secret_id)
    ]


def secret_names(template: StageTemplate, settings: Settings) -> list[str]:
    """The declared secrets that the stage's systems and enabled features read."""
    needless = {name for name, is_read in _READ_ONLY_WITH.items() if not is_read(settings)}
    return [
        name
        for name in template.metadata["Secrets"]
        if name not in {"Comment", *needless}
        and _SYSTEM_OF.get(name.partition("/")[0], "stage") in ("stage", *settings.systems)
    ]


_SYSTEM_OF: Mapping[str, str] = {
    "richpanel": "support",
    "shopify": "support",
    "openai": "support",
    "router": "outreach",
    **{carrier.vendor: "outreach" for carrier in CARRIERS.values()},
    "aloware": "facts",
    "hubspot": "facts",
    "powerbi": "facts",
    "fabric": "facts",
}
"""The system that reads a secret, by the first part of its name; any other is the stage's own."""
_READ_ONLY_WITH: Mapping[str, Callable[[Settings], object]] = {
    "aloware/api_token": lambda settings: settings.aloware_ring_group_url,
    "console/client_secret": lambda _settings: False,  # read only by a console deployed as a stack
    "keys/tool_results": lambda settings: "outreach" in settings.systems,
    "keys/unsubscribe": lambda settings: "outreach" in settings.systems,
    "fabric/client_secret": lambda settings: "onelake" in settings.facts_report,
    "hubspot/api_token": lambda settings: settings.hubspot_directory,
    "openai/api_key": lambda settings: settings.support.openai_intent_enabled,
    "powerbi/client_secret": lambda settings: "powerbi" in settings.facts_report,
    "shopify/client_id": lambda settings: settings.support.shopify_base_url,
    "shopify/client_secret": lambda settings: settings.support.shopify_base_url,
}
"""Optional secrets, each with the setting that makes a stage read it; false for never."""


def has_value(client: Any, secret_id: str) -> bool:  # noqa: ANN401
    """Whether a secret exists and is not empty."""
    try:
        return bool(client.get_secret_value(SecretId=secret_id)["SecretString"].strip())
    except (ClientError, KeyError):
        return False


def has_keys(client: Any, secret_id: str) -> bool:  # noqa: ANN401
    """Whether a purpose's keys are valid; of keys that no person may read, whether the secret exists."""
    _, stage, _, name = secret_id.split("/")
    purpose = KeyPurpose(name)
    try:
        if purpose in READ_BY_FUNCTIONS_ONLY:
            return "DeletedDate" not in client.describe_secret(SecretId=secret_id)
        text = client.get_secret_value(SecretId=secret_id).get("SecretString", "")
        parsed_keys(text, stage, purpose)
    except (ClientError, UnavailableError):
        return False
    return True


READ_BY_FUNCTIONS_ONLY = frozenset({KeyPurpose.UNSUBSCRIBE, KeyPurpose.TOOL_RESULTS})
"""Keys that could sign as a recipient or as a company's tool; an administrator rotates them."""
