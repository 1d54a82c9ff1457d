"""Settings to Services: every part built once per container, when it is first needed.

The HTTP function never builds what only the worker needs, so that a webhook is acknowledged fast.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Mapping
from dataclasses import asdict
from functools import cached_property
from typing import Any

import boto3
from botocore.config import Config

from chalicelib import lambda_events, stage_guard
from chalicelib import settings as settings_module
from chalicelib.audit import Audit
from chalicelib.clock import SystemClock
from chalicelib.dynamo import Table
from chalicelib.effects import Effects
from chalicelib.errors import UnavailableError
from chalicelib.flows.support import SupportFlow
from chalicelib.intake import Answer, Intake
from chalicelib.keys import OpaqueIds
from chalicelib.ledger import Ledger
from chalicelib.logs import JsonLog
from chalicelib.outbox import SqsOutbox
from chalicelib.ports import Clock
from chalicelib.reconcile import Reconciler
from chalicelib.secrets import SecretsManager, active_tokens
from chalicelib.settings import Settings
from chalicelib.sources import richpanel as richpanel_source
from chalicelib.state import States
from chalicelib.switches import SsmSwitches
from chalicelib.worker import Worker

_FAST = Config(
    connect_timeout=1,
    read_timeout=4,
    retries={"mode": "standard", "max_attempts": 3},
    tcp_keepalive=True,
)
"""AWS answers in milliseconds; a call that takes seconds is lost and is tried again."""


class Services:
    """Everything of one container, built lazily from its settings."""

    def __init__(self, settings: Settings, clock: Clock | None = None) -> None:
        self.settings = settings
        self.clock: Clock = clock or SystemClock()

    # --- doors --------------------------------------------------------------------------------

    def richpanel_webhook(self, headers: dict[str, str], body: bytes) -> Answer:
        """Answer Richpanel's HTTP target."""
        return self.intake.receive(
            "richpanel", headers, body, self._verify_richpanel, richpanel_source.parse
        )

    def process(self, record: Mapping[str, Any], context: Any) -> None:  # noqa: ANN401
        """Work on one SQS record; raising keeps it on the queue."""
        limit = self.settings.max_receive_count
        self.worker.process(lambda_events.delivery(record, context, max_receives=limit))

    def sweep(self, context: Any) -> dict[str, Any]:  # noqa: ANN401 - Lambda's context
        """One run of reconciliation, in numbers."""
        return asdict(self.reconciler.sweep(time_left_seconds=lambda_events.time_left(context)))

    @cached_property
    def intake(self) -> Intake:
        """The one door in."""
        return Intake(
            outbox=self.outbox,
            opaque=lambda: self.opaque_ids,
            clock=self.clock,
            log=self.log,
            new_id=_new_id,
            ledger=(lambda: self.ledger) if self.settings.ingress_ledger else None,
        )

    @cached_property
    def worker(self) -> Worker:
        """The queue's consumer; refuses another stage's resources once per container."""
        self._check_stage()
        support = SupportFlow(
            self.richpanel,
            self.state,
            self.ledger,
            self.clock,
            max_event_age=self.settings.max_event_age,
        )
        return Worker(
            ledger=self.ledger,
            state=self.state,
            audit=self.audit,
            switches=self.switches,
            effects=self.effects,
            outbox=self.outbox,
            clock=self.clock,
            log=self.log,
            flows={"ticket_message": support, "ticket_notification": support},
        )

    @cached_property
    def reconciler(self) -> Reconciler:
        """The scheduled sweep."""
        self._check_stage()
        return Reconciler(
            tickets=self.richpanel,
            ledger=self.ledger,
            state=self.state,
            intake=self.intake,
            clock=self.clock,
            log=self.log,
            new_id=_new_id,
        )

    # --- parts --------------------------------------------------------------------------------

    @cached_property
    def effects(self) -> Effects:
        """The one door out, with an executor per kind of action."""
        richpanel = self.richpanel
        return Effects(
            self.ledger,
            self.switches,
            clock=self.clock,
            log=self.log,
            executors={
                "add_tag": richpanel.add_tags,
                "remove_tag": richpanel.remove_tags,
                "assign": richpanel.assign,
            },
        )

    @cached_property
    def ledger(self) -> Ledger:
        """Table A."""
        return Ledger(self._table(self.settings.idempotency_table), self.clock, _new_owner)

    @cached_property
    def state(self) -> States:
        """Table B."""
        return States(self._table(self.settings.state_table), self.clock)

    @cached_property
    def audit(self) -> Audit:
        """Table C."""
        return Audit(self._table(self.settings.audit_table), self.clock)

    @cached_property
    def outbox(self) -> SqsOutbox:
        """The FIFO queue."""
        return SqsOutbox(self._client("sqs"), self.settings.queue_name)

    @cached_property
    def switches(self) -> SsmSwitches:
        """The stage's four switches."""
        settings = self.settings
        return SsmSwitches(
            self._client("ssm"), settings.switch_prefix, settings.tighten, self.clock
        )

    @cached_property
    def secrets(self) -> SecretsManager:
        """Named secrets."""
        return SecretsManager(self._client("secretsmanager"), self.clock)

    @cached_property
    def opaque_ids(self) -> OpaqueIds:
        """Keyed hashes under the stage's key."""
        key = self.secrets.text(self.settings.key_hash_secret_id).strip()
        if not key:
            raise UnavailableError("key_hash_missing")
        return OpaqueIds(key.encode())

    @cached_property
    def log(self) -> JsonLog:
        """The redacting log."""
        return JsonLog(self.clock, stage=self.settings.stage, release=self.settings.release)

    def _verify_richpanel(self, headers: Mapping[str, str]) -> None:
        tokens = active_tokens(self.secrets.text(self.settings.webhook_secret_id))
        if not tokens:
            raise UnavailableError("no_webhook_token_configured")
        richpanel_source.verify(headers, tokens)

    def _check_stage(self) -> None:
        settings = self.settings
        stage_guard.check(
            self._dynamodb,
            self._client("sqs"),
            stage=settings.stage,
            tables=[settings.idempotency_table, settings.state_table, settings.audit_table],
            queue_name=settings.queue_name,
        )

    @cached_property
    def _dynamodb(self) -> Any:  # noqa: ANN401 - boto3 builds it at run time
        return self._client("dynamodb")

    def _table(self, name: str) -> Table:
        return Table(self._dynamodb, name)

    def _client(self, service: str) -> Any:  # noqa: ANN401 - boto3 builds it at run time
        return boto3.client(service, config=_FAST)


_services: list[Services] = []


def services() -> Services:
    """The container's services; the settings are read at the first call."""
    if not _services:
        _services.append(Services(settings_module.load(os.environ)))
    return _services[0]


def _new_id() -> str:
    return uuid.uuid4().hex


def _new_owner() -> str:
    return uuid.uuid4().hex[:16]
