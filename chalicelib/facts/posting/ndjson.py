"""The archive: the posted rows as gzipped newline-delimited JSON, in S3 or in a folder.

It is a sink of its own, which other tools query, and from which a dataset is rebuilt.  `parts` has
its layout, and which rows are current.  A retry overwrites a batch's parts with the same rows, so a
repeated batch is stored once.  Compaction first adds a whole part; it deletes the replaced parts
later, when no reader can still use an old listing.  A crash in between leaves the same rows.

NDJSON rather than Parquet: every tool reads it, a row is written without a library, and a day of less
than some 300,000 facts is below the 10 MB that Athena charges at least.
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO, Any, Protocol

from botocore.exceptions import BotoCoreError, ClientError

from chalicelib.errors import TransientError
from chalicelib.facts.dataset import FACT_EVENT
from chalicelib.facts.model import Row
from chalicelib.facts.posting.parts import MOVED_TO, ArchivePart, Partition, partitions

_IN_MEMORY_BYTES = 8_000_000
_LISTED_AGAIN = 3


class Archive(Protocol):
    """The port by which archived rows are read back; raises `TransientError` where they cannot be read."""

    def read(self, table: str, days: Sequence[str] | None = None) -> Iterator[dict[str, Any]]:
        """Every current row of an archived table; of facts, only those of the given `days`, or all."""
        ...

    def read_file(self, name: str) -> bytes | None:
        """The bytes of a file that the company keeps beside the archived rows.

        Returns None where there is no such file.
        """
        ...


class StoredRows(ABC):
    """A `Sink` and an `Archive` on any object storage, by the storage operations that a subclass gives."""

    __slots__ = ()

    @property
    @abstractmethod
    def target(self) -> str:
        """The name of the archive as a sink, e.g. ``file``."""

    @abstractmethod
    def list_objects(self, prefix: str) -> Iterator[tuple[str, float]]:
        """The objects whose names begin with a prefix: the name, and the epoch seconds of the last change."""

    @abstractmethod
    def open_object(self, name: str, version: str = "") -> IO[bytes]:
        """Open an object for reading, or one of its former versions, given by its id.

        Raises `FileNotFoundError` where there is no such object or version.
        """

    @abstractmethod
    def put(self, name: str, body: IO[bytes]) -> None:
        """Write or replace an object; readers see either all of the old or all of the new content."""

    @abstractmethod
    def delete(self, name: str, version: str = "") -> None:
        """Delete an object, or one of its former versions; does nothing where there is no such object."""

    def former_versions(self) -> Iterator[tuple[str, str]]:
        """The former versions of all objects, as pairs of name and version id.

        There are none if the storage keeps no versions.
        """
        return iter(())

    def append(
        self, table: str, number: int, rows: Sequence[Row], *, deadline_seconds: float
    ) -> None:
        """Write a batch of rows as new objects of the archive; the same batch again overwrites them."""
        del deadline_seconds  # the client's own time-outs are shorter
        for name, body in objects_of(table, number, rows):
            self.put(name, BytesIO(body))

    def replace(
        self, table: str, number: int, rows: Sequence[Row], *, deadline_seconds: float
    ) -> None:
        """Write all rows of a table as a new object; its rows are then the current ones.

        Older objects stay until a compaction deletes them.
        """
        self.append(table, number, rows, deadline_seconds=deadline_seconds)

    def read(self, table: str, days: Sequence[str] | None = None) -> Iterator[dict[str, Any]]:
        """Every current row of an archived table; of facts, only those of the given `days`, or all."""
        for prefix in [f"{table}/"] if days is None else [f"{table}/day={day}/" for day in days]:
            for partition in self.partitions(prefix):
                yield from (row for row in self._rows(partition) if MOVED_TO not in row)

    def read_file(self, name: str, version: str = "") -> bytes | None:
        """The bytes of an object or of one of its former versions; None where there is no such object."""
        try:
            with _s3_errors("read"), self.open_object(name, version) as body:
                return body.read()
        except FileNotFoundError:
            return None

    def partitions(self, prefix: str = "") -> list[Partition]:
        """The archive's partitions (a day of facts, or a dimension) whose folders begin with a prefix."""
        return partitions(self.list_objects(prefix))

    def compact(self, partition: Partition, *, before: float) -> bool:
        """Write a partition's current rows as one new part, and delete parts that were replaced before.

        It may be repeated, and may stop between any two calls: readers get the same rows.  Nothing
        is written where the partition has one part only, or its whole part has all current rows.

        Args:
            partition: the partition as it was just listed.
            before: epoch seconds; if the newest whole part (a part that merges all earlier ones)
                was written before this, the parts that it replaced are deleted.

        Returns:
            Whether a whole part was written.
        """
        whole, giving = partition.whole, set[ArchivePart]()
        with SpooledTemporaryFile(_IN_MEMORY_BYTES) as merged:
            with gzip.GzipFile(fileobj=merged, mode="wb", mtime=0) as packed:
                for part, row in partition.current_rows(self._read):
                    giving.add(part)
                    packed.write(_line(row))
            is_new = len(partition.parts) > 1 and any(part != whole for part in giving)
            if is_new:
                merged.seek(0)
                self.put(partition.next_whole_name, merged)
        if whole and whole.modified < before:
            for part in partition.replaced_parts(giving):
                self.delete(part.name)
        return is_new

    def _rows(self, partition: Partition) -> list[dict[str, Any]]:
        """The current rows of a partition.

        If a compaction deletes a part during the read, the partition is listed and read again.
        """
        for _ in range(_LISTED_AGAIN):
            with suppress(FileNotFoundError):
                return [row for _, row in partition.current_rows(self._read)]
            partition = next(iter(self.partitions(partition.folder)), Partition("", ()))
        raise self._failed("read", FileNotFoundError.__name__)

    def rows_of_object(self, name: str, version: str = "") -> Iterator[dict[str, Any]]:
        """The rows in an object, or in a former version of it.

        Raises `FileNotFoundError` where there is no such object or version.
        """
        try:
            with (
                _s3_errors("read"),
                self.open_object(name, version) as body,
                gzip.GzipFile(fileobj=body) as lines,
            ):
                for line in lines:
                    yield json.loads(line)
        except FileNotFoundError:
            raise
        except (OSError, EOFError, zlib.error, ValueError) as error:
            raise self._failed("read", type(error).__name__) from None

    def _read(self, part: ArchivePart) -> Iterator[dict[str, Any]]:
        return self.rows_of_object(part.name)

    def _failed(self, operation: str, reason: str) -> TransientError:
        return TransientError(self.target.partition(":")[0], operation, reason=reason)


