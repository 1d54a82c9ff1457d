"""The register of recipients that a company must not contact; it outlives the conversations.

A wish blocks every address, channel and purpose of its subject, unless narrower words were used.  A
mark is never deleted but lifted, and each change leaves evidence (`statements`).  The kinds of marks
are `register_entries`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from chalicelib.clock import iso
from chalicelib.once.store import Item
from chalicelib.outreach.channels import Channel
from chalicelib.outreach.conversations import items
from chalicelib.outreach.conversations.day_counts import (
    EVERY_PROJECT,
    DayCount,
    counting,
    reasoned,
)
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.conversations.register_entries import (
    BY_RECIPIENT,
    CONFIRMED_BY,
    DOUBT_SLOT,
    KEPT_SLOT,
    LIFTED,
    OWN,
    REFUSED_AT,
    SUSPENDED_FOR,
    SUSPENDED_SLOT,
    TECHNICAL,
    WISH,
    Reason,
    slot_of,
)
from chalicelib.outreach.conversations.register_looks import RegisterLooks, has_written_since
from chalicelib.outreach.conversations.statements import Statement
from chalicelib.outreach.conversations.subject import Subject
from chalicelib.outreach.conversations.subject_rows import Member

COUNTED = OWN | {Reason.COMPLAINED}
"""Wishes that count in the figures of the day on which they were said."""
UNSAID_WHERE = Statement(door="register")
"""Evidence of a change whose caller knows no more about it."""


class DoNotContact(RegisterLooks):
    """Enters and lifts."""

    def forbid(
        self,
        primary_channel: str,
        company_id: str,
        reason: str,
        *,
        said_at: str | None = None,
        channel: Channel | None = None,
        purposes: Collection[str] | None = None,
        how: Statement = UNSAID_WHERE,
    ) -> None:
        """Enter an address; doing it again changes nothing.

        Args:
            primary_channel: the address.
            company_id: the company.
            reason: one of `Reason`.
            said_at: ISO time of the recipient's message that asks for it, where one does.  The mark
                keeps the newest word: what was said before it and is found after it changes nothing.
            channel: the channel of a technical reason.
            purposes: what the recipient's words were limited to; None for all.
            how: the evidence; it names the person who entered it, where one did.

        Raises:
            ValueError: a technical reason without a channel.
            TransientError: it was not entered.
        """
        slot = slot_of(reason, channel)
        mark = items.present(
            {
                "reason": str(reason),
                "by": how.by,
                "said_at": said_at,
                "purposes": None if purposes is None else sorted(map(str, purposes)),
            }
        )
        place = self.place(primary_channel, company_id)
        self.change(
            place,
            lambda one: self._marked(one, place.member, slot, mark),
            how,
            with_it=self._counting_refusal(place, slot, reason),
        )

    def forbid_on_channel(self, record: Record, reason: Reason, *, sent_at: str | None) -> None:
        """Enter what a carrier says of a conversation's address; for technical reasons.

        A block is not entered where the recipient has written since the message that met it.

        Args:
            record: the conversation.
            reason: one of `TECHNICAL`.
            sent_at: ISO time of that message, now by default.
        """
        reported_at = iso(self._clock.now()) if reason is Reason.BLOCKED else None
        if reported_at and has_written_since(record, sent_at or reported_at):
            return
        self.forbid(
            record.primary_channel,
            record.company_id,
            reason,
            said_at=reported_at,
            channel=record.channel,
            how=said_in(record, "carrier"),
        )

    def forbid_member(
        self,
        member: str,
        company_id: str,
        reason: str,
        *,
        how: Statement,
        also: Sequence[Item] = (),
    ) -> None:
        """Enter an address of which only the keyed id is known; for wishes.

        Args:
            member: see `subject_rows.member_id`.
            company_id: the company.
            reason: one of `Reason`.
            how: the evidence.
            also: writes of other tables that belong to the same transaction; where they are refused,
                the address is entered without them.
        """
        slot, mark = slot_of(reason), {"reason": str(reason)}
        place = Member(member, company_id)
        self.change(
            place,
            lambda one: self._marked(one, member, slot, mark),
            how,
            also=also,
            with_it=self._counting_refusal(place, slot, reason),
        )

    def forbid_person(
        self,
        record: Record,
        reason: str,
        *,
        said_at: str | None = None,
        purposes: Collection[str] | None = None,
        how: Statement | None = None,
    ) -> None:
        """Enter the person of a conversation, by `addresses_to_mark`; for wishes."""
        for address in self.addresses_to_mark(record):
            self.forbid(
                address,
                record.company_id,
                reason,
                said_at=said_at,
                purposes=purposes,
                how=how or said_in(record, "carrier"),
            )

    def addresses_to_mark(self, record: Record) -> list[str]:
        """One address of each subject that a conversation names, its own first: a mark blocks them all.

        One whose link with the conversation's own address was undone is somebody else's.
        """
        places = {place.member: place.address for place in self.places_of(record)}
        own, *others = self.subjects_of(record)
        theirs = [other for other in others if not own.is_undone(own.own, other.own)]
        return [places[one.own] for one in (own, *theirs)]

    def suspend(
        self, address: str, company_id: str, *, said_at: str, how: Statement = UNSAID_WHERE
    ) -> None:
        """Enter an e-mail address whose wish nothing proves, for `SUSPENDED_FOR` and once only.

        Args:
            address: the one that the wish came from.
            company_id: the company.
            said_at: ISO time of the e-mail.
            how: the evidence.
        """
        now = self._clock.now()
        mark = {
            "reason": Reason.UNPROVEN.value,
            "since": iso(now),
            "said_at": said_at,
            "until": iso(now + SUSPENDED_FOR),
        }
        place = self.place(address, company_id)

        def suspended(one: Subject) -> Subject | None:
            known = one.mark(place.member, SUSPENDED_SLOT)
            return None if known else one.marked(place.member, SUSPENDED_SLOT, mark)

        self.change(place, suspended, how)

    def allow(
        self,
        primary_channel: str,
        company_id: str,
        *,
        said_at: str | None = None,
        is_yes: bool = False,
        how: Statement = UNSAID_WHERE,
    ) -> bool:
        """Lift what the recipient asked for from this address, and what suspends it, at their request.

        What was said from another address of theirs stays.

        Args:
            primary_channel: the address.
            company_id: the company.
            said_at: ISO time of the request, now by default; a mark by a later message stays.
            is_yes: it is a "yes", which may answer "shall we stop?": a doubt stays.
            how: the evidence.

        Returns:
            Whether something was lifted.
        """
        now, place = iso(self._clock.now()), self.place(primary_channel, company_id)
        slots = (WISH, SUSPENDED_SLOT, *(() if is_yes else (DOUBT_SLOT,)))
        lifted = {"lifted_at": now, "lifted_by": BY_RECIPIENT, "said_at": said_at or now}

        def allowed(one: Subject) -> Subject | None:
            known = {slot: one.mark(place.member, slot) for slot in slots}
            liftable = {
                slot: mark
                for slot, mark in known.items()
                if mark and "lifted_at" not in mark and mark.get("said_at", "") <= (said_at or now)
            }
            return _lifted(one, place.member, liftable, lifted)

        return self.change(place, allowed, how) is not None

    def allow_member(
        self,
        member: str,
        company_id: str,
        *,
        how: Statement,
        with_it: Callable[[Subject], Sequence[Item]] | None = None,
    ) -> bool:
        """Lift what the recipient has set, of an address of which only the keyed id may be known.

        That they unsubscribed as well, which no START lifts.

        Args:
            member: see `subject_rows.member_id`.
            company_id: the company.
            how: the evidence.
            with_it: see `SubjectRows.change`.

        Returns:
            Whether something was lifted.
        """
        now = iso(self._clock.now())
        lifted = {"lifted_at": now, "lifted_by": BY_RECIPIENT, "said_at": now}

        def allowed(one: Subject) -> Subject | None:
            known = {
                slot: one.mark(member, slot)
                for slot in (WISH, DOUBT_SLOT, SUSPENDED_SLOT, KEPT_SLOT)
            }
            liftable = {
                slot: mark
                for slot, mark in known.items()
                if mark
                and "lifted_at" not in mark
                and (slot != KEPT_SLOT or mark["reason"] == Reason.UNSUBSCRIBED)
            }
            return _lifted(one, member, liftable, lifted)

        changed = self.change(Member(member, company_id), allowed, how, with_it=with_it)
        return changed is not None

    def lift(
        self,
        place: Member,
        *,
        how: Statement,
        with_it: Callable[[Subject], Sequence[Item]] | None = None,
    ) -> list[str]:
        """Lift every mark of an address, of every reason and channel; for operators and the company.

        Args:
            place: the address.
            how: the evidence.
            with_it: see `SubjectRows.change`.

        Returns:
            The reasons that were lifted.
        """
        now = iso(self._clock.now())
        lifted = {"lifted_at": now, "lifted_by": how.by or "", "said_at": now}
        reasons: list[str] = []

        def freed(one: Subject) -> Subject | None:
            marks = {
                entry.slot: {
                    **entry.item,
                    **items.present({REFUSED_AT: entry.withdraws_until or None}),
                }
                for entry in one.entries(self._clock.now())
                if entry.member == place.member and "lifted_at" not in entry.item
            }
            reasons[:] = [str(mark["reason"]) for mark in marks.values()]
            return _lifted(one, place.member, marks, lifted)

        self.change(place, freed, how, with_it=with_it)
        return reasons

    def lift_technical(self, record: Record) -> None:
        """Lift what says that the address does not work: its recipient has just written from it."""
        place = self.place(record.primary_channel, record.company_id)
        slot = record.channel.value
        lifted = {"lifted_at": iso(self._clock.now()), "lifted_by": BY_RECIPIENT}

        def freed(one: Subject) -> Subject | None:
            mark = one.mark(place.member, slot)
            is_one = mark.get("reason") in TECHNICAL and "lifted_at" not in mark
            return _lifted(one, place.member, {slot: mark} if is_one else {}, lifted)

        self.change(place, freed, said_in(record, "carrier"))

    def _counting_refusal(
        self, place: Member, slot: str, reason: str
    ) -> Callable[[Subject], Sequence[Item]]:
        """Counts a recipient's own wish, unless the address was marked with one already."""

        def writes(before: Subject) -> Sequence[Item]:
            known = before.mark(place.member, slot)
            if reason not in COUNTED or (known and "lifted_at" not in known):
                return ()
            of, names = (place.company_id, EVERY_PROJECT), reasoned(DayCount.OPTED_OUT, reason)
            return (counting(self._table, self._clock.now(), of, place.member, names),)

        return writes

    def _marked(
        self, subject: Subject, member: str, slot: str, mark: Mapping[str, Any]
    ) -> Subject | None:
        """The subject with a mark; None where a newer word, or another one's entry, is there."""
        known = subject.mark(member, slot)
        is_in_force = bool(known) and "lifted_at" not in known
        if mark.get("said_at", known.get("said_at", "")) < known.get("said_at", ""):
            return None
        # What another one has entered stays theirs, or the recipient could lift it.
        if is_in_force and mark["reason"] in OWN and known["reason"] not in OWN:
            return None
        kept = {name: one for name, one in known.items() if name not in LIFTED}
        if is_in_force and "purposes" in mark:  # a narrower word does not narrow an earlier one
            both = {*mark["purposes"], *known.get("purposes", ())}
            mark = {**mark, "purposes": sorted(both)} if "purposes" in known else _whole(mark)
        if "purposes" not in mark:
            kept.pop("purposes", None)
        since = known["since"] if is_in_force else iso(self._clock.now())
        return subject.marked(member, slot, {**kept, **mark, "since": since})


def said_in(
    record: Record, door: str, said: str = "", *, by: str | None = None, channel: str | None = None
) -> Statement:
    """Evidence of what was said in a conversation."""
    return Statement(
        door=door,
        said=said,
        channel=channel or record.channel.value,
        conversation=record.opaque_id,
        by=by,
    )


def _whole(mark: Mapping[str, Any]) -> dict[str, Any]:
    return {name: one for name, one in mark.items() if name != "purposes"}


def _lifted(
    subject: Subject,
    member: str,
    marks: Mapping[str, Mapping[str, Any]],
    lifted: Mapping[str, str],
) -> Subject | None:
    """The subject with marks lifted; None where there are none."""
    if not marks:
        return None
    for slot, mark in marks.items():
        kept = {name: one for name, one in mark.items() if name != CONFIRMED_BY}
        subject = subject.marked(member, slot, {**kept, **lifted})
    return subject
