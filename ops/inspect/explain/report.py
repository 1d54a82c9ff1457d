"""The report on an identifier, as plain data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ops.inspect import whereabouts
from ops.inspect.explain import conversations, ledger_keys, people, scanning, story, tickets
from ops.inspect.explain.event_records import EVENT_SHOWN, Reader
from ops.inspect.explain.found import Looking, LookupResult, Watch
from ops.inspect.explain.nothing import BY_A_SCAN, NothingFoundError, Unasked, on_the_queues
from ops.inspect.explain.stored import Stored
from ops.inspect.explain.subjects import Sought, SubjectKind, candidates
from ops.inspect.explain.timeline import timeline, verdict
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
class LookedUp:
    """What a text names, with its events as stored, the first received first."""

    result: LookupResult
    subject: Sought
    events: list[Stored]


def explain(
    session: Session, text: str, *, deep: bool = False, watch: Watch | None = None
) -> dict[str, Any]:
    """Report everything stored about what an identifier names, as plain data; see `look_up`."""
    return report(session, look_up(session, text, deep=deep, watch=watch))


def report(session: Session, found: LookedUp) -> dict[str, Any]:
    """What was found, as plain data."""
    now = session.services.clock.now().timestamp()
    return _report(
        found.result, [_event(one, now_epoch=now) for one in found.events], found.subject
    )


def look_up(
    session: Session, text: str, *, deep: bool = False, watch: Watch | None = None
) -> LookedUp:
    """Everything that is stored about what an identifier names.

    Args:
        session: the stage.
        text: what an operator has: see `subjects.SubjectKind`.
        deep: scan the ledger for what has no index.
        watch: shows the progress of a scan.

    Raises:
        NothingFoundError: says what was asked, and which places were not, and why.
        OpsError: it names nothing, or there is no such key.
    """
    subjects = candidates(text)
    if not subjects:
        raise OpsError(NAME_ONE, code=EXIT_UNUSABLE)
    looking = Looking(session, Reader(session), deep, watch or (lambda rows, _total: rows))
    asked: list[str] = []
    unasked: list[Unasked] = []
    unknown: OpsError | None = None
    for subject in subjects:
        try:
            found = _LOOK_UPS[subject.kind](looking, subject.value)
        except OpsError as error:  # a text of this form is nothing else
            unknown = unknown or error
            continue
        asked.append(subject.kind.value)
        events = looking.reader.events(found.event_keys) if found else []
        if found and (events or found.facts or found.state or found.is_known):
            return LookedUp(found, subject, events)
        unasked += found.unasked if found else ()
    if unknown is not None:
        raise unknown
    unasked += [*_in_the_logs(subjects), *on_the_queues(session)]
    needs_scan = any(one.how == BY_A_SCAN for one in unasked)
    raise NothingFoundError(
        text.strip(),
        tuple(dict.fromkeys(asked)),
        tuple(dict.fromkeys(unasked)),
        scan=scanning.cost(looking) if needs_scan else None,
    )


def _report(found: LookupResult, events: list[dict[str, Any]], subject: Sought) -> dict[str, Any]:
    made: dict[str, Any] = {
        "about": found.about,
        "found_as": subject.kind.value,
        "events": events,
        "notes": list(found.notes),
    }
    if found.facts:
        made["facts"] = [{**row, "story": story.of_fact(row)} for row in found.facts]
    if found.state:
        made["state"] = found.state
    return made


def _event(stored: Stored, *, now_epoch: float) -> dict[str, Any]:
    """An event as a report shows it."""
    row = stored.row
    return {
        "event": {name: row[name] for name in EVENT_SHOWN if name in row},
        "story": asdict(story.tell(stored)),
        "where": asdict(whereabouts.of_row(row, now_epoch=now_epoch)),
        "actions": list(stored.actions),
        "audit": [
            {name: one[name] for name in ("ts_action_id", "action_type", "result")}
            for one in stored.audit
        ],
        "acts": [dict(one) for one in stored.acts],
        "receipts": [
            {name: one[name] for name in ("event_id", "received_at", "status")}
            for one in stored.receipts
        ],
        "timeline": timeline(stored),
        "verdict": verdict(stored),
        "log_query": log_query(row.get("trace_id")),
    }


def log_query(trace_id: object) -> str | None:
    """The query of CloudWatch Logs Insights for every line of an event; None without a trace id."""
    return _query(f'mw_trace_id = "{trace_id}"') if trace_id else None


def _query(condition: str) -> str:
    return (
        "fields @timestamp, event, reason, http_status, mw_trace_id"
        f" | filter {condition} | sort @timestamp"
    )


def _in_the_logs(subjects: Sequence[Sought]) -> Iterator[Unasked]:
    """The logs, which have the lines of ended events for as long as they are kept."""
    logged = next((one for one in subjects if one.kind in _LOG_FIELDS), None)
    if logged is not None:
        either = " or ".join(f'{name} = "{logged.value}"' for name in _LOG_FIELDS[logged.kind])
        yield Unasked("the logs", "they are asked in CloudWatch Logs Insights", _query(either))
