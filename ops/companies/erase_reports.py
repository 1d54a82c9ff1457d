"""Erases an agent from the reports, OneLake's files and the dataset, and searches them for a person.

In OneLake a row with the agent's id alone replaces the agent's row; a row whose id is itself an
address is deleted.  Fabric moves a file away once mirroring has read it, which proves that the file
was taken.  It never moves a table's last file.  So the rows are published a second time, after which the
first file is no longer the last.  Facts are not read here: the archive has the same rows under the same
keys (`erase_archive`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from chalicelib.errors import MiddlewareError
from chalicelib.facts.dataset import DIM_AGENT
from chalicelib.facts.posting.mirrored_tables import KEPT_DAYS
from chalicelib.facts.posting.onelake import OneLake, PublishedFile
from chalicelib.facts.posting.powerbi import ENDS_ON
from chalicelib.once import keys
from ops.companies.erase import Erased, Subjects
from ops.companies.erase_archive import (
    BETWEEN_SECONDS,
    PLACE,
    TRIES,
    TheirRows,
    exclusive,
    of_subjects,
)
from ops.companies.erase_canaries import Canary
from ops.companies.erase_places import AskedPlace, Sighting, found_in
from ops.session import Session

ONELAKE, DATASET = "OneLake", "dataset"
DEADLINE_SECONDS = 20.0
READ_FILES = "files that Fabric has read, which it deletes and OneLake keeps as deleted"
NONE = "this stage has none"
NOT_TAKEN = "the file without the person is published, but Fabric has not read it yet: run again"
FACTS_STAY = (
    f"notes of facts cannot be asked, and no row can be deleted: until {ENDS_ON}, when Microsoft ends push"
    " datasets, or a rebuild, or somebody of the workspace deletes it"
)
BY_RECORD = (
    "the tenant allows no queries by API; the writer's record has its agents as the directories name"
    " them now"
)
NOT_QUERIED = (
    "the tenant allows no queries by API, and the writer has not refreshed its agents yet: run again, or"
    " have an administrator of Fabric allow queries"
)


@dataclass(slots=True)
class SeenAgents:
    """What the remaining files of OneLake's agents table hold of the person.

    Attributes:
        rows: the number of rows read.
        holding: numbers of the files that hold the person.
        found: by agent id, the canaries in the agent's newest row.
        newest: by id of an agent that a file shows as the person, the newest row and whether it
            deletes.
        cleared: by id of such an agent, the first later file whose row is without the person.
        last: the number of the table's last file.
    """

    rows: int = 0
    holding: set[int] = field(default_factory=set)
    found: dict[str, list[Canary]] = field(default_factory=dict)
    newest: dict[str, tuple[dict[str, str], bool]] = field(default_factory=dict)
    cleared: dict[str, PublishedFile] = field(default_factory=dict)
    last: int = 0

    @property
    def waiting(self) -> Sequence[str]:
        """Ids of agents whose cleared rows Fabric is not yet known to have read."""
        return [agent for agent, file in self.cleared.items() if not file.is_taken]

    def add(
        self, file: PublishedFile, row: dict[str, str], found: list[Canary], *, deletes: bool
    ) -> None:
        """Take up one change of a file; changes must come in order."""
        agent = row["AgentID"]
        self.rows += 1
        if found:
            self.holding.add(file.number)
            self.found[agent] = found
            self.cleared.pop(agent, None)
        elif agent in self.newest:
            self.found.pop(agent, None)
            self.cleared.setdefault(agent, file)
        if found or agent in self.newest:
            self.newest[agent] = (row, deletes)


def read_seen_agents(
    onelake: OneLake, found: Callable[[Mapping[str, Any]], list[Canary]]
) -> SeenAgents:
    """Read every file of OneLake's agents table.

    Raises:
        ProviderError: OneLake cannot be read now.
    """
    agents = SeenAgents()
    for file in onelake.files(DIM_AGENT, deadline_seconds=DEADLINE_SECONDS):
        agents.last = file.number
        for deletes, row in onelake.changes(DIM_AGENT, file, deadline_seconds=DEADLINE_SECONDS):
            agents.add(file, row, [] if deletes else found(row), deletes=deletes)
    return agents


def purge(session: Session, subjects: Subjects, done: Erased, *, dry_run: bool = False) -> None:
    """Erase a person from every report; failures become notes of `done`."""
    canaries, posting = of_subjects(subjects), session.services.posting
    mirrored = posting.fact_check.onelake
    if not canaries or (mirrored is None and posting.dataset_reader() is None):
        return
    their = TheirRows(canaries)

    def found(row: Mapping[str, Any]) -> list[Canary]:
        return [canaries[0]] if any(map(their.names_person, row.values())) else []

    try:
        agents = read_seen_agents(mirrored, found) if mirrored else SeenAgents()
        in_dataset = [row for row in _of_dataset(session) or () if found(row)]
        for place, count in ((ONELAKE, len(agents.found)), (DATASET, len(in_dataset))):
            done.tables |= {place: count} if count else {}
        if dry_run or not (agents.found or agents.waiting or in_dataset or PLACE in done.tables):
            return
        ids = [*agents.found, *(row.get(f"{DIM_AGENT}[AgentID]") for row in in_dataset)]
        if addresses := [str(id_) for id_ in ids if their.names_person(id_)]:
            exclusive(session, "reports", done, _forgetting(session, their))
            if mirrored:
                _amend(session, mirrored, (), [{"AgentID": address} for address in addresses], done)
        exclusive(session, "reports", done, posting.writer.refresh)
        if mirrored:
            _see_taken(session, mirrored, found, done)
    except MiddlewareError as error:
        done.notes.append(f"the reports cannot be asked ({type(error).__name__}): run again")


def places(session: Session, canaries: Sequence[Canary]) -> Sequence[AskedPlace]:
    """Search OneLake and the dataset for canaries."""
    found = []
    for name, ask in ((ONELAKE, _onelake), (DATASET, _dataset)):
        place = AskedPlace(name)
        try:
            ask(session, canaries, place)
        except MiddlewareError as error:
            place.asked, place.has_failed = None, True
            place.why_not = f"it cannot be read ({type(error).__name__}): run again"
        found.append(place)
    return found


def _onelake(session: Session, canaries: Sequence[Canary], place: AskedPlace) -> None:
    mirrored = session.services.posting.fact_check.onelake
    if mirrored is None:
        place.why_not = NONE
        return
    agents = read_seen_agents(mirrored, lambda row: found_in(row, canaries))
    place.asked = agents.rows
    for agent, found in agents.found.items():
        place.left += (Sighting(canary.name, keys.digest(agent)[:12], ()) for canary in found)
    if agents.waiting:
        place.has_failed, place.why_not = True, NOT_TAKEN
    if agents.holding and not agents.found:
        ends = session.services.clock.now() + timedelta(days=KEPT_DAYS)
        place.stays[READ_FILES] = {"items": len(agents.holding), "until": f"{ends:%Y-%m-%d}"}


def _dataset(session: Session, canaries: Sequence[Canary], place: AskedPlace) -> None:
    posting = session.services.posting
    if posting.dataset_reader() is None:
        place.why_not = NONE
        return
    rows = _of_dataset(session)
    if rows is None:
        dataset = posting.writer.sinks.refusing
        place.has_failed = dataset is None or not dataset.has_current_names()
        place.why_not = f"{NOT_QUERIED if place.has_failed else BY_RECORD}; {FACTS_STAY}"
        return
    place.asked, place.why_not = len(rows), FACTS_STAY
    for row in rows:
        named = keys.digest(*map(str, row.values()))[:12]
        place.left += (Sighting(canary.name, named, ()) for canary in found_in(row, canaries))


def _of_dataset(session: Session) -> Sequence[Mapping[str, Any]] | None:
    reader = session.services.posting.dataset_reader()
    return reader.agents(deadline_seconds=DEADLINE_SECONDS) if reader else ()


def _forgetting(session: Session, their: TheirRows) -> Callable[..., str]:
    """Return work for `exclusive`: the writer forgets agents whose id is an address of the person."""
    writer = session.services.posting.writer

    def work() -> None:
        for sink in writer.sinks:
            sink.forget_keys(DIM_AGENT, their.names_person)

    return lambda **left: writer.run_alone("forgotten", work, **left)


def _see_taken(
    session: Session,
    mirrored: OneLake,
    found: Callable[[Mapping[str, Any]], list[Canary]],
    done: Erased,
) -> None:
    """Wait until Fabric has read the cleared rows; publish one more file if they are in the last."""
    for _ in range(TRIES):
        agents = read_seen_agents(mirrored, found)
        if not agents.waiting:
            return
        if any(agents.cleared[agent].number == agents.last for agent in agents.waiting):
            newest = [agents.newest[agent] for agent in agents.waiting]
            rows = [row for row, deletes in newest if not deletes]
            _amend(session, mirrored, rows, [row for row, deletes in newest if deletes], done)
        session.services.clock.sleep(BETWEEN_SECONDS)


def _amend(
    session: Session,
    mirrored: OneLake,
    rows: Sequence[Mapping[str, str]],
    removed: Sequence[Mapping[str, str]],
    done: Erased,
) -> None:
    def work() -> None:
        number = int(session.services.clock.now().timestamp() * 1000)
        mirrored.amend(DIM_AGENT, number, rows, removed, deadline_seconds=DEADLINE_SECONDS)

    writer = session.services.posting.writer
    exclusive(session, ONELAKE, done, lambda **left: writer.run_alone("erased", work, **left))
