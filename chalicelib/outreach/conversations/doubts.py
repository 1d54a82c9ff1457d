"""Possible opt-outs: asks a person whether a message is one, and treats silence as a STOP.

A message of a proven sender that may ask for no further message opens a question, one for each
address and company.  Until its ``stop_at`` nothing unasked is sent to the recipient, and only
persons may write; from then on it blocks as a STOP does.  Each read decides that by the time alone:
no job has to run for it.  A job only tells the company (`events.silence`).

A row of the company's ``doubts`` is written with the question and never changed: it says which
address to look up in the register, and the register says whether the question is still open.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice

from chalicelib.clock import iso
from chalicelib.once.store import Item
from chalicelib.outreach.conversations import items
from chalicelib.outreach.conversations.do_not_contact import REGISTER_STATEMENT, DoNotContact
from chalicelib.outreach.conversations.recipients import purpose_of
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.conversations.register_entries import (
    DOUBT_SLOT,
    WISH,
    MarkReason,
    RegisterEntry,
)
from chalicelib.outreach.conversations.statements import Statement
from chalicelib.outreach.conversations.subject import Subject
from chalicelib.outreach.conversations.subject_rows import Member, SubjectChange

DECIDED_WITHIN = timedelta(days=3)
"""How long a person may decide; then the silence is a STOP."""
BY_TEXT = frozenset({WISH, DOUBT_SLOT})
"""Slots of what a person has said by text, which a person at the desk may judge."""


_READ_AT_ONCE = 50
"""Questions whose subjects are read in one call."""


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """An undecided question whether a recipient has asked to stop.

    Attributes:
        mark: the register's mark of the question; of several, the one that is due first.
        members: the keyed ids of the recipient's addresses.
    """

    mark: RegisterEntry
    members: frozenset[str]


class Doubts(DoNotContact):
    """Opens the questions whether a recipient has asked to stop, and lists those that are open."""

    def doubt(
        self,
        address: str,
        company_id: str,
        *,
        said_at: str,
        purposes: Collection[str] | None = None,
        how: Statement = REGISTER_STATEMENT,
    ) -> None:
        """Open the question whether a message from an address was an opt-out, which a person is to decide.

        While the question is open, a further doubtful message joins it and does not extend its
        deadline. A doubtful message that was said after the decision opens a new question.

        Args:
            address: the address that the message came from, or another one of the recipient.
            company_id: the company.
            said_at: ISO time of the message.
            purposes: the purposes that its words were limited to; None for all.
            how: the evidence.
        """
        now, place = self._clock.now(), self.place(address, company_id)
        ends = now + DECIDED_WITHIN
        asked = {"since": iso(now), "stop_at": iso(ends)}
        row = {
            **items.doubt_key(place.member, company_id, iso(ends)),
            "ttl": int((ends + items.GRACE).timestamp()),
        }
        limits = items.without_none(
            {"purposes": None if purposes is None else sorted(map(str, purposes))}
        )

        def joins(subject: Subject) -> bool:
            known = subject.mark(place.member, DOUBT_SLOT)
            return bool(known) and "lifted_at" not in known

        def listed(subject: Subject) -> list[Item]:
            return [] if joins(subject) else [self._table.putting(row)]

        def doubted(subject: Subject) -> Subject | None:
            known, is_joined = subject.mark(place.member, DOUBT_SLOT), joins(subject)
            heard_at = str(known.get("said_at", ""))
            if said_at < heard_at or (known and not is_joined and said_at == heard_at):
                return None
            kept = {name: known[name] for name in asked} if is_joined else asked
            limited = {} if is_joined and "purposes" not in known else limits
            new = {**kept, **limited, "reason": MarkReason.DOUBT.value, "said_at": said_at}
            return subject.with_mark(place.member, DOUBT_SLOT, new)

        self.change(place, doubted, how, with_it=listed)

    def text_opt_outs(self, record: Record) -> list[RegisterEntry]:
        """Read the opt-outs made by text, certain or undecided, that block a conversation's messages now."""
        return text_opt_outs_of(record, self.subjects_of(record), self._clock.now())

    def questions(self, asked: Sequence[tuple[str, str]]) -> dict[tuple[str, str], OpenQuestion]:
        """The open question, whether they asked to stop, of each address and company that has one.

        One read for all pairs; a pair without an open question is missing.
        """
        places = {pair: self.place(*pair) for pair in asked}
        subjects = self.subjects(list(places.values()))
        found = {
            pair: self._asked_of(subjects[member.key["primary_channel"]])
            for pair, member in places.items()
        }
        return {pair: question for pair, question in found.items() if question is not None}

    def open_questions(self, company_id: str, since: str = "") -> Iterator[list[OpenQuestion]]:
        """A company's open questions whether a recipient asked to stop, earliest deadline first, in batches.

        A person with several questions is given once. Questions past their deadline are left out.

        Args:
            company_id: the company.
            since: ISO time; only questions whose deadline is then or later.
        """
        rows = self._table.query_pages(
            KeyConditionExpression="primary_channel = :p AND conversation_id BETWEEN :a AND :b",
            values={
                "p": items.doubts_partition(company_id),
                "a": max(since, iso(self._clock.now())),
                "b": "~",
            },
            Limit=_READ_AT_ONCE,
        )
        while some := list(islice(rows, _READ_AT_ONCE)):
            members = [Member(items.listed_member(row), company_id) for row in some]
            subjects = self.subjects(members)
            asked = [self._asked_of(subjects[member.key["primary_channel"]]) for member in members]
            # A person with several open marks has one question: that with the earliest deadline.
            yield [
                question
                for row, question in zip(some, asked, strict=True)
                if question is not None and row["conversation_id"] == _row_of(question.mark)
            ]

    def _asked_of(self, subject: Subject) -> OpenQuestion | None:
        mark = open_question_among(_by_text(subject.opt_outs(None, self._clock.now())))
        return OpenQuestion(mark, frozenset(subject.members)) if mark is not None else None


