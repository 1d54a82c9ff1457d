"""The desk's one interface: the list of hand-offs, a conversation, and the acts of persons.

Where a company is named, another company's conversation is as one that does not exist.  An act is one
transaction: the conversation as it was seen, the list's entry, the journal's entry, the mark by which a
repetition finds it, and the row of the event that does the rest.  Nothing is sent here: the event is
processed in the conversation's lane, and the sweep queues it where its message was lost.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from chalicelib.clock import iso
from chalicelib.errors import ConflictError, PayloadError, RequestError
from chalicelib.once import keys
from chalicelib.once.event import EventStatus
from chalicelib.once.intake import Intake
from chalicelib.once.job import Recovery, facts_of
from chalicelib.once.journal import Act, Journal
from chalicelib.once.ports import Clock
from chalicelib.once.store import Item
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.conversations.desk_acts import ActChange, OutdatedError, RepeatedError
from chalicelib.outreach.conversations.doubts import open_question_among
from chalicelib.outreach.conversations.handoff_list import Handoffs
from chalicelib.outreach.conversations.handoffs import listed_id
from chalicelib.outreach.conversations.records import Draft, Record, Status
from chalicelib.outreach.conversations.register_entries import MarkReason
from chalicelib.outreach.desk import acts, shown, stop_ends, undoing
from chalicelib.outreach.desk.act_row import DeskAct
from chalicelib.outreach.desk.asked import check_moments
from chalicelib.outreach.desk.case import ActRefusedError, AskedAct, Case, PlannedAct
from chalicelib.outreach.desk.counted_acts import count_names
from chalicelib.outreach.desk.holding import person_of
from chalicelib.outreach.desk.inbox_order import BoundedCount, HandoffFilter, InboxOrder
from chalicelib.outreach.door.access import DeskRole
from chalicelib.outreach.events.approval import previous_status
from chalicelib.outreach.jobs import DeskReply, HandoffRelease
from chalicelib.outreach.messages import reopening
from chalicelib.outreach.people import persons
from chalicelib.outreach.project import rules
from chalicelib.outreach.project.admission import ConversationStores
from chalicelib.outreach.project.project import Project

SOURCE = "handoff"
MOST_LISTED = 200
DEFAULT_STATES = ("waiting", "taken", "answered")


class NoConversationError(RequestError):
    """There is no such conversation of the caller's company (404)."""

    status = 404


@dataclass(frozen=True, slots=True)
class InboxPage:
    """One page of the list of hand-offs.

    Attributes:
        entries: the hand-offs, as `shown.entry_shown` shows them.
        after: where the next page begins; empty at the end.  A page may be short or empty without
            being the last, where a filter lets few through.
    """

    entries: list[dict[str, Any]]
    after: str = ""


@dataclass(frozen=True, slots=True)
class ActResult:
    """The result of a person's act at the desk.

    Attributes:
        act: the act's name.
        is_repeated: the same request was done before, and nothing was done now.
        event: key of the event that does the rest; empty where nothing is left to do.
        is_again: that event had failed before, and runs again.
        version: the conversation's version now, for the next act.
    """

    act: str
    is_repeated: bool
    event: str
    is_again: bool
    version: str


