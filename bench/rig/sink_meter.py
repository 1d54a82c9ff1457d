"""Counts what each sink of facts costs in DynamoDB, by the keys of its rows."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

import boto3

from bench.rig.meter import Meter
from chalicelib.facts.dataset import FACT_EVENT

DATASET, ONELAKE, ARCHIVE = "dataset", "OneLake", "archive"
SINKS = (DATASET, ONELAKE, ARCHIVE)
_PREFIXES = {"powerbi:": DATASET, "onelake:": ONELAKE, "s3:": ARCHIVE}


@dataclass(slots=True)
class SinkUse:
    """What one sink uses besides the facts' own rows.

    Attributes:
        writes: write units of the sink's rows in DynamoDB.
        reads: read units of the sink's rows.
        aws_calls: requests for these rows.
    """

    writes: float = 0.0
    reads: float = 0.0
    aws_calls: int = 0


class SinkMeter(Meter):
    """Charges each request to the sink whose prefix its keys have; notes when S3 gets a fact's file."""

    def __init__(self) -> None:
        super().__init__()
        events = boto3.DEFAULT_SESSION.events  # type: ignore[union-attr]
        events.register("after-call.s3.PutObject", self._published)
        events.register("provide-client-params.s3.PutObject", self._publish)
        self._sink: str | None = None
        self._is_fact = False

    def reset(self) -> None:
        """Set the counters to zero."""
        super().reset()
        self.of_sink = {sink: SinkUse() for sink in SINKS}
        self.archived_at = 0.0

    def _asked(self, params: dict[str, Any], **more: Any) -> None:  # noqa: ANN401
        named = unquote(" ".join(_keys(params)))
        self._sink = next((sink for prefix, sink in _PREFIXES.items() if prefix in named), None)
        super()._asked(params, **more)

    def _answered(self, parsed: dict[str, Any], **more: Any) -> None:  # noqa: ANN401
        writes, reads = self.writes, self.reads
        super()._answered(parsed, **more)
        if self._sink:
            use = self.of_sink[self._sink]
            use.writes += self.writes - writes
            use.reads += self.reads - reads
            use.aws_calls += 1

    def _publish(self, params: dict[str, Any], **_: Any) -> None:  # noqa: ANN401
        self._is_fact = params["Key"].startswith(f"{FACT_EVENT}/")

    def _published(self, **_: Any) -> None:  # noqa: ANN401
        if self._is_fact:
            self.archived_at = time.time()


def _keys(value: object) -> list[str]:
    """Every row's key in a request's parameters."""
    if isinstance(value, dict):
        own = [str(value["pk"].get("S"))] if isinstance(value.get("pk"), dict) else []
        return own + [key for member in value.values() for key in _keys(member)]
    return [key for member in value for key in _keys(member)] if isinstance(value, list) else []
