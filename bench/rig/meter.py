"""Counts at the wire what is sent to AWS: every HTTP request, and the units DynamoDB charged."""

from __future__ import annotations

from collections import Counter
from typing import Any

import boto3

from bench.rig import units


class Meter:
    """Registers with a boto3 session; requests of clients that it creates later are counted.

    Args:
        session: a new default session when None.

    Attributes:
        requests: HTTP requests by ``service.Operation``, the SDK's own retries included.
        writes: write units; a failed condition is charged like the write it was.
        reads: read units.
        indexes: write units by index; they are part of `writes`.
    """

    def __init__(self, session: boto3.session.Session | None = None) -> None:
        if session is None:
            boto3.setup_default_session()
            session = boto3.DEFAULT_SESSION
        events = session.events
        events.register("before-send", self._sent)
        events.register("provide-client-params.dynamodb", self._ask)
        events.register("after-call.dynamodb", self._charged)
        self.reset()

    def reset(self) -> None:
        """Set the counters to zero."""
        self.requests: Counter[str] = Counter()
        self.writes = 0.0
        self.reads = 0.0
        self.indexes: Counter[str] = Counter()

    def of(self, service: str) -> int:
        """Requests to one service."""
        return sum(n for name, n in self.requests.items() if name.startswith(f"{service}."))

    @property
    def total(self) -> int:
        """Requests to all services."""
        return sum(self.requests.values())

    def _sent(self, event_name: str, **_: Any) -> None:  # noqa: ANN401 - botocore's arguments
        self.requests[event_name.removeprefix("before-send.")] += 1

    def _ask(self, params: dict[str, Any], model: Any, **_: Any) -> dict[str, Any] | None:  # noqa: ANN401
        if "ReturnConsumedCapacity" in model.input_shape.members:
            return {**params, "ReturnConsumedCapacity": "INDEXES"}
        return None

    def _charged(self, parsed: dict[str, Any], model: Any, **_: Any) -> None:  # noqa: ANN401
        used = parsed.get("ConsumedCapacity", [])
        tables = used if isinstance(used, list) else [used]
        charged = sum(one["CapacityUnits"] for one in tables)
        if parsed.get("Error", {}).get("Code") == "ConditionalCheckFailedException":
            charged = units.of_refused(parsed.get("Item"))
        if model.name in {"GetItem", "BatchGetItem", "Query", "Scan"}:
            self.reads += charged
        else:
            self.writes += charged
            for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
                for name, of in ((n, o) for one in tables for n, o in one.get(kind, {}).items()):
                    self.indexes[name] += of["CapacityUnits"]
