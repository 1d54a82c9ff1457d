"""The support flow on the simulated providers: as it is deployed, and beside it the flow of `flow`.

Tickets ``t...`` are those of `flow`, tickets ``s...`` the product's own, with replies and orders.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from chalicelib.errors import AuthError, ProviderError, TransientError, UncertainError
from chalicelib.once.action import Action, ActionRow, Found, UnsettledAction
from chalicelib.once.effects import DEADLINE_SECONDS
from chalicelib.once.event import Lease
from chalicelib.once.flow import Event, Flow
from chalicelib.once.keys import OpaqueIds
from chalicelib.once.plan import Plan, PlannedAction
from chalicelib.once.ports import Clock, Switches
from chalicelib.support.flow import SupportFlow
from chalicelib.support.limits import Allowances
from chalicelib.support.orders.cache import Lookups
from chalicelib.support.orders.lookup import CustomerOrders
from chalicelib.support.orders.order import Lookup
from chalicelib.support.performing import TicketExecutors
from chalicelib.support.read_back import ReplyReadBack
from chalicelib.support.replies.answering import Answering
from chalicelib.support.replies.guard_rails import Policy
from chalicelib.support.replies.templates import CATALOGUE
from chalicelib.support.richpanel.client import is_reply
from chalicelib.support.tickets import Ticket, TicketPage
from tests.simulation.faults import Port
from tests.simulation.flow import AUTHOR, REPLIES, RepliedFlow

if TYPE_CHECKING:
    from tests.simulation.containers import Container
    from tests.simulation.world import World

OPAQUE = OpaqueIds(b"simulation")
MAX_EVENT_AGE = timedelta(days=7)
POLICY = Policy(
    is_outbound_enabled=True,
    templates=frozenset(CATALOGUE),
    author_id=AUTHOR,
    domains=frozenset({"example.com"}),
)


class SimRichpanel:
    """`adapters.richpanel.Richpanel` as flows, executors and sweep use it; one per container.

    Attributes:
        sending: the actions being performed.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._call = world.network.call
        self.sending: Sequence[Any] = ()

    # --- reads --------------------------------------------------------------------------------

    def read_ticket(self, conversation_id: str) -> Ticket:
        found: Ticket = self._call(Port.VENDOR_READ, self._world.vendor.read, conversation_id)
        return found

    def open_page(self, *, since: datetime, page: int) -> TicketPage:
        vendor = self._world.vendor
        listed: list[Ticket] = self._call(
            Port.VENDOR_READ, lambda: list(vendor.open_since(since.timestamp()))
        )
        return TicketPage(tuple(listed), is_last=True, fingerprint=str(page))

    def read_ticket_by_number(self, number: int) -> Ticket | None:
        raise AssertionError(f"ticket {number} is walked to where tickets are listed")

    def find_order(self, number: str, *, requester_email: str) -> Lookup:
        del requester_email
        found: Lookup = self._call(Port.VENDOR_READ, self._world.shop.find, number)
        return found

    def linked_order(self, conversation_id: str) -> None:
        self._call(Port.VENDOR_READ, self._world.vendor.read, conversation_id)

    def replies(self, action: UnsettledAction) -> tuple[Found, ...]:
        """Settles a queried reply; other actions with the same text are candidates too."""
        apart = self._world.provider_ahead_seconds()
        shown: list[str] = self._call(Port.VENDOR_READ, self._world.vendor.replies, action, apart)
        asked = (action.kind, action.conversation_id, action.probe)
        candidates = tuple(
            row["event_id"]
            for row in self._world.ledger.rows.values()
            if tuple(map(row.get, ("action_kind", "conversation_id", "probe"))) == asked
            and row["event_id"] != action.key
        )
        return tuple(Found(ref, candidates) for ref in shown)

    # --- effects ------------------------------------------------------------------------------

    def perform(self, actions: Sequence[Any], *, deadline_seconds: float) -> Any:
        del deadline_seconds
        vendor, kind = self._world.vendor, actions[0].kind
        is_checked = kind in {"add_tag", "remove_tag"}
        result = self._world.network.effect(
            actions, lambda: vendor.land(actions), is_checked=is_checked
        )
        shown = vendor.tickets[actions[0].conversation_id].tags
        if is_checked and any((one.tag in shown) != (kind == "add_tag") for one in actions):
            raise UncertainError("richpanel", kind, reason="not_applied")
        return result

    def send_message(
        self,
        conversation_id: str,
        *,
        body: str,
        author_id: str,
        reference: str,
        deadline_seconds: float,
    ) -> Any:
        del deadline_seconds
        (action,), vendor = self.sending, self._world.vendor
        self._world.network.effect(
            self.sending,
            lambda: vendor.comment(action.key, conversation_id, body),
            is_checked=True,
        )
        try:
            ticket = self.read_ticket(conversation_id)
        except ProviderError as error:
            raise UncertainError.of(error) from None
        sent = [one.id for one in ticket.comments if is_reply(one, author_id, reference, body)]
        if not sent:
            raise UncertainError("richpanel", "send_message", reason="not_visible")
        return sent[-1]

    def close(self, conversation_id: str, *, deadline_seconds: float) -> Ticket:
        del deadline_seconds
        (action,), vendor = self.sending, self._world.vendor
        self._world.network.effect(
            self.sending, lambda: vendor.close(action.key, conversation_id), is_checked=True
        )
        try:
            ticket = self.read_ticket(conversation_id)
        except (TransientError, AuthError) as error:
            raise UncertainError.of(error) from None
        if ticket.is_open:
            raise TransientError("richpanel", "close", reason="not_applied")
        return ticket

    def reopen(self, conversation_id: str, *, deadline_seconds: float) -> Any:
        if deadline_seconds <= 0:
            raise TransientError("richpanel", "reopen", reason="deadline")
        vendor = self._world.vendor
        return self._world.network.effect(
            self.sending, lambda: vendor.reopen(conversation_id), within=DEADLINE_SECONDS
        )

    def remembering(self, perform: Callable[..., Any]) -> Callable[..., Any]:
        """An executor that makes its actions known to the calls below it."""

        def performed(actions: Sequence[Action], *, deadline_seconds: float) -> Any:
            self.sending = actions
            return perform(actions, deadline_seconds=deadline_seconds)

        return performed


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

    def plan(self, event: Event, switches: Switches) -> Plan:
        return self._of(event.facts.conversation_id).plan(event, switches)

    def recheck(self, event: Event, plan: Plan, switches: Switches) -> None:
        self._of(event.facts.conversation_id).recheck(event, plan, switches)

    def escalation(self, event: Event, reason: str) -> Action | None:
        return self._of(event.facts.conversation_id).escalation(event, reason)

    def build(self, planned: PlannedAction, event: Event, plan: Plan) -> Action:
        return self._of(event.facts.conversation_id).build(planned, event, plan)

    def conclude(
        self, lease: Lease, event: Event, plan: Plan, rows: Mapping[str, ActionRow]
    ) -> bool:
        return self._of(event.facts.conversation_id).conclude(lease, event, plan, rows)


