"""Two conversations of one company with one person: which of them a reply belongs to.

The ground truth is the carrier's: which action sent the message that a reply quotes, and so which
conversation it is from.  What is expected of a reply is noted when the carrier first delivers it,
and judged at the end by the page that holds it.

Two conversations with one number leave a doubt only on one channel: a company writes by SMS and by
WhatsApp from different numbers.  (A start that went on by WhatsApp was judged as the other one of a
reply by SMS in the schedule 77701560.)
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from chalicelib.outreach.conversations import items
from chalicelib.outreach.conversations.records import AUTO_REPLY, SEVERAL, UNPROVEN, Record
from tests.rigs.histories import pages
from tests.simulation.faults import drawn
from tests.simulation.quotes import quoting, unsubscribing
from tests.simulation.scenario import (
    ANSWERS,
    PLAIN_ANSWERS,
    Says,
    Scenario,
    Start,
    recipient,
    scenario,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.simulation.world import World

_SENT = frozenset({"initial_message_sent", "reply_sent"})
_LONG_PAUSE = 900.0


def with_pairs(seed: int) -> Scenario:
    """The scenario of a seed with two conversations of one recipient; without tickets and facts."""
    rng = random.Random(seed ^ 0x9A12)
    channel = rng.choice(("whatsapp", "whatsapp", "sms", "email", "email"))
    to = recipient(channel, 0)
    apart = rng.choice((1.0, 40.0, 900.0)) * rng.random()
    calm = rng.random() < 0.4
    return replace(
        scenario(seed),
        neighbour="",
        posts=(),
        batches=(),
        writes=(),
        lags=(),
        held="",
        outage=(0.0, 0.0),
        starts=(Start(0.0, "req0", channel, to), Start(apart, "req1", channel, to)),
        says=_says(rng, channel, to, apart),
        faults=() if calm else tuple(drawn(rng, calls=140, most=4)),
    )


def _says(rng: random.Random, channel: str, to: str, after: float) -> tuple[Says, ...]:
    at, says = after, []
    for message in range(rng.choice((1, 2, 3, 4))):
        at += rng.choice((60.0, 400.0, _LONG_PAUSE, 5_000.0)) * rng.random()
        text = rng.choice((*PLAIN_ANSWERS, *PLAIN_ANSWERS, *ANSWERS))
        says.append(Says(at, channel, to, message, text))
        if rng.random() < 0.25:
            says.append(replace(says[-1], at=at + rng.random() * _LONG_PAUSE, is_copy=True))
    return tuple(quoting(rng, unsubscribing(rng, says, share=0.15), share=0.5))


@dataclass(frozen=True, slots=True)
class Meant:
    """What is expected of one reply.

    Attributes:
        opaque_id: the conversation that it belongs to; empty where a person must say.
    """

    key: str
    opaque_id: str = ""


class Pairs:
    """The expectations of one world, and their judgement."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._tried: set[str] = set()
        self._meant: dict[str, Meant] = {}
        self._unproven: dict[str, str] = {}

    def tried(self, entry_id: str, key: str, said: Says, *, quoted: str, token: str = "") -> None:
        """A carrier delivers a message; only its first delivery shows what it may meet.

        Args:
            entry_id: the message's, in its conversation.
            key: of its event.
            quoted: our message that it quotes, by the carrier's id; empty for none.
            token: the conversation of the reply address it was sent to; empty for none.
        """
        if entry_id in self._tried:
            return
        self._tried.add(entry_id)
        if said.is_elsewhere or said.sender or (said.is_unproven and not token):
            return
        if quoted:
            opaque_id = self._known_in(quoted)
            if opaque_id:
                self._meant[entry_id] = Meant(key, opaque_id)
            return
        if token:
            self._meant[entry_id] = Meant(key, token)
        elif said.text in PLAIN_ANSWERS and self._is_in_doubt(said.recipient, said.channel):
            self._meant[entry_id] = Meant(key)

    def unproven(self, entry_id: str, key: str) -> None:
        """Of an e-mail nothing shows who wrote it: neither its domain nor a token."""
        self._unproven[entry_id] = key

    def refused(self, entry_id: str) -> None:
        """The door did not take it: the sweep may find it, and a list shows no quotation."""
        self._meant.pop(entry_id, None)

    def judge(self, rows: Mapping[str, Mapping[str, Any]]) -> None:
        """P3: a reply is in the conversation it quotes; in doubt, or unproven, a person has it."""
        world = self._world
        said = {row["entry_id"]: row for row in pages(world.conversations.rows.values())}
        for entry_id, key in self._unproven.items():
            if entry_id in said:
                self._judge_unproven(key, said[entry_id], rows)
        for entry_id, meant in self._meant.items():
            page = said.get(entry_id)
            if page is None or world.oracle.is_late(meant.key):
                continue  # sent again by what is kept of it, which is not all
            if meant.opaque_id:
                self._judge_place(meant, page)
            else:
                self._judge_doubt(meant, page, rows)

    def _judge_place(self, meant: Meant, page: Mapping[str, Any]) -> None:
        self._world.happened["quote_judged"] += 1
        if self._of(page) != meant.opaque_id:
            self._world.oracle.broken("P3", f"{meant.key} is not in the conversation it quotes")

    def _judge_doubt(
        self, meant: Meant, page: Mapping[str, Any], rows: Mapping[str, Mapping[str, Any]]
    ) -> None:
        address, channel = str(page["primary_channel"]).rpartition("#")[2], meant.key.split(":")[2]
        of_both = self._records(address, channel)
        if sum(map(_is_sent, of_both)) < 2:
            return  # one has failed since
        self._world.happened["doubt_judged"] += 1
        if page.get("note") != SEVERAL:
            self._world.oracle.broken("P3", f"{meant.key} may belong to two, and nobody is asked")
        if _is_answered(meant.key, rows):
            self._world.oracle.broken("P3", f"{meant.key} may belong to two and is answered")

    def _judge_unproven(
        self, key: str, page: Mapping[str, Any], rows: Mapping[str, Mapping[str, Any]]
    ) -> None:
        self._world.happened["unproven_judged"] += 1
        if page.get("note") not in (UNPROVEN, AUTO_REPLY):
            self._world.oracle.broken("P3", f"{key} is unproven and was heard")
        if _is_answered(key, rows):
            self._world.oracle.broken("P3", f"{key} is unproven and is answered")

    def _is_in_doubt(self, address: str, channel: str) -> bool:
        """Whether two conversations await an answer, and nothing may withhold one meanwhile.

        A lagging index may not show both.
        """
        drawn = self._world.scenario
        sent = sum(map(_is_sent, self._records(address, channel)))
        return sent > 1 and not drawn.flips and not drawn.lags

    def _known_in(self, quoted: str) -> str:
        """The conversation that a message of ours is from, if the product has recorded it."""
        world = self._world
        keys = world.twilio.keys_by_id | world.ses.keys_by_id
        known = any(
            row.get("provider_id") == quoted for row in pages(world.conversations.rows.values())
        )
        return keys[quoted].split(":")[2] if known else ""

    def _records(self, address: str, channel: str) -> list[Mapping[str, Any]]:
        return [
            row
            for row in self._world.conversations.rows.values()
            if row.get("primary_channel") == address
            and row.get("channel_method") == channel
            and "conversation_status" in row
        ]

    def _of(self, page: Mapping[str, Any]) -> str:
        """The conversation of a page, by the sort key's digest."""
        digest = str(page["conversation_id"]).split("#")[1]
        for row in self._world.conversations.rows.values():
            if "conversation_status" in row and items.digest(Record(row)) == digest:
                return str(row["opaque_id"])
        return ""


def _is_answered(key: str, rows: Mapping[str, Mapping[str, Any]]) -> bool:
    return any(
        row_key.startswith("act:send:") and row["event_key"] == key and row["status"] == "done"
        for row_key, row in rows.items()
    )


def _is_sent(row: Mapping[str, Any]) -> bool:
    """Whether a message of ours was sent in it, and it has not failed; with a person or not."""
    status = row["conversation_status"]
    return (row["handoff"]["was"] if status == "handed_off" else status) in _SENT
