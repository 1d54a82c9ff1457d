"""The state of the simulated Richpanel's tenant, and methods with which tests set and read it."""

from __future__ import annotations

import itertools
import uuid
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import unquote

from local.vendors import simulated
from local.vendors.wire import Request, WireAnswer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

HELP = f"""{simulated.HELP}
GET    /_sim/tickets               every ticket, with comments not yet visible through the API
GET    /_sim/tickets/<id>          one of them (percent-encoded)
POST   /_sim/tickets               {{"id": "1042", "comments": ["Where is my order?"], "tags": []}}
POST   /_sim/tickets/<id>/comments {{"body": "...", "operator": false, "id": "c-77"}}
POST   /_sim/tags                  {{"names": ["mw-processed"]}}: tags that the tenant has
POST   /_sim/orders                {{"app_client_id": "shop", "order_id": "9", "order": {{}},
                                    "ticket_id": "1042"}}
GET    /_sim/effects               every change that was made through the API
"""


@dataclass(slots=True)
class TenantBehaviour(simulated.Behaviour):
    """How this tenant behaves.

    Attributes:
        list_allowed: False answers the list endpoint with 403.
        tag_mode: ``name``: tags travel as names; ``id``: as the ids of ``GET /v1/tags``.
        status_alone_closes: a PUT of ``status`` without ``state`` closes too.
        raw_ids_do_nothing: a request with a raw ``<``, ``@`` or ``/`` in the id gets 200 and does
            nothing.
        comment_lag_seconds: how long an accepted comment stays invisible to reads.
        listed_with_comments: listed tickets carry their comments.
        list_key: the array's key in lists of tickets, ``ticket`` or ``tickets``.
        filters_work: the list endpoint honours ``status`` and ``updated_at``.
    """

    rate_limit: int | None = 50
    list_allowed: bool = True
    tag_mode: str = "name"
    status_alone_closes: bool = False
    raw_ids_do_nothing: bool = True
    comment_lag_seconds: float = 0.0
    listed_with_comments: bool = False
    list_key: str = "ticket"
    filters_work: bool = True


@dataclass(frozen=True, slots=True)
class TenantChange:
    """One change made through the API.

    Attributes:
        kind: tag_added, tag_removed, comment, message, closed, reopened, assigned, order_attached,
            ticket_created.
        value: the tag, comment id, assignee or order.
        changed: False if it was a repetition without effect, by set semantics.
    """

    ticket_id: str
    kind: str
    value: str
    changed: bool = True


@dataclass(slots=True)
class TenantTicket:
    """One ticket; `visible_at`: from when the API shows a comment."""

    fields: dict[str, Any]
    tags: list[str]
    comments: list[dict[str, Any]]
    visible_at: dict[str, float] = field(default_factory=dict)
    order: dict[str, str] = field(default_factory=dict)


