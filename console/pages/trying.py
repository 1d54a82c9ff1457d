"""Tries a message: what would be decided about a conversation that a person types, and why.

It is `support decide --explain` for one conversation, under the stage's published settings.  No
vendor is asked; nothing is sent, stored or logged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from flask import Blueprint, render_template, request

from chalicelib.support.orders.order_rules import order_rules
from console import typed_conversation
from console.backend import reading
from console.rights import Right, needs
from console.typed_conversation import TypedConversation, TypedMessage
from ops.inspect.explain import plain_words
from ops.session import OpsError
from ops.support import decide_lines
from ops.support.decide import TriedSettings

pages = Blueprint("trying", __name__)

DECISIONS: Mapping[str, str] = {
    "answer": "It would be answered automatically.",
    "ask": "The customer would be asked for the order number.",
    "person": "A person would answer it; nothing would be sent.",
    "none": "Nothing would be decided: the newest message is not the customer's.",
}
KINDS: Mapping[str, str] = {
    "order_question": "a question about an order",
    "identifier": "what names an order",
    "circumstance": "a listed circumstance",
    "courtesy": "a courtesy",
    "other": "something else",
}
"""The kinds of a sentence, in a reader's words."""
MORE = "more"
"""The value of the button that adds a message."""


@pages.get("/try")
@needs(Right.LOOK)
def show() -> str:
    """The form to type a conversation, filled with a sample order."""
    return _page(TypedConversation())


@pages.post("/try")
@needs(Right.LOOK)
def decide() -> str | tuple[str, int]:
    """What would be decided about the typed conversation, or the form with one more message."""
    typed, session = TypedConversation.of(request.form), reading()
    if request.form.get("do") == MORE:
        return _page(replace(typed, messages=[*typed.messages, TypedMessage()]))
    try:
        line = typed.line(session.services.clock.now())
        given = decide_lines.conversation(line)
    except OpsError as error:
        return _page(typed, wrong=f"{error}."), 400
    services = session.services
    rules = services.support.rules.current()
    found = TriedSettings.of(services.settings.support, rules).decided(given, explains=True)
    return _page(typed, found=found, line=line, version=rules.version)


def _page(
    typed: TypedConversation,
    *,
    found: Mapping[str, Any] | None = None,
    wrong: str = "",
    line: str = "",
    version: int = 0,
) -> str:
    return render_template(
        "try.html",
        typed=typed,
        found=found,
        wrong=wrong,
        line=line,
        version=version,
        decisions=DECISIONS,
        kinds=KINDS,
        writers=typed_conversation.WRITERS,
        shops=typed_conversation.OrdersGiven,
        limits=typed_conversation,
        statuses=sorted(order_rules().shipment_status),
        words=plain_words,
        more=MORE,
    )
