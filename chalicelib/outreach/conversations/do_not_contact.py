"""The register of recipients that a company must not contact; it outlives the conversations.

An entry belongs to a company and an address, has a reason, and says who entered it and when::

    do-not-contact#{company}           what the recipient asked for by text; a START lifts it
    do-not-contact#{company}#kept      complaints, unsubscribed e-mail, an operator's entries: only an
                                       operator lifts them
    do-not-contact#{company}#{channel} technical: the address does not work on this channel, or its
                                       owner has blocked us there
    do-not-contact#{company}#doubt     what may be a wish: a question to a person until ``stop_at``, and a
                                       STOP from then on (`doubts`)
    do-not-contact#{company}#suspended an e-mail that nothing proves asked for it: no marketing opening
                                       or reminder goes to this address by e-mail until ``until``

The first three block every channel of the address, and of the person: a conversation that names two
addresses looks at both.  An entry is never deleted but lifted, and erasing a person leaves a keyed
hash of company and address that blocks as the entry did.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from chalicelib.clock import iso
from chalicelib.once.keys import OpaqueIds
from chalicelib.once.ports import Clock
from chalicelib.once.reasons import BY_OPERATOR
from chalicelib.once.retry import Attempts, at_once
from chalicelib.once.store import (
    ConditionFailed,
    Item,
    Store,
    TransactionConflict,
    TransactionRefused,
)
from chalicelib.outreach import reasons, senders
from chalicelib.outreach.channels import ADDRESSES, Channel, is_forgeable
from chalicelib.outreach.conversations import items, numbers
from chalicelib.outreach.conversations.desk_acts import TRIES
from chalicelib.outreach.conversations.records import (
    CONTINUED_BY,
    CONTINUES,
    UNSENT,
    Record,
    Status,
)

DO_NOT_CONTACT_TTL = timedelta(days=5 * 365)
"""An entry outlives the conversations; no item is without an end date."""
SUSPENDED_FOR = timedelta(days=30)
"""How long an unproven wish is in force; a second one makes it no longer."""
NOT_FORBIDDEN = "attribute_not_exists(#conversation_id) OR attribute_exists(#lifted_at)"
"""The condition on a mark under which a conversation may be opened."""


class Reason(StrEnum):
    """Why; stored, so never changed."""

    STOP = reasons.STOP
    ASKED = reasons.ASKED_TO_STOP
    """In words that are no keyword, recognised by a table or by a model."""
    CARRIER = reasons.CARRIER
    COMPLAINED = reasons.COMPLAINED
    UNSUBSCRIBED = reasons.UNSUBSCRIBED
    OPERATOR = BY_OPERATOR
    IMPORTED = reasons.IMPORTED
    BOUNCED = reasons.BOUNCED
    DEAD_NUMBER = reasons.DEAD_NUMBER
    LANDLINE = reasons.LANDLINE
    BLOCKED = reasons.BLOCKED
    """By the recipient, on one channel; a message from there ends it."""
    UNPROVEN = reasons.UNPROVEN_REFUSAL
    DOUBT = reasons.REFUSAL_IN_DOUBT


KEPT = frozenset({Reason.COMPLAINED, Reason.UNSUBSCRIBED, Reason.OPERATOR, Reason.IMPORTED})
"""Wishes that a START does not lift."""
OWN = frozenset({Reason.STOP, Reason.ASKED, Reason.CARRIER, Reason.UNSUBSCRIBED})
"""Wishes that the recipient takes back on their page."""
WISHES = OWN | KEPT
"""What blocks every channel of a person."""
TECHNICAL = frozenset({Reason.BOUNCED, Reason.DEAD_NUMBER, Reason.LANDLINE, Reason.BLOCKED})
"""Reasons that block only the channel they were seen on."""
KEPT_SUFFIX = "#kept"
"""Ends the key of an entry that a START does not lift."""
SUSPENDED = "#suspended"
"""Ends the key of an entry whose wish nothing proves."""
DOUBTED = "#doubt"
"""Ends the key of an entry of which it is not known whether it is a wish."""
BY_RECIPIENT = "recipient"
"""Who lifted an entry, where a message from the address did."""
LIFTED = ("lifted_at", "lifted_by", "lifted_because")
"""Attributes of an entry that was lifted."""
CONFIRMED_BY = "confirmed_by"
"""In a mark: the message whose answer confirms it; see `confirmed`."""
_ATTRIBUTES = (
    *("primary_channel", "conversation_id", "reason", "since", "by", "said_at"),
    *(*LIFTED, "until", "stop_at"),
)


@dataclass(frozen=True, slots=True)
class RegisterEntry:
    """One entry of the register, in force or not.

    Attributes:
        read_at: ISO time at which it was read.
    """

    item: Mapping[str, Any]
    read_at: str

    @property
    def is_in_force(self) -> bool:
        """Whether it blocks: it is not lifted, and its time is not over."""
        until = self.item.get("until")
        return "lifted_at" not in self.item and (until is None or self.read_at < str(until))

    @property
    def reason(self) -> str:
        """Its fixed code."""
        return str(self.item.get("reason", ""))

    @property
    def is_open(self) -> bool:
        """Whether it is a question that a person may still decide."""
        return self.is_in_force and self.read_at < str(self.item.get("stop_at") or "")

    @property
    def blocks_as(self) -> str:
        """The reason for which it blocks: a question that was not decided in time is a STOP."""
        is_over = self.reason == Reason.DOUBT and not self.is_open
        return Reason.STOP if is_over else self.reason or Reason.STOP


class DoNotContact(items.OnTable):
    """Enters, lifts and looks.

    Args:
        opaque: makes the keyed hashes of erased addresses; without it they are not looked at.
    """

    def __init__(
        self,
        *,
        table: Store,
        clock: Clock,
        opaque: Callable[[], OpaqueIds] | None = None,
        kept: timedelta = items.TTL,
    ) -> None:
        super().__init__(table=table, clock=clock, kept=kept)
        self._opaque = opaque

    def forbid(
        self,
        primary_channel: str,
        company_id: str,
        reason: str,
        *,
        said_at: str | None = None,
        channel: Channel | None = None,
        by: str | None = None,
    ) -> None:
        """Enter an address; doing it again changes nothing.

        Args:
            primary_channel: the address.
            company_id: the company.
            reason: one of `Reason`.
            said_at: ISO time of the recipient's message that asks for it, where one does.  The entry
                keeps the newest word: what was said before it and is found after it changes nothing.
            channel: the channel of a technical reason.
            by: who entered it, where a person did.

        Raises:
            ValueError: a technical reason without a channel.
        """
        now = self._clock.now()
        key = key_of(primary_channel, company_id, reason, channel)
        mark = {"reason": str(reason), "by": by, "said_at": said_at, "ttl": end_of_entry(now)}
        known: dict[str, Any] = {}
        if said_at is not None:
            known = {
                "condition": "attribute_not_exists(#said_at) OR #said_at <= :at",
                "at": said_at,
            }
        with suppress(ConditionFailed):  # a newer word was heard already
            self._table.update(
                key,
                set_=items.present(mark),
                keep={"since": iso(now)},
                remove=LIFTED,
                **known,
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
        if reported_at and _has_written_since(record, sent_at or reported_at):
            return
        self.forbid(
            record.primary_channel,
            record.company_id,
            reason,
            said_at=reported_at,
            channel=record.channel,
        )

    def forbid_hashed(
        self, hashed: str, company_id: str, reason: str, *, also: Sequence[Item] = ()
    ) -> None:
        """Enter an address of which only the keyed hash is known; for wishes.

        Args:
            hashed: see `address_hash`.
            company_id: the company.
            reason: one of `Reason`.
            also: writes of other tables that belong to the same transaction; where they are refused,
                the address is entered without them.
        """
        now = self._clock.now()
        key = key_of("", company_id, reason) | {"primary_channel": _erased_at(hashed)}
        mark: dict[str, Any] = {
            "set_": {"reason": str(reason), "ttl": end_of_entry(now)},
            "keep": {"since": iso(now)},
            "remove": LIFTED,
            # What another one has entered stays theirs, or the recipient could lift it.
            "condition": "attribute_not_exists(#conversation_id) OR attribute_exists(#lifted_at)"
            " OR #reason = :mine",
            "mine": str(reason),
        }
        attempts = Attempts(self._clock, at_once(TRIES))
        while also:
            try:
                self._table.transact([self._table.updating(key, **mark), *also])
            except TransactionRefused:
                break
            except TransactionConflict as conflict:
                attempts.failed(conflict)
            else:
                return
        with suppress(ConditionFailed):
            self._table.update(key, **mark, reading=False)

    def forbid_person(
        self, record: Record, reason: str, *, said_at: str | None = None, by: str | None = None
    ) -> None:
        """Enter every address that a conversation names of its recipient; for wishes."""
        for address in addresses_of(record):
            self.forbid(address, record.company_id, reason, said_at=said_at, by=by)

    def suspend(self, address: str, company_id: str, *, said_at: str) -> None:
        """Enter an e-mail address whose wish nothing proves, for `SUSPENDED_FOR` and once only.

        Args:
            address: the one that the wish came from.
            company_id: the company.
            said_at: ISO time of the e-mail.
        """
        now = self._clock.now()
        entry = {
            "reason": Reason.UNPROVEN.value,
            "since": iso(now),
            "said_at": said_at,
            "until": iso(now + SUSPENDED_FOR),
            "ttl": end_of_entry(now),
        }
        with suppress(ConditionFailed):
            self._table.update(
                key_of(address, company_id, Reason.UNPROVEN),
                set_=entry,
                condition="attribute_not_exists(#conversation_id)",
                reading=False,
            )

    def allow(
        self,
        primary_channel: str,
        company_id: str,
        *,
        said_at: str | None = None,
        is_yes: bool = False,
    ) -> bool:
        """Lift what the recipient asked for, and what suspends their address, at their request.

        Args:
            primary_channel: the address.
            company_id: the company.
            said_at: ISO time of the request, now by default; a mark by a later message stays.
            is_yes: it is a "yes", which may answer "shall we stop?": a doubt stays.

        Returns:
            Whether something was lifted.
        """
        now = iso(self._clock.now())
        lifted = False
        lifted_by_start = list(marks_of(primary_channel, company_id))
        if is_forgeable(primary_channel):
            lifted_by_start.append(key_of(primary_channel, company_id, Reason.UNPROVEN))
        if not is_yes:
            lifted_by_start += doubts_of(primary_channel, company_id)
        for key in lifted_by_start:
            with suppress(ConditionFailed):
                self._table.update(
                    key,
                    set_={"lifted_at": now, "said_at": said_at or now},
                    remove=[CONFIRMED_BY],
                    condition="attribute_exists(#conversation_id) AND attribute_not_exists(#lifted_at)"
                    " AND (attribute_not_exists(#said_at) OR #said_at <= :at)",
                    at=said_at or now,
                )
                lifted = True
        return lifted

    def allow_hashed(self, hashed: str, company_id: str) -> None:
        """Lift what the recipient asked for, of an address of which only the keyed hash is known.

        That they unsubscribed as well, which no START lifts.
        """
        now = iso(self._clock.now())
        for key in _hashed(hashed, company_id):
            is_kept = key["conversation_id"].endswith(KEPT_SUFFIX)
            mine: dict[str, Any] = {"mine": Reason.UNSUBSCRIBED.value} if is_kept else {}
            with suppress(ConditionFailed):
                self._table.update(
                    key,
                    set_={"lifted_at": now, "lifted_by": BY_RECIPIENT, "said_at": now},
                    condition="attribute_exists(#conversation_id)"
                    f" AND attribute_not_exists(#lifted_at){' AND #reason = :mine' * is_kept}",
                    reading=False,
                    **mine,
                )

    def lift(self, primary_channel: str, company_id: str, *, by: str) -> list[str]:
        """Lift every entry of an address, of every reason and channel; for an operator.

        Returns:
            The reasons that were lifted.
        """
        now = iso(self._clock.now())
        lifted = []
        for key in self._keys(primary_channel, company_id, tuple(Channel)):
            with suppress(ConditionFailed):
                item = self._table.update(
                    key,
                    set_={"lifted_at": now, "lifted_by": by, "said_at": now},
                    remove=[CONFIRMED_BY],
                    condition="attribute_exists(#conversation_id)"
                    " AND attribute_not_exists(#lifted_at)",
                )
                lifted.append(str(item.get("reason", "")))
        return lifted

    def forbids(self, record: Record) -> str | None:
        """Why the company must not contact a conversation's recipient on its channel; None if it may.

        `Reason.DOUBT` forbids what no person sends.

        One consistent read of the person's addresses.  Who has written in the conversation has an
        address that works, and wishes an answer: then only proven wishes count, and a block since.

        Raises:
            TransientError: the register could not be read.
        """
        found = self._table.get_all(self._marks(record), attributes=_ATTRIBUTES)
        return self._forbidding(record, self._read(found))

    def _marks(self, record: Record) -> list[Item]:
        """The keys of every entry that may forbid a conversation's next message, each once."""
        keys = []
        for address in addresses_of(record):
            channels = (record.channel,) if address == record.primary_channel else ()
            keys += self._keys(address, record.company_id, channels)
            tried = (record.item.get(CONTINUES) or {}).get("tried") or ()
            # No other channel takes a suspended one's place.
            if any(one.traits.is_forgeable for one in Channel if one in tried):
                keys += self._under(address, record.company_id, (SUSPENDED,))
        sender = senders.key(record.sender)["company_id"]
        unowned = [
            items.do_not_contact(form, sender) for form in numbers.forms(record.primary_channel)
        ]
        return _once([*keys, *unowned])

    def _forbidding(self, record: Record, entries: Sequence[RegisterEntry]) -> str | None:
        found = [one for one in entries if one.is_in_force]
        if record.item.get("last_inbound_at"):
            found = [one for one in found if one.reason not in TECHNICAL or _is_newer(one, record)]
        found = [one for one in found if one.reason != Reason.UNPROVEN or _is_unasked(record)]
        found.sort(key=lambda one: one.is_open)  # what is decided counts before what is asked
        return next((one.blocks_as for one in found), None)

    def last_word(self, record: Record) -> tuple[str | None, Record]:
        """What `forbids` says, and the conversation as it is now: one read.

        Of the conversation, the newest act of a person and whether another continues it.

        Raises:
            TransientError: they could not be read.
        """
        found = self._table.get_all(
            [*self._marks(record), record.key],
            attributes=(*_ATTRIBUTES, "person_act", CONTINUED_BY),
        )
        mine = next((one for one in found if _is_at(one, record.key)), record.item)
        entries = self._read([one for one in found if one is not mine])
        return self._forbidding(record, entries), Record(mine)

    def lift_technical(self, record: Record) -> None:
        """Lift what says that the address does not work: its recipient has just written from it."""
        keys = self._keys(record.primary_channel, record.company_id, (record.channel,))
        for one in self._in_force(keys):
            if one.reason not in TECHNICAL:
                continue
            with suppress(ConditionFailed):
                self._table.update(
                    {name: one.item[name] for name in keys[0]},
                    set_={"lifted_at": iso(self._clock.now()), "lifted_by": BY_RECIPIENT},
                    condition="attribute_exists(#conversation_id)"
                    " AND attribute_not_exists(#lifted_at)",
                )

    def is_forbidden(
        self, primary_channel: str, company_id: str, channel: Channel | None = None
    ) -> bool:
        """Whether the company must not contact an address; on a channel, where one is given."""
        channels = () if channel is None else (channel,)
        return bool(self._in_force(self._keys(primary_channel, company_id, channels)))

    def entries_hashed(self, hashed: str, company_id: str) -> list[RegisterEntry]:
        """The wishes of an address of which only the keyed hash is known."""
        keys = _hashed(hashed, company_id)
        return self._read(self._table.get_all(keys, attributes=_ATTRIBUTES))

    def entries(self, primary_channel: str, company_id: str) -> list[RegisterEntry]:
        """Every entry of an address, in force or lifted."""
        keys = self._keys(primary_channel, company_id, tuple(Channel))
        return self._read(self._table.get_all(keys, attributes=_ATTRIBUTES))

    def keep_erased(self, entry: Mapping[str, Any]) -> Item | None:
        """The item that takes the place of an entry when its person is erased: a keyed hash.

        Args:
            entry: the stored item.

        Returns:
            None where it blocks nothing.
        """
        company_id, address = items.forbidden_by(entry)
        homes = self._erased(address, company_id)
        if not homes or not self._read([entry])[0].is_in_force:
            return None
        kept = ("reason", "since", "until", "stop_at", "ttl")
        return {
            "primary_channel": homes[0],
            "conversation_id": entry["conversation_id"],
            **{name: entry[name] for name in kept if name in entry},
        }

    def _in_force(self, keys: list[Item]) -> list[RegisterEntry]:
        found = self._read(self._table.get_all(_once(keys), attributes=_ATTRIBUTES))
        return [one for one in found if one.is_in_force]

    def _read(self, found: Sequence[Mapping[str, Any]]) -> list[RegisterEntry]:
        now = iso(self._clock.now())
        return [RegisterEntry(one, now) for one in found]

    def _keys(
        self, primary_channel: str, company_id: str, channels: tuple[Channel, ...]
    ) -> list[Item]:
        """Keys of an address's wishes and of its channels' entries, under every form of a number."""
        found = []
        for form in numbers.forms(primary_channel):
            suspended = (SUSPENDED,) if any(one.traits.is_forgeable for one in channels) else ()
            channel_names = (f"#{one.value}" for one in channels)
            suffixes = ("", KEPT_SUFFIX, DOUBTED, *suspended, *channel_names)
            found += self._under(form, company_id, suffixes)
        return found

    def _under(self, address: str, company_id: str, suffixes: Sequence[str]) -> list[Item]:
        """Keys of entries of one address, and of what it left when it was erased."""
        wish = items.do_not_contact(address, company_id)
        homes = [wish["primary_channel"], *self._erased(address, company_id)]
        names = [f"{wish['conversation_id']}{one}" for one in suffixes]
        return [{"primary_channel": at, "conversation_id": name} for at in homes for name in names]

    def _erased(self, primary_channel: str, company_id: str) -> tuple[str, ...]:
        """The partition of what an erased address leaves; none where no hash can be made."""
        if self._opaque is None:
            return ()
        return (_erased_at(address_hash(self._opaque(), company_id, primary_channel)),)


