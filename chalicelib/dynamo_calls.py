"""One call of DynamoDB, and what its errors mean.

Only `ConditionFailed` ever means "somebody was here before"; every other error is raised as
`TransientError`, whose caller hands the work back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from chalicelib.errors import TransientError
from chalicelib.typed_values import Item, from_wire

_CONDITION_FAILED = {"ConditionalCheckFailedException", "ConditionalCheckFailed"}


class ConditionFailed(Exception):  # noqa: N818 - a value of the protocol, not a fault
    """A conditional write found another row; `item` is that row, or empty when there is none."""

    def __init__(self, item: Item) -> None:
        super().__init__("condition failed")
        self.item = item


class TransactionRefused(Exception):  # noqa: N818 - a value of the protocol, not a fault
    """Conditions of a transaction failed, and nothing of it was written.

    Attributes:
        found: one entry per write, in order: None where its condition held, else the item that
            was there, empty when there was none.
    """

    def __init__(self, found: Sequence[Item | None]) -> None:
        super().__init__("transaction refused")
        self.found = tuple(found)


def call(client: Any, operation: str, **arguments: object) -> Any:  # noqa: ANN401 - boto3's own
    """Call the client and return its answer.

    Raises:
        ConditionFailed: the call's condition did not hold.
        TransactionRefused: conditions of a transaction did not hold.
        TransientError: anything else.
    """
    try:
        return getattr(client, operation)(**arguments)
    except ClientError as error:
        code = error.response.get("Error", {}).get("Code", "unknown")
        if code in _CONDITION_FAILED:
            raise ConditionFailed(from_wire(error.response.get("Item", {}))) from None
        if code == "TransactionCanceledException":
            raise _cancelled(operation, error.response.get("CancellationReasons", [])) from None
        raise TransientError("dynamodb", operation, reason=code) from None
    except BotoCoreError as error:
        raise TransientError("dynamodb", operation, reason=type(error).__name__) from None


def _cancelled(
    operation: str, reasons: Sequence[Mapping[str, Any]]
) -> TransactionRefused | TransientError:
    """Only a failed condition says something of the items; a conflict or a throttle is no answer."""
    codes = {str(reason.get("Code", "None")) for reason in reasons} - {"None"}
    if not codes or codes - {"ConditionalCheckFailed"}:
        other = min(codes - {"ConditionalCheckFailed"}, default="cancelled")
        return TransientError("dynamodb", operation, reason=other)
    return TransactionRefused(
        [
            from_wire(reason.get("Item", {})) if reason.get("Code") in _CONDITION_FAILED else None
            for reason in reasons
        ]
    )
