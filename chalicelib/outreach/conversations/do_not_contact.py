"""The register of recipients that a company must not contact; it outlives the conversations.

What asks for it blocks every channel of the address, and of the person: a conversation that names two
addresses looks at both.  An entry is never deleted but lifted, and erasing a person leaves a keyed
hash of company and address that blocks as the entry did.  The kinds of entries are `register_entries`.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from chalicelib.clock import iso
from chalicelib.once.retry import Attempts, at_once
from chalicelib.once.store import ConditionFailed, Item, TransactionConflict, TransactionRefused
from chalicelib.outreach.channels import Channel, is_forgeable
from chalicelib.outreach.conversations import items
from chalicelib.outreach.conversations.desk_acts import TRIES
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.conversations.register_entries import (
    BY_RECIPIENT,
    CONFIRMED_BY,
    KEPT_SUFFIX,
    LIFTED,
    SUSPENDED_FOR,
    TECHNICAL,
    Reason,
    end_of_entry,
)
from chalicelib.outreach.conversations.register_keys import (
    addresses_of,
    doubts_of,
    erased_at,
    key_of,
    keys_hashed,
    marks_of,
)
from chalicelib.outreach.conversations.register_looks import RegisterLooks, has_written_since


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
        if reported_at and has_written_since(record, sent_at or reported_at):
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
        key = key_of("", company_id, reason) | {"primary_channel": erased_at(hashed)}
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
        for key in keys_hashed(hashed, company_id):
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