@dataclass(frozen=True, slots=True)
class S3Rows(StoredRows):
    """An archive in an S3 bucket.

    Attributes:
        client: a boto3 S3 client.
    """

    client: Any
    bucket: str

    @property
    def target(self) -> str:
        """The archive's name as a sink: ``s3:<bucket>``."""
        return f"s3:{self.bucket}"

    def list_objects(self, prefix: str) -> Iterator[tuple[str, float]]:
        """The objects whose keys have a prefix: the key, and the epoch seconds of the last change."""
        with _s3_errors("read"):
            pages = self.client.get_paginator("list_objects_v2")
            for page in pages.paginate(Bucket=self.bucket, Prefix=prefix):
                for content in page.get("Contents", ()):
                    yield content["Key"], content["LastModified"].timestamp()

    def open_object(self, name: str, version: str = "") -> IO[bytes]:
        """Open an object of the bucket for reading, or a former version of it.

        Raises `FileNotFoundError` for a missing object.
        """
        which = {"VersionId": version} if version else {}
        with _s3_errors("get_object"):
            try:
                return self.client.get_object(Bucket=self.bucket, Key=name, **which)["Body"]  # type: ignore[no-any-return]
            except self.client.exceptions.NoSuchKey:
                raise FileNotFoundError(name) from None

    def put(self, name: str, body: IO[bytes]) -> None:
        """Write or replace an object of the bucket by one PutObject."""
        with _s3_errors("put_object"):
            self.client.put_object(
                Bucket=self.bucket, Key=name, Body=body, ContentType="application/gzip"
            )

    def delete(self, name: str, version: str = "") -> None:
        """Delete an object of the bucket, or one version of it for good."""
        which = {"VersionId": version} if version else {}
        with _s3_errors("delete_object"):
            self.client.delete_object(Bucket=self.bucket, Key=name, **which)

    def former_versions(self) -> Iterator[tuple[str, str]]:
        """The former versions of all objects in the bucket, as pairs of key and version id.

        There are none if the bucket was never versioned.
        """
        with _s3_errors("list_object_versions"):
            pages = self.client.get_paginator("list_object_versions")
            for page in pages.paginate(Bucket=self.bucket):
                for version in page.get("Versions", ()):
                    if not version["IsLatest"]:
                        yield version["Key"], version["VersionId"]


