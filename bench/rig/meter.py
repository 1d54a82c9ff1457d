"""Counts at the wire every HTTP request to AWS, and the units of requests to DynamoDB."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator
from typing import Any

import boto3

from bench.rig.weights import Weights

FOUND = "found_before"
"""Key in a call's context under which the result of `Weights.before` is kept."""


class Meter:
    """Counts the requests of all clients that a boto3 session creates from now on.

    Args:
        session: a new default session when None.

    Attributes:
        requests: HTTP requests by ``service.Operation``, the SDK's own retries included.
        writes: write units of the requests sent while `weighing`.
        reads: read units of those requests.
        indexes: the part of `writes` that each index took, by its name.
    """

    def __init__(self, session: boto3.session.Session | None = None) -> None:
        if session is None:
            boto3.setup_default_session()
            session = boto3.DEFAULT_SESSION
        self._weights: Weights | None = None
        session.events.register("before-send", self._sent)
        session.events.register("provide-client-params.dynamodb", self._asked)
        session.events.register("after-call.dynamodb", self._answered)
        self.reset()

    def reset(self) -> None:
        """Set the counters to zero."""
        self.requests: Counter[str] = Counter()
        self.writes = 0.0
        self.reads = 0.0
        self.indexes: Counter[str] = Counter()

    @contextlib.contextmanager
    def weighing(self) -> Iterator[None]:
        """Count units as well, in this block.  It reads every written item, so times are wrong meanwhile."""
        self._weights = Weights(boto3.session.Session().client("dynamodb"))
        try:
            yield
        finally:
            self._weights = None

    def of(self, service: str) -> int:
        """The number of requests to one service."""
        return sum(n for name, n in self.requests.items() if name.startswith(f"{service}."))

    @property
    def total(self) -> int:
        """The number of requests to all services."""
        return sum(self.requests.values())

    def _sent(self, event_name: str, **_: Any) -> None:  # noqa: ANN401 - botocore's arguments
        self.requests[event_name.removeprefix("before-send.")] += 1

    def _asked(
        self,
        params: dict[str, Any],
        *,
        model: Any,  # noqa: ANN401
        context: dict[str, Any],
        **_: Any,  # noqa: ANN401
    ) -> None:
        if self._weights:
            context[FOUND] = params, self._weights.before(model.name, params)

    def _answered(
        self,
        parsed: dict[str, Any],
        *,
        model: Any,  # noqa: ANN401
        context: dict[str, Any],
        **_: Any,  # noqa: ANN401
    ) -> None:
        if self._weights and FOUND in context:
            charge = self._weights.charge(model.name, *context[FOUND], parsed)
            self.writes += charge.writes
            self.reads += charge.reads
            self.indexes.update(charge.indexes)