class DeskInbox:
    """Lists hand-offs, shows conversations and does the acts of persons.

    Args:
        journal: where acts are entered.
        current: a project's settings as they are now, empty where there is none.
    """

    def __init__(
        self,
        *,
        kept: ConversationStores,
        handoffs: Handoffs,
        intake: Intake,
        journal: Journal,
        clock: Clock,
        current: Callable[[Record], Project],
    ) -> None:
        self._conversations = kept.conversations
        self._starts = kept.starts
        self._ledger = kept.ledger
        self._handoffs = handoffs
        self._order = InboxOrder(conversations=kept.conversations, handoffs=handoffs)
        self._intake = intake
        self._journal = journal
        self._clock = clock
        self._current = current

    def list(
        self,
        *,
        company_id: str | None,
        states: Collection[str] = DEFAULT_STATES,
        project_id: str | None = None,
        channel: str | None = None,
        taken_by: Callable[[str], bool] | None = None,
        limit: int = 50,
        after: str = "",
    ) -> InboxPage:
        """One page of the hand-offs that a filter selects, in the order that `inbox_order` describes.

        The cost grows with the page, not with the list.

        Args:
            company_id: only this company's; None for operators, who see all.
            states: only hand-offs in these states, of `shown.STATES`.
            project_id: only this project's.
            channel: only those on this channel.
            taken_by: returns whether to select a hand-off, given the stored name of its person
                (empty for none).
            limit: most entries, up to `MOST_LISTED`.
            after: the end of the page before, as it gave it.

        Raises:
            PayloadError: `after` has not the form of a page's end.
        """
        now = self._clock.now()
        wanted = HandoffFilter(states, project_id, channel, taken_by)
        part = self._order.part(
            self._companies(company_id),
            wanted,
            now=now,
            limit=min(limit, MOST_LISTED),
            after=after,
        )
        entries = [
            shown.entry_shown(entry.entry, now, entry.question.mark if entry.question else None)
            for entry in part.entries
        ]
        return InboxPage(entries, str(part.end or ""))

    def unanswered(
        self,
        *,
        company_id: str | None,
        states: Collection[str] = DEFAULT_STATES,
        project_id: str | None = None,
        channel: str | None = None,
        taken_by: Callable[[str], bool] | None = None,
    ) -> BoundedCount:
        """The number of hand-offs, by the filters of `list`, whose recipients wait for an answer.

        In each company at most `inbox_order.COUNTED_AT_MOST` are counted.
        """
        wanted = HandoffFilter(states, project_id, channel, taken_by)
        return self._order.unanswered(self._companies(company_id), wanted, self._clock.now())

    def _companies(self, company_id: str | None) -> Sequence[str]:
        return (company_id,) if company_id is not None else tuple(self._handoffs.companies())

    def record(self, opaque_id: str, *, company_id: str | None = None) -> Record:
        """A conversation by its opaque id.

        Raises:
            NoConversationError: there is none, or it is another company's.
        """
        record = self._conversations.find(opaque_id)
        if record is None or company_id not in (None, record.company_id):
            raise NoConversationError(
                "CONVERSATION_NOT_FOUND", "no such conversation of this company"
            )
        return record

    def conversation(self, opaque_id: str, *, company_id: str | None = None) -> dict[str, Any]:
        """A conversation in full as JSON, with its version and its transcript.

        Raises:
            NoConversationError: there is none, or it is another company's.
        """
        record = self.record(opaque_id, company_id=company_id)
        history = self._conversations.history(record)
        held, question = (
            self._held_draft(record),
            open_question_among(self._conversations.text_opt_outs(record)),
        )
        return shown.conversation_shown(record, history, self._clock.now(), held, question)

    def offered_acts(self, opaque_id: str, by: str, role: DeskRole) -> Iterator[DeskAct]:
        """The acts that the console offers a person for a conversation.

        Raises:
            NoConversationError: there is no such conversation.
        """
        return acts.offered_acts(self.record(opaque_id), by, role)

    def undoable(self, opaque_id: str, act_id: str, who: persons.DeskPerson) -> str:
        """The name of a person's act, if they can still take it back; empty where they cannot.

        Raises:
            NoConversationError: there is no such conversation.
        """
        record = self.record(opaque_id)
        mark = self._conversations.act_row(record, act_id)
        refused = undoing.refusal(record, mark, act_id, who, self._clock.now())
        return "" if mark is None or refused else str(mark["act"])

    def _held_draft(self, record: Record) -> Draft | None:
        """The message that a hand-off holds for approval, or the draft that the checks refused; else None."""
        holds = record.handoff.get("held") if record.is_handed_off else ""
        if not holds:
            return None
        release = outreach_keys.release(record.opaque_id, str(record.handoff["id"]))
        ids = [
            outreach_keys.entry_id(record.start_event if holds == "start" else release),
            outreach_keys.held_entry_id(listed_id(record.handoff)),
        ]
        found = (self._conversations.draft(record, id_) for id_ in ids)
        return next((draft for draft in found if draft is not None), None)

    def act(self, asked: AskedAct) -> ActResult:
        """Do a person's act on a conversation, once however often it is asked for with one idempotency key.

        Raises:
            NoConversationError: there is none, or it is another company's.
            PayloadError: the text is too long for the channel, or a time is over or too far away.
            RefusedError: the conversation is not in a state for the act.
            ConflictError: ``VERSION_CHANGED``, or ``IDEMPOTENCY_KEY_REUSED`` for another act.
            UnavailableError: the act was done, but the event that does the rest was not queued: ask
                again.
        """
        record = self.record(asked.conversation_id, company_id=asked.company_id)
        mark = self._conversations.act_row(record, asked.act_id)
        if mark is not None:
            return self._answer_repetition(record, asked, mark)
        try:
            if asked.version == shown.version_of(record):
                return self._do(record, asked)
        except RepeatedError as repeated:
            return self._answer_repetition(record, asked, repeated.mark)
        except OutdatedError:
            pass  # it changed between the read and the write
        raise ConflictError("VERSION_CHANGED", "the conversation has changed: read it again")

    def _do(self, record: Record, asked: AskedAct) -> ActResult:
        now = self._clock.now()
        check_moments(asked, now)
        planned = acts.plan_act(
            Case(
                record,
                asked,
                now,
                recent_entries=lambda: self._conversations.recent_entries(record),
                previous_status=lambda: previous_status(self._conversations, record),
                held_draft=lambda: self._held_draft(record),
                done_act=lambda act_id: self._conversations.act_row(record, act_id),
                subjects=lambda: self._conversations.subjects_of(record),
                forbidding_reason=lambda: self._conversations.forbids(record),
            )
        )
        if planned.is_sending:
            self._check_sendable(record, asked)
        if planned.is_machines and self._conversations.forbids(record) == MarkReason.DOUBT:
            raise _undecided_error()
        about = {
            "fingerprint": asked.fingerprint,
            "act": asked.act,
            "by": asked.by,
            "event": planned.event,
            **undoing.undo_values(record, asked, planned),
        }
        event = None
        if planned.event:
            event = self._ledger.receiving(facts_of(self._job(record, planned.event)))
        rule = stop_ends.stopped_by(record)
        end = stop_ends.end_of(asked, self._held_draft(record)) if rule else None
        counts = count_names(asked, lambda: self._held_draft(record))
        is_new = self._conversations.act(
            record,
            asked.act_id,
            planned.change,
            about=about,
            journal=[
                *self._journal.writes(self._entry(record, asked, planned)),
                *([self._conversations.counting(record, counts)] if counts else ()),
            ],
            event=event,
        )
        if end is not None:
            self._conversations.count_stop(record, rule, end)
        is_again = self._queue(record, planned.event, is_new=is_new) if planned.event else False
        self._note_start(record, planned.change.ended)
        return self._answer(asked, planned.event, is_repeated=False, is_again=is_again)

    def _answer_repetition(self, record: Record, asked: AskedAct, mark: Item) -> ActResult:
        """Answer an act that was asked for before under the same idempotency key; the act is not done again.

        The event that does the rest of the act is queued now if it was stored but never queued.

        Raises:
            ConflictError: the idempotency key came with another act before.
        """
        if mark["fingerprint"] != asked.fingerprint:
            raise ConflictError("IDEMPOTENCY_KEY_REUSED", "the key came with another act")
        event = str(mark.get("event") or "")
        if event and self._ledger.statuses([event]).get(event) == EventStatus.RECEIVED:
            self._queue(record, event, is_new=True)
        return self._answer(asked, event, is_repeated=True, is_again=False)

    def _answer(
        self, asked: AskedAct, event: str, *, is_repeated: bool, is_again: bool
    ) -> ActResult:
        record = self.record(asked.conversation_id)
        return ActResult(asked.act, is_repeated, event, is_again, shown.version_of(record))

    def _check_sendable(self, record: Record, asked: AskedAct) -> None:
        """Refuse an act whose message could not be sent now; the send itself checks again.

        Raises:
            PayloadError: the text is too long for the channel.
            RefusedError: the recipient must not be contacted (for a first message, also in doubt),
                or
                the channel takes no free text now and no template is set.
        """
        most = rules.longest_text(record)
        if len(asked.value_of("text")) > most:
            raise PayloadError("INVALID_TEXT", f"field text is longer than {most} characters")
        is_start = record.handoff.get("held") == "start"
        forbidden = self._conversations.forbids(record)
        if forbidden == MarkReason.DOUBT and is_start:
            raise _undecided_error()
        if forbidden not in (None, MarkReason.DOUBT):
            raise ActRefusedError("DO_NOT_CONTACT", "the recipient must not be contacted")
        if is_start:
            return
        is_late = not rules.takes_free_text(record, self._clock.now())
        if is_late and reopening.template_of(record, self._current(record)) is None:
            raise ActRefusedError(
                "WINDOW_CLOSED",
                f"{record.channel.traits.title} takes no free text now, and no template is set",
            )

    def _entry(self, record: Record, asked: AskedAct, planned: PlannedAct) -> Act:
        return Act(
            what=f"handoff {asked.act} {planned.undid}".rstrip(),
            key=record.opaque_id,
            actor=asked.actor if asked.actor == asked.by else f"{asked.actor}/{asked.by}",
            result=asked.act,
            reason=asked.value_of("reason"),
            evidence={
                "handoff": record.handoff.get("id"),
                "held": bool(record.handoff.get("held")),
                "why": record.handoff.get("reason"),
                "messages": record.message_count,
            },
            people=_people(record, planned.change),
            act_id=asked.act_id,
            about=[
                *(place.member for place in self._conversations.places_of(record)),
                *self._conversations.ids_named_in(asked.value_of("reason")),
            ],
        )

    def _job(self, record: Record, event_key: str) -> DeskReply | HandoffRelease:
        pair = (record.sender, record.primary_channel)
        common: dict[str, Any] = {
            "event_key": event_key,
            "conversation_id": record.opaque_id,
            "received_at": iso(self._clock.now()),
            "source": SOURCE,
            "trace_id": keys.digest(event_key)[:16],
            "pair": pair,
        }
        if outreach_keys.parsed(event_key).kind is outreach_keys.EventKind.ACT:
            return DeskReply(**common)
        return HandoffRelease(handoff_id=outreach_keys.parsed(event_key).name, **common)

    def _queue(self, record: Record, event_key: str, *, is_new: bool) -> bool:
        """Queue the event that does the rest of an act; a failed event runs again, under its own key.

        Returns:
            True where the event had failed before and runs again.

        Raises:
            UnavailableError: it was not queued.
        """
        job = self._job(record, event_key)
        status = None if is_new else self._ledger.statuses([event_key]).get(event_key)
        is_again = status == EventStatus.FAILED
        if is_again:
            self._intake.accept(job, recovery=Recovery.OPERATOR)
            return True
        self._intake.accept(job, admission=job.received_at)
        return False

    def _note_start(self, record: Record, ended: str) -> None:
        """Store for a start's company that a person declined the start's first message.

        Does nothing where the hand-off ended otherwise.
        """
        if ended == "declined" and record.status == Status.HANDED_OFF:
            self._starts.note_outcome(record.start_event, outcome="declined")


def _undecided_error() -> ActRefusedError:
    return ActRefusedError(
        "STOP_OR_NOT", "decide first whether the recipient asked to stop: stop, or not_stop"
    )


def _people(record: Record, change: ActChange) -> dict[str, str]:
    """Who had the conversation before an act (``from``) and has it after the act (``to``), for the journal.

    Empty where the same person keeps it, and where the act ends the hand-off or leaves it as it is.
    """
    if change.ended or change.handoff is None:
        return {}
    after, before = str(change.handoff.get("taken_by") or ""), person_of(record)
    if persons.normal_name(after) == before:
        return {}
    return {**({"from": before} if before else {}), "to": after}