def _once(keys: Sequence[Item]) -> list[Item]:
    """The keys without repetitions: two addresses may be one number."""
    return list({tuple(key.values()): key for key in keys}.values())


def _is_at(item: Mapping[str, Any], key: Mapping[str, Any]) -> bool:
    return all(item.get(name) == value for name, value in key.items())


def address_hash(opaque: OpaqueIds, company_id: str, address: str) -> str:
    """The keyed hash of a company and an address."""
    return opaque.of("do-not-contact", company_id, address)


def _erased_at(hashed: str) -> str:
    """The partition of entries that are kept under a hash alone."""
    return f"erased:{hashed}"


def _hashed(hashed: str, company_id: str) -> list[Item]:
    """Keys of the wishes that are kept under a hash alone."""
    name = items.do_not_contact("", company_id)["conversation_id"]
    return [
        {"primary_channel": _erased_at(hashed), "conversation_id": f"{name}{suffix}"}
        for suffix in ("", KEPT_SUFFIX)
    ]


def addresses_of(record: Record) -> tuple[str, ...]:
    """The addresses that a conversation names of its recipient; its own is first."""
    others = (record.item.get(one.field) for one in ADDRESSES)
    known = [record.primary_channel, *(str(one) for one in others if one)]
    return tuple(dict.fromkeys(known))