def text_opt_outs_of(
    record: Record, subjects: Sequence[Subject], now: datetime
) -> list[RegisterEntry]:
    """The opt-outs made by text, certain or undecided, that block a conversation's messages now."""
    purpose = purpose_of(record)
    return [
        wish
        for subject in subjects
        for wish in _by_text(subject.opt_outs(purpose, now, record.channel))
    ]


def open_question_among(wishes: Sequence[RegisterEntry]) -> RegisterEntry | None:
    """Of a recipient's opt-outs, the open question whose deadline is first.

    None unless all of them are open questions.
    """
    if not wishes or not all(wish.is_open for wish in wishes):
        return None
    return min(wishes, key=lambda wish: (wish.stop_at, wish.member))


def unanswered_question_among(wishes: Sequence[RegisterEntry]) -> RegisterEntry | None:
    """Of a recipient's opt-outs, the question whose deadline passed first with no person deciding it.

    It then counts as a STOP. None where one of the opt-outs is certain, or no deadline has passed.
    """
    if any(wish.reason != MarkReason.DOUBT for wish in wishes):
        return None
    silent = [wish for wish in wishes if not wish.is_open]
    return min(silent, key=lambda wish: wish.stop_at, default=None)


def stopping(
    subjects: Sequence[Subject], *, by: str, how: Statement, now: datetime
) -> list[SubjectChange]:
    """The changes by which a person marks a recipient as do-not-contact and answers open questions.

    Args:
        subjects: the recipient's person records, see `Doubts.subjects_of`.
        by: the person of the company.
        how: the evidence.
        now: the time.
    """
    changes = []
    for subject in subjects:
        asked = [wish for wish in subject.marks_in_force(now) if wish.slot == DOUBT_SLOT]
        after = _lifting(subject, asked, {"lifted_at": iso(now), "lifted_by": by})
        mark = {"reason": MarkReason.ASKED.value, "by": by, "said_at": iso(now), "since": iso(now)}
        changes.append(SubjectChange(subject, after.with_mark(subject.own, WISH, mark), how))
    return changes


def lifting(
    subjects: Sequence[Subject],
    wishes: Sequence[RegisterEntry],
    *,
    lifted: Mapping[str, str],
    how: Statement,
) -> list[SubjectChange]:
    """The changes of the recipient's records by which a person lifts the given opt-outs.

    One for each record that has such an opt-out. Nothing is written yet.
    """
    return [
        SubjectChange(subject, _lifting(subject, own, lifted), how)
        for subject in subjects
        if (own := [wish for wish in wishes if wish.member in subject.members])
    ]


def _lifting(
    subject: Subject, wishes: Sequence[RegisterEntry], lifted: Mapping[str, str]
) -> Subject:
    for wish in wishes:
        subject = subject.with_mark(wish.member, wish.slot, {**wish.item, **lifted})
    return subject


def _by_text(wishes: Sequence[RegisterEntry]) -> list[RegisterEntry]:
    return [wish for wish in wishes if wish.slot in BY_TEXT]


def _row_of(mark: RegisterEntry) -> str:
    return f"{mark.stop_at}#{mark.member}"
