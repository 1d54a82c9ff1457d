"""The sink of a Fabric mirrored database: each batch is a file in OneLake, published once and in order.

Vendor facts (learn.microsoft.com, fabric/mirroring/open-mirroring-best-practices): the files of a table
have contiguous numbers; a published path is never written again or used for other content; a publisher
keeps which batch has which number, and after a failure looks first whether the file is there.  Mirroring
moves the files that it has read away, but never a table's last one.

::

    number assigned in the facts' table -> file written under another name -> renamed -> noted as published

A run that finds an open assignment first deletes files that earlier attempts wrote and did not
rename: they hold people's names and would stay for good.  Then it looks for the assigned file.  If
the file exists, its content must be what was assigned, and it is noted as published.  If not, the
number is used for the present batch.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from chalicelib.errors import TransientError
from chalicelib.facts import reasons as why
from chalicelib.facts.dataset import rows_digest
from chalicelib.facts.model import Row
from chalicelib.facts.posting import mirrored_tables as tables
from chalicelib.facts.posting.file_assignments import Assignment, FileAssignments
from chalicelib.facts.posting.landing_zone import PROVIDER, LandingZone


@dataclass(frozen=True, slots=True)
class PublishedFile:
    """A file of a mirrored table that still exists in the landing zone.

    Attributes:
        path: path within the landing zone.
        is_taken: mirroring has read the file and moved it away, as it does with all files but the
            last.
    """

    number: int
    path: str
    is_taken: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OneLake:
    """The `Sink` of one Fabric mirrored database; a posted row replaces the row with the same key."""

    zone: LandingZone
    assignments: FileAssignments

    @property
    def target(self) -> str:
        """The sink's name, ``onelake:<database>``."""
        return self.assignments.target

    @property
    def tables(self) -> Sequence[str]:
        """The names of the mirrored database's tables."""
        return tuple(tables.KEYS)

    def make_table(self, table: str, *, deadline_seconds: float) -> bool:
        """Make a mirrored table's folder and metadata; returns False where the metadata exists already.

        A table that is made again has no rows, and its files begin at number 1; a rebuild fills it.

        Raises:
            ProviderError: the table may not be made; call again.
        """
        ends, path = self._ends(deadline_seconds), f"{table}/{tables.METADATA}"
        names = self.zone.names(table, ends=ends) or frozenset()
        there = self.assignments.read(table)
        if there.file and not any(tables.file_number(name) for name in names):
            self.assignments.note(table, Assignment(version=there.version))
        if tables.METADATA in names:
            return False
        self.zone.make_folder(table, ends=ends)
        return self.zone.publish(path, tables.metadata(table), ends=ends)

    def exists(self, *, deadline_seconds: float) -> bool:
        """Whether the workspace has the mirrored database and its landing zone.

        Raises:
            ProviderError: OneLake cannot be read now.
        """
        return self.zone.exists("", ends=self._ends(deadline_seconds))

    def files_trouble(self, table: str, *, deadline_seconds: float) -> str | None:
        """The reason why a table's files are not those that are recorded as published.

        It is ``no_table``, ``files_lost`` or ``file_taken``; None where the files are as recorded,
        or no file is recorded.

        Raises:
            ProviderError: OneLake cannot be read now.
        """
        ends, there = self._ends(deadline_seconds), self.assignments.read(table)
        names = self.zone.names(table, ends=ends)
        if names is None or tables.METADATA not in names:
            return why.NO_TABLE
        last = _last_of(names)
        if not there.version or last == there.file or (there.is_open and last == there.file - 1):
            return None
        return why.FILE_TAKEN if last > there.file else why.FILES_LOST

    def append(
        self, table: str, number: int, rows: Sequence[Row], *, deadline_seconds: float
    ) -> None:
        """Publish a batch of rows as the table's next file.

        A batch that is published already is not repeated.

        Raises:
            TransientError: the file may not be published; call again with the same batch number.
            AuthError: OneLake refuses us.
        """
        self._publish(table, number, rows, self._ends(deadline_seconds))

    def replace(
        self, table: str, number: int, rows: Sequence[Row], *, deadline_seconds: float
    ) -> None:
        """Publish all rows of a table as its next file.

        In a table that is always posted whole (`WHOLE`), the new file also removes the rows that
        the last file has and the new one lacks.  In any other table, rows are only added or
        updated: a dimension never loses a key.
        """
        ends = self._ends(deadline_seconds)
        self._publish(table, number, rows, ends, is_whole=table in tables.WHOLE)

    def amend(
        self,
        table: str,
        number: int,
        rows: Sequence[Row],
        removed: Sequence[Row],
        *,
        deadline_seconds: float,
    ) -> None:
        """Publish a file that inserts or updates some rows of a table and removes others, by their keys.

        It raises what `append` raises.
        """
        self._publish(table, number, rows, self._ends(deadline_seconds), removed=removed)

    def files(self, table: str, *, deadline_seconds: float) -> Iterator[PublishedFile]:
        """The files of a table that still exist in the landing zone, in the order of their numbers.

        Raises:
            ProviderError: OneLake cannot be read now.
        """
        ends = self._ends(deadline_seconds)
        found: dict[int, PublishedFile] = {}
        for folder in (table, f"{table}/{tables.PROCESSED}"):
            for name in self.zone.names(folder, ends=ends) or ():
                if number := tables.file_number(name):
                    is_taken = folder != table
                    found[number] = PublishedFile(number, f"{folder}/{name}", is_taken=is_taken)
        for _, file in sorted(found.items()):
            yield file

    def changes(
        self, table: str, file: PublishedFile, *, deadline_seconds: float
    ) -> Iterator[tuple[bool, dict[str, str]]]:
        """Each row of a published file: whether it removes the row with its key, and its values as text."""
        body = self.zone.content(file.path, ends=self._ends(deadline_seconds))
        return tables.changes_in(table, body)

    def _publish(
        self,
        table: str,
        number: int,
        rows: Sequence[Row],
        ends: float,
        *,
        is_whole: bool = False,
        removed: Sequence[Row] = (),
    ) -> None:
        content = rows_digest((*rows, *removed))
        there = self.assignments.read(table)
        if _is_done(there, number, content):
            return
        if there.is_open:
            self.zone.delete_temporary_files(table, ends=ends)
        there = self._settled(table, there, ends)
        if _is_done(there, number, content):
            return
        last = there.file - 1 if there.is_open else there.file
        if is_whole and last:
            body = self.zone.content(_path(table, last), ends=ends)
            removed = tables.vanished_rows(table, tables.rows_in(table, body), rows)
        body = tables.file_content(table, rows, removed)
        count = tables.row_count(body)
        if not count:
            return
        digest = hashlib.sha256(body).hexdigest()
        tried = {**there.tried, digest: content} if there.is_open else {digest: content}
        assigned = replace(there, file=last + 1, batch=number, tried=tried, is_open=True)
        assigned = self.assignments.note(table, assigned)
        if not self.zone.publish(_path(table, assigned.file), body, ends=ends):
            raise TransientError(PROVIDER, "publish", reason=why.FILE_TAKEN)
        self.assignments.note(table, assigned.published(digest, count))

    def _settled(self, table: str, there: Assignment, ends: float) -> Assignment:
        """The table's last assignment of a file number, brought up to date with the landing zone.

        An open assignment (its file is not known to be published) is noted as published if the file
        is there.  Where none is stored, the number of the last file in the landing zone is taken.

        Raises:
            TransientError: the landing zone does not match the assignment.
        """
        if not there.version:
            return replace(there, file=self._last(table, ends))
        if not there.is_open:
            self._check(table, there.file, ends)
            return there
        path = _path(table, there.file)
        if not self.zone.exists(path, ends=ends):
            self._check(table, there.file - 1, ends)
            return there
        body = self.zone.content(path, ends=ends)
        digest = hashlib.sha256(body).hexdigest()
        if digest not in there.tried:
            raise TransientError(PROVIDER, "verify", reason=why.FILE_TAKEN)
        return self.assignments.note(table, there.published(digest, tables.row_count(body)))

    def _last(self, table: str, ends: float) -> int:
        """The number of the last file in a table's folder; 0 where the folder has no file.

        Raises `TransientError` if the table does not exist.
        """
        names = self.zone.names(table, ends=ends)
        if names is None or tables.METADATA not in names:
            raise TransientError(PROVIDER, "look", reason=why.NO_TABLE)
        return _last_of(names)

    def _check(self, table: str, file: int, ends: float) -> None:
        """Check that a table's file of this number exists; for number 0, that the table itself exists.

        Raises `TransientError` if not.
        """
        if self.zone.exists(
            _path(table, file) if file else f"{table}/{tables.METADATA}", ends=ends
        ):
            return
        last = self._last(table, ends)
        reason = why.FILE_TAKEN if last > file else why.FILES_LOST
        raise TransientError(PROVIDER, "look", reason=reason)

    def _ends(self, deadline_seconds: float) -> float:
        return self.zone.clock.monotonic() + deadline_seconds


def target_of(database_id: str) -> str:
    """The sink name of a mirrored database, ``onelake:<database>``.

    Keys and batches are recorded under it.
    """
    return f"{PROVIDER}:{database_id}"


def _last_of(names: Iterable[str]) -> int:
    return max((tables.file_number(name) or 0 for name in names), default=0)


def _is_done(there: Assignment, number: int, content: int) -> bool:
    published = not there.is_open and there.batch == number
    return published and content in there.tried.values()


def _path(table: str, file: int) -> str:
    return f"{table}/{tables.file_name(file)}"
