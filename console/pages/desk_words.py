"""Hand-offs in the words of the people who answer them."""

from __future__ import annotations

_WHY = {
    "asked_by_writer": "The recipient asks for a person, or automation has no answer.",
    "auto_queue_initial_message": "First messages of this project wait for approval.",
    "auto_queue_reply_message": "Replies of this project wait for approval.",
    "held_for_approval": "A message is ready; this project sends nothing without approval.",
    "late_reply": "The recipient wrote after the conversation had ended.",
    "loop": "A machine seems to answer: the same again, or quicker than a person writes.",
    "machine_reply": "The message reads like an automatic reply.",
    "media_only": "The recipient sent pictures or sound without a word.",
    "opt_out_in_doubt": "The message may ask for no further one.",
    "other_sender": "It came from another address than the recipient's.",
    "several_conversations": "The message may belong to another conversation of this recipient.",
    "stepped_in": "A colleague took it while automation had it.",
    "unclear_recipient": "The message may belong to another conversation of this recipient.",
}
_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400


def why(reason: str | None) -> str:
    """A hand-off's reason as a sentence; a code without one with its words apart."""
    if not reason:
        return "No reason was stored."
    words = reason.replace("_", " ").strip()
    return _WHY.get(reason, f"{words[:1].upper()}{words[1:]}.")


def waited(seconds: int | None) -> str:
    """A time of waiting as a person says it; a dash where no answer is awaited."""
    if seconds is None:
        return "\u2013"
    for size, unit in ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "min")):
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return "under a minute"
