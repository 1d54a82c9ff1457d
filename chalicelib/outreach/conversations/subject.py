"""A subject: one person's linked addresses within one company, what they refuse, allow and prefer; pure.

It is stored in the row of one of its addresses, the root; the row of any other address (member)
says only ``merged_into``::

    primary_channel  subject:{member id}      conversation_id  subject#{company_id}
    version          7                        ttl              1953000000
    members          {"5f3a...": "+15550100001", "77b0...": "jo@example.com"}
    marks            {"5f3a...#wish": {"reason": "stop", "said_at": "...", "since": "..."}}
    consents         {"5f3a...#sms#marketing": {"given_at": "...", "source": "start", "form": "..."}}
    preferences      {"5f3a...#hours": {"windows": ["17:00-21:00"], "said_at": "...", "message": "SM1..."}}
    links            [{"members": ["5f3a...", "77b0..."], "at": "...", "by": "start", "of": "..."}]

A member's id is a keyed hash of company and canonical address, so that the variants of a number,
the token of a link and an erased address are one key.  An address is empty once the person was
erased, or where only its id is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from chalicelib.clock import iso
from chalicelib.outreach.channels import Channel
from chalicelib.outreach.conversations.register_entries import (
    SUSPENDED_SLOT,
    RegisterEntry,
)
from chalicelib.outreach.wishes.preference import Preferences, preferences_of

MOST_MEMBERS = 12
"""Of a subject; a start that names more keeps several subjects in its conversation."""
_TECHNICAL_SLOTS = frozenset(channel.value for channel in Channel)


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """One person's record within a company: linked addresses, marks, consents and preferences.

    Attributes:
        company_id: the company.
        root: id of the member whose row stores the record.
        members: each member's id and plain address.
        state: ``marks``, ``consents``, ``preferences`` and ``links``, by the module's layout.
        version: the row's version; 0 where none is stored.
        ttl: the row's ``ttl``, in epoch seconds.
        own: id of the member by which it was looked up.
    """

    company_id: str
    root: str
    members: Mapping[str, str] = field(repr=False)
    state: Mapping[str, Any] = field(default_factory=dict, repr=False)
    version: int = 0
    ttl: int = 0
    own: str = ""

    @property
    def marks(self) -> Mapping[str, Mapping[str, Any]]:
        """The person's do-not-contact marks, in force or lifted.

        By ``{member id}#{slot}``: the address's keyed id and the kind of mark.
        """
        return dict(self.state.get("marks") or {})

    @property
    def marked_members(self) -> frozenset[str]:
        """The keyed ids of the person's addresses that have do-not-contact marks, in force or lifted."""
        return frozenset(_parted(key)[0] for key in self.marks)

    @property
    def consents(self) -> Mapping[str, Mapping[str, Any]]:
        """The person's stored consents by ``{member id}#{channel}#{purpose}`` (member id: keyed address)."""
        return dict(self.state.get("consents") or {})

    @property
    def preferences(self) -> Mapping[str, Mapping[str, Any]]:
        """The person's stored preferences, also withdrawn ones.

        Keys are ``{member id}#{about}``: an address's keyed id, and ``hours`` or ``channels``.
        """
        return dict(self.state.get("preferences") or {})

    @property
    def preferences_in_force(self) -> Preferences:
        """The preferences of hours and channels that are in force for the person."""
        return preferences_of(self.preferences)

    @property
    def links(self) -> Sequence[Mapping[str, Any]]:
        """The links between the person's addresses, also undone ones.

        Each says which addresses were linked, when, and by which start, import or operator.
        """
        return tuple(self.state.get("links") or ())

    def mark(self, member: str, slot: str) -> Mapping[str, Any]:
        """One address's do-not-contact mark of one kind (slot); empty where it has none."""
        return self.marks.get(f"{member}#{slot}") or {}

    def entries(self, now: datetime) -> list[RegisterEntry]:
        """Every do-not-contact mark of the person's addresses, in force or lifted, ordered by address."""
        return [
            RegisterEntry(item, iso(now), *_parted(key), self.members.get(_parted(key)[0], ""))
            for key, item in sorted(self.marks.items())
        ]

    def marks_in_force(self, now: datetime) -> list[RegisterEntry]:
        """Every do-not-contact mark of the person's addresses that is in force."""
        return [entry for entry in self.entries(now) if entry.is_in_force]

    def opt_outs(
        self, purpose: str | None, now: datetime, channel: Channel | None = None
    ) -> list[RegisterEntry]:
        """The person's opt-outs in force, from any of their addresses, that cover a purpose and a channel.

        Undecided opt-outs are included. Technical marks and suspensions are left out: they concern
        one address alone.

        Args:
            purpose: the message's purpose, a `ContactPurpose`'s value; None leaves out opt-outs
                that are limited to some purposes.
            now: the time.
            channel: the message's channel; None leaves out opt-outs that are limited to some
                channels.
        """
        return [
            entry
            for entry in self.marks_in_force(now)
            if entry.slot not in (*_TECHNICAL_SLOTS, SUSPENDED_SLOT)
            and _covers(entry, "purposes", purpose)
            and _covers(entry, "channels", channel)
        ]

    def address_marks(self, member: str, channel: Channel, now: datetime) -> list[RegisterEntry]:
        """The marks in force that block one address alone on a channel: technical marks and suspensions."""
        slots = {channel.value, *((SUSPENDED_SLOT,) if channel.traits.is_forgeable else ())}
        return [
            entry
            for entry in self.marks_in_force(now)
            if entry.member == member and entry.slot in slots
        ]

    def blocking_reason(
        self, member: str, channel: Channel, purpose: str | None, now: datetime
    ) -> str | None:
        """The reason why no message may go to an address on a channel for a purpose; None where it may.

        A mark that is decided is named before an open question whether the recipient asked to stop.
        """
        found = [*self.opt_outs(purpose, now, channel), *self.address_marks(member, channel, now)]
        return next(
            (entry.blocking_reason for entry in sorted(found, key=lambda entry: entry.is_open)),
            None,
        )

    def refused_until(self, purpose: str, channel: Channel, now: datetime) -> str:
        """ISO time of the newest lifted refusal that withdraws consents for a purpose and channel.

        Consents given up to that time do not count. Empty where there is none. Refusals in force
        are left out: they block by themselves.
        """
        found = (
            entry.withdraws_until
            for entry in self.entries(now)
            if "lifted_at" in entry.item
            and _covers(entry, "purposes", purpose)
            and _covers(entry, "channels", channel)
        )
        return max(found, default="")

    def consents_of(self, member: str, channel: Channel) -> dict[str, Mapping[str, Any]]:
        """The consents given for an address on a channel, by purpose."""
        start = f"{member}#{channel.value}#"
        return {
            key.removeprefix(start): consent
            for key, consent in self.consents.items()
            if key.startswith(start)
        }

    # --- changes: each gives another subject ----------------------------------------------------

    def with_mark(self, member: str, slot: str, mark: Mapping[str, Any]) -> Subject:
        """The person's record with one address's do-not-contact mark of one kind (slot) replaced."""
        return self._with("marks", {**self.marks, f"{member}#{slot}": dict(mark)})

    def with_consent(
        self, member: str, channel: Channel, purpose: str, consent: Mapping[str, Any]
    ) -> Subject:
        """The person's record with a consent added; unchanged where a consent given later is stored.

        Consents for another address, channel or purpose stay beside it.
        """
        key = f"{member}#{channel.value}#{purpose}"
        if str((self.consents.get(key) or {}).get("given_at", "")) > str(
            consent.get("given_at", "")
        ):
            return self
        return self._with("consents", {**self.consents, key: dict(consent)})

    def with_preference(self, member: str, about: str, preference: Mapping[str, Any]) -> Subject:
        """The person's record with a preference added; unchanged where one that was said later is stored.

        Preferences of another address, or about something else, stay beside it.
        """
        key = f"{member}#{about}"
        if str((self.preferences.get(key) or {}).get("said_at", "")) > str(preference["said_at"]):
            return self
        return self._with("preferences", {**self.preferences, key: dict(preference)})

    def with_address(self, member: str, address: str) -> Subject:
        """The person's record with the plain address of a member filled in, where it was empty."""
        if not address or self.members.get(member):
            return self
        return replace(self, members={**self.members, member: address})

    def joined_with(self, other: Subject, link: Mapping[str, Any] | None = None) -> Subject:
        """The person's record with another record's addresses, marks, consents, preferences and links added.

        Where both have a value under the same key, the first record's value stays.
        """
        state = {
            "marks": {**other.marks, **self.marks},
            "consents": {**other.consents, **self.consents},
            "preferences": {**other.preferences, **self.preferences},
            "links": [*self.links, *other.links, *([dict(link)] if link else [])],
        }
        members = {**other.members, **self.members}
        version = max(self.version, other.version)
        return replace(self, members=members, state=state, version=version)

    def split_off(self, member: str, undone: Mapping[str, Any]) -> tuple[Subject, Subject]:
        """Split a person's record in two: the record without one address, and a record of that address.

        Each has the marks of its own addresses. Both remember that the link was undone.

        Args:
            member: id of the address to take out.
            undone: ``undone_at`` and ``undone_by``.
        """
        stays = {key: address for key, address in self.members.items() if key != member}
        links = [link for link in self.links if member not in link["members"]]
        made = {frozenset(link["members"]): link for link in self.links}
        parted = [
            {**made.get(frozenset((member, stay)), {}), "members": [member, stay], **undone}
            for stay in stays
        ]
        root = self.root if self.root in stays else min(stays)
        own = {member: self.members[member]}
        return (
            replace(self, root=root, members=stays, state=self._state_of(stays, [*links, *parted])),
            replace(self, root=member, members=own, state=self._state_of(own, parted)),
        )

    def is_undone(self, member: str, other: str) -> bool:
        """Whether the link between two addresses was undone by an operator; no start links them again.

        False where they were never linked, or were linked again since.
        """
        links = [found for found in self.links if {member, other} <= set(found["members"])]
        return bool(links) and "undone_at" in links[-1]

    def erased(self, now: datetime) -> Subject:
        """The person's record after an erasure: keyed ids without addresses, and the marks in force."""
        kept = ("reason", "purposes", "since", "until", "stop_at", "said_at")
        marks = {
            f"{entry.member}#{entry.slot}": {
                name: entry.item[name] for name in kept if name in entry.item
            }
            for entry in self.marks_in_force(now)
        }
        return replace(self, members=dict.fromkeys(self.members, ""), state={"marks": marks})

    def _with(self, name: str, value: Mapping[str, Any]) -> Subject:
        return replace(self, state={**self.state, name: value})

    def _state_of(
        self, members: Mapping[str, str], links: Sequence[Mapping[str, Any]]
    ) -> Mapping[str, Any]:
        def own(held: Mapping[str, Any]) -> dict[str, Any]:
            return {key: value for key, value in held.items() if _parted(key)[0] in members}

        return {
            "marks": own(self.marks),
            "consents": own(self.consents),
            "preferences": own(self.preferences),
            "links": list(links),
        }


def differences(
    before: Subject, after: Subject, of: str, but: AbstractSet[str] = frozenset()
) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """The marks, consents or preferences that are new or changed between two versions of a person's record.

    Args:
        before: the older version.
        after: the newer version.
        of: ``marks``, ``consents`` or ``preferences``.
        but: names of attributes that are not compared.

    Yields:
        The address's keyed id, the rest of the value's key, and the new value.
    """

    def said(stored: Mapping[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in stored.items() if name not in but}

    old, new = getattr(before, of), getattr(after, of)
    for key, value in sorted(new.items()):
        if said(old.get(key) or {}) != said(value):
            yield *_parted(key), value


def _covers(entry: RegisterEntry, name: str, given: str | None) -> bool:
    """Whether a mark applies to a purpose or channel: the mark has no such limit, or the limit includes it.

    `name` is ``purposes`` or ``channels``. If the given value is None, only a mark without that
    limit applies.
    """
    return entry.item.get(name) is None or given in entry.item[name]


def _parted(key: str) -> tuple[str, str]:
    member, _, rest = key.partition("#")
    return member, rest
