"""Erases a person from the archive of facts: an agent's name and address, in every object and version.

A fact holds no contact: an agent's id, an event's id, and details without personal data.  The
dimension of agents holds names and addresses; an agent with an address that is erased keeps the id alone,
under every name they ever had there.  Should a fact hold an address all the same, it loses it.
Objects are replaced under the writer's lease, so that nothing is merged meanwhile; former versions that
hold the person are deleted.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from chalicelib.errors import MiddlewareError
from chalicelib.facts.dataset import DIM_AGENT
from chalicelib.facts.model import UNKNOWN_AGENT
from chalicelib.facts.posting.ndjson import StoredRows, packed
from ops.companies.erase import Erased, Subjects
from ops.companies.erase_canaries import Canary, of_address
from ops.session import Session

PLACE = "archive of facts"
TRIES, BETWEEN_SECONDS, RUN_SECONDS = 6, 10.0, 600.0
NAMED = (
    "a directory of agents still names them: remove them from FACTS_ROSTER or HubSpot, or the next"
    " night brings the name back"
)


@dataclass(frozen=True, slots=True)
class ArchivedObject:
    """One object of an archive, or a former version of one.

    Attributes:
        version: of a former one; empty for what a reader sees.
    """

    archive: StoredRows
    name: str
    version: str = ""

    @property
    def table(self) -> str:
        """Whose rows are in it."""
        return self.name.partition("/")[0]

    def rows(self) -> list[dict[str, Any]]:
        """Its rows, none where it is gone by now; of another object than rows, one with its body.

        Raises:
            TransientError: it cannot be read now.
        """
        if not self.name.endswith(".gz"):
            return [{"body": self.archive.file(self.name, self.version)}]
        with suppress(FileNotFoundError):
            return list(self.archive.rows(self.name, self.version))
        return []


@dataclass(frozen=True, slots=True)
class TheirRows:
    """What rows of an archive are without a person.

    Attributes:
        canaries: their addresses, in every writing.
        agents: ids of the agents with one of them.
    """

    canaries: Sequence[Canary]
    agents: frozenset[str] = frozenset()

    def hold(self, value: object) -> bool:
        """Whether a cell holds one of their addresses."""
        return isinstance(value, str) and any(one.pattern.search(value) for one in self.canaries)

    def without(self, table: str, row: Mapping[str, Any]) -> dict[str, Any] | None:
        """The row without them; None where nothing of it is left."""
        if table == DIM_AGENT and row["AgentID"] in self.agents:
            named = {**row, "AgentName": row["AgentID"], "Email": ""}
            return None if self.hold(row["AgentID"]) else named
        emptied = {"AgentID": UNKNOWN_AGENT}
        return {
            name: emptied.get(name, "") if name != "EventID" and self.hold(value) else value
            for name, value in row.items()
        }


def objects(session: Session) -> Iterator[ArchivedObject]:
    """Every object of every archive, and every former version."""
    for archive in session.services.posting.archives:
        for name, _ in archive.listed(""):
            yield ArchivedObject(archive, name)
        for name, version in archive.versions():
            yield ArchivedObject(archive, name, version)


def purge(session: Session, subjects: Subjects, done: Erased, *, dry_run: bool = False) -> None:
    """Erase a person from every archive; what could not be done is among the notes."""
    addresses = [*subjects.addresses, *(one for _, one in subjects.theirs.linked)]
    canaries = [one for address in addresses for one in of_address(address, "address")]
    if not canaries or not session.services.posting.archives:
        return
    try:
        count = _cleaned(session, canaries, dry_run=True)
        if count and not dry_run:
            count = _under_lease(session, canaries, done)
    except MiddlewareError as error:
        done.notes.append(f"the {PLACE} cannot be read ({type(error).__name__}): run again")
        return
    if count:
        done.tables[PLACE] = count
    agents = (session.services.posting.agents() or {}).values()
    if any(TheirRows(canaries).hold(one.email) for one in agents):
        done.warnings.append(NAMED)


def _under_lease(session: Session, canaries: Sequence[Canary], done: Erased) -> int:
    cleaned: list[int] = []
    writer, ends = session.services.posting.writer, time.monotonic() + RUN_SECONDS
    for _ in range(TRIES):
        outcome = writer.alone(
            "erased",
            lambda: cleaned.append(_cleaned(session, canaries)),
            time_left_seconds=lambda: max(0.0, ends - time.monotonic()),
        )
        if outcome != "busy":
            break
        session.services.clock.sleep(BETWEEN_SECONDS)
    if outcome != "erased":
        done.notes.append(f"the {PLACE} was not erased from ({outcome}): run again")
    return sum(cleaned)


def _cleaned(session: Session, canaries: Sequence[Canary], *, dry_run: bool = False) -> int:
    """Write every object without the person, and delete such versions; returns how many rows."""
    their = TheirRows(canaries, frozenset(_agents(session, TheirRows(canaries))))
    count = 0
    for one in objects(session):
        if not one.name.endswith(".gz"):
            continue
        rows = one.rows()
        kept = [their.without(one.table, row) for row in rows]
        changed = sum(row != was for row, was in zip(kept, rows, strict=True))
        if changed and not dry_run:
            _replace(one, [row for row in kept if row is not None])
        count += changed
    return count


def _replace(one: ArchivedObject, rows: Sequence[dict[str, Any]]) -> None:
    if one.version or not rows:
        one.archive.delete(one.name, one.version)
    else:
        one.archive.put(one.name, BytesIO(packed(rows)))


def _agents(session: Session, their: TheirRows) -> Iterable[str]:
    """The ids of the agents that any object has with one of their addresses."""
    for one in objects(session):
        if one.table == DIM_AGENT:
            yield from (row["AgentID"] for row in one.rows() if any(map(their.hold, row.values())))
