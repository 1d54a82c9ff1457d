"""The same rows as newline-delimited JSON, in S3 or in a folder: an archive to rebuild from.

A batch is one object, named by its table and number: ``FactEvent/2026/11/20/1763629452123.ndjson``.
Writing it again writes the same bytes over it, so that a repeated batch stands there once.  A
reader takes each `EventID` once and the newest row of a dimension's key.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from chalicelib.errors import TransientError
from chalicelib.facts.model import Row, Sink


@dataclass(frozen=True, slots=True)
class S3Rows:
    """`fact_ports.Sink` on a bucket.

    Attributes:
        client: boto3's; built by `wiring`.
    """

    client: Any
    bucket: str

    @property
    def target(self) -> str:
        """See `fact_ports.Sink`."""
        return f"s3:{self.bucket}"

    def append(
        self, table: str, number: int, rows: Sequence[Row], *, deadline_seconds: float
    ) -> None:
        """See `fact_ports.Sink.append`."""
        del deadline_seconds  # the client's own time-outs are shorter
        try:
            self.client.put_object(
                Bucket=self.bucket,
                Key=name_of(table, number),
                Body=_lines(rows).encode(),
                ContentType="application/x-ndjson",
            )
        except (ClientError, BotoCoreError) as error:
            raise TransientError("s3", "put_object", reason=type(error).__name__) from None

    def replace(
        self, table: str, number: int, rows: Sequence[Row], *, deadline_seconds: float
    ) -> None:
        """See `fact_ports.Sink.replace`; an archive keeps what was there before."""
        self.append(table, number, rows, deadline_seconds=deadline_seconds)


@dataclass(frozen=True, slots=True)
class FileRows:
    """`fact_ports.Sink` on a folder of this machine."""

    folder: Path

    @property
    def target(self) -> str:
        """See `fact_ports.Sink`."""
        return "file"

    def append(
        self, table: str, number: int, rows: Sequence[Row], *, deadline_seconds: float
    ) -> None:
        """See `fact_ports.Sink.append`."""
        del deadline_seconds
        path = self.folder / name_of(table, number)
        part = path.with_suffix(".part")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            part.write_text(_lines(rows), encoding="utf-8")
            os.replace(part, path)  # noqa: PTH105 - the atomic one
        except OSError as error:
            raise TransientError("file", "write", reason=type(error).__name__) from None

    def replace(
        self, table: str, number: int, rows: Sequence[Row], *, deadline_seconds: float
    ) -> None:
        """See `fact_ports.Sink.replace`."""
        self.append(table, number, rows, deadline_seconds=deadline_seconds)

    def read(self, table: str) -> Iterator[dict[str, Any]]:
        """Every row of a table, oldest batch first."""
        for path in sorted((self.folder / table).rglob("*.ndjson")):
            for line in path.read_text(encoding="utf-8").splitlines():
                yield json.loads(line)


@dataclass(frozen=True, slots=True)
class Several:
    """`fact_ports.Sink` that is several: each takes a batch before the next is asked.

    A batch that the last refuses stands in those before it; all of them take a repeated batch once.
    """

    sinks: tuple[Sink, ...]

    @property
    def target(self) -> str:
        """That of the last, which is the dataset."""
        return self.sinks[-1].target

    def append(
        self, table: str, number: int, rows: Sequence[Row], *, deadline_seconds: float
    ) -> None:
        """See `fact_ports.Sink.append`."""
        for sink in self.sinks:
            sink.append(table, number, rows, deadline_seconds=deadline_seconds)

    def replace(
        self, table: str, number: int, rows: Sequence[Row], *, deadline_seconds: float
    ) -> None:
        """See `fact_ports.Sink.replace`."""
        for sink in self.sinks:
            sink.replace(table, number, rows, deadline_seconds=deadline_seconds)


def name_of(table: str, number: int) -> str:
    """Where a batch stands: by table, day and number."""
    day = datetime.fromtimestamp(number / 1000, UTC)
    return f"{table}/{day:%Y/%m/%d}/{number}.ndjson"


def _lines(rows: Iterable[Row]) -> str:
    return "".join(json.dumps(row, separators=(",", ":"), ensure_ascii=True) + "\n" for row in rows)
