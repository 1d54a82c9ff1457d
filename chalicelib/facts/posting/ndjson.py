"""The archive: the posted rows as gzipped newline-delimited JSON, in S3 or in a folder.

It is a sink of its own, which other tools query, and from which a dataset is rebuilt::

    FactEvent/day=2025-11-05/1763629452123.ndjson.gz    facts of one day, by the batch that posted them
    DimAgent/1763629452123.ndjson.gz                    keys of a dimension, by the batch

A retry overwrites a batch's objects with the same rows, so that a repeated batch is stored once.  A
reader takes the newest row of each `EventID` and of each dimension key.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Protocol

from botocore.exceptions import BotoCoreError, ClientError

from chalicelib.errors import TransientError
from chalicelib.facts.dataset import FACT_EVENT
from chalicelib.facts.model import Row

_PACKED = ".ndjson.gz"


class Archive(Protocol):
    """Where an archive's rows are read again; raises `TransientError` where that is not possible."""

    def read(self, table: str, days: Sequence[str] | None = None) -> Iterator[dict[str, Any]]:
        """Every row of a table, oldest batch first; of facts, those of some days where given."""
        ...

    def file(self, name: str) -> bytes | None:
        """An object that the company keeps beside the archive; None where there is none."""
        ...


@dataclass(frozen=True, slots=True)
class S3Rows:
    """A `Sink` and `Archive` on an S3 bucket.

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
            for name, body in objects_of(table, number, rows):
                self.client.put_object(
                    Bucket=self.bucket, Key=name, Body=body, ContentType="application/gzip"
                )
        except (ClientError, BotoCoreError) as error:
            raise TransientError("s3", "put_object", reason=type(error).__name__) from None

    def replace(
        self, table: str, number: int, rows: Sequence[Row], *, deadline_seconds: float
    ) -> None:
        """See `model.Sink.replace`; the archive keeps earlier batches."""
        self.append(table, number, rows, deadline_seconds=deadline_seconds)

    def read(self, table: str, days: Sequence[str] | None = None) -> Iterator[dict[str, Any]]:
        """See `Archive.read`."""
        try:
            pages = self.client.get_paginator("list_objects_v2")
            found = (
                one["Key"]
                for prefix in _prefixes(table, days)
                for page in pages.paginate(Bucket=self.bucket, Prefix=prefix)
                for one in page.get("Contents", ())
            )
            for name in _oldest_first(found):
                body = self.client.get_object(Bucket=self.bucket, Key=name)["Body"].read()
                yield from rows_of(body)
        except (ClientError, BotoCoreError) as error:
            raise TransientError("s3", "read", reason=type(error).__name__) from None

    def file(self, name: str) -> bytes | None:
        """See `Archive.file`."""
        try:
            return bytes(self.client.get_object(Bucket=self.bucket, Key=name)["Body"].read())
        except self.client.exceptions.NoSuchKey:
            return None
        except (ClientError, BotoCoreError) as error:
            raise TransientError("s3", "get_object", reason=type(error).__name__) from None


@dataclass(frozen=True, slots=True)
class FileRows:
    """A `Sink` and `Archive` on a local folder."""

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
        try:
            for name, body in objects_of(table, number, rows):
                path = self.folder / name
                part = path.with_suffix(".part")
                path.parent.mkdir(parents=True, exist_ok=True)
                part.write_bytes(body)
                os.replace(part, path)  # noqa: PTH105 - the atomic one
        except OSError as error:
            raise TransientError("file", "write", reason=type(error).__name__) from None

    def replace(
        self, table: str, number: int, rows: Sequence[Row], *, deadline_seconds: float
    ) -> None:
        """See `model.Sink.replace`."""
        self.append(table, number, rows, deadline_seconds=deadline_seconds)

    def read(self, table: str, days: Sequence[str] | None = None) -> Iterator[dict[str, Any]]:
        """See `Archive.read`."""
        folders = [self.folder / prefix for prefix in _prefixes(table, days)]
        names = (path.as_posix() for folder in folders for path in folder.rglob("*"))
        for name in _oldest_first(names):
            yield from rows_of(Path(name).read_bytes())

    def file(self, name: str) -> bytes | None:
        """See `Archive.file`."""
        path = self.folder / name
        return path.read_bytes() if path.is_file() else None


def objects_of(table: str, number: int, rows: Sequence[Row]) -> Iterator[tuple[str, bytes]]:
    """A batch's objects, as names and contents; facts are partitioned by their day."""
    if table != FACT_EVENT:
        yield f"{table}/{number}{_PACKED}", _packed(rows)
        return
    by_day: dict[str, list[Row]] = {}
    for row in rows:
        by_day.setdefault(str(row["FactDateKey"])[:10], []).append(row)
    for day, of_day in by_day.items():
        yield f"{table}/day={day}/{number}{_PACKED}", _packed(of_day)


def rows_of(body: bytes) -> Iterator[dict[str, Any]]:
    """The rows of an object."""
    return (json.loads(line) for line in gzip.decompress(body).decode().splitlines())


def _prefixes(table: str, days: Sequence[str] | None) -> list[str]:
    return [f"{table}/"] if days is None else [f"{table}/day={day}/" for day in days]


def _oldest_first(names: Iterable[str]) -> list[str]:
    """The names of batches, by their number; other objects are left out."""
    found = [name for name in names if name.endswith(_PACKED)]
    return sorted(found, key=lambda name: (int(PurePosixPath(name).name.partition(".")[0]), name))


def _packed(rows: Iterable[Row]) -> bytes:
    """Without a time stamp, so that the same rows are the same bytes."""
    lines = (json.dumps(row, separators=(",", ":"), ensure_ascii=True) + "\n" for row in rows)
    return gzip.compress("".join(lines).encode(), mtime=0)
