"""Hand-offs in the words of the people who answer them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from chalicelib.clock import parsed
from chalicelib.errors import PayloadError
from chalicelib.outreach.channel_traits import Form
from chalicelib.outreach.desk import acts
from chalicelib.outreach.desk.act_row import DeskAct
from chalicelib.outreach.people import persons
from chalicelib.outreach.visible_text import is_blank
from ops.inspect.explain import plain_words

_NAMED = re.compile(r"field (\w+) (.*)", re.DOTALL)
_LENGTHS = re.compile(r"is not a text of 1-(\d+) characters")
_LARGE = re.compile(r"\d{4,}")
_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400


def why(reason: str | None) -> str:
    """A hand-off's reason as a sentence; a reason in the writer's own words stays as it is."""
    return plain_words.CATALOGUE.sentence(reason) if reason else "No reason was stored."


def fault(act: DeskAct, error: PayloadError, given: Mapping[str, str]) -> tuple[str, str]:
    """The field that an act's refusal is about, and why in the words of its page.

    The field is empty where the refusal is about none of the act's fields.

    Args:
        act: the act.
        error: the refusal.
        given: what was posted, by field.
    """
    found = _NAMED.fullmatch(error.message)
    labels = {field.name: field.label or "Message" for field in act.fields}
    if found is None or found[1] not in labels:
        return "", f"{error.message}."
    is_empty = is_blank(given.get(found[1], ""))
    why = _LENGTHS.sub("is empty" if is_empty else r"is longer than \1 characters", found[2])
    why = _LARGE.sub(lambda number: f"{int(number[0]):,}", why)
    return found[1], f"\u201c{labels[found[1]]}\u201d {why}."


def called(person: str) -> str:
    """The name of a person at a desk, and whether it is not proven."""
    who = persons.parsed_person(person)
    return who.shown_name if who.subject else f"{who.name} (not proven)"


def waited(seconds: int | None) -> str:
    """A waiting time in words; a dash where no answer is awaited."""
    if seconds is None:
        return "\u2013"
    for size, unit in ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "min")):
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return "under a minute"


ICONS: Mapping[Form, str] = {Form.TEMPLATE: "chat", Form.TEXT: "phone", Form.MAIL: "mail"}
"""The icon of a channel, by the form of its messages."""
HAPPENED: Mapping[str, str] = {
    "take": "You have the conversation. Automation sends nothing more.",
    "reply": "Your reply is on its way.",
    "approve": "The message is on its way.",
    "decline": "The message is never sent.",
    "note": "The note is kept for your colleagues.",
    "transfer": "Your colleague has the conversation.",
    "snooze": "The conversation is off the list until then, or until the recipient writes.",
    "put_back": "The conversation waits for a colleague.",
    "undo": "The conversation is as it was before.",
    "give_back": "Automation has the conversation again.",
    "close": "The hand-off is over. Nothing was sent.",
    "stop": "The recipient gets no further message, on no channel.",
    "not_stop": "Starts and reminders may leave again.",
}
"""What an act has caused, for the person who did it."""
_FRESH = timedelta(minutes=2)


def happened(story: Sequence[Mapping[str, str]], by: str, now: datetime) -> str:
    """What the newest act has caused, while it is new and the reader's own; else empty.

    Args:
        story: acts of persons, newest first.
        by: the reader.
        now: the time.
    """
    newest = story[0] if story else None
    at = parsed(newest["at"]) if newest else None
    if newest is None or at is None or newest["by"] != by or now - at >= _FRESH:
        return ""
    return HAPPENED.get(newest["act"].partition(" ")[0], "")


def button(act: DeskAct, found: Mapping[str, Any]) -> tuple[str, str]:
    """Label and tone of an act's button, for a conversation as the desk shows it."""
    handoff, held = found["handoff"], found["held_message"] or {}
    if act.name == acts.TAKE and not handoff:
        return "Step in", ""
    if act.name == acts.TAKE and handoff["taken_by"]:
        return f"Take from {called(handoff['taken_by'])}", ""
    if act.name == acts.APPROVE and not held.get("text"):
        return "Let automation write and send", act.words.tone
    if act.name == acts.APPROVE and held["refused"]:
        return "Let automation write again and send", act.words.tone
    return act.words.button, act.words.tone
