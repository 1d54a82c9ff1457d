"""Creates on an engine what `.chalice/resources.json` declares: tables, queues, switches, secrets.

Deployments use the same file, so local, test and production stages cannot drift apart.  A repeated
run only adds what is missing.
"""

from __future__ import annotations

import functools
import secrets
import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import boto3
import botocore
from botocore.config import Config

from chalicelib.clock import SystemClock
from chalicelib.once.keyring import KeyPurpose, PurposeKeys, parsed_keys
from chalicelib.once.keys import OpaqueIds
from chalicelib.once.lanes import TICKETS, Lane
from chalicelib.once.seal import Seal
from local.stack import creating
from local.stack.engine import REGION
from local.vendors import onelake, openai, powerbi, shopify
from local.vendors.richpanel import API_KEY
from ops.stage import rotation
from ops.stage.template import StageTemplate

if TYPE_CHECKING:
    from collections.abc import Mapping

ACCOUNT = "000000000000"
SWITCHES = {
    "kill_switch": "false",
    "safe_mode": "false",
    "automation_enabled": "true",
    "shadow_mode": "false",
}
"""First values: the local stack acts at once; a deployed stage starts in shadow mode."""

_CONFIG = Config(
    connect_timeout=2,
    read_timeout=30,
    retries={"total_max_attempts": 2, "mode": "standard"},
    max_pool_connections=20,
)
_BUILDING = threading.Lock()


@functools.cache
def _session() -> boto3.session.Session:
    """The session shared by all accounts, because it caches the parsed service models."""
    return boto3.session.Session()


def leave_unsigned(emitter: Any) -> None:  # noqa: ANN401 - botocore's emitters have no type
    """Spare the signatures, a tenth of a stack's processor time: MiniStack verifies none.

    Without one its account is `ACCOUNT`.

    Args:
        emitter: ``events`` of a session, for the clients that it makes from now on.
    """
    for service in ("dynamodb", "secretsmanager", "sqs", "ssm"):
        emitter.register(f"choose-signer.{service}", lambda **_: botocore.UNSIGNED)


@dataclass(frozen=True, slots=True)
class Aws:
    """boto3 clients of one engine and account; this machine's credentials are never used.

    Args:
        url: the engine's URL.
        account: twelve digits; on MiniStack each such account is separate and starts empty.
    """

    url: str
    account: str = ACCOUNT
    _clients: dict[str, Any] = field(default_factory=dict, repr=False)

    def client(self, service: str) -> Any:  # noqa: ANN401 - boto3 builds clients at run time
        """A boto3 client, built once."""
        with _BUILDING:
            if service not in self._clients:
                self._clients[service] = _session().client(
                    service,
                    region_name=REGION,
                    endpoint_url=self.url,
                    aws_access_key_id=self.account,
                    aws_secret_access_key="local",  # noqa: S106 - the engine asks for none
                    config=_CONFIG,
                )
            return self._clients[service]

    @property
    def environment(self) -> dict[str, str]:
        """Variables that make boto3 in another process use this engine and account."""
        return {
            "AWS_ENDPOINT_URL": self.url,
            "AWS_ACCESS_KEY_ID": self.account,
            "AWS_SECRET_ACCESS_KEY": "local",
            "AWS_DEFAULT_REGION": REGION,
            "AWS_REGION": REGION,
            "AWS_EC2_METADATA_DISABLED": "true",
        }

    def close(self) -> None:
        """Close the clients' connections."""
        for client in self._clients.values():
            client.close()
        self._clients.clear()


_BEFORE = datetime(2020, 1, 1, tzinfo=UTC)
"""When the keys begin to sign: before any time that tests set."""


@dataclass(frozen=True, slots=True)
class Secrets:
    """The secrets of a local stage: random, or those of the simulated vendors."""

    webhook_token: str = field(default_factory=lambda: secrets.token_urlsafe(18))
    api_key: str = API_KEY
    keys: Mapping[KeyPurpose, str] = field(
        default_factory=lambda: {purpose: rotation.first(_BEFORE) for purpose in KeyPurpose}
    )
    openai_api_key: str = openai.API_KEY
    shopify_client_id: str = shopify.CLIENT_ID
    shopify_client_secret: str = shopify.CLIENT_SECRET
    aloware_token: str = field(default_factory=lambda: secrets.token_urlsafe(18))
    hubspot_secret: str = field(default_factory=lambda: secrets.token_urlsafe(18))
    powerbi_secret: str = powerbi.CLIENT_SECRET
    fabric_secret: str = onelake.CLIENT_SECRET


