"""A simulated Richpanel: tickets, tags, comments and order links behind its HTTP API.

It behaves as the real one was observed to, including the inconvenient parts:

- a ticket id that is not percent-encoded in the path (a Message-ID, ``<CAM@mail.gmail.com>``) gets
  200 and nothing changes;
- ``PUT {"ticket": {"status": "CLOSED"}}`` without ``state`` gets 200 and does not close;
- the list endpoint may be forbidden to a key that may read single tickets;
- 50 requests in 30 seconds for the whole account, across all clients.

From Python::

    with Richpanel() as richpanel:
        richpanel.add_ticket("1042", comments=["Where is my order?"])
        ...
        assert richpanel.tags_of("1042") == {"route-order-status", "mw-processed"}
        assert richpanel.effects_of("1042", "tag_added")["mw-processed"] == 1

From another process: see ``GET /_sim`` on the same port.
"""

from __future__ import annotations

import time
import uuid
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from local.vendors.richpanel_operations import operation
from local.vendors.richpanel_tenant import Tenant, TenantTicket
from local.vendors.wire import Request, WireAnswer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

API_KEY = "simulated-richpanel-key"
PAGE_LIMIT = 100


class SimulatedRichpanel(Tenant):
    """The server.

    Args:
        port: 0 for any free port.
        api_keys: valid keys; a list, so that a key can be rotated.
        now: epoch seconds, for the times in tickets.
    """

    name = "richpanel"

    def __init__(
        self,
        port: int = 0,
        *,
        api_keys: Iterable[str] = (API_KEY,),
        now: Callable[[], float] = time.time,
    ) -> None:
        self._first_keys = tuple(api_keys)
        super().__init__(port, now=now)

    def _clear(self) -> None:
        super()._clear()
        self.api_keys = list(self._first_keys)

    # --- the API --------------------------------------------------------------------------------

    def operation_of(self, request: Request) -> str:
        """See `simulated.Vendor.operation_of`."""
        return operation(request.method, request.segments)

    def refusal(self, request: Request, operation: str) -> WireAnswer | None:
        """401 without a known key; 403 on lists where the tenant forbids them."""
        if request.headers.get("x-richpanel-key") not in self.api_keys:
            return WireAnswer(401, self.error_body(401))
        if operation == "list_tickets" and not self.modes.list_allowed:
            return WireAnswer(403, self.error_body(403))
        return None

    def answer(self, request: Request, operation: str) -> WireAnswer:
        """Perform the operation."""
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
                return WireAnswer(200, {"user": self.users})
            case "list_teams":
                return WireAnswer(200, {"team": self.teams})
            case "list_channels":
                return WireAnswer(200, {"channel": self.channels})
            case "read_order_link":
                ticket = self._tickets.get(unquote(parts[1]))
                return WireAnswer(200, ticket.order if ticket else {})
            case "read_order":
                order = self._orders.get((unquote(parts[1]), unquote(parts[2])))
                return (
                    WireAnswer(404, self.error_body(404))
                    if order is None
                    else WireAnswer(200, order)
                )
            case "unknown":
                return WireAnswer(404, self.error_body(404))
            case _:
                return self._on_ticket(request, operation)

    def ignored(self, request: Request) -> WireAnswer:
        """200 with the ticket as it is, as observed."""
        ticket = self._tickets.get(unquote(request.segments[2]))
        return WireAnswer(200, {"ticket": self._shown(ticket)} if ticket else {})

    def error_body(self, status: int) -> dict[str, Any]:
        """Richpanel describes errors under ``error``."""
        return {"error": {"message": _REASONS.get(status, "Something went wrong")}}

    # --- one ticket -----------------------------------------------------------------------------

    def _on_ticket(self, request: Request, operation: str) -> WireAnswer:
        rest = request.segments[2:]
        tail = {"read_ticket": 0, "update_ticket": 0, "attach_order": 3}.get(operation, 1)
        raw = rest[: len(rest) - tail]
        ticket_id = unquote("/".join(raw))
        ticket = self._tickets.get(ticket_id)
        if len(raw) > 1 or any(mark in part for part in raw for mark in "<>@"):
            if self.modes.raw_ids_do_nothing:
                return WireAnswer(200, {"ticket": {}})
        elif ticket is None:
            return WireAnswer(404, self.error_body(404))
        if ticket is None:
            return WireAnswer(404, self.error_body(404))
        match operation:
            case "read_ticket":
                return WireAnswer(200, {"ticket": self._shown(ticket)})
            case "add_tags" | "remove_tags":
                return self._change_tags(ticket, request.body, add=operation == "add_tags")
            case "send_message":
                return self._send_message(ticket, request.body)
            case "attach_order":
                order_id, app_client_id = unquote(rest[-1]), unquote(rest[-2])
                changed = ticket.order.get("orderId") != order_id
                ticket.order = {"orderId": order_id, "appClientId": app_client_id}
                self._effect(ticket, "order_attached", order_id, changed=changed)
                return WireAnswer(200, {"ticket": self._shown(ticket)})
            case _:
                return self._update(ticket, request.body)

    def _change_tags(self, ticket: TenantTicket, body: Any, *, add: bool) -> WireAnswer:  # noqa: ANN401
        tags = body.get("tags") if isinstance(body, dict) else None
        if not isinstance(tags, list) or not all(isinstance(tag, str) and tag for tag in tags):
            return WireAnswer(400, self.error_body(400))
        if self.modes.tag_mode == "id":
            names = {value: name for name, value in self._tag_ids.items()}
            if any(tag not in names for tag in tags):
                return WireAnswer(400, self.error_body(400))
            tags = [names[tag] for tag in tags]
        for tag in tags:
            self.tag_id(tag)
            changed = (tag not in ticket.tags) if add else (tag in ticket.tags)
            if changed:
                (ticket.tags.append if add else ticket.tags.remove)(tag)
            self._effect(ticket, "tag_added" if add else "tag_removed", tag, changed=changed)
        return WireAnswer(200, {"ticket": self._shown(ticket)})

    def _send_message(self, ticket: TenantTicket, body: Any) -> WireAnswer:  # noqa: ANN401
        if not isinstance(body, dict) or not body.get("body") or not body.get("author_id"):
            return WireAnswer(400, self.error_body(400))
        self._comment(ticket, body["body"], "message", operator=True, author_id=body["author_id"])
        return WireAnswer(200, {"ticket": self._shown(ticket)})

    def _update(self, ticket: TenantTicket, body: Any) -> WireAnswer:  # noqa: ANN401
        change = body.get("ticket") if isinstance(body, dict) else None
        if not isinstance(change, dict):
            return WireAnswer(400, self.error_body(400))
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
        ids = {user["id"] for user in self.users}, {team["id"] for team in self.teams}
        asked = change.get("assignee_id", "unassigned"), change.get("team_id")
        if asked[0] not in {*ids[0], "unassigned"} or asked[1] not in {*ids[1], None}:
            return WireAnswer(404, self.error_body(404))
        if "team_id" in change:
            changed = ticket.fields["team_id"] != change["team_id"]
            ticket.fields["team_id"] = change["team_id"]
            self._effect(ticket, "assigned", f"team:{change['team_id']}", changed=changed)
        if "assignee_id" in change:
            assignee = None if change["assignee_id"] == "unassigned" else change["assignee_id"]
            changed = ticket.fields["assignee_id"] != assignee
            ticket.fields["assignee_id"] = assignee
            self._effect(ticket, "assigned", str(assignee), changed=changed)
        for name in ("priority", "subject"):
            if name in change:
                ticket.fields[name] = change[name]
        self._set_status(ticket, change)
        return WireAnswer(200, {"ticket": self._shown(ticket)})

    def _set_status(self, ticket: TenantTicket, change: dict[str, Any]) -> None:
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

    # --- several tickets ------------------------------------------------------------------------

    def _list(self, request: Request) -> WireAnswer:
        query = request.query
        try:
            page, per_page = int(query.get("page", "1")), int(query.get("per_page", "10"))
        except ValueError:
            return WireAnswer(400, self.error_body(400))
        if page < 1 or not 1 <= per_page <= PAGE_LIMIT:
            return WireAnswer(400, self.error_body(400))
        tickets = list(self._tickets.values())
        if self.modes.filters_work:
            since = query.get("updated_at", "")
            status = query.get("status")
            tickets = [
                ticket
                for ticket in tickets
                if ticket.fields["updated_at"][: len(since)] >= since
                and status in (None, ticket.fields["status"])
            ]
        key = "created_at" if query.get("sortKey") == "createdAt" else "updated_at"
        descending = query.get("order", "DESC") == "DESC"
        tickets.sort(key=lambda ticket: str(ticket.fields[key]), reverse=descending)
        first = (page - 1) * per_page
        found = tickets[first : first + per_page]
        with_comments = self.modes.listed_with_comments
        link = f"{self.url}/v1/tickets?page={{}}&per_page={per_page}"
        return WireAnswer(
            200,
            {
                "count": len(tickets),
                "next_page": link.format(page + 1) if first + per_page < len(tickets) else None,
                "previous_page": link.format(page - 1) if page > 1 else None,
                self.modes.list_key: [
                    self._shown(ticket, comments=with_comments) for ticket in found
                ],
            },
        )

    def _by_number(self, number: str) -> WireAnswer:
        for ticket in self._tickets.values():
            if str(ticket.fields["conversation_no"]) == number:
                return WireAnswer(200, {"ticket": self._shown(ticket)})
        return WireAnswer(404, self.error_body(404))

    def _by_customer(self, value: str) -> WireAnswer:
        found = [
            self._shown(ticket, comments=False)
            for ticket in self._tickets.values()
            if ticket.fields["via"]["source"]["from"].get("address") == value
        ]
        return WireAnswer(200, {"count": len(found), "ticket": found})

    def _create(self, body: Any) -> WireAnswer:  # noqa: ANN401
        given = body.get("ticket") if isinstance(body, dict) else None
        if not isinstance(given, dict) or not isinstance(given.get("comment"), dict):
            return WireAnswer(400, self.error_body(400))
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
        return WireAnswer(200, {"ticket": self._shown(ticket)})

    def _tags(self, request: Request) -> WireAnswer:
        if request.method == "POST":
            name = (request.body or {}).get("name") if isinstance(request.body, dict) else None
            if not isinstance(name, str) or not name:
                return WireAnswer(400, self.error_body(400))
            if name in self._tag_ids:
                return WireAnswer(409, self.error_body(409))
            return WireAnswer(200, {"tag": {"id": self.tag_id(name), "name": name}})
        rows = [{"id": key, "name": name} for name, key in self._tag_ids.items()]
        return WireAnswer(200, {"tag": rows})


_REASONS = {
    400: "Bad request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not found",
    409: "Identifier already used",
    429: "Too many requests",
}
