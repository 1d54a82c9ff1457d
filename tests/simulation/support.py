"""The support flow on the simulated providers: as it is deployed, and beside it the flow of `flow`.

Tickets ``t...`` are those of `flow`, tickets ``s...`` the product's own, with replies and orders.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from chalicelib.errors import TransientError
from chalicelib.once.action import ActionRow, Found, UnsettledAction
from chalicelib.once.allowances import Allowances
from chalicelib.once.effect import Effect, Executor
from chalicelib.once.event import Lease
from chalicelib.once.flow import Event, Flow
from chalicelib.once.keys import OpaqueIds
from chalicelib.once.lazy import executors_of
from chalicelib.once.plan import Plan, PlannedAction
from chalicelib.once.ports import Switches
from chalicelib.support.arrivals import Arrivals
from chalicelib.support.effects import KINDS
from chalicelib.support.flow import SupportFlow
from chalicelib.support.orders.cache import LookupCache
from chalicelib.support.orders.lookup import CustomerOrders
from chalicelib.support.orders.shop_order import Lookup
from chalicelib.support.performing import TicketExecutors
from chalicelib.support.read_back import ReplyReadBack
from chalicelib.support.replies.answering import Replies
from chalicelib.support.replies.guard_rails import Policy
from chalicelib.support.replies.templates import CATALOGUE
from tests.simulation.faults import Port
from tests.simulation.flow import AUTHOR, RepliedFlow
from tests.simulation.flow import KINDS as PROVOKING

if TYPE_CHECKING:
    from tests.simulation.containers import Container
    from tests.simulation.world import World

OPAQUE = OpaqueIds(b"simulation")
MAX_EVENT_AGE = timedelta(days=7)
POLICY = Policy(
    is_outbound_enabled=True,
    templates=frozenset(CATALOGUE),
    author_id=AUTHOR,
    closes_tickets=True,
    domains=frozenset({"example.com"}),
)


class Shop:
    """The shop's search behind the network; one per container."""

    def __init__(self, world: World) -> None:
        self._world = world

    def find_order(self, number: str, *, requester_email: str) -> Lookup:
        """See `Shopify.find_order`."""
        shop = self._world.shop
        found: Lookup = self._world.network.call(
            Port.VENDOR_READ, shop.find, number, requester_email
        )
        return found


class Provoking:
    """Executor and settler of the kinds that only the provoking flow has."""

    def __init__(self, world: World) -> None:
        self._world = world

    def perform(self, actions: Sequence[Any], *, deadline_seconds: float) -> Any:
        """Performs the actions of a step by one request."""
        del deadline_seconds
        vendor = self._world.vendor
        return self._world.network.effect(actions, lambda: vendor.land(actions))

    def replies(self, action: UnsettledAction) -> tuple[Found, ...]:
        """Settles a queried reply; other actions with the same text are candidates too."""
        world = self._world
        shown: list[str] = world.network.call(Port.VENDOR_READ, self._shown, action)
        asked = (action.kind, action.conversation_id, action.probe)
        candidates = tuple(
            row["event_id"]
            for row in world.ledger.rows.values()
            if tuple(map(row.get, ("action_kind", "conversation_id", "probe"))) == asked
            and row["event_id"] != action.key
        )
        return tuple(Found(ref, candidates) for ref in shown)

    def _shown(self, action: UnsettledAction) -> list[str]:
        world = self._world
        if action.conversation_id == world.vendor.failing_ticket:
            raise TransientError("richpanel", "read_ticket", status=503)
        return world.vendor.replies(action, world.provider_ahead_seconds())


class TicketFlow(Flow):
    """`flows.Flow` that passes each ticket to its own flow."""

    def __init__(self, own: SupportFlow, provoking: RepliedFlow) -> None:
        self._own = own
        self._provoking = provoking

    def _of(self, conversation_id: str) -> SupportFlow | RepliedFlow:
        return self._own if conversation_id.startswith("s") else self._provoking

    def is_container(self, job: Any) -> bool:
        return self._own.is_container(job)

    def events(self, job: Any) -> Sequence[Event]:
        return self._of(job.conversation_id).events(job)

    def note_complete(self, job: Any) -> None:
        self._of(job.conversation_id).note_complete(job)

    def let_wait(self, event: Event, until_epoch: float) -> float | None:
        return self._of(event.facts.conversation_id).let_wait(event, until_epoch)

    def plan(self, event: Event, switches: Switches) -> Plan:
        return self._of(event.facts.conversation_id).plan(event, switches)

    def recheck(self, event: Event, plan: Plan, switches: Switches) -> None:
        self._of(event.facts.conversation_id).recheck(event, plan, switches)

    def escalation(self, event: Event, reason: str) -> Effect | None:
        return self._of(event.facts.conversation_id).escalation(event, reason)

    def build(self, planned: PlannedAction, event: Event, plan: Plan) -> Effect:
        return self._of(event.facts.conversation_id).build(planned, event, plan)

    def conclude(
        self, lease: Lease, event: Event, plan: Plan, rows: Mapping[str, ActionRow]
    ) -> bool:
        return self._of(event.facts.conversation_id).conclude(lease, event, plan, rows)


def flow(container: Container) -> TicketFlow:
    """Both ticket flows."""
    world, clients = container.world, container.clients
    state = container.state
    arrivals = Arrivals.of(
        clients.richpanel, state, container.ledger, container.clock, max_age=MAX_EVENT_AGE
    )
    answering = Replies(
        orders=CustomerOrders(
            linked=clients.orders,
            shop=Shop(world),
            cache=LookupCache(table=container.table, clock=container.clock),  # type: ignore[arg-type]
            opaque=lambda: OPAQUE,
        ),
        allowances=Allowances(table=container.table, clock=container.clock),  # type: ignore[arg-type]
        opinions=None,
        opaque=lambda: OPAQUE,
        policy=POLICY,
        clock=container.clock,
    )
    return TicketFlow(
        SupportFlow(arrivals=arrivals, state=state, answering=answering),
        RepliedFlow(
            SupportFlow(arrivals=arrivals, state=state),
            reply=world.scenario.reply,
            version=world.version,
        ),
    )


def executors(container: Container) -> dict[str, Executor]:
    """What handles each kind of effect; closing is handled by the flow that planned it."""
    provoking = Provoking(container.world)
    parts = SimpleNamespace(
        ticket_executors=TicketExecutors(
            richpanel=container.clients.richpanel, clock=container.clock, log=container.log
        ),
        reply_read_back=ReplyReadBack(container.clients.richpanel, lambda: OPAQUE),
    )
    found = {**executors_of(PROVOKING, provoking), **executors_of(KINDS, parts)}
    own = found["close"].perform

    def close(actions: Sequence[Any], *, deadline_seconds: float) -> Any:
        is_own = actions[0].conversation_id.startswith("s")
        perform = own if is_own else provoking.perform
        return perform(actions, deadline_seconds=deadline_seconds)

    return {**found, "close": Executor(close)}
