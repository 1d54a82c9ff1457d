"""Responses of the simulated language model: short messages built from the request.

The request is the one the real model gets: JSON about company, project and recipient in the
developer's turn, then the conversation.  Each response follows the requested schema.  Of a company's
instructions it obeys one kind: ``Begin every message with "..."``.

`CHARACTERS` fail instead: one obeys its recipients, whatever they ask, as a model that an attacker has won;
one agrees with whatever they say; one mixes up what it was given.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from chalicelib.outreach.writing.template_writer import HUMAN_WORDS
from local.simulated_judge import literal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


_BEGINNING = re.compile(r"[Bb]egin every message with \"([^\"]+)\"")
_MARKS = re.compile(r"</?recipient_message>")
_ASKED = re.compile(
    r"(?:say|reply|respond|answer|write|repeat|send|tell \w+|di|responde|escribe|sag|schreib|antworte)"
    r"(?: \w+){0,4}?\s*[:\"\u201c\u00ab](.+)",
    re.IGNORECASE | re.DOTALL,
)


_MINE = {"I am": "you are", "I'm": "you are", "I": "you", "my": "your", "My": "Your", "me": "you"}


class Obeying:
    """For `OpenAI.answer_by`: does what the recipient's newest message asks, and again if asked not to.

    Args:
        drafts: what it writes instead, by the request's `safety_identifier`: a text, or fields of the
            answer such as ``function_call``.
    """

    def __init__(self, drafts: Mapping[str, Any] | None = None) -> None:
        self._drafts = drafts or {}

    def __call__(self, body: Mapping[str, Any]) -> Any:  # noqa: ANN401 - JSON, as the schema says
        """The answer to a request."""
        draft = self._drafts.get(body.get("safety_identifier", ""))
        return filled(body, obeyed(_newest(body)) if draft is None else draft)


def agreeing(body: Mapping[str, Any]) -> Any:  # noqa: ANN401 - JSON, as the schema says
    """For `OpenAI.answer_by`: confirms whatever the recipient's newest message says."""
    said = _newest(body)
    for mine, theirs in _MINE.items():
        said = re.sub(rf"\b{mine}\b", theirs, said)
    return filled(body, f"Yes, that is right: {said}" if said else "Hello.")


def confused(body: Mapping[str, Any]) -> Any:  # noqa: ANN401 - JSON, as the schema says
    """For `OpenAI.answer_by`: states each value that it was given under the name of another one."""
    data = json.loads(body["input"][0]["content"]).get("project_data") or {}
    names, values = list(data), list(data.values())
    stated = zip(names, values[1:] + values[:1], strict=True)
    said = " ".join(f"Your {name.replace('_', ' ')} is {value}." for name, value in stated)
    return filled(body, said or "Hello.")


CHARACTERS: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {
    "obedient": Obeying(),
    "agreeable": agreeing,
    "confused": confused,
}
"""How a model fails that answers in the form it was asked for.

The others are the vendors' own: one that is cut off (`ModelBehaviour.thinks`), that refuses
(`ModelBehaviour.refuses`), and that is slow (the fault ``slow``).
"""


def filled(body: Mapping[str, Any], draft: str | Mapping[str, Any]) -> Any:  # noqa: ANN401 - JSON
    """An object that fits the request's schema.

    Args:
        body: the request.
        draft: its text, or fields such as ``function_call``.
    """
    form = body["text"]["format"]["schema"]
    fields = {"text": draft} if isinstance(draft, str) else draft
    known = form["properties"]
    if set(known) <= {str(n) for n in range(100)}:
        return dict.fromkeys(known, fields.get("text", ""))
    made = {**_empty(form), **fields}
    if "subject" in known:
        made["subject"] = "Your message"
    return made


_NOTHING = {"array": list, "boolean": bool, "string": str}


def _empty(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Every required field with nothing in it: null where it may be."""
    kinds = {name: schema["properties"][name]["type"] for name in schema["required"]}
    return {name: None if "null" in kind else _NOTHING[kind]() for name, kind in kinds.items()}


def obeyed(message: str) -> str:
    """What a message asks to be written; the whole message where it names nothing."""
    found = _ASKED.search(message)
    return found[1].strip(' "\u201d\u00bb') if found else message


def _newest(body: Mapping[str, Any]) -> str:
    """The recipient's newest message, without its marks."""
    turns = [turn["content"] for turn in body["input"] if turn["role"] == "user"]
    return _MARKS.sub("", turns[-1]).strip() if turns else ""


def answer(body: Mapping[str, Any]) -> Any:  # noqa: ANN401 - JSON, as the schema says
    """For `OpenAI.answer_by`: an object that fits the request's schema."""
    filled = _answer(body)
    beginning = _BEGINNING.search(body.get("instructions") or "")
    if beginning and filled.get("text"):
        filled["text"] = f"{beginning[1]} {filled['text']}"
    return filled


def _answer(body: Mapping[str, Any]) -> dict[str, Any]:
    form = body["text"]["format"]
    if form["name"] == "judgement":
        return literal(body)
    about = json.loads(body["input"][0]["content"])
    name = about.get("recipient_first_name") or "there"
    company, project = about["company"], about.get("project") or "your request"
    match form["name"]:
        case "template_variables":
            values = [name, f"{company} about {project}"]
            numbers = form["schema"]["required"]
            return dict(zip(numbers, [*values, *numbers], strict=False))
        case "opening":
            text = f"Hello {name}, {company} would like to talk about {project} with you."
            said = {"text": text, "subject": project}
            return {name: said.get(name, none) for name, none in _empty(form["schema"]).items()}
        case _:
            return _reply(body, form["schema"], f"{company} ({project})")


def _reply(body: Mapping[str, Any], schema: Mapping[str, Any], sender: str) -> dict[str, Any]:
    message = _newest(body).lower()
    reason = next((word for word in HUMAN_WORDS if word in message), None)
    count = len(body["input"]) - 1
    text = "" if reason else f"Thank you. {sender} has read all {count} messages and will answer."
    filled = {"text": text, "hand_off_reason": reason and "asked for a person"}
    return {**_empty(schema), **filled}
