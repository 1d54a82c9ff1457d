"""AWS Lambda Powertools: SQS FIFO batch processor, idempotent record handler, context registered.

https://docs.aws.amazon.com/powertools/python/latest/utilities/idempotency/ and .../batch/
"""

from __future__ import annotations

import datetime as dt
import json
import types
from typing import Any

from aws_lambda_powertools.utilities.batch import SqsFifoPartialProcessor, process_partial_response
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.idempotency import (
    DynamoDBPersistenceLayer,
    IdempotencyConfig,
    idempotent_function,
)
from aws_lambda_powertools.utilities.idempotency.persistence import base as persistence
from aws_lambda_powertools.utilities.idempotency.persistence import datarecord, dynamodb

from bench.peers import flow

_processor = SqsFifoPartialProcessor()
_config = IdempotencyConfig(
    event_key_jmespath="message_id",
    raise_on_no_idempotency_key=True,
    expires_after_seconds=14 * 24 * 3600,  # the queue's retention
)


def enter(*, shift_seconds: float) -> None:
    """Shift Powertools' clock together with the harness's other clocks."""

    class Shifted(dt.datetime):
        @classmethod
        def now(cls, tz: dt.tzinfo | None = None) -> dt.datetime:
            return dt.datetime.now(tz) + dt.timedelta(seconds=shift_seconds)

    shim = types.SimpleNamespace(datetime=Shifted, timedelta=dt.timedelta, timezone=dt.timezone)
    for module in (persistence, dynamodb, datarecord):
        module.dt = shim  # type: ignore[assignment]


def api(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Enqueue and respond."""
    del context
    flow.enqueue(json.loads(event["body"]))
    return flow.accepted()


def worker(event: dict[str, Any], context: Any) -> Any:  # noqa: ANN401 - Lambda's context
    """Process one batch."""
    _config.register_lambda_context(context)
    store = DynamoDBPersistenceLayer(table_name=flow.TABLE)

    @idempotent_function(data_keyword_argument="body", config=_config, persistence_store=store)
    def handle(body: dict[str, Any]) -> dict[str, str]:
        flow.read(body)
        flow.tag(body)
        flow.reply(body)
        return {"status": "ok"}

    def record_handler(record: SQSRecord) -> None:
        handle(body=json.loads(record.body))

    return process_partial_response(
        event=event, record_handler=record_handler, processor=_processor, context=context
    )
