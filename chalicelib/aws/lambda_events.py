"""SQS records and the Lambda context as plain values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from chalicelib.once import lanes
from chalicelib.once.ports import Delivery


def delivery(record: Mapping[str, Any], context: Any, *, max_receives: int) -> Delivery:  # noqa: ANN401
    """One SQS record of a Lambda event as a `Delivery`, with the time left in its invocation."""
    return Delivery(
        body=record["body"],
        message_id=record["messageId"],
        receipt_handle=record["receiptHandle"],
        receive_count=int(record["attributes"]["ApproximateReceiveCount"]),
        max_receives=max_receives,
        time_left_seconds=time_left(context),
        lane=lanes.of_queue(record["eventSourceARN"].rsplit(":", 1)[-1]),
        group_id=record["attributes"].get("MessageGroupId", ""),
    )


def time_left(context: Any) -> Callable[[], float]:  # noqa: ANN401 - Lambda's context
    """A function that returns the seconds left in the Lambda invocation, computed at every call."""
    return lambda: context.get_remaining_time_in_millis() / 1000
