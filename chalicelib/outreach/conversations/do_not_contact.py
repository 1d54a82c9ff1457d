"""Adds and lifts the marks of the do-not-contact register, which outlives the conversations.

A wish not to be contacted blocks every address, channel and purpose of the person, unless narrower
words were used.  A mark is never deleted but lifted, and each change leaves evidence
(`statements`).  The kinds of marks are in `register_entries`.
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
    names_with_reason,
)
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.conversations.register_entries import (
    BY_RECIPIENT,
    CONFIRMED_BY,
    DOUBT_SLOT,
    KEPT_SLOT,
    LIFTED,
    LIFTED_ON_PAGE,
    REFUSED_AT,
    SUSPENDED_FOR,
    SUSPENDED_SLOT,
    TECHNICAL_REASONS,
    WISH,
    MarkReason,
    slot_of,
)
from chalicelib.outreach.conversations.register_looks import RegisterLooks, has_written_since
from chalicelib.outreach.conversations.statements import Statement
from chalicelib.outreach.conversations.subject import Subject
from chalicelib.outreach.conversations.subject_rows import Member

COUNTED_REASONS = LIFTED_ON_PAGE | {MarkReason.COMPLAINED}
"""Wishes that count in the figures of the day on which they were said."""
REGISTER_STATEMENT = Statement(door="register")
"""Evidence of a change whose caller knows no more about it."""


class DoNotContact(RegisterLooks):
    """Adds marks to the do-not-contact register, and lifts them."""

    def forbid(
        self,
        primary_channel: str,
        company_id: str,
        reason: str,
        *,
        said_at: str | None = None,
        channel: Channel | None = None,
        purposes: Collection[str] | None = None,
        how: Statement = REGISTER_STATEMENT,
    ) -> None:
        """Add an address to the do-not-contact register; doing it again changes nothing.

        Args:
            primary_channel: the address.
            company_id: the company.
            reason: one of `MarkReason`.
            said_at: ISO time of the recipient's message that asks for it, where one does.  A
                message older than that of the stored mark changes nothing.
            channel: the channel on which the address does not work; for a technical reason only.
            purposes: the purposes that the recipient's words were limited to; None for all.
            how: the evidence; it names the person who entered it, where one did.

        Raises:
            ValueError: a technical reason without a channel.
            TransientError: it was not added.
        """
        slot = slot_of(reason, channel)
        mark = items.without_none(
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
            lambda subject: self._with_mark(subject, place.member, slot, mark),
            how,
            with_it=self._counting_refusal(place, slot, reason),
        )

    def forbid_on_channel(self, record: Record, reason: MarkReason, *, sent_at: str | None) -> None:
        """Mark a conversation's address as unusable on its channel, because a carrier has reported it so.

        `MarkReason.BLOCKED` is not marked where the recipient has written since the message that met
        the block.

        Args:
            record: the conversation.
            reason: one of `TECHNICAL_REASONS`.
            sent_at: ISO time of the message that met the block; None for now.
        """
        reported_at = iso(self._clock.now()) if reason is MarkReason.BLOCKED else None
        if reported_at and has_written_since(record, sent_at or reported_at):
            return
        self.forbid(
            record.primary_channel,
            record.company_id,
            reason,
            said_at=reported_at,
            channel=record.channel,
            how=statement_in(record, "carrier"),
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
        """Add an opt-out to the do-not-contact register for an address known only by its keyed id.

        Args:
            member: the keyed id, see `subject_rows.member_id`.
            company_id: the company.
            reason: one of `MarkReason`.
            how: the evidence.
            also: writes of other tables that belong to the same transaction; where they are
                refused, the opt-out is added without them.
        """
        slot, mark = slot_of(reason), {"reason": str(reason)}
        place = Member(member, company_id)
        self.change(
            place,
            lambda subject: self._with_mark(subject, member, slot, mark),
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
        """Mark all addresses of a conversation's recipient as opted out, in the do-not-contact register.

        An address that is linked with the conversation's own one needs no mark; see
        `addresses_to_mark`.
        """
        for address in self.addresses_to_mark(record):
            self.forbid(
                address,
                record.company_id,
                reason,
                said_at=said_at,
                purposes=purposes,
                how=how or statement_in(record, "carrier"),
            )

    def addresses_to_mark(self, record: Record) -> list[str]:
        """The addresses to mark for a recipient's opt-out: the conversation's own, then those not linked.

        A mark on one address blocks all that are linked with it. An address whose link with the
        conversation's own one was undone is left out: it is another person's.
        """
        places = {place.member: place.address for place in self.places_of(record)}
        own, *others = self.subjects_of(record)
        theirs = [other for other in others if not own.is_undone(own.own, other.own)]
        return [places[member.own] for member in (own, *theirs)]

    def suspend(
        self, address: str, company_id: str, *, said_at: str, how: Statement = REGISTER_STATEMENT
    ) -> None:
        """Suspend marketing to an e-mail address for `SUSPENDED_FOR`: an unproven e-mail asked to stop.

        An earlier suspension, even one that is over, is not renewed.

        Args:
            address: the address that the e-mail came from.
            company_id: the company.
            said_at: ISO time of the e-mail.
            how: the evidence.
        """
        now = self._clock.now()
        mark = {
            "reason": MarkReason.UNPROVEN.value,
            "since": iso(now),
            "said_at": said_at,
            "until": iso(now + SUSPENDED_FOR),
        }
        place = self.place(address, company_id)

        def suspended(subject: Subject) -> Subject | None:
            known = subject.mark(place.member, SUSPENDED_SLOT)
            return None if known else subject.with_mark(place.member, SUSPENDED_SLOT, mark)

        self.change(place, suspended, how)

    def allow(
        self,
        primary_channel: str,
        company_id: str,
        *,
        said_at: str | None = None,
        is_yes: bool = False,
        how: Statement = REGISTER_STATEMENT,
    ) -> bool:
        """Lift the opt-out and the suspension of one address: its recipient asks for messages again (START).

        Opt-outs from other addresses of the same person stay.

        Args:
            primary_channel: the address.
            company_id: the company.
            said_at: ISO time of the request, now by default; a mark by a later message stays.
            is_yes: the request is a "yes", which may answer "shall we stop?": an open doubt is not
                lifted.
            how: the evidence.

        Returns:
            Whether something was lifted.
        """
        now, place = iso(self._clock.now()), self.place(primary_channel, company_id)
        slots = (WISH, SUSPENDED_SLOT, *(() if is_yes else (DOUBT_SLOT,)))
        lifted = {"lifted_at": now, "lifted_by": BY_RECIPIENT, "said_at": said_at or now}

        def allowed(subject: Subject) -> Subject | None:
            known = {slot: subject.mark(place.member, slot) for slot in slots}
            liftable = {
                slot: mark
                for slot, mark in known.items()
                if mark and "lifted_at" not in mark and mark.get("said_at", "") <= (said_at or now)
            }
            return _lifted(subject, place.member, liftable, lifted)

        return self.change(place, allowed, how) is not None

    def allow_member(
        self,
        member: str,
        company_id: str,
        *,
        how: Statement,
        with_it: Callable[[Subject], Sequence[Item]] | None = None,
    ) -> bool:
        """Lift all marks that the recipient has set on one address, at their request on the preference page.

        This also lifts that they unsubscribed, which no START lifts.

        Args:
            member: the address's keyed id, see `subject_rows.member_id`; its plain form may be
                unknown.
            company_id: the company.
            how: the evidence.
            with_it: gives further writes of the same transaction, see `SubjectRows.change`.

        Returns:
            Whether something was lifted.
        """
        now = iso(self._clock.now())
        lifted = {"lifted_at": now, "lifted_by": BY_RECIPIENT, "said_at": now}

        def allowed(subject: Subject) -> Subject | None:
            known = {
                slot: subject.mark(member, slot)
                for slot in (WISH, DOUBT_SLOT, SUSPENDED_SLOT, KEPT_SLOT)
            }
            liftable = {
                slot: mark
                for slot, mark in known.items()
                if mark
                and "lifted_at" not in mark
                and (slot != KEPT_SLOT or mark["reason"] == MarkReason.UNSUBSCRIBED)
            }
            return _lifted(subject, member, liftable, lifted)

        changed = self.change(Member(member, company_id), allowed, how, with_it=with_it)
        return changed is not None

    def lift(
        self,
        place: Member,
        *,
        how: Statement,
        with_it: Callable[[Subject], Sequence[Item]] | None = None,
    ) -> list[str]:
        """Lift every do-not-contact mark of an address, for any reason and channel.

        This is for operators and the company, not for recipients.

        Args:
            place: the address.
            how: the evidence; it names who lifts.
            with_it: gives further writes of the same transaction, see `SubjectRows.change`.

        Returns:
            The reasons of the marks that were lifted.
        """
        now = iso(self._clock.now())
        lifted = {"lifted_at": now, "lifted_by": how.by or "", "said_at": now}
        reasons: list[str] = []

        def freed(subject: Subject) -> Subject | None:
            marks = {
                entry.slot: {
                    **entry.item,
                    **items.without_none({REFUSED_AT: entry.withdraws_until or None}),
                }
                for entry in subject.entries(self._clock.now())
                if entry.member == place.member and "lifted_at" not in entry.item
            }
            reasons[:] = [str(mark["reason"]) for mark in marks.values()]
            return _lifted(subject, place.member, marks, lifted)

        self.change(place, freed, how, with_it=with_it)
        return reasons

    def lift_technical(self, record: Record) -> None:
        """Lift the mark that a conversation's address does not work: the recipient has just written from it.

        Nothing happens without such a mark in force.
        """
        place = self.place(record.primary_channel, record.company_id)
        slot = record.channel.value
        lifted = {"lifted_at": iso(self._clock.now()), "lifted_by": BY_RECIPIENT}

        def freed(subject: Subject) -> Subject | None:
            mark = subject.mark(place.member, slot)
            is_one = mark.get("reason") in TECHNICAL_REASONS and "lifted_at" not in mark
            return _lifted(subject, place.member, {slot: mark} if is_one else {}, lifted)

        self.change(place, freed, statement_in(record, "carrier"))

    def _counting_refusal(
        self, place: Member, slot: str, reason: str
    ) -> Callable[[Subject], Sequence[Item]]:
        """A function that returns the write which counts an opt-out, given the record before the change.

        It returns no write where the address had such a mark in force already, or the reason is not
        counted.
        """

        def writes(before: Subject) -> Sequence[Item]:
            known = before.mark(place.member, slot)
            if reason not in COUNTED_REASONS or (known and "lifted_at" not in known):
                return ()
            of, names = (
                (place.company_id, EVERY_PROJECT),
                names_with_reason(DayCount.OPTED_OUT, reason),
            )
            return (counting(self._table, self._clock.now(), of, place.member, names),)

        return writes

    def _with_mark(
        self, subject: Subject, member: str, slot: str, mark: Mapping[str, Any]
    ) -> Subject | None:
        """The person's record with a new do-not-contact mark on one address; None changes nothing.

        None where the stored mark is from a newer message, or where the new mark is the recipient's
        own opt-out and the mark in force comes from somebody else: the recipient could otherwise
        lift that one.
        """
        known = subject.mark(member, slot)
        is_in_force = bool(known) and "lifted_at" not in known
        if mark.get("said_at", known.get("said_at", "")) < known.get("said_at", ""):
            return None
        # A mark that the company or an operator entered keeps its reason, or the recipient could lift it.
        if (
            is_in_force
            and mark["reason"] in LIFTED_ON_PAGE
            and known["reason"] not in LIFTED_ON_PAGE
        ):
            return None
        kept = {name: value for name, value in known.items() if name not in LIFTED}
        if is_in_force and "purposes" in mark:  # a narrower refusal does not narrow an earlier one
            both = {*mark["purposes"], *known.get("purposes", ())}
            mark = (
                {**mark, "purposes": sorted(both)}
                if "purposes" in known
                else _without_purposes(mark)
            )
        if "purposes" not in mark:
            kept.pop("purposes", None)
        since = known["since"] if is_in_force else iso(self._clock.now())
        return subject.with_mark(member, slot, {**kept, **mark, "since": since})


def statement_in(
    record: Record, door: str, said: str = "", *, by: str | None = None, channel: str | None = None
) -> Statement:
    """The evidence (`Statement`) of something that was said in a conversation, by default on its channel."""
    return Statement(
        door=door,
        said=said,
        channel=channel or record.channel.value,
        conversation=record.opaque_id,
        by=by,
    )


def _without_purposes(mark: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in mark.items() if name != "purposes"}


def _lifted(
    subject: Subject,
    member: str,
    marks: Mapping[str, Mapping[str, Any]],
    lifted: Mapping[str, str],
) -> Subject | None:
    """The person's record with the given marks of one address lifted; None where no marks are given."""
    if not marks:
        return None
    for slot, mark in marks.items():
        kept = {name: value for name, value in mark.items() if name != CONFIRMED_BY}
        subject = subject.with_mark(member, slot, {**kept, **lifted})
    return subject
