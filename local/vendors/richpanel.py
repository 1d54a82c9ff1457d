"""A simulated Richpanel: tickets, tags, comments and order links behind its HTTP API.

It does what the real one was seen to do, the unpleasant included:

- a ticket id that is not percent-encoded in the path (a Message-ID, ``<CAM@mail.gmail.com>``) is
  answered 200 and nothing is changed;
- ``PUT {"ticket": {"status": "CLOSED"}}`` without ``state`` is answered 200 and closes nothing;
- the list endpoint may be forbidden to a key that may read single tickets;
- 50 requests in 30 seconds for the whole account, whoever makes them.

From Python::

    with Richpanel() as richpanel:
        richpanel.add_ticket("1042", comments=["Where is my order?"])
        ...
        assert richpanel.tags_of("1042") == {"route-order-status", "mw-processed"}
        assert richpanel.effects_of("1042", "tag_added")["mw-processed"] == 1

From another process: ``GET /_sim`` on the same port tells how.
"""

from __future__ import annotations

import itertools
import time
import uuid
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import unquote

from local.vendors import wire
from local.vendors.wire import Answer, Request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

API_KEY = "simulated-richpanel-key"
PAGE_LIMIT = 100
HELP = f"""{wire.HELP}
GET    /_sim/tickets               every ticket, with what is not visible through the API yet
GET    /_sim/tickets/<id>          one of them (percent-encoded)
POST   /_sim/tickets               {{"id": "1042", "comments": ["Where is my order?"], "tags": []}}
POST   /_sim/tickets/<id>/comments {{"body": "...", "operator": false, "id": "c-77"}}
POST   /_sim/orders                {{"app_client_id": "shop", "order_id": "9", "order": {{}},
                                    "ticket_id": "1042"}}
GET    /_sim/effects               every change that was made through the API
"""


