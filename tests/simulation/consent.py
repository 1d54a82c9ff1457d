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
from chalicelib.outreach.conversations.register_keys import address_hash
from chalicelib.outreach.messages.purpose import Purpose
from tests.simulation import neighbours
from tests.simulation.parts import SimTable
from tests.simulation.support import OPAQUE

if TYPE_CHECKING:
    from tests.simulation.world import World

_PREFIX = items.do_not_contact("", "")["conversation_id"]
_DOUBT = "#doubt"
SENDS = frozenset({"send_text", "send_email"})

Mark = tuple[str, str]
"""Recipient and company, as the key of the mark."""


class ConversationTable(SimTable):
    """The conversations of one container: its looks at marks are noted, and when a mark is written."""

    def get(self, key: Mapping[str, Any], *, consistent: bool = True) -> Any:
        """See `SimTable.get`."""
        return self._looking([_mark(key)], lambda: SimTable.get(self, key, consistent=consistent))

    def get_all(self, keys: Sequence[Mapping[str, Any]], *, attributes: Sequence[str] = ()) -> Any:
        """See `SimTable.get_all`."""
        return self._looking(
            [_mark(key) for key in keys],
            lambda: SimTable.get_all(self, keys, attributes=attributes),
        )

    def transact(self, writes: Sequence[Any]) -> None:
        """See `SimTable.transact`; a conversation is opened under a check of its mark, or one is made."""
        marks = [write["key"] if _is_mark(write["key"]) else None for write in writes]
        try:
            self._looking(marks, lambda: SimTable.transact(self, writes))
        finally:
            for mark in marks:
                if mark is not None:
                    self._world.consent.wrote(mark)
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

    def update(self, key: Mapping[str, Any], **more: Any) -> Any:
        """See `SimTable.update`."""
        mark = _mark(key)
        if mark is None:
            return super().update(key, **more)
        return self._call_and_note(mark, lambda: SimTable.update(self, key, **more))

    def _call_and_note(self, mark: Mark, write: Any) -> Any:
        consent = self._world.consent
        try:
            return write()
        finally:
            consent.wrote(mark)

    def _looking(self, marks: Sequence[Mark | None], read: Any) -> Any:
        consent, began = self._world.consent, self._world.now
        actor = self._world.actor
        found = read()
        for mark in marks:
            if mark is not None and actor is not None:
                consent.looked(actor, mark, began)
        return found


class Consent:
    """When each mark was written, and the judgement of every send."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._written: dict[Mark, float] = {}
        self._ever: set[Mark] = set()
        self._asked: dict[str, Mark] = {}

    def wrote(self, mark: Mark) -> None:
        """A mark was written, or lifted."""
        row = self._world.conversations.rows.get(mark)
        if row is None or "lifted_at" in row:
            self._written.pop(mark, None)
        else:
            self._written.setdefault(mark, self._world.now)
            self._ever.add(mark)

    def promised(self, recipient: str, channel: str, *, doubt: bool = False) -> None:
        """The door has answered 200 to a STOP, or a doubt: its entry is there, whatever waits."""
        company_id = neighbours.IDS[neighbours.of(recipient)]
        partition, name = _keyed(items.do_not_contact(recipient, company_id))
        said = "doubt" if doubt else "STOP"
        if (partition, f"{name}{_DOUBT if doubt else ''}") not in self._written:
            self._world.oracle.broken("P2", f"a {said} by {channel} was accepted without its mark")

    def promised_by_link(self, address: str) -> None:
        """The page of a link has answered 200: its mark is there, under the address's hash."""
        company_id = neighbours.IDS[neighbours.of(address)]
        self._world.happened["unsubscribed_by_link"] += 1
        if _hashed(address, company_id) not in self._written:
            self._world.oracle.broken("P2", "a click was answered without its mark")

    def asked(self, event_key: str, address: str) -> None:
        """An e-mail that unsubscribes was accepted; its worker marks the address."""
        company_id = neighbours.IDS[neighbours.of(address)]
        self._asked[event_key] = _keyed(items.do_not_contact(address, company_id))

    def judge(self, rows: Mapping[str, Mapping[str, Any]]) -> None:
        """P2: an e-mail that unsubscribes and was processed has left its mark."""
        for event_key, mark in self._asked.items():
            if rows.get(event_key, {}).get("status") == "processed":
                self._world.happened["unsubscribed_by_mail"] += 1
                if mark not in self._ever:
                    self._world.oracle.broken("P2", f"{event_key} was processed without its mark")

    def looked(self, actor: Any, mark: Mark, began: float) -> None:
        """A container has read a mark, or written under a check of it."""
        actor.looks[mark] = began

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
        own = _keyed(items.do_not_contact(record_.primary_channel, record_.company_id))
        looked = actor.looks.get(own)
        if looked is None:
            world.oracle.broken("P5", f"{action.key} starts without a look at its mark")
            return
        for mark, written in self._written.items():
            if not _blocks(mark, record_) or self._is_persons(mark, action):
                continue
            seen = actor.looks.get(mark)
            if seen is None or seen > written:
                late = "never" if seen is None else f"{seen - written:.0f} s after the STOP"
                world.oracle.broken("P5", f"{action.key} looked {late} and starts")
        if actor.is_late(looked):
            world.oracle.broken("P5", f"{action.key} starts {world.now - looked:.0f} s after it")

    def _is_persons(self, mark: Mark, action: Any) -> bool:
        """Whether a person answers somebody of whom it is still asked whether they asked to stop."""
        row = self._world.conversations.rows.get(mark) or {}
        is_open = mark[1].endswith(_DOUBT) and self._world.now < parsed(row["stop_at"]).timestamp()
        is_ours = action.data.message.purpose in (Purpose.PERSON, Purpose.APPROVED)
        if is_open and is_ours:
            self._world.happened["answered_in_doubt"] += 1
        return is_open and is_ours


def _blocks(mark: Mark, record: Record) -> bool:
    """Whether a mark forbids a conversation's sends, whatever the product thinks."""
    partition, name = mark
    addresses = [record.primary_channel]
    addresses += [str(record.item.get(one)) for one in ("recipient_tel", "recipient_email")]
    company = record.company_id
    if partition == items.internal(record.primary_channel, company):
        # Who has written in the conversation has an address that works.
        technical = [] if record.item.get("last_inbound_at") else [f"#{record.channel.value}"]
        is_left = record.is_handed_off or record.person_act or record.channel != Channel.EMAIL
        suspended = ["#suspended"] if technical and not is_left else []
        suffixes = ["", "#kept", _DOUBT, *technical, *suspended]
    elif partition in [items.internal(one, company) for one in addresses]:
        suffixes = ["", "#kept", _DOUBT]
    elif partition in [_hashed(one, company)[0] for one in addresses]:
        suffixes = ["#kept"]
    else:
        return False
    return name in [f"{_PREFIX}{company}{one}" for one in suffixes]


def _hashed(address: str, company_id: str) -> Mark:
    """The mark that a click on an e-mail's link makes, which holds no address."""
    hashed = address_hash(OPAQUE, company_id, address)
    return f"erased:{hashed}", f"{_PREFIX}{company_id}#kept"


def _is_mark(key: Sequence[Any]) -> bool:
    return len(key) > 1 and str(key[1]).startswith(_PREFIX)


def _mark(key: Mapping[str, Any]) -> Mark | None:
    return _keyed(key) if _is_mark(tuple(key.values())) else None


def _keyed(key: Mapping[str, Any]) -> Mark:
    return key["primary_channel"], key["conversation_id"]
