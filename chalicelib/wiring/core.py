"""What all systems share: AWS clients, tables, queue, heartbeat, switches, secrets, log."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

import boto3
from botocore.config import Config

from chalicelib.aws.logs import JsonLog
from chalicelib.aws.queue import SqsOutbox
from chalicelib.aws.secrets import SecretsManager
from chalicelib.clock import SystemClock
from chalicelib.errors import UnavailableError
from chalicelib.once.keys import OpaqueIds
from chalicelib.once.ports import Clock
from chalicelib.once.reasons import KEY_HASH_MISSING
from chalicelib.settings import Settings
from chalicelib.wiring.lazy import LazyClient

if TYPE_CHECKING:
    from chalicelib.aws.dynamo import Table
    from chalicelib.aws.switches import SsmSwitches
    from chalicelib.once.aside import SettingAside
    from chalicelib.once.audit import Audit
    from chalicelib.once.current_job import CurrentJob
    from chalicelib.once.heartbeat import Heartbeat
    from chalicelib.once.intake import Intake
    from chalicelib.once.job import Job
    from chalicelib.once.journal import Journal
    from chalicelib.once.later import Later
    from chalicelib.once.ledger.events import Ledger
    from chalicelib.once.recovery.cursor import Sweeps
    from chalicelib.vendors.http import VendorClient
    from chalicelib.vendors.level import Levels

_FAST = Config(
    connect_timeout=1,
    read_timeout=4,
    retries={"mode": "standard", "total_max_attempts": 4},
    tcp_keepalive=True,
    parameter_validation=False,
    user_agent=f"rp-mw Boto3/{boto3.__version__}",
)
"""AWS responds in milliseconds; a call that takes seconds is lost and is retried.

