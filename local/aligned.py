"""Table contents as plain aligned text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boto3.dynamodb.types import TypeDeserializer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ops.stage.provision import Clients

LEDGER = ("event_id", "status", "reason", "attempts", "intent", "ref")
STATE = (
    "conversation_id",
    "last_intent",
    "last_routed_team",
    "last_processed_message_id",
    "version",
)
AUDIT = ("conversation_id", "ts_action_id", "action_type", "result", "idempotency_key")

_WIDEST = 110


def rows(aws: Clients, table: str) -> list[dict[str, Any]]:
    """Every item of a table, sorted by its key."""
    pages = (
        aws.client("dynamodb").get_paginator("scan").paginate(TableName=table, ConsistentRead=True)
    )
    plain = TypeDeserializer()
    found = [
        {name: plain.deserialize(value) for name, value in item.items()}
        for page in pages
        for item in page["Items"]
    ]
    return sorted(found, key=lambda row: (str(row.get("event_id", "")), *_sort_key(row)))


def aligned(columns: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    """Format a text table; overlong cells are shortened in the middle."""
    cells = [[str(column) for column in columns]]
    cells += [[_shortened("" if cell is None else str(cell)) for cell in line] for line in lines]
    widths = [max(len(line[number]) for line in cells) for number in range(len(columns))]
    cells.insert(1, ["-" * width for width in widths])
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in cells
    )


def shown(items: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> str:
    """Format some attributes of items as a text table."""
    return aligned(columns, ([item.get(column) for column in columns] for item in items))


def _sort_key(row: Mapping[str, Any]) -> tuple[str, str]:
    return str(row.get("conversation_id", "")), str(row.get("ts_action_id", ""))


def _shortened(text: str) -> str:
    if len(text) <= _WIDEST:
        return text
    return f"{text[: _WIDEST - 21]}...{text[-18:]}"
