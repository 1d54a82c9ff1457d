"""Hand-offs in the words of the people who answer them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chalicelib.outreach.desk import acts
from chalicelib.outreach.desk.row import DeskAct
from chalicelib.outreach.people import persons
from ops.inspect.explain import plain_words

_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400


def why(reason: str | None) -> str:
    """A hand-off's reason as a sentence, or what the writer said in its place."""
    return plain_words.CATALOGUE.sentence(reason) if reason else "No reason was stored."


def called(person: str) -> str:
    """What a person of a desk is called, and whether that is only a program's word."""
    who = persons.read(person)
    return who.called if who.subject else f"{who.name} (not proven)"


def waited(seconds: int | None) -> str:
    """A time of waiting as a person says it; a dash where no answer is awaited."""
    if seconds is None:
        return "\u2013"
    for size, unit in ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "min")):
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return "under a minute"


def button(act: DeskAct, found: Mapping[str, Any]) -> tuple[str, str]:
    """The label and the tone of an act's button, for a conversation as the desk shows it."""
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
