"""Hand-offs in the words of the people who answer them."""

from __future__ import annotations

from ops.inspect.explain import words

_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400


def why(reason: str | None) -> str:
    """A hand-off's reason as a sentence, or what the writer said in its place."""
    return words.CATALOGUE.sentence(reason) if reason else "No reason was stored."


def waited(seconds: int | None) -> str:
    """A time of waiting as a person says it; a dash where no answer is awaited."""
    if seconds is None:
        return "\u2013"
    for size, unit in ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "min")):
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return "under a minute"
