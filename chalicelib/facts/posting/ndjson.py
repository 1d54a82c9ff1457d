"""An archive of the rows as newline-delimited JSON, in S3 or in a folder, to rebuild from.

A batch is one object, named by its table and number: ``FactEvent/2026/11/20/1763629452123.ndjson``.
A retry overwrites it with the same bytes, so that a repeated batch is stored once.  A reader takes
each `EventID` once, and the newest row of each dimension key.
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
    """A `Sink` on an S3 bucket.

    Attributes:
        client: a boto3 S3 client.
    """

    client: Any
    bucket: str

    @property
    def target(self) -> str:
        """See `model.Sink`."""
        return f"s3:{self.bucket}"

    def append(
        self, table: str, number: int, rows: Sequence[Row], *, deadline_seconds: float
    ) -> None:
        """See `model.Sink.append`."""
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
        """See `model.Sink.replace`; the archive keeps earlier batches."""
        self.append(table, number, rows, deadline_seconds=deadline_seconds)


@dataclass(frozen=True, slots=True)
class FileRows:
    """A `Sink` on a local folder."""

    folder: Path

    @property
    def target(self) -> str:
        """See `model.Sink`."""
        return "file"

    def append(
        self, table: str, number: int, rows: Sequence[Row], *, deadline_seconds: float
    ) -> None:
        """See `model.Sink.append`."""
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
        """See `model.Sink.replace`."""
        self.append(table, number, rows, deadline_seconds=deadline_seconds)

    def read(self, table: str) -> Iterator[dict[str, Any]]:
        """Every row of a table, oldest batch first."""
        for path in sorted((self.folder / table).rglob("*.ndjson")):
            for line in path.read_text(encoding="utf-8").splitlines():
                yield json.loads(line)


@dataclass(frozen=True, slots=True)
class SeveralSinks:
    """A `Sink` of several, in order: each must accept a batch before the next gets it.

    A batch that the last one refuses remains in the earlier ones; all of them must accept a repeated
    batch only once.
    """

    sinks: tuple[Sink, ...]

    @property
    def target(self) -> str:
        """The target of the last sink, which is the dataset."""
        return self.sinks[-1].target

    def append(
        self, table: str, number: int, rows: Sequence[Row], *, deadline_seconds: float
    ) -> None:
        """See `model.Sink.append`."""
        for sink in self.sinks:
            sink.append(table, number, rows, deadline_seconds=deadline_seconds)

    def replace(
        self, table: str, number: int, rows: Sequence[Row], *, deadline_seconds: float
    ) -> None:
        """See `model.Sink.replace`."""
        for sink in self.sinks:
            sink.replace(table, number, rows, deadline_seconds=deadline_seconds)


def combined(sinks: Sequence[Sink]) -> Sink | None:
    """One sink of several, in their order; None where there is none."""
    return SeveralSinks(tuple(sinks)) if len(sinks) > 1 else next(iter(sinks), None)


def name_of(table: str, number: int) -> str:
    """The object name of a batch: table, day and number."""
    day = datetime.fromtimestamp(number / 1000, UTC)
    return f"{table}/{day:%Y/%m/%d}/{number}.ndjson"


def _lines(rows: Iterable[Row]) -> str:
    return "".join(json.dumps(row, separators=(",", ":"), ensure_ascii=True) + "\n" for row in rows)
