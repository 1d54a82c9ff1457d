"""Do-not-contact marks and the looks at them: no send may ignore a mark that its last look saw.

Judged where a request leaves for its carrier.  A look is fresh for two seconds; a worker that is
paused between its look and the request cannot know.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from chalicelib.clock import parsed
from chalicelib.outreach.channels import Channel
from chalicelib.outreach.conversations import items
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.conversations.register_entries import (
    DOUBT_SLOT,
    KEPT_SLOT,
    SUSPENDED_SLOT,
    WISH,
)
from chalicelib.outreach.conversations.subject_rows import MERGED_INTO, member_id
from chalicelib.outreach.messages.purpose import Purpose
from tests.simulation import neighbours
from tests.simulation.parts import SimTable
from tests.simulation.support import OPAQUE

if TYPE_CHECKING:
    from tests.simulation.world import World

SENDS = frozenset({"send_text", "send_email"})

Row = tuple[str, str]
"""The key of a subject's row."""
Mark = tuple[Row, str]
"""A root's row, and which of its marks: the address's id and the slot."""


class ConversationTable(SimTable):
    """The conversations of one container: its looks at marks are noted, and when a mark is written."""

    def get(self, key: Mapping[str, Any], *, consistent: bool = True) -> Any:
        """See `SimTable.get`."""
        return self._looking([_row(key)], lambda: SimTable.get(self, key, consistent=consistent))

    def get_all(self, keys: Sequence[Mapping[str, Any]], *, attributes: Sequence[str] = ()) -> Any:
        """See `SimTable.get_all`."""
        return self._looking(
            [_row(key) for key in keys],
            lambda: SimTable.get_all(self, keys, attributes=attributes),
        )

    def transact(self, writes: Sequence[Any]) -> None:
        """See `SimTable.transact`; a conversation is opened under a check of its subject, or one changes."""
        rows = [write["key"] if _is_row(write["key"]) else None for write in writes]
        try:
            self._looking(rows, lambda: SimTable.transact(self, writes))
        finally:
            for row in rows:
                if row is not None:
                    self._world.consent.wrote(row)
            for write in writes if self._world.scenario.tools else ():
                self._world.agreed.wrote(write["key"])
            if self._world.scenario.follow_ups:
                self._world.follow_ups.wrote()

    def query_pages(self, **arguments: Any) -> Any:
        """See `SimTable.query_pages`; a read of an address's conversations is a look at answers."""
        values = arguments.get("values", {})
        if set(values) != {"p"} or not arguments.get("ConsistentRead"):
            return super().query_pages(**arguments)
        began, actor = self._world.now, self._world.actor
        found = list(super().query_pages(**arguments))
        self._world.follow_ups.looked(actor, values["p"], began)
        return iter(found)

    def _looking(self, rows: Sequence[Row | None], read: Any) -> Any:
        consent, began = self._world.consent, self._world.now
        actor = self._world.actor
        found = read()
        for row in rows:
            if row is not None and actor is not None:
                consent.looked(actor, row, began)
        return found