@dataclass(frozen=True, slots=True)
class FileRows(StoredRows):
    """An archive in a local folder."""

    folder: Path

    @property
    def target(self) -> str:
        """The archive's name as a sink: ``file``."""
        return "file"

    def list_objects(self, prefix: str) -> Iterator[tuple[str, float]]:
        """The files in the subfolder `prefix`: the path, and the epoch seconds of the last change.

        A file that is deleted during the listing is left out.
        """
        for path in (self.folder / prefix).rglob("*.*"):
            with suppress(FileNotFoundError):
                yield path.relative_to(self.folder).as_posix(), path.stat().st_mtime

    def open_object(self, name: str, version: str = "") -> IO[bytes]:
        """Open a file of the folder for reading; a folder keeps no former versions."""
        del version  # a folder keeps none
        return (self.folder / name).open("rb")

    def put(self, name: str, body: IO[bytes]) -> None:
        """Write a file under a temporary name, then rename it over the old one."""
        path = self.folder / name
        part = path.with_suffix(".part")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            part.write_bytes(body.read())
            os.replace(part, path)  # noqa: PTH105 - it is atomic
        except OSError as error:
            raise self._failed("write", type(error).__name__) from None

    def delete(self, name: str, version: str = "") -> None:
        """Delete a file of the folder, if there is one."""
        del version
        try:
            (self.folder / name).unlink(missing_ok=True)
        except OSError as error:
            raise self._failed("delete", type(error).__name__) from None


def objects_of(table: str, number: int, rows: Sequence[Row]) -> Iterator[tuple[str, bytes]]:
    """The archive objects for a batch of rows, as name and content: of facts one for each day, else one."""
    if table != FACT_EVENT:
        yield f"{table}/{number}.ndjson.gz", packed_rows(rows)
        return
    by_day: dict[str, list[Row]] = {}
    for row in rows:
        by_day.setdefault(str(row["FactDateKey"])[:10], []).append(row)
    for day, of_day in by_day.items():
        yield f"{table}/day={day}/{number}.ndjson.gz", packed_rows(of_day)


def packed_rows(rows: Iterable[Row]) -> bytes:
    """Rows as gzipped lines of JSON, without a time stamp, so that the same rows give the same bytes."""
    return gzip.compress(b"".join(map(_line, rows)), mtime=0)


def _line(row: Row) -> bytes:
    return (json.dumps(row, separators=(",", ":"), ensure_ascii=True) + "\n").encode()


@contextmanager
def _s3_errors(operation: str) -> Iterator[None]:
    try:
        yield
    except (ClientError, BotoCoreError) as error:
        raise TransientError("s3", operation, reason=type(error).__name__) from None