@dataclass(slots=True)
class Modes(wire.Modes):
    """How this tenant behaves.

    Attributes:
        list_allowed: False answers the list endpoint with 403.
        tag_mode: ``name``: tags travel as names; ``id``: as the ids of ``GET /v1/tags``.
        status_alone_closes: a PUT of ``status`` without ``state`` closes too.
        raw_ids_do_nothing: an id with a raw ``<``, ``@`` or ``/`` is answered 200 unchanged.
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
class Effect:
    """One change made through the API.

    Attributes:
        kind: tag_added, tag_removed, comment, message, closed, reopened, assigned, order_attached,
            ticket_created.
        value: the tag, comment id, assignee or order.
        changed: False when set semantics made it a repetition without effect.
    """

    ticket_id: str
    kind: str
    value: str
    changed: bool = True


@dataclass(slots=True)
class _Ticket:
    fields: dict[str, Any]
    tags: list[str]
    comments: list[dict[str, Any]]
    visible_at: dict[str, float] = field(default_factory=dict)
    order: dict[str, str] = field(default_factory=dict)


class Richpanel(wire.Vendor):
    """The server.

    Args:
        port: 0 for any free port.
        api_keys: keys that are let in; a list, so that a key can be rotated.
        now: epoch seconds, for the times in tickets.
    """

    name = "richpanel"
    modes_type = Modes
    modes: Modes

    def __init__(
        self,
        port: int = 0,
        *,
        api_keys: Iterable[str] = (API_KEY,),
        now: Callable[[], float] = time.time,
    ) -> None:
        self.api_keys = list(api_keys)
        self._first_keys = tuple(self.api_keys)
        self._now = now
        self._clear()
        super().__init__(port)

    def _clear(self) -> None:
        self._tickets: dict[str, _Ticket] = {}
        self._effects: list[Effect] = []
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

    def reset(self) -> None:
        """Forget everything; the port stays and the first keys are valid again."""
        with self.lock:
            super().reset()
            self._clear()
            self.api_keys = list(self._first_keys)

    # --- what a test drives ---------------------------------------------------------------------

    @property
    def base_url(self) -> str:
        """What ``RICHPANEL_BASE_URL`` wants."""
        return self.url

    @property
    def effects(self) -> tuple[Effect, ...]:
        """Every change made through the API, oldest first; not what a test put there itself."""
        with self.lock:
            return tuple(self._effects)

    def effects_of(self, ticket_id: str, kind: str) -> Counter[str]:
        """How often each value was asked for, repetitions without effect included."""
        return Counter(
            one.value for one in self.effects if (one.ticket_id, one.kind) == (ticket_id, kind)
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
        """Put a ticket there; comments are customer texts or the arguments of `add_comment`."""
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
            self._tickets[ticket_id] = _Ticket({**fields, **more}, list(dict.fromkeys(tags)), [])
            for one in comments:
                self.add_comment(ticket_id, **({"body": one} if isinstance(one, str) else one))

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

    def link_order(
        self, ticket_id: str, app_client_id: str, order_id: str, order: dict[str, Any]
    ) -> None:
        """Make an order known and link it to a ticket."""
        with self.lock:
            self._orders[app_client_id, order_id] = order
            self._tickets[ticket_id].order = {"orderId": order_id, "appClientId": app_client_id}

    def ticket(self, ticket_id: str) -> dict[str, Any]:
        """A ticket as it is, hidden comments included."""
        with self.lock:
            return self._shown(self._tickets[ticket_id], everything=True)

    @property
    def ticket_ids(self) -> tuple[str, ...]:
        """Every ticket there is, in the order they came."""
        with self.lock:
            return tuple(self._tickets)

    def tags_of(self, ticket_id: str) -> set[str]:
        """The names of the tags on a ticket."""
        with self.lock:
            return set(self._tickets[ticket_id].tags)

    def tag_id(self, name: str) -> str:
        """The id a tag has in ``GET /v1/tags``; made when it is new."""
        with self.lock:
            return self._tag_ids.setdefault(name, str(uuid.uuid5(uuid.NAMESPACE_URL, name)))

    # --- the API --------------------------------------------------------------------------------

    def operation_of(self, request: Request) -> str:
        """Operations are named after what they do, e.g. ``read_ticket``, ``add_tags``."""
        if request.segments[:1] != ("v1",):
            return "unknown"
        method, parts = request.method, request.segments[1:]
        verb = (method, parts[-1]) if len(parts) > 2 else None  # noqa: PLR2004
        match (method, *parts):
            case ("GET", "tickets"):
                return "list_tickets"
            case ("POST", "tickets"):
                return "create_ticket"
            case ("GET", "tickets", "number", _):
                return "read_ticket_by_number"
            case ("GET", "tickets", "email" | "phone", _):
                return "list_customer_tickets"
            case ("PUT", "tickets", *_, "attach-order", _, _):
                return "attach_order"
            case (_, "tickets", *_) if verb in _TICKET_VERBS:
                return _TICKET_VERBS[verb]
            case ("GET", "tickets", *_):
                return "read_ticket"
            case ("PUT", "tickets", *_):
                return "update_ticket"
            case (_, *rest):
                return _OTHERS.get((method, rest[0], len(rest)), "unknown")
        return "unknown"

    def refusal(self, request: Request, operation: str) -> Answer | None:
        """401 without a known key; 403 on lists where the tenant forbids them."""
        if request.headers.get("x-richpanel-key") not in self.api_keys:
            return Answer(401, self.error_body(401))
        if operation == "list_tickets" and not self.modes.list_allowed:
            return Answer(403, self.error_body(403))
        return None

    def answer(self, request: Request, operation: str) -> Answer:
        """Do what is asked."""
        parts = request.segments[1:]
        match operation:
            case "list_tickets":
                return self._list(request)
            case "create_ticket":
                return self._create(request.body)
            case "read_ticket_by_number":
                return self._by_number(parts[2])
            case "list_customer_tickets":
                return self._by_customer(unquote(parts[2]))
            case "list_tags" | "create_tag":
                return self._tags(request)
            case "list_users":
                return Answer(200, {"user": self.users})
            case "list_teams":
                return Answer(200, {"team": self.teams})
            case "list_channels":
                return Answer(200, {"channel": self.channels})
            case "read_order_link":
                ticket = self._tickets.get(unquote(parts[1]))
                return Answer(200, ticket.order if ticket else {})
            case "read_order":
                order = self._orders.get((unquote(parts[1]), unquote(parts[2])))
                return Answer(404, self.error_body(404)) if order is None else Answer(200, order)
            case "unknown":
                return Answer(404, self.error_body(404))
            case _:
                return self._on_ticket(request, operation)

    def error_body(self, status: int) -> dict[str, Any]:
        """Richpanel explains errors under ``error``."""
        return {"error": {"message": _REASONS.get(status, "Something went wrong")}}

    # --- one ticket -----------------------------------------------------------------------------

    def _on_ticket(self, request: Request, operation: str) -> Answer:
        rest = request.segments[2:]
        tail = {"read_ticket": 0, "update_ticket": 0, "attach_order": 3}.get(operation, 1)
        raw = rest[: len(rest) - tail]
        ticket_id = unquote("/".join(raw))
        ticket = self._tickets.get(ticket_id)
        if len(raw) > 1 or any(mark in raw[0] for mark in "<>@"):
            if self.modes.raw_ids_do_nothing:
                return Answer(200, {"ticket": {}})
        elif ticket is None:
            return Answer(404, self.error_body(404))
        if ticket is None:
            return Answer(404, self.error_body(404))
        match operation:
            case "read_ticket":
                return Answer(200, {"ticket": self._shown(ticket)})
            case "add_tags" | "remove_tags":
                return self._change_tags(ticket, request.body, add=operation == "add_tags")
            case "send_message":
                return self._send_message(ticket, request.body)
            case "attach_order":
                order_id, app_client_id = unquote(rest[-1]), unquote(rest[-2])
                changed = ticket.order.get("orderId") != order_id
                ticket.order = {"orderId": order_id, "appClientId": app_client_id}
                self._effect(ticket, "order_attached", order_id, changed=changed)
                return Answer(200, {"ticket": self._shown(ticket)})
            case _:
                return self._update(ticket, request.body)

    def _change_tags(self, ticket: _Ticket, body: Any, *, add: bool) -> Answer:  # noqa: ANN401
        tags = body.get("tags") if isinstance(body, dict) else None
        if not isinstance(tags, list) or not all(isinstance(tag, str) and tag for tag in tags):
            return Answer(400, self.error_body(400))
        if self.modes.tag_mode == "id":
            names = {value: name for name, value in self._tag_ids.items()}
            if any(tag not in names for tag in tags):
                return Answer(400, self.error_body(400))
            tags = [names[tag] for tag in tags]
        for tag in tags:
            self.tag_id(tag)
            changed = (tag not in ticket.tags) if add else (tag in ticket.tags)
            if changed:
                (ticket.tags.append if add else ticket.tags.remove)(tag)
            self._effect(ticket, "tag_added" if add else "tag_removed", tag, changed=changed)
        return Answer(200, {"ticket": self._shown(ticket)})

    def _send_message(self, ticket: _Ticket, body: Any) -> Answer:  # noqa: ANN401
        if not isinstance(body, dict) or not body.get("body") or not body.get("author_id"):
            return Answer(400, self.error_body(400))
        self._comment(ticket, body["body"], "message", operator=True, author_id=body["author_id"])
        return Answer(200, {"ticket": self._shown(ticket)})

    def _update(self, ticket: _Ticket, body: Any) -> Answer:  # noqa: ANN401
        change = body.get("ticket") if isinstance(body, dict) else None
        if not isinstance(change, dict):
            return Answer(400, self.error_body(400))
        if isinstance(comment := change.get("comment"), dict) and comment.get("body"):
            operator = comment.get("sender_type", "operator") != "customer"
            self._comment(
                ticket,
                comment["body"],
                "comment",
                operator=operator,
                author_id=comment.get("author_id"),
                public=bool(comment.get("public", True)),
            )
        if "assignee_id" in change:
            assignee = None if change["assignee_id"] == "unassigned" else change["assignee_id"]
            changed = ticket.fields["assignee_id"] != assignee
            ticket.fields["assignee_id"] = assignee
            self._effect(ticket, "assigned", str(assignee), changed=changed)
        for name in ("priority", "subject"):
            if name in change:
                ticket.fields[name] = change[name]
        self._set_status(ticket, change)
        return Answer(200, {"ticket": self._shown(ticket)})

    def _set_status(self, ticket: _Ticket, change: dict[str, Any]) -> None:
        status = change.get("status")
        state = change.get("state") or (
            {"CLOSED": "closed", "OPEN": "open"}.get(str(status))
            if self.modes.status_alone_closes
            else None
        )
        if (status, state) not in (("CLOSED", "closed"), ("OPEN", "open")):
            return
        changed = ticket.fields["status"] != status
        ticket.fields.update(status=status, state=state, updated_at=self._iso())
        if status == "CLOSED":
            ticket.fields["closed_at"] = self._iso()
        self._effect(ticket, "closed" if status == "CLOSED" else "reopened", "", changed=changed)

    def _comment(
        self,
        ticket: _Ticket,
        text: str,
        kind: str,
        **settings: Any,  # noqa: ANN401
    ) -> None:
        comment_id = self.add_comment(ticket.fields["id"], text, **settings)
        ticket.visible_at[comment_id] = time.monotonic() + self.modes.comment_lag_seconds
        self._effect(ticket, kind, comment_id)

    def _effect(self, ticket: _Ticket, kind: str, value: str, *, changed: bool = True) -> None:
        self._effects.append(Effect(ticket.fields["id"], kind, value, changed))
        if changed:
            ticket.fields["updated_at"] = self._iso()

    def _shown(
        self, ticket: _Ticket, *, everything: bool = False, comments: bool = True
    ) -> dict[str, Any]:
        now = time.monotonic()
        as_ids = self.modes.tag_mode == "id" and not everything
        shown = {**ticket.fields, "tags": [self.tag_id(t) if as_ids else t for t in ticket.tags]}
        if comments:
            shown["comments"] = [
                comment
                for comment in ticket.comments
                if everything or ticket.visible_at.get(comment["id"], 0) <= now
            ]
        return shown

    # --- several tickets ------------------------------------------------------------------------

    def _list(self, request: Request) -> Answer:
        query = request.query
        try:
            page, per_page = int(query.get("page", "1")), int(query.get("per_page", "10"))
        except ValueError:
            return Answer(400, self.error_body(400))
        if page < 1 or not 1 <= per_page <= PAGE_LIMIT:
            return Answer(400, self.error_body(400))
        tickets = list(self._tickets.values())
        if self.modes.filters_work:
            since = query.get("updated_at", "")
            status = query.get("status")
            tickets = [
                one
                for one in tickets
                if one.fields["updated_at"][: len(since)] >= since
                and status in (None, one.fields["status"])
            ]
        key = "created_at" if query.get("sortKey") == "createdAt" else "updated_at"
        descending = query.get("order", "DESC") == "DESC"
        tickets.sort(key=lambda one: str(one.fields[key]), reverse=descending)
        first = (page - 1) * per_page
        found = tickets[first : first + per_page]
        with_comments = self.modes.listed_with_comments
        link = f"{self.url}/v1/tickets?page={{}}&per_page={per_page}"
        return Answer(
            200,
            {
                "count": len(tickets),
                "next_page": link.format(page + 1) if first + per_page < len(tickets) else None,
                "previous_page": link.format(page - 1) if page > 1 else None,
                self.modes.list_key: [self._shown(one, comments=with_comments) for one in found],
            },
        )

    def _by_number(self, number: str) -> Answer:
        for ticket in self._tickets.values():
            if str(ticket.fields["conversation_no"]) == number:
                return Answer(200, {"ticket": self._shown(ticket)})
        return Answer(404, self.error_body(404))

    def _by_customer(self, value: str) -> Answer:
        found = [
            self._shown(ticket, comments=False)
            for ticket in self._tickets.values()
            if ticket.fields["via"]["source"]["from"].get("address") == value
        ]
        return Answer(200, {"count": len(found), "ticket": found})

    def _create(self, body: Any) -> Answer:  # noqa: ANN401
        given = body.get("ticket") if isinstance(body, dict) else None
        if not isinstance(given, dict) or not isinstance(given.get("comment"), dict):
            return Answer(400, self.error_body(400))
        ticket_id = str(uuid.uuid4())
        comment = given["comment"]
        self.add_ticket(
            ticket_id,
            tags=given.get("tags", ()),
            status=given.get("status", "OPEN"),
            subject=given.get("subject", ""),
            channel=given.get("via", {}).get("channel", "email"),
        )
        ticket = self._tickets[ticket_id]
        self._effect(ticket, "ticket_created", ticket_id)
        operator = comment.get("sender_type") == "operator"
        self._comment(ticket, comment.get("body", ""), "comment", operator=operator)
        return Answer(200, {"ticket": self._shown(ticket)})

    def _tags(self, request: Request) -> Answer:
        if request.method == "POST":
            name = (request.body or {}).get("name") if isinstance(request.body, dict) else None
            if not isinstance(name, str) or not name:
                return Answer(400, self.error_body(400))
            if name in self._tag_ids:
                return Answer(409, self.error_body(409))
            return Answer(200, {"tag": {"id": self.tag_id(name), "name": name}})
        rows = [{"id": key, "name": name} for name, key in self._tag_ids.items()]
        return Answer(200, {"tag": rows})

    def _iso(self) -> str:
        at = datetime.fromtimestamp(self._now(), UTC)
        return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    # --- driven from another process ------------------------------------------------------------

    def admin(self, request: Request) -> Answer:
        """Tickets, comments, orders and effects; the rest is every vendor's."""
        rest = [unquote(part) for part in request.segments[1:]]
        with self.lock:
            match (request.method, *rest):
                case ("GET",):
                    return Answer(200, HELP)
                case ("GET", "tickets"):
                    everything = [
                        self._shown(one, everything=True) for one in self._tickets.values()
                    ]
                    return Answer(200, {"tickets": everything})
                case ("GET", "tickets", ticket_id):
                    return Answer(200, {"ticket": self.ticket(ticket_id)})
                case ("POST", "tickets"):
                    settings = dict(request.body)
                    self.add_ticket(settings.pop("id"), **settings)
                    return Answer(200, {"ok": True})
                case ("POST", "tickets", ticket_id, "comments"):
                    return Answer(200, {"id": self.add_comment(ticket_id, **request.body)})
                case ("POST", "orders"):
                    self.link_order(**{"order": {}, **request.body})
                    return Answer(200, {"ok": True})
                case ("GET", "effects"):
                    rows = [
                        {
                            "ticket_id": one.ticket_id,
                            "kind": one.kind,
                            "value": one.value,
                            "changed": one.changed,
                        }
                        for one in self._effects
                    ]
                    return Answer(200, {"effects": rows})
                case _:
                    return super().admin(request)


_TICKET_VERBS = {
    ("PUT", "add-tags"): "add_tags",
    ("PUT", "remove-tags"): "remove_tags",
    ("PUT", "send-message"): "send_message",
}
_OTHERS = {
    ("GET", "tags", 1): "list_tags",
    ("POST", "tags", 1): "create_tag",
    ("GET", "users", 1): "list_users",
    ("GET", "teams", 1): "list_teams",
    ("GET", "channel", 1): "list_channels",
    ("GET", "order", 2): "read_order_link",
    ("GET", "order", 3): "read_order",
}
_REASONS = {
    400: "Bad request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not found",
    409: "Identifier already used",
    429: "Too many requests",
}
