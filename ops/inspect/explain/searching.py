"""Looks up what a text names, in every place that may hold it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ops.inspect.explain import conversations, ledger_keys, people, scanning, tickets
from ops.inspect.explain.event_records import Reader
from ops.inspect.explain.found import Looking, LookupResult, Watch
from ops.inspect.explain.log_queries import query
from ops.inspect.explain.nothing import BY_A_SCAN, NothingFoundError, Unasked, on_the_queues
from ops.inspect.explain.stored import Stored
from ops.inspect.explain.subjects import Sought, SubjectKind, Thing, candidates, things
from ops.session import EXIT_UNUSABLE, OpsError, Session

_LOOK_UPS: Mapping[SubjectKind, Callable[[Looking, str], LookupResult | None]] = {
    SubjectKind.ACTION: ledger_keys.action,
    SubjectKind.EVENT: ledger_keys.event,
    SubjectKind.FACT: ledger_keys.fact,
    SubjectKind.HANDOFF: conversations.handoff,
    SubjectKind.START: conversations.start,
    SubjectKind.DIGEST: scanning.digest,
    SubjectKind.QUEUE_MESSAGE: scanning.queue_message,
    SubjectKind.CONVERSATION: conversations.conversation,
    SubjectKind.TEXT_MESSAGE: conversations.text_message,
    SubjectKind.E_MAIL: conversations.e_mail,
    SubjectKind.MESSAGE_ID: conversations.message_id,
    SubjectKind.ADDRESS: conversations.address,
    SubjectKind.TICKET: tickets.ticket,
    SubjectKind.ORDER: tickets.order,
    SubjectKind.REQUEST: people.request,
    SubjectKind.COMPANY_EVENT: people.company_event,
}
_LOG_FIELDS = {
    SubjectKind.DIGEST: ("mw_trace_id", "ticket_id", "idempotency_key"),
    SubjectKind.QUEUE_MESSAGE: ("sqs_message_id",),
}
NAME_ONE = (
    "name a ticket, company#request, evt:... or act:..., a trace id or a log line, a phone number"
    " or an e-mail address, an order number, a Twilio or SES id, a fact's key or a hand-off's id"
)


@dataclass(frozen=True, slots=True)
class FoundAs:
    """A result of looking up one interpretation, with its events in order of receipt."""

    subject: Sought
    result: LookupResult
    events: Sequence[Stored]


@dataclass(frozen=True, slots=True)
class LookedUp:
    """Everything found for a text.

    Attributes:
        findings: at least one, the most specific first.
        unasked: the places that may hold more and were not searched.
    """

    findings: tuple[FoundAs, ...]
    unasked: tuple[Unasked, ...] = ()

    @property
    def events(self) -> list[Stored]:
        """Every event once, in order of receipt."""
        by_key = {event.key: event for finding in self.findings for event in finding.events}
        return sorted(by_key.values(), key=lambda event: str(event.row.get("received_at")))

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes of every finding."""
        return tuple(note for finding in self.findings for note in finding.result.notes)


def look_up(
    session: Session, text: str, *, deep: bool = False, watch: Watch | None = None
) -> LookedUp:
    """Find everything stored about what a text names.

    Args:
        session: the stage.
        text: pasted text with identifiers of any `subjects.SubjectKind`.
        deep: also scan the ledger for what has no index.
        watch: shows the progress of a scan.

    Raises:
        NothingFoundError: names what was searched, and which places were not and why.
        OpsError: the text names nothing.
    """
    wanted = things(text)
    if not wanted:
        raise OpsError(NAME_ONE, code=EXIT_UNUSABLE)
    looking = Looking(session, Reader(session), deep, watch or (lambda rows, _total: rows))
    search = _Search(looking)
    found = _distinct(result for thing in wanted for result in search.first(thing))
    if found:
        return LookedUp(found, tuple(search.unasked))
    unasked = [*search.unasked, *_in_the_logs(candidates(text)), *on_the_queues(session)]
    needs_scan = any(place.how == BY_A_SCAN for place in unasked)
    raise NothingFoundError(
        text.strip(),
        tuple(search.asked),
        tuple(dict.fromkeys(unasked)),
        scan=scanning.cost(looking) if needs_scan else None,
    )


@dataclass(slots=True)
class _Search:
    """Looks things up and remembers, each once, what was searched and what was not."""

    looking: Looking
    asked: dict[str, None] = field(default_factory=dict)
    unasked: dict[Unasked, None] = field(default_factory=dict)

    def first(self, thing: Thing) -> list[FoundAs]:
        """The results of the first reading that finds anything."""
        for reading in thing:
            if found := [
                result for sought in reading if (result := self._asked(sought)) is not None
            ]:
                return found
        return []

    def _asked(self, sought: Sought) -> FoundAs | None:
        result = _LOOK_UPS[sought.kind](self.looking, sought.value)
        self.asked[sought.kind.value] = None
        if result is None:
            return None
        self.unasked |= dict.fromkeys(result.unasked)
        reader = self.looking.reader
        events = reader.events(result.event_keys)
        if any(reader.may_be_dead_letter(event.row) for event in events):
            self.unasked |= dict.fromkeys(reader.dead_letters.unasked)
        is_found = bool(events or result.facts or result.state or result.is_known)
        return FoundAs(sought, result, events) if is_found else None


def _distinct(findings: Iterable[FoundAs]) -> tuple[FoundAs, ...]:
    """The findings without those whose events all occur in earlier ones."""
    kept: list[FoundAs] = []
    shown: set[str] = set()
    for finding in findings:
        own = {event.key for event in finding.events}
        if not own or own - shown:
            kept.append(finding)
        shown |= own
    return tuple(kept)


def _in_the_logs(subjects: Sequence[Sought]) -> Iterator[Unasked]:
    """Yield the logs as an unsearched place, with the query, for identifiers that log lines hold."""
    logged = next((subject for subject in subjects if subject.kind in _LOG_FIELDS), None)
    if logged is not None:
        either = " or ".join(f'{name} = "{logged.value}"' for name in _LOG_FIELDS[logged.kind])
        yield Unasked("the logs", "they are asked in CloudWatch Logs Insights", query(either))