def flow(container: Container, richpanel: SimRichpanel) -> TicketFlow:
    """Both ticket flows."""
    world = container.world
    parts = (richpanel, container.state, container.ledger, container.clock)
    answering = Answering(
        orders=CustomerOrders(
            linked=richpanel,
            shop=richpanel,
            cache=Lookups(container.table, container.clock),  # type: ignore[arg-type]
            opaque=lambda: OPAQUE,
        ),
        allowances=Allowances(container.table, container.clock),  # type: ignore[arg-type]
        opinions=None,
        opaque=lambda: OPAQUE,
        policy=POLICY,
        clock=container.clock,
    )
    return TicketFlow(
        SupportFlow(*parts, answering, max_event_age=MAX_EVENT_AGE),
        RepliedFlow(
            SupportFlow(*parts, max_event_age=MAX_EVENT_AGE),
            reply=world.scenario.reply,
            version=world.version,
        ),
    )


def executors(richpanel: SimRichpanel, clock: Clock) -> tuple[dict[str, Any], dict[str, Any]]:
    """The executor of each kind of action, and the preparers.

    Closing uses the executor of the flow that planned it.
    """
    own = TicketExecutors(richpanel, clock)  # type: ignore[arg-type]
    own_close = richpanel.remembering(own.close)

    def close(actions: Sequence[Any], *, deadline_seconds: float) -> Any:
        is_own = actions[0].conversation_id.startswith("s")
        perform = own_close if is_own else richpanel.perform
        return perform(actions, deadline_seconds=deadline_seconds)

    kinds = ("add_tag", "remove_tag", "assign", "note", *REPLIES)
    performing = {
        **dict.fromkeys(kinds, richpanel.perform),
        "reply": richpanel.remembering(own.reply),
        "close": close,
    }
    return performing, {"reply": own.prepare}


def settlers(richpanel: SimRichpanel) -> dict[str, Any]:
    """The settlers, by kind of action."""
    return {
        "reply_queried": richpanel.replies,
        "reply": ReplyReadBack(richpanel, lambda: OPAQUE),
    }
