"""Tickets at Richpanel and orders of the shop, as customers and colleagues make and see them."""

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True)
class Order:
    """An order of the shop: its name with the #, and the customer's address."""

    name: str
    mail: str


def order(stack, **fields):
    """A new order, of a new customer unless `email` names one; `fields` are Shopify's."""
    made = Order(f"#{100_000 + stack.number()}", fields.pop("email", None) or stack.mail())
    stack.shopify.post("orders", name=made.name, email=made.mail, **fields)
    return made


def days_ago(stack, days):
    """A time before the stack's own."""
    return (stack.now() - timedelta(days=days)).isoformat()


def opens(stack, text, mail=None, **fields):
    """A customer opens a ticket, and Richpanel reports it; returns the ticket's id."""
    ticket = stack.ticket(text, customer_email=mail or stack.mail(), **fields)
    reports(stack, ticket, "c-1", text)
    return ticket


def writes_again(stack, ticket, text):
    """The customer writes on the same ticket, and Richpanel reports it."""
    comment = f"c-{stack.number()}"
    stack.richpanel.post(f"tickets/{ticket}/comments", body=text, id=comment)
    reports(stack, ticket, comment, text)


def reports(stack, ticket, comment, text):
    """Richpanel reports a comment; returns once its event has read or changed the ticket.

    Our pace at Richpanel may set the event aside first. An event that needs no request (e.g. because
    automation is off) costs two minutes of the stack's time.
    """
    before = len(requests_about(stack, ticket))
    answer = stack.webhook(ticket_id=ticket, message_id=comment, message=text, settles=False)
    assert answer.status_code == 200
    for _ in range(4):
        stack.forward(seconds=30)
        if len(requests_about(stack, ticket)) > before:
            break


def a_person_answers(stack, ticket, text="I have looked into it."):
    """A colleague writes on the ticket at Richpanel."""
    stack.richpanel.post(f"tickets/{ticket}/comments", body=text, operator=True)


def at(stack, ticket):
    """The ticket as Richpanel shows it."""
    return stack.richpanel.get(f"tickets/{ticket}")["ticket"]


def tags(stack, ticket):
    """Its tags."""
    return set(at(stack, ticket)["tags"])


def answers(stack, ticket):
    """The texts that the bot has written on it, oldest first."""
    written = at(stack, ticket)["comments"]
    return [comment["plain_body"] for comment in written if comment["author_id"] == "bot-1"]


def why_not(stack, ticket):
    """What `explain` says of its newest message: why it was not answered; None where it was."""
    return stack.ops("explain", ticket, "--json").data["events"][-1]["story"]["why_not"]


def requests_about(stack, ticket):
    """What we have asked Richpanel about it."""
    return [request for request in stack.richpanel.requests() if ticket in request["path"]]


def effects_on(stack, ticket):
    """What was changed on it through the API, oldest first; repetitions without effect included."""
    effects = stack.richpanel.get("effects")["effects"]
    return [effect for effect in effects if effect["ticket_id"] == ticket]
