"""Mends an incident: puts the events that it holds up on the queue again, at a limited rate.

An event with a dead letter is queued from that letter, which alone may hold the text.  Any other
event is rebuilt from its row.  A mark on the row, in one transaction with the journal's entry,
shows that an event was asked for.  So an interrupted mend can be started again and skips marked
events.  The ledger repeats no effect.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from chalicelib.clock import iso
from chalicelib.once.causes import CAUSE
from chalicelib.once.event import EventStatus
from chalicelib.once.incident import Incident, State
from chalicelib.once.job import Job, Recovery
from ops import journal
from ops.incidents.affected import AT_A_WORKER, CANNOT_RUN, Affected
from ops.inspect import ledger_rows
from ops.inspect.ledger_rows import LoopPace
from ops.repair import dead_letters, preview, replay
from ops.repair.dead_letters import DeadLetter, Wanted
from ops.session import OvertakenError, Session

QUEUED = "put on the queue"
ASKED = "asked for already"
ENDED = "ended meanwhile"
OTHER_CAUSE = "something else holds it up by now, or it was refused"
STOPPED = "the mend was stopped before its turn"
_GOES_ON = frozenset((QUEUED, ASKED, ENDED))
"""Results after which an event's dead letter is no longer needed."""


def remains(did: str) -> bool:
    """Whether a result means that the event still needs attention."""
    return did not in _GOES_ON


def mend(
    session: Session,
    found: Incident,
    affected: Sequence[Affected],
    *,
    per_second: float,
    because: str = "",
) -> Iterator[tuple[Affected, str]]:
    """Put each event on the queue again; yield it with the result.

    Ends early if a person stops the mend or begins another.

    Args:
        session: the stage.
        found: the incident.
        affected: the events that its dry run showed.
        per_second: the most events queued in a second.
        because: the reason, for the journal.

    Raises:
        OvertakenError: the incident has ended, or was changed since `found` was read.
    """
    session.services.check_stage()
    if found.state == State.ENDED:
        raise OvertakenError(f"{found.name} has ended: nothing is held up any more")
    began = iso(session.services.clock.now())
    _begin(session, found, began, because)
    run = _Run(session, found, began, LoopPace(session.services.clock, per_second), because)
    waiting, did = {event.event: event for event in affected}, dict[str, str]()
    kept: list[DeadLetter] = []
    try:
        for letter in dead_letters.taken(session, Wanted(events=frozenset(waiting))):
            kept.append(letter)
            job = letter.job
            if job is None:
                continue
            event, text = waiting[job.event_key], None if job.recovery == Recovery.HANDOFF else job
            if event.event not in did:
                what = run.ask(event, text)
                if what is None:
                    return
                did[event.event] = what
                yield event, what
            elif text and did[event.event] in (QUEUED, ASKED):  # the hand-off's letter came first
                session.services.intake.accept(text, recovery=Recovery.OPERATOR)
            if not remains(did[event.event]):
                dead_letters.delete(session, kept.pop())
    finally:
        for letter in kept:
            dead_letters.put_back(session, letter)
    for event in affected:
        if event.event not in did:
            what = run.ask(event, None)
            if what is None:
                return
            yield event, what
    _end(session, found, began)


def stop(session: Session, found: Incident, *, because: str = "") -> None:
    """Stop a mend; events already put on the queue go on.

    Raises:
        OvertakenError: no mend runs, or the incident was changed since `found` was read.
    """
    if found.mending is None or found.mending.is_done or found.mending.is_stopped:
        raise OvertakenError(f"no mend of {found.name} runs")
    _write(session, "incidents stop", found, found.state, because, is_stopped=True)


def acknowledge(session: Session, found: Incident, owner: str, *, because: str = "") -> None:
    """Give an incident an owner.

    Raises:
        OvertakenError: it has ended, or was changed since it was read.
    """
    if found.state == State.ENDED:
        raise OvertakenError(f"{found.name} has ended")
    state = State.ACKNOWLEDGED if found.state == State.OPEN else found.state
    people = {"from": found.owner, "to": owner} if found.owner else {"to": owner}
    _write(session, "incidents acknowledge", found, state, because, people=people, owner=owner)


@dataclass(frozen=True, slots=True)
class _Run:
    """One run of a mend."""

    session: Session
    found: Incident
    began: str
    pace: LoopPace
    because: str

    def ask(self, affected: Affected, job: Job | None) -> str | None:
        """Put an event on the queue; return the result, or None if the mend was stopped.

        Args:
            affected: the event.
            job: the job in its dead letter; None to rebuild it from its row.
        """
        services = self.session.services
        row = self.session.row(affected.event)
        if str(row.get(CAUSE, "")).partition("#")[0] != str(self.found.cause):
            return ENDED if row["status"] == EventStatus.PROCESSED else OTHER_CAUSE
        if job is None and not ledger_rows.can_run(self.session, row):
            return CANNOT_RUN
        again = job or ledger_rows.job_of(self.session, row)
        if row.get("asked"):
            if job:  # the earlier job may have lacked the text
                services.intake.accept(again, recovery=Recovery.OPERATOR)
            return ASKED
        if preview.is_at_a_worker(row, services.clock.now().timestamp()):
            return AT_A_WORKER
        self.pace.wait()
        if not services.incidents.advance(self.found, self.began):
            return None
        incident = self.found.name
        replay.record_request(
            self.session, "incidents mend", row, because=self.because, incident=incident
        )
        services.intake.accept(again, recovery=Recovery.OPERATOR)
        return QUEUED


def _begin(session: Session, found: Incident, began: str, because: str) -> None:
    started: dict[str, Any] = {
        "mended_by": session.identity.name,
        "mended_at": began,
        "asked_for": 0,
    }
    cleared = ("is_stopped", "is_done")
    _write(session, "incidents mend", found, found.state, because, cleared=cleared, **started)


def _end(session: Session, found: Incident, began: str) -> None:
    """Record that everything was asked for, unless another mend has begun."""
    incidents = session.services.incidents
    stored = incidents.stored(found.cause)
    if stored and stored.mending and stored.mending.at == began:
        state = State.ENDED if stored.state == State.ENDED else State.MENDED
        incidents.write(stored, state=state, is_done=True)


def _write(
    session: Session,
    what: str,
    found: Incident,
    state: State,
    because: str,
    *,
    cleared: Sequence[str] = (),
    people: Mapping[str, str] | None = None,
    **changes: object,
) -> None:
    """Store a person's act on an incident together with its journal entry."""
    shown: dict[str, Any] = {"incident": found.name, "held": found.held, "since": found.since}
    act = journal.act(session, what, found.key, reason=because, result=state.value, **shown)
    entry = journal.writes(session, replace(act, people=people or {}))
    written = session.services.incidents.write(
        found, state=state, entry=entry, cleared=cleared, **changes
    )
    if not written:
        raise OvertakenError(f"{found.name} was changed by someone else meanwhile")