class Tenant(simulated.Vendor):
    """Tickets, comments, tags and orders, and every change that was made through the API."""

    modes_type = TenantBehaviour
    modes: TenantBehaviour
    help_text = HELP

    def _clear(self) -> None:
        self._tickets: dict[str, TenantTicket] = {}
        self._effects: list[TenantChange] = []
        self._tag_ids: dict[str, str] = {}
        self._orders: dict[tuple[str, str], dict[str, Any]] = {}
        self._numbers = itertools.count(1001)
        self._comment_ids = itertools.count(1)
        self.users = [
            {
                "id": "agent-1",
                "email": "agent@shop.example",
                "name": "Agent",
                "role": "TENANT_ADMIN",
            }
        ]
        self.teams = [{"id": "team-1", "name": "Support", "organization_id": "org"}]
        self.channels = [{"id": "channel-1", "type": "email"}]

    # --- for tests --------------------------------------------------------------------------------

    @property
    def effects(self) -> tuple[TenantChange, ...]:
        """Every change made through the API, oldest first; not those made by a test directly."""
        with self.lock:
            return tuple(self._effects)

    def effects_of(self, ticket_id: str, kind: str) -> Counter[str]:
        """How often each value was requested, repetitions without effect included."""
        return Counter(
            effect.value
            for effect in self.effects
            if (effect.ticket_id, effect.kind) == (ticket_id, kind)
        )

    def add_ticket(
        self,
        ticket_id: str,
        *,
        comments: Sequence[str | dict[str, Any]] = (),
        tags: Iterable[str] = (),
        status: str = "OPEN",
        channel: str = "email",
        subject: str = "",
        customer_email: str | None = None,
        customer_name: str | None = None,
        **more: Any,  # noqa: ANN401 - any field of a ticket
    ) -> None:
        """Add a ticket; comments are customer texts or the arguments of `add_comment`."""
        with self.lock:
            at = self._iso()
            via: dict[str, Any] = {"channel": channel, "source": {"from": {}, "to": {}}}
            if customer_email:
                via["source"]["from"] = {"address": customer_email, "name": customer_name or ""}
            fields: dict[str, Any] = {
                "id": ticket_id,
                "conversation_no": next(self._numbers),
                "status": status,
                "state": "open" if status == "OPEN" else "closed",
                "subject": subject,
                "priority": "LOW",
                "assignee_id": None,
                "team_id": None,
                "organization_id": "org",
                "url": f"https://app.richpanel.example/conversations?viewId=search#{ticket_id}",
                "created_at": at,
                "updated_at": at,
                "via": via,
            }
            if customer_email or customer_name:
                fields["customer_profile"] = {
                    "id": f"customer-{ticket_id}",
                    "name": customer_name,
                    "email": customer_email,
                    "type": "customer",
                }
            self._tickets[ticket_id] = TenantTicket(
                {**fields, **more}, list(dict.fromkeys(tags)), []
            )
            for comment in comments:
                self.add_comment(
                    ticket_id, **({"body": comment} if isinstance(comment, str) else comment)
                )

    def add_comment(
        self,
        ticket_id: str,
        body: str,
        *,
        operator: bool = False,
        id: str | None = None,  # noqa: A002 - the API's own word
        created_at: str | None = None,
        author_id: str | None = None,
        **more: Any,  # noqa: ANN401 - any field of a comment
    ) -> str:
        """Write a comment as the customer or an operator would; returns its id."""
        with self.lock:
            ticket = self._tickets[ticket_id]
            comment = {
                "id": id or f"comment-{next(self._comment_ids)}",
                "type": "comment",
                "body": f"<p>{body}</p>",
                "plain_body": body,
                "author_id": author_id or ("agent-1" if operator else f"customer-{ticket_id}"),
                "is_operator": operator,
                "attachments": [],
                "via": ticket.fields["via"],
                "created_at": created_at or self._iso(),
                **more,
            }
            ticket.comments.append(comment)
            ticket.fields["updated_at"] = max(ticket.fields["updated_at"], self._iso())
            ticket.fields["last_message_sender_type"] = "operator" if operator else "customer"
            return cast("str", comment["id"])

    def set_last_update(self, ticket_id: str, since: str) -> None:
        """Set the time of a ticket's last update."""
        with self.lock:
            ticket = self._tickets[ticket_id]
            ticket.fields.update(created_at=since, updated_at=since)
            for comment in ticket.comments:
                comment["created_at"] = since

    def link_order(
        self, ticket_id: str, app_client_id: str, order_id: str, order: dict[str, Any]
    ) -> None:
        """Add an order and link it to a ticket."""
        with self.lock:
            self._orders[app_client_id, order_id] = order
            self._tickets[ticket_id].order = {"orderId": order_id, "appClientId": app_client_id}

    def ticket(self, ticket_id: str) -> dict[str, Any]:
        """A ticket with all comments, hidden ones included."""
        with self.lock:
            return self._shown(self._tickets[ticket_id], everything=True)

    @property
    def ticket_ids(self) -> tuple[str, ...]:
        """Every ticket's id, in order of arrival."""
        with self.lock:
            return tuple(self._tickets)

    def tags_of(self, ticket_id: str) -> set[str]:
        """The names of the tags on a ticket."""
        with self.lock:
            return set(self._tickets[ticket_id].tags)

    def tag_id(self, name: str) -> str:
        """The id of a tag in ``GET /v1/tags``; a new tag is created."""
        with self.lock:
            return self._tag_ids.setdefault(name, str(uuid.uuid5(uuid.NAMESPACE_URL, name)))

    def delete_tag(self, name: str) -> None:
        """Delete a tag of the tenant, as an administrator would; tickets lose it."""
        with self.lock:
            self._tag_ids.pop(name, None)
            for ticket in self._tickets.values():
                ticket.tags = [tag for tag in ticket.tags if tag != name]

    # --- changes made by the API ----------------------------------------------------------------

    def _comment(
        self,
        ticket: TenantTicket,
        text: str,
        kind: str,
        **settings: Any,  # noqa: ANN401
    ) -> None:
        comment_id = self.add_comment(ticket.fields["id"], text, **settings)
        ticket.visible_at[comment_id] = self._now() + self.modes.comment_lag_seconds
        self._effect(ticket, kind, comment_id)

    def _effect(self, ticket: TenantTicket, kind: str, value: str, *, changed: bool = True) -> None:
        self._effects.append(TenantChange(ticket.fields["id"], kind, value, changed))
        if changed:
            ticket.fields["updated_at"] = self._iso()

    def _shown(
        self, ticket: TenantTicket, *, everything: bool = False, comments: bool = True
    ) -> dict[str, Any]:
        now = self._now()
        as_ids = self.modes.tag_mode == "id" and not everything
        shown = {**ticket.fields, "tags": [self.tag_id(t) if as_ids else t for t in ticket.tags]}
        if comments:
            shown["comments"] = [
                comment
                for comment in ticket.comments
                if everything or ticket.visible_at.get(comment["id"], 0) <= now
            ]
        return shown

    def _iso(self) -> str:
        at = datetime.fromtimestamp(self._now(), UTC)
        return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    # --- driven from another process ------------------------------------------------------------

    def admin(self, request: Request) -> WireAnswer:
        """Adds tickets, comments, orders and effects to the paths of every vendor."""
        rest = [unquote(part) for part in request.segments[1:]]
        with self.lock:
            match (request.method, *rest):
                case ("GET", "tickets"):
                    everything = [
                        self._shown(ticket, everything=True) for ticket in self._tickets.values()
                    ]
                    return WireAnswer(200, {"tickets": everything})
                case ("GET", "tickets", ticket_id):
                    return WireAnswer(200, {"ticket": self.ticket(ticket_id)})
                case ("POST", "tickets"):
                    settings = dict(request.body)
                    self.add_ticket(settings.pop("id"), **settings)
                    return WireAnswer(200, {"ok": True})
                case ("POST", "tickets", ticket_id, "comments"):
                    return WireAnswer(200, {"id": self.add_comment(ticket_id, **request.body)})
                case ("POST", "tags"):
                    for name in request.body["names"]:
                        self.tag_id(name)
                    return WireAnswer(200, {"ok": True})
                case ("POST", "orders"):
                    self.link_order(**{"order": {}, **request.body})
                    return WireAnswer(200, {"ok": True})
                case ("GET", "effects"):
                    rows = [
                        {
                            "ticket_id": effect.ticket_id,
                            "kind": effect.kind,
                            "value": effect.value,
                            "changed": effect.changed,
                        }
                        for effect in self._effects
                    ]
                    return WireAnswer(200, {"effects": rows})
                case _:
                    return super().admin(request)
