"""Performs a company's requests to its do-not-contact register: the functions behind `/register`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Clock
from chalicelib.outreach.channels import Channel
from chalicelib.outreach.company_events.lifted_marks import (
    newest_reported_conversation,
    telling_lifted,
)
from chalicelib.outreach.company_events.outbox import EventRows
from chalicelib.outreach.consent.contact_purpose import ContactPurpose
from chalicelib.outreach.conversations.recipients import TRANSACTIONAL
from chalicelib.outreach.conversations.register_entries import MarkReason
from chalicelib.outreach.conversations.statements import Statement
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.conversations.subject import Subject
from chalicelib.outreach.conversations.subject_rows import Member
from chalicelib.outreach.desk.shown import CATALOGUE
from chalicelib.outreach.register.register_parsing import (
    IN_FORCE,
    WORDS,
    RefusedLine,
    RegisterAuthor,
)
from chalicelib.outreach.register.register_rows import ListedMark, rows_of

DOOR = "api"
"""The door in the evidence of a change: the company's own request."""
COMPANY = "company"
"""The person in the evidence where the company names none."""
_LISTS = ("channels", "purposes")


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisterService:
    """Reads and changes companies' do-not-contact registers for the API.

    Attributes:
        endpoints: stores which events a company's endpoint gets.
        ledger: holds the event that reports a lift to the company.
    """

    conversations: Conversations
    endpoints: EventRows
    ledger: Callable[[], Ledger]
    clock: Clock

    def known_of(self, company_id: str, address: str) -> dict[str, Any]:
        """What the register knows of an address, as JSON: refusals, linked addresses, consents, marks."""
        now, place = self.clock.now(), self.conversations.place(address, company_id)
        subject = self.conversations.subject(place)
        linked = sorted(
            member for member in subject.members.values() if member and member != address
        )
        return {
            "address": address,
            "member": place.member,
            "linked": linked,
            "refused": list(_refused(subject, place, now)),
            "consents": list(_consents(subject, place)),
            "entries": list(_shown(subject, now)),
        }

    def page(self, company_id: str, after: str, limit: int) -> dict[str, Any]:
        """The marks of up to `limit` addresses of a register, as JSON.

        The JSON's ``after`` is the value with which the next page is asked for; None at the end.
        """
        now = self.clock.now()
        found = self.conversations.marked(company_id, after, limit)
        return {
            "entries": [
                entry
                for subject in found
                for entry in _shown(subject, now)
                if entry["member"] == subject.own
            ],
            "after": found[-1].own if len(found) == limit else None,
        }

    def import_lines(
        self, company_id: str, lines: Sequence[ListedMark | RefusedLine], author: RegisterAuthor
    ) -> dict[str, Any]:
        """Import lines into the register; a refused line does not stop the others.  Idempotent.

        A line never lifts or loosens a mark: it adds one, or makes a stored one stricter.
        """
        how = _how(author, "import")
        results = [
            {"entry": number, **self._imported(company_id, line, how)}
            for number, line in enumerate(lines, 1)
        ]
        not_linked = list(self._linked(company_id, lines, how))
        return {"entries": results, "not_linked": not_linked}

    def lift(self, company_id: str, address: str, author: RegisterAuthor) -> dict[str, Any]:
        """Lift every do-not-contact mark of an address, and return what was lifted.

        Refusals of the same person's linked addresses stay; the answer names those addresses under
        ``still_blocked_by``.
        """
        now, place = self.clock.now(), self.conversations.place(address, company_id)
        heard = newest_reported_conversation(self.conversations, company_id, address)
        lifted = self.conversations.lift(
            place,
            how=_how(author, DOOR),
            with_it=telling_lifted(self.ledger(), heard, COMPANY, now),
        )
        left = self.conversations.subject(place).opt_outs(None, now)
        by = sorted({entry.address or entry.member for entry in left})
        return {"lifted": sorted(lifted), "still_blocked_by": by}

    def choose_events(
        self, company_id: str, project_id: str, events: Sequence[str] | None
    ) -> dict[str, Any]:
        """Store which events a project's endpoint gets (None means all), and return the choice as JSON."""
        self.endpoints.choose_events(company_id, project_id, events)
        return {"project_id": project_id, "events": None if events is None else list(events)}

    def _imported(
        self, company_id: str, line: ListedMark | RefusedLine, how: Statement
    ) -> dict[str, str]:
        if isinstance(line, RefusedLine):
            return {"result": "refused", "field": line.field_name}
        place = self._place(company_id, line)
        if line.slot:
            is_taken = self.conversations.restore(
                place, line.slot, line.mark, how, may_loosen=False
            )
        else:
            is_taken = self.conversations.enter_listed(place, how, at=line.at)
        return {"result": "entered" if is_taken else "newer_here"}

    def _linked(
        self, company_id: str, lines: Sequence[ListedMark | RefusedLine], how: Statement
    ) -> Iterator[str]:
        """Link the imported addresses of each person.

        It yields the persons (``subject``) that would have too many addresses.
        """
        of: dict[str, dict[str, Member]] = {}
        for line in lines:
            if isinstance(line, ListedMark) and line.subject:
                place = self._place(company_id, line)
                of.setdefault(line.subject, {})[place.member] = place
        for subject, places in of.items():
            try:
                self.conversations.link_addresses(list(places.values()), "import", how)
            except ValueError:
                yield subject

    def _place(self, company_id: str, line: ListedMark) -> Member:
        if line.address:
            return self.conversations.place(line.address, company_id)
        return Member(line.member, company_id)


def _how(author: RegisterAuthor, door: str) -> Statement:
    return Statement(door=door, said=author.reason, by=author.by or COMPANY)


def _refused(subject: Subject, place: Member, now: datetime) -> Iterator[dict[str, str]]:
    """Each channel and purpose for which the register blocks messages to an address, with the reason.

    An unproven refusal does not block transactional messages.
    """
    for channel in Channel:
        if place.address and channel.traits.address.normalise(place.address) is None:
            continue
        for purpose in ContactPurpose:
            reason = subject.blocking_reason(place.member, channel, purpose.value, now)
            is_waived = reason == MarkReason.UNPROVEN and purpose == TRANSACTIONAL
            if reason is not None and not is_waived:
                yield {"channel": channel.value, "purpose": purpose.value, "reason": reason}


def _consents(subject: Subject, place: Member) -> Iterator[dict[str, Any]]:
    for channel in Channel:
        for purpose, consent in sorted(subject.consents_of(place.member, channel).items()):
            yield {"channel": channel.value, "purpose": purpose, **consent}


def _shown(subject: Subject, now: datetime) -> Iterator[dict[str, Any]]:
    """The marks of a person as an answer shows them, in the form that an import accepts.

    Each also has whether it is in force, and a sentence that explains it.
    """
    for entry, row in zip(subject.entries(now), rows_of(subject, now), strict=True):
        shown = {name: row[name].split() if name in _LISTS else row[name] for name in row}
        yield {
            **{name: value or None for name, value in shown.items()},
            IN_FORCE: entry.is_in_force,
            WORDS: CATALOGUE.sentence(entry.blocking_reason),
        }
