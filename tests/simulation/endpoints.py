"""The companies' endpoints: what each was sent, and whether it is what happened, in order.

An endpoint that is down refuses the connection, answers 503, takes the request and says nothing, is
slow, or acts and then fails: by turns, so that every schedule in which it is down has all of it.
"""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from chalicelib.errors import TransientError, UncertainError
from chalicelib.outreach.company_events.endpoint import SETTING, secret_id
from chalicelib.outreach.company_events.event_names import TELLS
from chalicelib.outreach.door.access import Access, check_signature
from chalicelib.vendors.posting import PostAnswer, SignedPost
from tests.simulation import neighbours
from tests.simulation.scenario import EPOCH

if TYPE_CHECKING:
    from tests.simulation.containers import Container
    from tests.simulation.world import World

SIGNING = tuple("whsec_" + letter * 32 for letter in "AB")
"""Each company's own signing secret."""
REFUSED = -1
"""In place of a status: nothing listens."""
SLOW_SECONDS = 9.0
"""A slow answer, within the deadline of a request."""
_LEFT = frozenset({"conversation.sent", "conversation.answered"})


def setting(world: World, number: int) -> dict[str, Any]:
    """The setting of a company in a schedule in which the companies are told."""
    url = f"https://company-{number}.simulated/events"
    return {} if world.scenario.endpoint is None else {SETTING: {"url": url}}


def secrets() -> dict[str, str]:
    """The companies' signing secrets, by name."""
    return {
        secret_id("sim", company_id): json.dumps({"signing_secrets": [secret]})
        for company_id, secret in zip(neighbours.IDS, SIGNING, strict=True)
    }


class Endpoints:
    """Both companies' endpoints."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._posts = 0
        self._kept: dict[tuple[int, str], list[tuple[str, dict[str, Any]]]] = defaultdict(list)

    def post(self, container: Container, post: SignedPost) -> PostAnswer:
        """What the product posts, with the faults of the network."""
        actions = container.sending.actions
        receipt: PostAnswer = self._world.network.effect(
            actions, lambda: self._take(actions[0].key, post)
        )
        if receipt.status == REFUSED:
            raise TransientError("webhook", "post", reason="connect_failed")
        if receipt.status == 0:
            raise UncertainError("webhook", "post", reason="timeout")
        return receipt

    def calls(self) -> dict[tuple[str, str], dict[str, tuple[str, Any]]]:
        """The tools called, with their arguments: by conversation and message, then by id."""
        found: dict[tuple[str, str], dict[str, tuple[str, Any]]] = defaultdict(dict)
        for (_, opaque_id), kept in self._kept.items():
            for event_id, event in kept:
                data = event["data"]
                if event["type"] == "conversation.tool_called":
                    of = (opaque_id, data["message_id"])
                    found[of][event_id] = (data["tool"], data["arguments"])
        return found

    def judge(self) -> None:
        """Each event at least once, under one id, in order, and at its own company alone."""
        for row in list(self._world.conversations.rows.values()):
            if row.get(TELLS) and "start_event" in row:
                self._judge(row)

    def _take(self, key: str, post: SignedPost) -> PostAnswer:
        world = self._world
        number = int(post.url.partition("company-")[2][0])
        known = Access(signing_secrets=(SIGNING[number],))
        at = int(post.headers["webhook-timestamp"])
        check_signature(post.headers, post.body, known, now_epoch=at)
        assert world.scenario.endpoint is not None
        begins, ends = world.scenario.endpoint
        self._posts += 1
        if not EPOCH + begins <= world.now < EPOCH + ends:
            self._keep(key, number, post)
            return PostAnswer(204)
        world.happened["endpoint_was_down"] += 1
        match self._posts % 6:
            case 0:
                self._keep(key, number, post)
                return PostAnswer(500)
            case 1:
                self._keep(key, number, post)
                return PostAnswer(0)
            case 2:
                return PostAnswer(0)
            case 3:
                world.now += SLOW_SECONDS
                self._keep(key, number, post)
                return PostAnswer(204)
            case 4:
                return PostAnswer(REFUSED)
            case _:
                return PostAnswer(503)

    def _keep(self, key: str, number: int, post: SignedPost) -> None:
        self._world.landed[key] += 1
        event = json.loads(post.body)
        opaque_id = event["data"]["conversation"]
        if event["data"]["company_id"] != neighbours.IDS[number]:
            self._world.oracle.broken("P1", f"{opaque_id} was told to another company")
        self._kept[number, opaque_id].append((post.headers["webhook-id"], event))
        if event["type"] == "conversation.tool_called":
            self._give_back(event["data"])

    def _give_back(self, data: dict[str, Any]) -> None:
        """The company says what the tool has done, or never does: by the id of its call."""
        world, way = self._world, data["result"]
        status = (*("done",) * 3, "failed", "")[int(way["call_id"][:2], 16) % 5]
        if status:
            result = json.dumps({"status": status}).encode()
            world.at(world.now + 40.0, lambda: world.senders.gives_back(data, result))

    def _judge(self, record: dict[str, Any]) -> None:
        world, opaque_id = self._world, record["opaque_id"]
        written = sorted(
            (row["conversation_id"], row["event"])
            for key, row in world.conversations.rows.items()
            if key[0] == f"events#{opaque_id}" and str(key[1]).startswith("event#")
        )
        wanted = [event_id for _, event_id in written]
        number = neighbours.IDS.index(record["company_id"])
        told = list(dict.fromkeys(event_id for event_id, _ in self._kept[number, opaque_id]))
        if told != wanted:
            world.oracle.broken("P3", f"{opaque_id} told {len(told)} of {len(wanted)} events")
        if len(set(wanted)) != len(wanted):
            world.oracle.broken("P1", f"{opaque_id} has an event twice")
        names = {event["type"] for _, event in self._kept[number, opaque_id]}
        if record.get("task_complete") and not names & _LEFT:
            world.oracle.broken("P2", f"{opaque_id} was sent and its company does not know")
        world.happened["events_told"] += len(told)
