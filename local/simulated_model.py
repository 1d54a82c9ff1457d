"""Responses of the simulated language model: short messages built from the request.

The request is the one the real model gets: JSON about company, project and recipient in the
developer's turn, then the conversation.  Each response follows the requested schema.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from chalicelib.outreach.writing.template_writer import HUMAN_WORDS

if TYPE_CHECKING:
    from collections.abc import Mapping


def answer(body: Mapping[str, Any]) -> Any:  # noqa: ANN401 - JSON, as the schema says
    """For `OpenAI.answer_by`: an object that fits the request's schema."""
    form = body["text"]["format"]
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
            wanted = form["schema"]["required"]
            return {"text": text, **({"subject": project} if "subject" in wanted else {})}
        case _:
            return _reply(body, form["schema"]["required"], f"{company} ({project})")


def _reply(body: Mapping[str, Any], wanted: list[str], sender: str) -> dict[str, Any]:
    message = str(body["input"][-1]["content"]).lower()
    reason = next((word for word in HUMAN_WORDS if word in message), None)
    count = len(body["input"]) - 1
    text = "" if reason else f"Thank you. {sender} has read all {count} messages and will answer."
    filled = {"text": text, "hand_off_reason": reason and "asked for a person"}
    return {**dict.fromkeys(wanted), **filled}
