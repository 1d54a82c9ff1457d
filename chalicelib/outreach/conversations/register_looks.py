"""Looks into the register: whether, and why, a company must not contact a recipient."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from chalicelib.clock import iso
from chalicelib.once.keys import OpaqueIds
from chalicelib.once.ports import Clock
from chalicelib.once.store import Item, Store
from chalicelib.outreach import senders
from chalicelib.outreach.channels import Channel
from chalicelib.outreach.conversations import items, numbers
from chalicelib.outreach.conversations.records import (
    CONTINUED_BY,
    CONTINUES,
    UNSENT,
    Record,
    Status,
)
from chalicelib.outreach.conversations.register_entries import (
    ATTRIBUTES,
    DOUBTED,
    KEPT_SUFFIX,
    SUSPENDED,
    TECHNICAL,
    Reason,
    RegisterEntry,
)
from chalicelib.outreach.conversations.register_keys import (
    address_hash,
    addresses_of,
    erased_at,
    keys_hashed,
    once_each,
)


class RegisterLooks(items.OnTable):
    """Looks.

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

    def forbids(self, record: Record) -> str | None:
        """Why the company must not contact a conversation's recipient on its channel; None if it may.

        `Reason.DOUBT` forbids what no person sends.

        One consistent read of the person's addresses.  Who has written in the conversation has an
        address that works, and wishes an answer: then only proven wishes count, and a block since.

        Raises:
            TransientError: the register could not be read.
        """
        found = self._table.get_all(self._marks(record), attributes=ATTRIBUTES)
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
        return once_each([*keys, *unowned])

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
            attributes=(*ATTRIBUTES, "person_act", CONTINUED_BY),
        )
        mine = next((one for one in found if _is_at(one, record.key)), record.item)
        entries = self._read([one for one in found if one is not mine])
        return self._forbidding(record, entries), Record(mine)

    def is_forbidden(
        self, primary_channel: str, company_id: str, channel: Channel | None = None
    ) -> bool:
        """Whether the company must not contact an address; on a channel, where one is given."""
        channels = () if channel is None else (channel,)
        return bool(self._in_force(self._keys(primary_channel, company_id, channels)))

    def entries_hashed(self, hashed: str, company_id: str) -> list[RegisterEntry]:
        """The wishes of an address of which only the keyed hash is known."""
        keys = keys_hashed(hashed, company_id)
        return self._read(self._table.get_all(keys, attributes=ATTRIBUTES))

    def entries(self, primary_channel: str, company_id: str) -> list[RegisterEntry]:
        """Every entry of an address, in force or lifted."""
        keys = self._keys(primary_channel, company_id, tuple(Channel))
        return self._read(self._table.get_all(keys, attributes=ATTRIBUTES))

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
        found = self._read(self._table.get_all(once_each(keys), attributes=ATTRIBUTES))
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
        return (erased_at(address_hash(self._opaque(), company_id, primary_channel)),)


def has_written_since(record: Record, at: str) -> bool:
    """Whether the recipient has written in a conversation after an ISO time."""
    return str(record.item.get("last_inbound_at") or "") > at


def _is_newer(entry: RegisterEntry, record: Record) -> bool:
    """Whether the recipient has blocked us after their newest message."""
    said_at = str(entry.item.get("said_at") or "")
    return entry.reason == Reason.BLOCKED and not has_written_since(record, said_at)


def _is_unasked(record: Record) -> bool:
    """Whether the next message of a conversation is advertising without a question before it.

    No proven message of the recipient has come, and no person has the conversation or has answered.
    """
    is_with_person = record.is_handed_off and Status(record.handoff["was"]) not in UNSENT
    has_spoken = record.item.get("last_inbound_at") or record.person_act or is_with_person
    return record.item.get("message_kind") != "transactional" and not has_spoken


def _is_at(item: Mapping[str, Any], key: Mapping[str, Any]) -> bool:
    return all(item.get(name) == value for name, value in key.items())