def key_of(
    primary_channel: str, company_id: str, reason: str, channel: Channel | None = None
) -> Item:
    """Key of the entry of a reason.

    Raises:
        ValueError: a technical reason without a channel.
    """
    key = items.do_not_contact(primary_channel, company_id)
    suffix = ""
    if reason in TECHNICAL:
        if channel is None:
            raise ValueError(f"{reason} belongs to a channel")
        suffix = f"#{channel.value}"
    elif reason in KEPT:
        suffix = KEPT_SUFFIX
    elif reason == Reason.UNPROVEN:
        suffix = SUSPENDED
    elif reason == Reason.DOUBT:
        suffix = DOUBTED
    return key | {"conversation_id": f"{key['conversation_id']}{suffix}"}


def _has_written_since(record: Record, at: str) -> bool:
    return str(record.item.get("last_inbound_at") or "") > at


def _is_newer(entry: RegisterEntry, record: Record) -> bool:
    """Whether the recipient has blocked us after their newest message."""
    said_at = str(entry.item.get("said_at") or "")
    return entry.reason == Reason.BLOCKED and not _has_written_since(record, said_at)


def _is_unasked(record: Record) -> bool:
    """Whether the next message of a conversation is advertising without a question before it.

    No proven message of the recipient has come, and no person has the conversation or has answered.
    """
    is_with_person = record.is_handed_off and Status(record.handoff["was"]) not in UNSENT
    has_spoken = record.item.get("last_inbound_at") or record.person_act or is_with_person
    return record.item.get("message_kind") != "transactional" and not has_spoken


def marks_of(primary_channel: str, company_id: str) -> tuple[Item, ...]:
    """Keys of the mark that a STOP makes, under every form of a number."""
    return tuple(items.do_not_contact(form, company_id) for form in numbers.forms(primary_channel))


def doubts_of(primary_channel: str, company_id: str) -> tuple[Item, ...]:
    """Keys of the question whether somebody asked to stop, under every form of a number."""
    forms = numbers.forms(primary_channel)
    return tuple(key_of(form, company_id, Reason.DOUBT) for form in forms)


def end_of_entry(now: datetime) -> int:
    """Until when an entry is kept that is written now, in epoch seconds."""
    return int((now + DO_NOT_CONTACT_TTL).timestamp())
