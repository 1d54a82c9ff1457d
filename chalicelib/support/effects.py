"""The side effects on a Richpanel ticket: tags, assignment, a reply, and closing the ticket.

Richpanel takes no idempotency key, so the reply carries a short reference made from its action key.
By this reference a reply of unknown outcome is found among the ticket's comments, even if the
vendor has changed the text around it (a signature, HTML).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from chalicelib.once import keys
from chalicelib.once.effect import Effect, EffectKind, Executor, Settle, kinds
from chalicelib.once.keys import OpaqueIds, Suffix
from chalicelib.once.plan import PlannedAction
from chalicelib.support import keys as ticket_keys
from chalicelib.support import reasons as why

ATTENTION_TAG = "middleware_error_needs_attention"
"""Set on a ticket when one of its events has failed; operators search for it."""
UNKNOWN_TAG = why.UNKNOWN_TAG
"""Stored reason: Richpanel takes tags by id, and the tenant has no tag of that name."""
ESCALATION_TAGS = frozenset({ATTENTION_TAG, "mw-escalated-human"})
_VENDOR = "richpanel"

KINDS = kinds(
    ADD_TAG := EffectKind(
        "add_tag",
        _VENDOR,
        Settle.REPEATABLE,
        reaches_customer=False,
        executor=lambda parts: Executor(parts.ticket_executors.add_tags),
    ),
    REMOVE_TAG := EffectKind(
        "remove_tag",
        _VENDOR,
        Settle.REPEATABLE,
        reaches_customer=False,
        executor=lambda parts: Executor(parts.ticket_executors.remove_tags),
    ),
    ASSIGN := EffectKind(
        "assign",
        _VENDOR,
        Settle.REPEATABLE,
        reaches_customer=False,
        executor=lambda parts: Executor(parts.ticket_executors.assign),
    ),
    REPLY := EffectKind(
        "reply",
        _VENDOR,
        Settle.QUERY,
        reaches_customer=True,
        executor=lambda parts: Executor(
            parts.ticket_executors.reply,
            prepare=parts.ticket_executors.prepare,
            settler=parts.reply_read_back,
        ),
    ),
    CLOSE := EffectKind(
        "close",
        _VENDOR,
        Settle.REPEATABLE,
        reaches_customer=True,
        executor=lambda parts: Executor(parts.ticket_executors.close),
    ),
)
"""The kinds of effects on tickets; their parts are those of `support.work.SupportWork`."""


def add_tag(conversation_id: str, tag: str, suffix: Suffix) -> Effect:
    """The effect that puts one tag on a ticket; the tags of one step are sent in one request."""
    key = ticket_keys.tag_action(conversation_id, tag, suffix)
    audit_type = "escalate" if tag in ESCALATION_TAGS else "tag"
    if tag.startswith("route-"):
        audit_type = "route"
    return Effect(ADD_TAG, key, conversation_id, tag, audit_type, {"tag": tag})


def remove_tag(conversation_id: str, tag: str, suffix: Suffix) -> Effect:
    """The effect that takes one tag off a ticket; the tags of one step are sent in one request."""
    key = ticket_keys.untag_action(conversation_id, tag, suffix)
    return Effect(REMOVE_TAG, key, conversation_id, tag, "untag", {"tag": tag})


def assign(conversation_id: str, team: str, suffix: Suffix) -> Effect:
    """The effect that assigns a ticket to a user, by id, or to a team, by ``team:`` and the team's id."""
    key = ticket_keys.assign_action(conversation_id, team, suffix)
    return Effect(ASSIGN, key, conversation_id, team, "assign", {"team": team})


@dataclass(frozen=True, slots=True)
class ReplyData:
    """The parts of a reply that sending it needs: author, reference, text.

    Attributes:
        reference: the short reference that the text contains, by which the reply is recognised.
        compose: returns the text; raises `ProviderError`s when the data for it cannot be read.
    """

    author_id: str
    reference: str
    compose: Callable[[], str]


def reply(
    conversation_id: str,
    template_id: str,
    suffix: Suffix,
    data: ReplyData,
    *,
    body: str | None = None,
) -> Effect:
    """The effect that sends a templated reply to the customer.

    Args:
        conversation_id: the ticket.
        template_id: the template, from the catalogue.
        suffix: the event's part of the action key.
        data: author, reference, and the function that composes the text.
        body: hash of the reply's text; None if the text is not composed yet, as in a resumed event.
    """
    probe = {"author": data.author_id, "reference": data.reference}
    return Effect(
        REPLY,
        ticket_keys.reply_action(conversation_id, suffix),
        conversation_id,
        template_id,
        audit_type="auto_reply",
        payload={"template": template_id},
        probe=probe if body is None else probe | {"body": body},
        data=data,
    )


def close(conversation_id: str, answered_message_id: str | None, suffix: Suffix) -> Effect:
    """The effect that closes a ticket after a reply has answered it.

    The ticket stays open if the customer has commented after the answered message.
    """
    key = ticket_keys.close_action(conversation_id, suffix)
    return Effect(CLOSE, key, conversation_id, "", "close", {}, data=answered_message_id)


def build(planned: PlannedAction, *, conversation_id: str, suffix: Suffix) -> Effect:
    """The effect on a ticket that a planned action names: a tag added or removed, or an assignment.

    Raises:
        KeyError: there is no such kind of effect here; replies and closing are built by the flow.
    """
    return _BY_KIND[planned.kind](conversation_id, planned.arg, suffix)


def reference(opaque: OpaqueIds, action_key: str) -> str:
    """The short reference in a reply's text by which the reply is recognised, e.g. ``3F9A-17BC``.

    It is a keyed hash of the reply's action key.  The reference of a resent reply begins with that
    of the first reply.
    """
    original, resend, _ = action_key.partition(keys.RESEND)
    found = opaque.of("reply_reference", original).upper()
    first = f"{found[:4]}-{found[4:8]}"
    return f"{first}-{opaque.of('reply_reference', action_key).upper()[:4]}" if resend else first


def body_hash(opaque: OpaqueIds, text: str) -> str:
    """A keyed hash of a reply's normalised text, so that differences of spacing and case do not count."""
    return opaque.of("reply_body", keys.normalised(text))


_BY_KIND: Mapping[str, Callable[[str, str, Suffix], Effect]] = {
    ADD_TAG.name: add_tag,
    REMOVE_TAG.name: remove_tag,
    ASSIGN.name: assign,
}
