"""`Shared` on AWS: the container's clients, tables, queues, switches, secrets and log."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import boto3
from botocore.config import Config

from chalicelib.aws.logs import JsonLog
from chalicelib.aws.queue import SqsDelayQueue, SqsOutbox
from chalicelib.aws.secrets import SecretsManager
from chalicelib.once.lazy import LazyClient
from chalicelib.shared import Shared

if TYPE_CHECKING:
    from chalicelib.aws.dynamo import Table
    from chalicelib.aws.switches import SsmSwitches

_FAST = Config(
    connect_timeout=1,
    read_timeout=4,
    retries={"mode": "standard", "total_max_attempts": 4},
    tcp_keepalive=True,
    parameter_validation=False,
    user_agent=f"rp-mw Boto3/{boto3.__version__}",
)
"""Options of AWS clients: AWS responds in milliseconds, so a call that takes seconds is retried.

Two things that botocore repeats for every call, a fifth of its time, are switched off: checking
arguments against the service model, which our types and the service check as well, and composing
its user agent.
"""


class Core(Shared):
    """The parts that all systems share, built on AWS clients."""

    @cached_property
    def outbox(self) -> SqsOutbox:
        """The sender of jobs to the lanes' FIFO queues."""
        return SqsOutbox(self.client_of("sqs"), self.settings.queue_of, self.seal)

    @cached_property
    def delay_queue(self) -> SqsDelayQueue:
        """The sender of jobs to the queue `later`, which holds them for up to 15 minutes."""
        return SqsDelayQueue(self.client_of("sqs"), self.settings.later_queue_name, self.seal)

    @cached_property
    def switches(self) -> SsmSwitches:
        """The stage's switches, read from SSM and tightened by the environment."""
        from chalicelib.aws.switches import SsmSwitches

        settings = self.settings
        ssm = LazyClient(lambda: self.client_of("ssm"))
        return SsmSwitches(ssm, settings.switch_prefix, settings.tighten, self.clock)

    @cached_property
    def secrets(self) -> SecretsManager:
        """The reader of secrets by name, with a cache."""
        return SecretsManager(self.client_of("secretsmanager"), self.clock)

    @cached_property
    def log(self) -> JsonLog:
        """The JSON log, which redacts personal data."""
        settings = self.settings
        return JsonLog(
            self.clock, stage=settings.stage, release=settings.release, xray=_xray_header
        )

    def check_stage(self) -> None:
        """Raise unless the tables and the queue have this stage's tag.

        Raises:
            SettingsError: a table or the queue has another stage's tag, or none.
            TransientError: the tags could not be read.
        """
        from chalicelib.aws import stage_guard

        settings = self.settings
        stage_guard.check(
            self._dynamodb,
            self.client_of("sqs"),
            stage=settings.stage,
            tables=[
                settings.idempotency_table,
                settings.state_table,
                settings.audit_table,
                settings.conversations_table,
                settings.company_data_table,
            ],
            queue_name=settings.queue_name,
        )

    def table(self, name: str) -> Table:
        """A table of the stage, by its name."""
        from chalicelib.aws.dynamo import Table

        return Table(self._dynamodb, name)

    def table_at(self, name: str, attributes: Mapping[str, str], **where: str) -> Table:
        """A table that may be in another region or at another endpoint; refused if it is another stage's.

        The stage is checked by the table's tags, except at an endpoint: DynamoDB Local knows no
        tags.

        Raises:
            SettingsError: the table has another stage's tag, or none.
            TransientError: its tags could not be read.
        """
        from chalicelib.aws import stage_guard
        from chalicelib.aws.dynamo import Table

        given = {one: value for one, value in where.items() if value}
        client = self.client("dynamodb", **given) if given else self._dynamodb
        if "endpoint_url" not in given:
            stage_guard.check_table(client, stage=self.settings.stage, table=name)
        return Table(client, name, attributes)

    def client(self, service: str, config: Config | None = None, **where: str) -> Any:  # noqa: ANN401 - boto3 builds it at run time
        """A new boto3 client of a service, with our time-outs unless `config` is given."""
        return boto3.client(service, config=config or _FAST, **where)

    def client_of(self, service: str) -> Any:  # noqa: ANN401 - boto3 builds it at run time
        """The container's shared boto3 client of a service, with our time-outs."""
        if service not in self._clients:
            self._clients.setdefault(service, self.client(service))  # threads share one client
        return self._clients[service]

    @cached_property
    def _clients(self) -> dict[str, Any]:
        return {}

    @property
    def _dynamodb(self) -> Any:  # noqa: ANN401 - boto3 builds it at run time
        return self.client_of("dynamodb")


def _xray_header() -> str:
    """The X-Ray trace header that Lambda has written into the environment for this invocation."""
    return os.environ.get("_X_AMZN_TRACE_ID", "")
