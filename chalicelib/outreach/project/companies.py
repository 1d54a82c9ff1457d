"""Reads the `company-data` table: one item for each project of a company."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from chalicelib.once.ports import Clock
from chalicelib.once.store import Item, Store
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.project.project import Project

SCAN_PAGE = 200
CACHED_SECONDS = 30.0


class Companies:
    """Reads companies' projects from the `company-data` table."""

    def __init__(self, table: Store) -> None:
        self._table = table

    def project(self, company_id: str, project_id: str) -> Project | None:
        """A company's project by its ids; None where there is none.

        Raises:
            TransientError: the table could not be read.
        """
        key = {"company_id": company_id, "project_id": project_id}
        item = self._table.get(key, consistent=False)
        return Project(item) if item else None

    def current(self, record: Record) -> Project:
        """A conversation's project with its current settings; an empty project where it was deleted.

        Raises:
            TransientError: the table could not be read.
        """
        return self.project(record.company_id, record.project_id) or Project({})

    def projects(self) -> Iterator[Project]:
        """Every project, active or not; the table's other rows come too, as projects without settings.

        Raises:
            TransientError: the table could not be read.
        """
        start: Item | None = None
        while True:
            items, start = self._table.scan_page(limit=SCAN_PAGE, start=start)
            yield from map(Project, items)
            if start is None:
                return


@dataclass(frozen=True, slots=True)
class CachedSettings:
    """Reads a conversation's project with its settings, at most `CACHED_SECONDS` old.

    Args:
        read: reads one project, as `Companies.current`.
    """

    read: Callable[[Record], Project]
    clock: Clock
    _seen: dict[tuple[str, str], tuple[float, Project]] = field(default_factory=dict, repr=False)

    def __call__(self, record: Record) -> Project:
        """A conversation's project, from the cache or the table; an empty project where it was deleted.

        Raises:
            TransientError: the table could not be read.
        """
        key, now = (record.company_id, record.project_id), self.clock.monotonic()
        at, project = self._seen.get(key, (float("-inf"), Project({})))
        if now - at > CACHED_SECONDS:
            project = self.read(record)
            self._seen[key] = now, project
        return project