Two things that botocore repeats for every call, a fifth of its time, are switched off: checking
arguments against the service model, which types and the service itself check too, and composing
its user agent.
"""


class Core:
    """The parts that belong to no system, each built at first use from the settings."""

    def __init__(self, settings: Settings, clock: Clock | None = None) -> None:
        self.settings = settings
        self.clock: Clock = clock or SystemClock()

    @cached_property
    def intake(self) -> Intake:
        """The one door in."""
        from chalicelib.once.intake import Intake

        return Intake(
            outbox=self.outbox,
            opaque=lambda: self.opaque_ids,
            clock=self.clock,
            log=self.log,
            new_id=new_id,
            ledger=(lambda: self.ledger) if self.settings.ingress_ledger else None,
        )

    @cached_property
    def ledger(self) -> Ledger:
        """Table A."""
        from chalicelib.once.ledger.events import Ledger

        return Ledger(
            self.table(self.settings.idempotency_table),
            self.clock,
            new_owner,
            retention=timedelta(days=self.settings.ledger_retention_days),
        )

    @cached_property
    def sweeps(self) -> Sweeps:
        """The sweep's own rows."""
        from chalicelib.once.recovery.cursor import Sweeps

        return Sweeps(
            self.table(self.settings.idempotency_table),
            self.clock,
            new_owner,
            retention=timedelta(days=self.settings.ledger_retention_days),
        )

    @cached_property
    def audit(self) -> Audit:
        """Table C."""
        from chalicelib.once.audit import Audit

        return Audit(
            self.table(self.settings.audit_table),
            self.clock,
            retention=timedelta(days=self.settings.audit_retention_days),
        )

    @cached_property
    def journal(self) -> Journal:
        """Acts of persons, in table C."""
        from chalicelib.once.journal import Journal

        return Journal(
            self.table(self.settings.audit_table),
            self.clock,
            new_owner,
            retention=timedelta(days=self.settings.journal_retention_days),
        )

    @cached_property
    def outbox(self) -> SqsOutbox:
        """The lanes' FIFO queues."""
        return SqsOutbox(self.client("sqs"), self.settings.queue_of)

    @cached_property
    def later(self) -> Later:
        """Puts a job aside for a short while."""
        from chalicelib.aws.queue import SqsDelayQueue
        from chalicelib.once.later import Later

        queue = SqsDelayQueue(self.client("sqs"), self.settings.later_queue_name)
        return Later(queue, lambda: self.opaque_ids)

    def _put_later(self, job: Job, seconds: float) -> None:
        self.later.put(job, seconds)

    @cached_property
    def current_job(self) -> CurrentJob:
        """The job that each thread of this container works on."""
        from chalicelib.once.current_job import CurrentJob

        return CurrentJob()

    @cached_property
    def aside(self) -> SettingAside:
        """Sets events aside."""
        from chalicelib.once.aside import SettingAside

        return SettingAside(
            lambda: self.ledger,
            self._put_later,
            self.clock,
            self.log,
        )

    @cached_property
    def heartbeat(self) -> Heartbeat:
        """Keeps the worker's message invisible during slow calls."""
        from chalicelib.once.heartbeat import Heartbeat

        return Heartbeat(self.outbox, self.log)

    @cached_property
    def switches(self) -> SsmSwitches:
        """The stage's four switches."""
        from chalicelib.aws.switches import SsmSwitches

        settings = self.settings
        ssm = LazyClient(lambda: self.client("ssm"))
        return SsmSwitches(ssm, settings.switch_prefix, settings.tighten, self.clock)

    @cached_property
    def secrets(self) -> SecretsManager:
        """Named secrets."""
        return SecretsManager(self.client("secretsmanager"), self.clock)

    @cached_property
    def opaque_ids(self) -> OpaqueIds:
        """Keyed hashes under the stage's key."""
        key = self.secrets.text(self.settings.key_hash_secret_id).strip()
        if not key:
            raise UnavailableError(KEY_HASH_MISSING)
        return OpaqueIds(key.encode())

    @cached_property
    def log(self) -> JsonLog:
        """The redacting log."""
        settings = self.settings
        return JsonLog(
            self.clock, stage=settings.stage, release=settings.release, xray=_xray_header
        )

    def check_stage(self) -> None:
        """Refuse another stage's tables and queue."""
        from chalicelib.aws import stage_guard

        settings = self.settings
        stage_guard.check(
            self._dynamodb,
            self.client("sqs"),
            stage=settings.stage,
            tables=[
                settings.idempotency_table,
                settings.state_table,
                settings.audit_table,
                settings.conversations_table,
                settings.company_data_table,
            ],
            queue_name=settings.queue_name,
            managed_by=settings.managed_by,
        )

    def table(self, name: str) -> Table:
        """A table by its name."""
        from chalicelib.aws.dynamo import Table

        return Table(self._dynamodb, name)

    def client(self, service: str, config: Config = _FAST, **where: str) -> Any:  # noqa: ANN401 - boto3 builds it at run time
        """A boto3 client, with our time-outs unless it is given others.

        `where`: ``endpoint_url``, ``region_name``.
        """
        return boto3.client(service, config=config, **where)

    def vendor(
        self,
        provider: str,
        base_url: str,
        authorize: Callable[[bool], Mapping[str, str]],
        *,
        requests_per_window: float,
        window_seconds: float = 30.0,
        burst: float | None = None,
        error_code_at: tuple[str, ...] = (),
        levels: Levels | None = None,
        containers: int = 1,
    ) -> VendorClient:
        """A vendor's HTTP client with its own rate limit and circuit breaker.

        The arguments are those of `VendorClient` and `RateLimit`.
        """
        from chalicelib.vendors.breaker import Breaker
        from chalicelib.vendors.http import VendorClient
        from chalicelib.vendors.rate_limit import RateLimit

        return VendorClient(
            provider=provider,
            base_url=base_url,
            authorize=authorize,
            clock=self.clock,
            log=self.log,
            rate_limit=RateLimit(
                provider,
                self.clock,
                self.clock.sleep,
                requests_per_window=requests_per_window,
                window_seconds=window_seconds,
                burst=burst,
                current=self.current_job,
                levels=levels,
                containers=containers,
            ),
            breaker=Breaker(provider, self.clock),
            error_code_at=error_code_at,
        )

    @cached_property
    def _dynamodb(self) -> Any:  # noqa: ANN401 - boto3 builds it at run time
        return self.client("dynamodb")


def new_id() -> str:
    """A new unique id."""
    return uuid.uuid4().hex


def new_owner() -> str:
    """A new owner of claims, short because every write of a row pays for its length."""
    return uuid.uuid4().hex[:16]


def _xray_header() -> str:
    """The trace header of this invocation, which Lambda puts into the environment each time."""
    return os.environ.get("_X_AMZN_TRACE_ID", "")
