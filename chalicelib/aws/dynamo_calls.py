"""One call of DynamoDB, and what its errors mean.

Only `ConditionFailed` says that another row is stored; every other error is raised as
`TransientError`, whose caller hands the job back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from chalicelib.aws.typed_values import from_wire
from chalicelib.errors import TransientError
from chalicelib.once.store import ConditionFailed, TransactionConflict, TransactionRefused

_MEETS_TRANSACTION = "TransactionConflictException"
"""The error code of a single write whose item a transaction was writing:
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html ."""
_CONDITION_FAILED = {"ConditionalCheckFailedException", "ConditionalCheckFailed"}


def call(client: Any, operation: str, **arguments: object) -> Any:  # noqa: ANN401 - boto3's own
    """Call an operation of the DynamoDB client and return its response.

    Raises:
        ConditionFailed: the call's condition did not hold.
        TransactionRefused: conditions of a transaction did not hold.
        TransactionConflict: another transaction was writing one of the items.
        TransientError: anything else.
    """
    try:
        return getattr(client, operation)(**arguments)
    except ClientError as error:
        code = error.response.get("Error", {}).get("Code", "unknown")
        if code in _CONDITION_FAILED:
            raise ConditionFailed(from_wire(error.response.get("Item", {}))) from None
        if code == _MEETS_TRANSACTION:
            raise TransactionConflict(operation) from None
        if code == "TransactionCanceledException":
            raise _cancelled(operation, error.response.get("CancellationReasons", [])) from None
        raise TransientError("dynamodb", operation, reason=code) from None
    except BotoCoreError as error:
        raise TransientError("dynamodb", operation, reason=type(error).__name__) from None


def _cancelled(
    operation: str, reasons: Sequence[Mapping[str, Any]]
) -> TransactionRefused | TransientError:
    """The error of a cancelled transaction: refused if only conditions failed, else transient."""
    codes = {str(reason.get("Code", "None")) for reason in reasons} - {"None"}
    if not codes or codes - {"ConditionalCheckFailed"}:
        other = min(codes - {"ConditionalCheckFailed"}, default="cancelled")
        if other == "TransactionConflict":
            return TransactionConflict(operation)
        return TransientError("dynamodb", operation, reason=other)
    return TransactionRefused(
        [
            from_wire(reason.get("Item", {})) if reason.get("Code") in _CONDITION_FAILED else None
            for reason in reasons
        ]
    )
