"""Fixed codes in plain words, for a reader who does not know them; pure.

A code that has no words here is shown as it is: codes are stored for years, and releases add some.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime

from chalicelib.clock import iso, parsed

_VENDORS: Mapping[str, str] = {
    "richpanel": "Richpanel",
    "twilio": "Twilio",
    "ses": "Amazon SES",
    "openai": "OpenAI",
    "bedrock": "Amazon Bedrock",
    "shopify": "Shopify",
    "powerbi": "Power BI",
    "dynamodb": "our own database",
    "conversations": "the conversation's record",
}
_OUTAGES: Mapping[str, str] = {
    "connect_failed": "could not be reached",
    "timeout": "did not answer in time",
    "read_timeout": "did not answer in time",
    "reset": "broke the connection before it answered",
    "http_401": "refuses our key",
    "http_403": "refuses our key",
    "http_429": "asked us to slow down",
    "secret_unavailable": "cannot be asked: its secret could not be read",
}
_STOPPED = "the switch {} was on"
_REASONS: Mapping[str, str] = {
    # switches
    "kill_switch": _STOPPED.format("kill_switch"),
    "shadow": _STOPPED.format("shadow_mode"),
    "safe_mode": _STOPPED.format("safe_mode"),
    "automation_disabled": "automatic replies were switched off",
    "switch_flipped": "a switch was changed at that moment",
    # why a ticket gets no automatic reply
    "outbound_disabled": "automatic replies are not enabled on this stage",
    "escalation": "the subject is one that only a person may answer",
    "conflicting_intent": "the message asks for two things that contradict each other",
    "low_confidence": "it was not certain enough what the message is about",
    "not_sure": "it was not certain enough what the message is about",
    "model:force_human": "the model asked for a person",
    "force_human": "the model asked for a person",
    "no_text": "the message has no text",
    "auto_responder": "the message was written by an auto-responder",
    "risk_flag": "the conversation is marked as a risk",
    "escalated": "a person has the ticket",
    "ticket_closed": "the ticket was closed",
    "answered_automatically": "the ticket had had its automatic answer",
    "answered_by_operator": "a person had answered already",
    "newer_message": "the customer had written again, and the newer message is answered instead",
    "channel_not_supported": "automatic replies are for e-mail tickets only",
    "not_on_allow_list": "the customer's address is not on the allow-list",
    "missing_bot_author": "no author is configured for automatic replies",
    "template_not_enabled": "the template for this subject is not enabled",
    "ticket_not_read": "the ticket was not read",
    "order_number_missing": "the message names no order",
    "order_changed": "the order had changed since the reply was planned",
    "cannot_be_composed": "the text could not be composed",
    "superseded": "the conversation had moved on",
    "limit_ticket_10m": "the ticket had had an automatic reply within ten minutes",
    "limit_conversation_24h": "the ticket had had its automatic replies of that day",
    "limit_customer_24h": "the customer had had their automatic replies of that day",
    # ends of events
    "operator_comment": "the comment was written by an operator, not by a customer",
    "answered_by_a_person": "the person who has the ticket had answered by then",
    "too_old": "the message was too old when it could be processed",
    "nothing_new": "the ticket had no new message",
    "resolved": "the ticket was read, and each new message has an entry of its own",
    "covered": "a later read of the ticket has shown what this notification told of",
    "look_due": "the ticket was read just before; the next read is shared with other notifications",
    "duplicate_in_neighbour_bucket": "the same message had been taken in already",
    "with_a_person": "a person has the conversation",
    "do_not_contact": "the recipient must not be contacted",
    "opted_out": "the recipient asked to stop",
    "automatic_message": "it was an automatic message",
    "media_only": "the message has no text, only media",
    "empty_message": "the message has no text",
    "answered_by_provider": "the carrier answers HELP itself",
    "unknown_sender": "no conversation with that recipient is known",
    "unknown_conversation": "no such conversation is known",
    "wrong_account": "another company's account had signed it",
    "handoff_over": "the hand-off had ended already",
    "returned_to_automation": "nothing was held; the conversation goes on automatically",
    "auto_queue_initial_message": "the company wants a person to approve first messages",
    "auto_queue_reply_message": "the company wants a person to approve answers",
    "ai_config_unreadable": "the project's ai_config cannot be read: see company check",
    "draft_instruction": "the recipient's message instructs the machine",
    "draft_tool": "the model asked for a function that the recipient only quoted or named",
    "draft_link": "two drafts held a link that was not given",
    "draft_email": "two drafts held an e-mail address that was not given",
    "draft_phone": "two drafts held a phone number that was not given",
    "draft_amount": "two drafts held a sum or percentage that was not given",
    "draft_date": "two drafts held a day or time that was not given",
    "draft_promise": "two drafts promised something that was not given",
    "draft_order": "two drafts held a number or state of an order that was not given",
    "draft_language": "two drafts were not in the recipient's language",
    "draft_length": "two drafts were longer than the project's limit",
    "draft_personal": "two drafts held personal identifiers",
    "draft_prompt": "two drafts talked about the machine's instructions",
    "draft_human": "two drafts claimed that a human being writes",
    "draft_form": "two drafts held placeholders, markup or code",
    "draft_topic": "two drafts were about a topic that the project forbids",
    "draft_abuse": "the provider's moderation flagged two drafts",
    "asked_by_writer": "the writer of the message asked for a person",
    "recipient_asked_for_a_person": "the recipient asked for a person",
    "never_opened": "the conversation was never opened",
    "receipt_gone": "only the receipt was kept, and its message is gone",
    "quiet_hours": "it was night for the recipient",
    "scheduled": "it was to be sent later",
    "recipient_answered": "the recipient had written meanwhile",
    "opening_not_delivered": "the first message was not delivered",
    "not_declared": "the conversation declares no such message",
    "person_answers": "a person had the conversation",
    "continued": "a conversation on another channel had taken its place",
    "channel_not_allowed": "the project does not allow the channel",
    "quiet_period": "another message of the recipient might follow at once",
    "behind_another": "an earlier message of the conversation waited",
    "answered_together": "the recipient wrote again at once, and one answer covers both",
    "machine_reply": "it reads like the reply of a machine",
    "loop": "a machine seems to answer our messages",
    "no_notice": "the project wants no e-mail about hand-offs",
    "no_longer_waiting": "a person had the conversation, or it waited for none any more",
    "handoff_notice": "the company is sent an e-mail if no person takes the conversation until then",
    "conversation_budget_reached": "the conversation's budget for language models was spent",
    "budget_reached": "the project's budget of the day for language models was spent",
    "answers_per_hour": "the recipient had had all answers of one hour",
    "answers_per_day": "the recipient had had all answers of one day",
    "switches_stale": "the switches could not be read in time",
    "switches_unreadable": "the switches could not be read",
    "enqueue_failed": "the queue accepted nothing",
    "plan_not_known_here": "its plan was made by a newer release",
    "worker_died": "the worker died",
    "ref_taken": "the vendor's id that came back belongs to another message",
    "already": "it was so already",
    "dependency": "an earlier step had not been done",
    "busy": "another worker had it",
    "lease_too_short": "too little time was left",
    "comment_not_shown": "Richpanel did not show the comment yet",
    "richpanel_local_rate_limit": "our share of Richpanel's rate limit was used up",
}
_PREFIXES: Mapping[str, str] = {
    "dead_letter": "it was given up after ten attempts: {}",
    "refused": "it was refused: {}",
    "withheld": "{}",
    "unknown": "a request left and no usable answer came: {}",
    "interrupted": "a worker died while it waited for the answer: {}",
    "lookup_failed": "the order could not be looked up: {}",
    "ticket_unreadable": "the ticket could not be read: {}",
    "compose": "the message could not be written: {}",
    "send": "the message could not be sent: {}",
}
_HTTP = re.compile(r"http_(\d{3})")
_TEAM = "route-"


def reason(code: str) -> str:
    """A stored reason in plain words, with the code, to search for."""
    words = _reason(code)
    return words if words == code else f"{words} ({code})"


def team(tag: str) -> str:
    """A route's tag as a team's name: ``route-returns-admin`` is *Returns admin*."""
    return tag.removeprefix(_TEAM).replace("-", " ").capitalize()


def subject(intent: str) -> str:
    """An intent as words: ``refund_request`` is *refund request*."""
    return intent.replace("_", " ")


def moment(iso_time: object) -> str:
    """A time as people say it: *Monday 23 November 2026, 10:02:07 UTC*."""
    at = parsed(iso_time if isinstance(iso_time, str) else None)
    if at is None:
        return "an unknown time"
    return f"{at.astimezone(UTC):%A} {at.day} {at.astimezone(UTC):%B %Y, %H:%M:%S} UTC"


def later(iso_time: object, after: object) -> str:
    """A time after another one: its clock alone on the same day, else all of it."""
    first, second = _utc(after), _utc(iso_time)
    if first and second and first.date() == second.date():
        return f"at {second:%H:%M:%S}"
    return f"on {moment(iso_time)}"


def epoch(seconds: object) -> str | None:
    """Epoch seconds as an ISO time; None for anything else."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or seconds <= 0:
        return None
    return iso(datetime.fromtimestamp(seconds, UTC))


def _reason(code: str) -> str:
    if code in _REASONS:
        return _REASONS[code]
    first, colon, rest = code.partition(":")
    if colon and first in _PREFIXES:
        return _PREFIXES[first].format(_reason(rest))
    vendor, _, what = code.partition("_")
    name = _VENDORS.get(vendor)
    if name is None:
        return code
    if what in _OUTAGES:
        return f"{name} {_OUTAGES[what]}"
    status = _HTTP.fullmatch(what)
    if status:
        return f"{name} answered with the error {status[1]}"
    return f"{name} refused it with the code {what}"


def _utc(iso_time: object) -> datetime | None:
    at = parsed(iso_time if isinstance(iso_time, str) else None)
    return at.astimezone(UTC) if at else None
