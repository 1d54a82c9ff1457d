"""Erases a person from the archive of facts: an agent's name and address, in every object and version.

A fact holds no contact: only an agent's id, an event's id and details without personal data.  The
dimension of agents holds names and addresses.  An erased agent keeps the id alone, in every row the
agent ever had.  A cell of a fact that holds an address nevertheless is emptied.  Objects are
replaced under the writer's lease, so that nothing is merged meanwhile.  Former versions that hold
the person are deleted.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

from chalicelib.errors import MiddlewareError
from chalicelib.facts.dataset import DIM_AGENT, FACT_EVENT
from chalicelib.facts.model import UNKNOWN_AGENT
from chalicelib.facts.posting.ndjson import StoredRows, packed_rows
from ops.companies.erase import Erased, Subjects
from ops.companies.erase_canaries import Canary, of_address
from ops.session import Session

PLACE = "archive of facts"
TRIES, BETWEEN_SECONDS, RUN_SECONDS = 6, 10.0, 600.0
DEADLINE_SECONDS = 60.0
NAMED = (
    "a directory of agents still names them: remove them from FACTS_ROSTER or HubSpot, or the next"
    " night brings the name back"
)


@dataclass(frozen=True, slots=True)
class ArchivedObject:
    """One object of an archive, or a former version of one.

    Attributes:
        version: S3's id of a former version; empty for the current object.
    """

    archive: StoredRows
    name: str
    version: str = ""

    @property
    def table(self) -> str:
        """The table whose rows the object holds."""
        return self.name.partition("/")[0]

    def rows(self) -> list[dict[str, Any]]:
        """The object's rows; none if it is gone.  An object of another format gives its body as one row.

        Raises:
            TransientError: the object cannot be read now.
        """
        if not self.name.endswith(".gz"):
            return [{"body": self.archive.read_file(self.name, self.version)}]
        with suppress(FileNotFoundError):
            return list(self.archive.rows_of_object(self.name, self.version))
        return []


@dataclass(frozen=True, slots=True)
class TheirRows:
    """Rewrites an archive's rows without one person.

    Attributes:
        canaries: the person's addresses, in every spelling.
        agents: ids of the agents who have one of these addresses.
    """

    canaries: Sequence[Canary]
    agents: frozenset[str] = frozenset()

    def names_person(self, value: object) -> bool:
        """Whether a cell holds one of the person's addresses."""
        return isinstance(value, str) and any(
            canary.pattern.search(value) for canary in self.canaries
        )

    def without(self, table: str, row: Mapping[str, Any]) -> dict[str, Any] | None:
        """The row without the person; None where the row must be deleted."""
        if table == DIM_AGENT and row["AgentID"] in self.agents:
            named = {**row, "AgentName": row["AgentID"], "Email": ""}
            return None if self.names_person(row["AgentID"]) else named
        return self.emptied(row)

    def emptied(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """The row with every cell emptied that holds an address of the person."""
        emptied = {"AgentID": UNKNOWN_AGENT}
        return {
            name: emptied.get(name, "") if name != "EventID" and self.names_person(value) else value
            for name, value in row.items()
        }


def objects(session: Session) -> Iterator[ArchivedObject]:
    """Yield every object of every archive, then every former version."""
    for archive in session.services.posting.archives:
        for name, _ in archive.list_objects(""):
            yield ArchivedObject(archive, name)
        for name, version in archive.former_versions():
            yield ArchivedObject(archive, name, version)


def of_subjects(subjects: Subjects) -> list[Canary]:
    """A person's addresses as canaries, in every spelling."""
    addresses = [*subjects.addresses, *(linked for _, linked in subjects.theirs.linked)]
    return [canary for address in addresses for canary in of_address(address, "address")]


def purge(session: Session, subjects: Subjects, done: Erased, *, dry_run: bool = False) -> None:
    """Erase a person from every archive; failures become notes of `done`."""
    canaries, posting = of_subjects(subjects), session.services.posting
    if not canaries or not posting.archives:
        return
    try:
        found = _look(session, canaries)
        if found.count:
            done.tables[PLACE] = found.count
        if found.count and not dry_run:
            exclusive(
                session,
                PLACE,
                done,
                lambda **left: posting.writer.run_alone(
                    "erased", lambda: _erase(session, _look(session, canaries, found.clean)), **left
                ),
            )
    except MiddlewareError as error:
        done.notes.append(f"the {PLACE} cannot be read ({type(error).__name__}): run again")
        return
    agents = (posting.agents() or {}).values()
    if any(TheirRows(canaries).names_person(agent.email) for agent in agents):
        done.warnings.append(NAMED)


def exclusive(session: Session, place: str, done: Erased, work: Callable[..., str]) -> None:
    """Do work under the fact writer's lease, waiting about a minute for it; a failure becomes a note.

    Args:
        session: the stage.
        place: the name of the place to erase from, for the note.
        done: receives the note.
        work: takes `time_left_seconds`, and returns the outcome as `FactWriter.run_alone` does.
    """
    ends = time.monotonic() + RUN_SECONDS
    for _ in range(TRIES):
        outcome = work(time_left_seconds=lambda: max(0.0, ends - time.monotonic()))
        if outcome != "busy":
            break
        session.services.clock.sleep(BETWEEN_SECONDS)
    if outcome == "busy" or ":" in outcome:
        done.notes.append(f"the {place} was not changed ({outcome}): run again")


@dataclass(slots=True)
class ArchiveWithout:
    """The archives' objects sorted by whether erasing a person changes them.

    Attributes:
        count: the number of rows that change.
        clean: the objects without the person.
        changed: the new rows of each other object.
        their: the person, as a rewriter of rows.
    """

    their: TheirRows
    count: int = 0
    clean: set[ArchivedObject] = field(default_factory=set)
    changed: dict[ArchivedObject, list[dict[str, Any]]] = field(default_factory=dict)


def _look(
    session: Session, canaries: Sequence[Canary], known: Collection[ArchivedObject] = ()
) -> ArchiveWithout:
    """Read every object not known to be clean; agents first, because their rows name the ids."""
    listed = [
        archived
        for archived in objects(session)
        if archived.name.endswith(".gz") and archived not in known
    ]
    agents = {archived: archived.rows() for archived in listed if archived.table == DIM_AGENT}
    their = TheirRows(canaries)
    named = (
        row
        for rows in agents.values()
        for row in rows
        if any(map(their.names_person, row.values()))
    )
    their = TheirRows(canaries, frozenset(row["AgentID"] for row in named))
    found = ArchiveWithout(their, clean={*known})
    for archived in listed:
        rows = agents[archived] if archived in agents else archived.rows()
        kept = [their.without(archived.table, row) for row in rows]
        changed = sum(row != was for row, was in zip(kept, rows, strict=True))
        found.count += changed
        if changed:
            found.changed[archived] = [row for row in kept if row is not None]
        else:
            found.clean.add(archived)
    return found


def _erase(session: Session, found: ArchiveWithout) -> None:
    """Amend OneLake's facts, then replace the objects: after a crash a second run finds the rest."""
    posting = session.services.posting
    mirrored, archive = posting.fact_check.onelake, posting.archive
    if mirrored and archive and any(archived.table == FACT_EVENT for archived in found.changed):
        rows = [row for was in archive.read(FACT_EVENT) if (row := found.their.emptied(was)) != was]
        number = int(session.services.clock.now().timestamp() * 1000)
        mirrored.amend(FACT_EVENT, number, rows, (), deadline_seconds=DEADLINE_SECONDS)
    for archived, rows in found.changed.items():
        if archived.version or not rows:
            archived.archive.delete(archived.name, archived.version)
        else:
            archived.archive.put(archived.name, BytesIO(packed_rows(rows)))
    replaced = {
        (archived.archive, archived.name) for archived in found.changed if not archived.version
    }
    for archived in objects(session):  # a versioned bucket keeps what was just replaced
        is_new = archived not in found.clean and archived not in found.changed
        if archived.version and is_new and (archived.archive, archived.name) in replaced:
            archived.archive.delete(archived.name, archived.version)