@dataclass(frozen=True, slots=True)
class Stage:
    """A created stage: its resources' names by logical id.

    Attributes:
        tables: logical id to table name.
        queues: logical id to queue URL.
        queue_arns: logical id to queue ARN.
    """

    name: str
    aws: Aws
    secrets: Secrets
    tables: Mapping[str, str]
    queues: Mapping[str, str]
    queue_arns: Mapping[str, str]

    @property
    def queue_url(self) -> str:
        """The URL of the tickets' queue."""
        return self.queues["EventsQueue"]

    @property
    def queue_arn(self) -> str:
        """The ARN of the tickets' queue, as Lambda's events name it."""
        return self.queue_arns["EventsQueue"]

    def lane_url(self, lane: Lane = TICKETS) -> str:
        """The URL of a lane's queue."""
        return self.queues[f"{lane.logical_id}Queue"]

    def lane_arn(self, lane: Lane = TICKETS) -> str:
        """The ARN of a lane's queue."""
        return self.queue_arns[f"{lane.logical_id}Queue"]

    def lane_dead_letter_url(self, lane: Lane) -> str:
        """The URL of a lane's dead-letter queue."""
        return self.queues[f"{lane.logical_id}DeadLetterQueue"]

    @property
    def dead_letter_url(self) -> str:
        """The URL of the tickets' dead-letter queue."""
        return self.queues["EventsDeadLetterQueue"]

    def sealed(self, body: str, *, group_id: str, lane: Lane = TICKETS) -> str:
        """Seal a job's text as the stage does for a lane's queue."""
        return self._seal.sealed(body, queue=lane.queue(self.name), group_id=group_id)

    def sealed_to_wait(self, body: str) -> str:
        """Seal a job's text for the queue of short waits, `later`."""
        return self._seal.sealed(body, queue=f"rp-mw-later-{self.name}")

    @property
    def opaque_ids(self) -> OpaqueIds:
        """The stage's maker of keyed hashes."""
        return self._keys(KeyPurpose.IDS).ids

    @property
    def _seal(self) -> Seal:
        return Seal(lambda: self._keys(KeyPurpose.JOBS))

    def _keys(self, purpose: KeyPurpose) -> PurposeKeys:
        keys = parsed_keys(self.secrets.keys[purpose], self.name, purpose)
        return PurposeKeys(keys, SystemClock())

    def set_switch(self, name: str, value: str) -> None:
        """Set one of the switches."""
        self.aws.client("ssm").put_parameter(
            Name=f"/rp-mw/{self.name}/{name}", Value=value, Type="String", Overwrite=True
        )


def create(
    aws: Aws,
    stage: str = "dev",
    *,
    queue_attributes: Mapping[str, str] | None = None,
    given: Secrets | None = None,
) -> Stage:
    """Create everything of a stage.

    Args:
        aws: the engine and account.
        stage: any name, also of a stage that is not declared.
        queue_attributes: override attributes of the lanes' queues, e.g. a short
            ``VisibilityTimeout`` in a test.
        given: the stage's secrets; random ones when None.
    """
    template = StageTemplate.load(stage, account=aws.account, region=REGION)
    queues = creating.queues(aws, template, queue_attributes or {})
    tables = creating.tables(aws, template)
    return completed(aws, template, given or Secrets(), tables, queues)


def completed(
    aws: Aws,
    template: StageTemplate,
    known: Secrets,
    tables: Mapping[str, str],
    queues: Mapping[str, str],
) -> Stage:
    """Complete a stage that has tables and queues: write switches that let it act, and secrets.

    Args:
        aws: the engine and account.
        template: the stage's template.
        known: the secrets.
        tables: logical id to name.
        queues: logical id to URL.
    """
    create_switches(aws, template.stage, SWITCHES)
    create_secrets(aws, template.stage, known)
    arns = {
        resource.logical_id: f"arn:aws:sqs:{REGION}:{aws.account}:{resource.properties['QueueName']}"
        for resource in template.resources("AWS::SQS::Queue")
    }
    return Stage(template.stage, aws, known, tables, queues, arns)


def drop_tables(aws: Aws, template: StageTemplate) -> None:
    """Delete the tables between two tests, for engines without accounts."""
    dynamodb = aws.client("dynamodb")
    there = set(dynamodb.list_tables()["TableNames"])
    for resource in template.resources("AWS::DynamoDB::Table"):
        if resource.properties["TableName"] in there:
            dynamodb.delete_table(TableName=resource.properties["TableName"])


def create_switches(aws: Aws, stage: str, values: Mapping[str, str]) -> None:
    """Write the switches' parameters."""
    for name, value in values.items():
        aws.client("ssm").put_parameter(
            Name=f"/rp-mw/{stage}/{name}", Value=value, Type="String", Overwrite=True
        )


def create_secrets(aws: Aws, stage: str, given: Secrets) -> None:
    """Write the secrets."""
    client = aws.client("secretsmanager")
    values = {
        "richpanel/webhook_token": given.webhook_token,
        "richpanel/api_key": given.api_key,
        **{f"keys/{purpose.value}": text for purpose, text in given.keys.items()},
        "openai/api_key": given.openai_api_key,
        "shopify/client_id": given.shopify_client_id,
        "shopify/client_secret": given.shopify_client_secret,
        "aloware/webhook_token": given.aloware_token,
        "hubspot/client_secret": given.hubspot_secret,
        "powerbi/client_secret": given.powerbi_secret,
        "fabric/client_secret": given.fabric_secret,
    }
    for name, value in values.items():
        secret_id = f"rp-mw/{stage}/{name}"
        try:
            client.create_secret(Name=secret_id, SecretString=value)
        except client.exceptions.ResourceExistsException:
            client.put_secret_value(SecretId=secret_id, SecretString=value)
