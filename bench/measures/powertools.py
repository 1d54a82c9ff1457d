"""The same events handled with AWS Lambda Powertools: its batch processor and its idempotency.

Equal on both sides: the queue, the job, the flow that decides, the vendor adapters, the rows of
state and audit, a log line and a metric per action and per event.
Different: the code that receives the message, stores the idempotency records, and logs.

Powertools makes two writes per key and has no plans, fences, switches, probes or unknown outcomes;
an expired `INPROGRESS` record is simply run again.  Two granularities are measured:

- ``a key per action``: each action has a record and a request of its own, as the data model demands;
- ``a key per request``: actions that are sent in one request share a record.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import boto3

from chalicelib.clock import SystemClock, iso
from chalicelib.once.action import ActionRow, ActionStatus
from chalicelib.once.audit import AuditRow
from chalicelib.once.effect import Effect
from chalicelib.once.effects import DEADLINE_SECONDS
from chalicelib.once.event import Lease
from chalicelib.once.flow import Event, Flow
from chalicelib.once.lanes import TICKETS
from chalicelib.once.plan import Plan
from chalicelib.once.ports import Switches

if TYPE_CHECKING:
    from bench.rig.system import System

os.environ.setdefault("POWERTOOLS_SERVICE_NAME", "peer")
os.environ.setdefault("POWERTOOLS_METRICS_NAMESPACE", "peer")
os.environ.setdefault("POWERTOOLS_TRACE_DISABLED", "true")

from aws_lambda_powertools import Logger, Metrics
from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.batch import (
    SqsFifoPartialProcessor,
    process_partial_response,
)
from aws_lambda_powertools.utilities.idempotency import (
    DynamoDBPersistenceLayer,
    IdempotencyConfig,
    idempotent_function,
)

TABLE = "powertools-dev"
RETENTION_SECONDS = 30 * 86_400


class Powertools:
    """A Lambda handler for a `System`'s queue, with a table of its own for idempotency records.

    Args:
        system: the system whose queue, flows and adapters it uses.
        key_per_action: True for a key per action, False for a key per request.
    """

    def __init__(self, system: System, *, key_per_action: bool) -> None:
        self._services = system.services
        self._per_action = key_per_action
        self._clock = SystemClock()
        dynamodb = boto3.client("dynamodb")
        _create_table(dynamodb)
        self._processor = SqsFifoPartialProcessor()
        self._config = IdempotencyConfig(
            event_key_jmespath="key",
            expires_after_seconds=RETENTION_SECONDS,
            raise_on_no_idempotency_key=True,
        )
        self._store = DynamoDBPersistenceLayer(table_name=TABLE, boto3_client=dynamodb)
        self._sink = open(os.devnull, "w")  # noqa: PTH123, SIM115 - as long as the process
        self._log = Logger(service="peer", stream=self._sink, level="INFO")
        self._metrics = Metrics()

    def __call__(self, event: dict[str, Any], context: Any) -> Any:  # noqa: ANN401 - Lambda's
        """Process one Lambda event of the queue."""
        self._config.register_lambda_context(context)
        answer = process_partial_response(
            event=event, record_handler=self._record, processor=self._processor, context=context
        )
        if self._metrics.metric_set:
            print(self._metrics.serialize_metric_set(), file=self._sink)
        self._metrics.clear_metrics()
        return answer

    def _record(self, record: Any) -> None:  # noqa: ANN401 - Powertools' SQSRecord
        group = str(record.attributes.message_group_id)
        job = self._services.job_in(record.body, TICKETS, group)
        flow: Flow = self._services.worker.handlers.flows[job.kind]
        if flow.is_container(job):
            for event in flow.events(job):
                self._once(event.facts.event_key, functools.partial(self._handle, flow, event))
            return

        def run() -> None:
            for event in flow.events(job):
                self._handle(flow, event)

        self._once(job.event_key, run)

    def _once(self, key: str, work: Callable[[], Any]) -> Any:  # noqa: ANN401 - JSON
        """Run `work` once for a key; later calls return the stored result."""

        def keyed(*, data: Mapping[str, str]) -> Any:  # noqa: ANN401 - JSON
            del data
            return work()

        once = idempotent_function(
            keyed, data_keyword_argument="data", persistence_store=self._store, config=self._config
        )
        return once(data={"key": key})

    def _handle(self, flow: Flow, event: Event) -> None:
        trace_id = event.facts.trace_id
        self._log.info("job.start", extra={"trace_id": trace_id})
        switches: Switches = self._services.switches.current()
        plan = flow.plan(event, switches)
        rows: dict[str, ActionRow] = {}
        built: list[Effect] = []
        for step in plan.steps:
            actions = [flow.build(planned, event, plan) for planned in step if not planned.already]
            built += actions
            for group in [[action] for action in actions] if self._per_action else [actions]:
                rows |= self._perform(group)
        self._finish(flow, event, plan, built, rows)
        self._log.info("job.processed", extra={"trace_id": trace_id})
        self._metrics.add_metric(name="events", unit=MetricUnit.Count, value=1)

    def _perform(self, actions: Sequence[Effect]) -> dict[str, ActionRow]:
        if not actions:
            return {}
        perform = self._services.executors[actions[0].kind.name].perform

        def send() -> dict[str, Any]:
            ref = perform(actions, deadline_seconds=DEADLINE_SECONDS)
            return {"ref": ref, "at": iso(self._clock.now())}

        done = self._once("|".join(action.key for action in actions), send)
        for action in actions:
            self._log.info("action.done", extra={"action_type": action.audit_type})
            self._metrics.add_metric(name="effects", unit=MetricUnit.Count, value=1)
        return {
            action.key: ActionRow(
                action.key, ActionStatus.DONE, ref=done["ref"], finished_at=done["at"]
            )
            for action in actions
        }

    def _finish(
        self,
        flow: Flow,
        event: Event,
        plan: Plan,
        built: Sequence[Effect],
        rows: Mapping[str, ActionRow],
    ) -> None:
        self._services.audit.write(
            [
                AuditRow(
                    conversation_id=action.conversation_id,
                    at=rows[action.key].finished_at or "",
                    action_id=action.key,
                    action_type=action.audit_type,
                    payload=action.payload,
                    idempotency_key=action.key,
                    result="success",
                )
                for action in built
            ]
        )
        lease = Lease(event.facts, owner="peer", fence=1, until_epoch=0, attempts=1)
        flow.conclude(lease, event, plan, rows)


def _create_table(dynamodb: Any) -> None:  # noqa: ANN401 - a boto3 client
    if TABLE in dynamodb.list_tables()["TableNames"]:
        return
    dynamodb.create_table(
        TableName=TABLE,
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
