"""Maps method and path of a Richpanel request to the name of an operation."""

from __future__ import annotations


def operation(method: str, segments: tuple[str, ...]) -> str:
    """The operation's name, e.g. ``read_ticket`` or ``add_tags``."""
    if segments[:1] != ("v1",):
        return "unknown"
    parts = segments[1:]
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
