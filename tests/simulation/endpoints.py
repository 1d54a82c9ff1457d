"""The companies' endpoints: what each was sent, and whether it is what happened, in order.

An endpoint that is down answers 503, takes the request and says nothing, or acts and then fails: by
turns, so that every schedule in which it is down has all of it.
"""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from chalicelib.errors import UncertainError
from chalicelib.outreach.company_events.endpoint import SETTING, secret_id
from chalicelib.outreach.company_events.names import TELLS
from chalicelib.outreach.door.access import Access, check_signature
from chalicelib.vendors.webhook import Post, Receipt
from tests.simulation import neighbours
from tests.simulation.scenario import EPOCH

if TYPE_CHECKING:
    from tests.simulation.containers import Container
    from tests.simulation.world import World

SIGNING = tuple("whsec_" + letter * 32 for letter in "AB")
"""Each company's own signing secret."""
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

    def post(self, container: Container, one: Post) -> Receipt:
        """What the product posts, with the faults of the network."""
        receipt: Receipt = self._world.network.effect(
            container.sending.actions, lambda: self._take(container.sending.actions[0].key, one)
        )
        if receipt.status == 0:
            raise UncertainError("webhook", "post", reason="timeout")
        return receipt

    def judge(self) -> None:
        """Each event at least once, under one id, in order, and at its own company alone."""
        for row in list(self._world.conversations.rows.values()):
            if row.get(TELLS) and "start_event" in row:
                self._judge(row)

    def _take(self, key: str, one: Post) -> Receipt:
        world = self._world
        world.landed[key] += 1
        number = int(one.url.partition("company-")[2][0])
        known = Access(signing_secrets=(SIGNING[number],))
        at = int(one.headers["webhook-timestamp"])
        check_signature(one.headers, one.body, known, now_epoch=at)
        assert world.scenario.endpoint is not None
        begins, ends = world.scenario.endpoint
        self._posts += 1
        if not EPOCH + begins <= world.now < EPOCH + ends:
            self._keep(number, one)
            return Receipt(204)
        world.happened["endpoint_was_down"] += 1
        match self._posts % 4:
            case 0:
                self._keep(number, one)
                return Receipt(500)
            case 1:
                self._keep(number, one)
                return Receipt(0)
            case 2:
                return Receipt(0)
            case _:
                return Receipt(503)

    def _keep(self, number: int, one: Post) -> None:
        event = json.loads(one.body)
        opaque_id = event["data"]["conversation"]
        if event["data"]["company_id"] != neighbours.IDS[number]:
            self._world.oracle.broken("P1", f"{opaque_id} was told to another company")
        self._kept[number, opaque_id].append((one.headers["webhook-id"], event))

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