class Consent:
    """When each mark was written, and the judgement of every send to any address of its subject."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._written: dict[Mark, float] = {}
        self._ever: set[str] = set()
        self._asked: dict[str, str] = {}

    def wrote(self, row: Row) -> None:
        """A subject's row was written: marks were made, lifted, or moved with a link."""
        stored = self._world.conversations.rows.get(row, {})
        marks = stored.get("marks", {})
        now = {(row, key) for key, mark in marks.items() if "lifted_at" not in mark}
        for mark in [mark for mark in self._written if mark[0] == row and mark not in now]:
            del self._written[mark]
        for mark in now:
            self._written.setdefault(mark, self._world.now)
        self._ever |= {key for _, key in now}

    def promised(self, recipient: str, channel: str, *, doubt: bool = False) -> None:
        """The door has answered 200 to a STOP, or a doubt: its mark is there, whatever waits."""
        said, slot = ("doubt", DOUBT_SLOT) if doubt else ("STOP", WISH)
        if not self._is_marked(recipient, slot):
            self._world.oracle.broken("P2", f"a {said} by {channel} was accepted without its mark")

    def promised_by_link(self, address: str) -> None:
        """The page of a link has answered 200: its mark is there, under the address's keyed id."""
        self._world.happened["unsubscribed_by_link"] += 1
        if not self._is_marked(address, KEPT_SLOT):
            self._world.oracle.broken("P2", "a click was answered without its mark")

    def _is_marked(self, address: str, slot: str) -> bool:
        key = f"{_member(address, neighbours.IDS[neighbours.of(address)])}#{slot}"
        return any(known == key for _, known in self._written)

    def asked(self, event_key: str, address: str) -> None:
        """An e-mail that unsubscribes was accepted; its worker marks the address."""
        company_id = neighbours.IDS[neighbours.of(address)]
        self._asked[event_key] = f"{_member(address, company_id)}#{WISH}"

    def judge(self, rows: Mapping[str, Mapping[str, Any]]) -> None:
        """P2: an e-mail that unsubscribes and was processed has left its mark."""
        for event_key, mark in self._asked.items():
            if rows.get(event_key, {}).get("status") == "processed":
                self._world.happened["unsubscribed_by_mail"] += 1
                if mark not in self._ever:
                    self._world.oracle.broken("P2", f"{event_key} was processed without its mark")

    def looked(self, actor: Any, row: Row, began: float) -> None:
        """A container has read a subject's row, or written under a check of it."""
        actor.looks[row] = began

    def send_begins(self, actor: Any, action: Any) -> None:
        """What was seen as the message was planned is no last look: that comes after its row."""
        if action.kind.name in SENDS and actor is not None:
            actor.looks.clear()

    def send_starts(self, actor: Any, action: Any) -> None:
        """No send whose last look began after the mark of a STOP was written."""
        if action.kind.name not in SENDS or actor is None:
            return
        world = self._world
        record = next(
            (
                row
                for row in world.conversations.rows.values()
                if row.get("opaque_id") == action.conversation_id and "start_event" in row
            ),
            None,
        )
        if record is None:
            return
        record_ = Record(record)
        own = _row_of(record_.primary_channel, record_.company_id)
        looked = actor.looks.get(own)
        if looked is None:
            world.oracle.broken("P5", f"{action.key} starts without a look at its subject")
            return
        for mark, written in self._written.items():
            if not self._blocks(mark, record_) or self._is_persons(mark, action):
                continue
            seen = actor.looks.get(mark[0])
            if seen is None or seen > written:
                late = "never" if seen is None else f"{seen - written:.0f} s after the STOP"
                world.oracle.broken("P5", f"{action.key} looked {late} and starts")
        if actor.is_late(looked):
            world.oracle.broken("P5", f"{action.key} starts {world.now - looked:.0f} s after it")

    def _is_persons(self, mark: Mark, action: Any) -> bool:
        """Whether a person answers while it is undecided whether the recipient asked to stop."""
        row, key = mark
        stored_mark = self._world.conversations.rows[row]["marks"][key]
        is_doubt = key.endswith(f"#{DOUBT_SLOT}")
        is_open = is_doubt and self._world.now < parsed(stored_mark["stop_at"]).timestamp()
        is_ours = action.data.message.purpose in (Purpose.PERSON, Purpose.APPROVED)
        if is_open and is_ours:
            self._world.happened["answered_in_doubt"] += 1
        return is_open and is_ours

    def _blocks(self, mark: Mark, record: Record) -> bool:
        """Whether a mark forbids a conversation's sends, whatever the product thinks."""
        (row, key), company = mark, record.company_id
        addresses = [record.primary_channel]
        addresses += [str(record.item.get(name)) for name in ("recipient_tel", "recipient_email")]
        if row not in {self._root_of(address, company) for address in addresses}:
            return False
        member, _, slot = key.partition("#")
        if slot in (WISH, KEPT_SLOT, DOUBT_SLOT):
            return True
        if member != _member(record.primary_channel, company):
            return False
        # The address of a recipient who has written in the conversation works.
        if record.item.get("last_inbound_at"):
            return False
        is_left = record.is_handed_off or record.person_act or record.channel != Channel.EMAIL
        return slot == record.channel.value or (slot == SUSPENDED_SLOT and not is_left)

    def _root_of(self, address: str, company_id: str) -> Row:
        """The row of an address's subject."""
        row = _row_of(address, company_id)
        while MERGED_INTO in (stored := self._world.conversations.rows.get(row, {})):
            row = _keyed(items.subject_key(stored[MERGED_INTO], company_id))
        return row


def _member(address: str, company_id: str) -> str:
    return member_id(OPAQUE, company_id, address)


def _row_of(address: str, company_id: str) -> Row:
    return _keyed(items.subject_key(_member(address, company_id), company_id))


def _is_row(key: Sequence[Any]) -> bool:
    return len(key) > 1 and str(key[1]).startswith(items.SUBJECT)


def _row(key: Mapping[str, Any]) -> Row | None:
    return _keyed(key) if _is_row(tuple(key.values())) else None


def _keyed(key: Mapping[str, Any]) -> Row:
    return key["primary_channel"], key["conversation_id"]
