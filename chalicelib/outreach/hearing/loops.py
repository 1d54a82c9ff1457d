"""Whether a machine answers us: by its words, by repeating itself, or by the pace of its answers; pure.

Two machines that answer each other never stop, and each round costs a model's call and a message.
A message that is recognised here is not answered: a person gets the conversation, once.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from chalicelib.clock import parsed
from chalicelib.once import keys
from chalicelib.outreach.conversations.records import LOOP, MACHINE, PROMPT, Entry
from chalicelib.vendors.machine_mail import is_machine_mail

LONG_TEXT_CHARACTERS = 20
"""People say "yes" and "thank you" often; they do not write a longer text twice."""
SHORT_TEXT_TIMES = 3
"""A short text counts once it has come so often, each time after an answer."""
AT_ONCE = timedelta(seconds=3)
"""No person reads a message and writes an answer in less, again and again."""
AT_ONCE_TIMES = 3


def note_on(before: Sequence[Entry], text: str, sent_at: str, *, is_timed: bool) -> str | None:
    """`MACHINE` or `LOOP` where a message seems to be a machine's, else None.

    Args:
        before: the newest entries before the message, of `Conversations.recent`.
        text: the message.
        sent_at: when it was sent.
        is_timed: the channel says when a message was sent, to the second.
    """
    if is_machine_mail(text):
        return MACHINE
    earlier = [one for one in before if one.note != PROMPT]
    if _is_repeated(earlier, text) or (is_timed and _comes_at_once(earlier, sent_at)):
        return LOOP
    return None


def _is_repeated(earlier: Sequence[Entry], text: str) -> bool:
    """Whether the same text came before our latest answers; copies without an answer are one batch."""
    wanted = keys.normalised(text)
    times, is_answered = 1, False
    for one in reversed(earlier):
        if one.role == "assistant":
            is_answered = True
        elif is_answered and keys.normalised(one.content) == wanted:
            times, is_answered = times + 1, False
    return times >= (2 if len(wanted) >= LONG_TEXT_CHARACTERS else SHORT_TEXT_TIMES)


def _comes_at_once(earlier: Sequence[Entry], sent_at: str) -> bool:
    """Whether this message and those before it each came within moments of our message."""
    came, times = sent_at, 0
    for one in reversed(earlier):
        if one.role == "assistant":
            at, said = parsed(came), parsed(one.message_timestamp)
            if came and at and said and timedelta() <= at - said <= AT_ONCE:
                times += 1
                came = ""
                continue
            break
        if came:
            break  # not the first after an answer
        came = one.message_timestamp
    return times >= AT_ONCE_TIMES
